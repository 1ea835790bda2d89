/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tcp-model.h"

#include <math.h>

#define INITIAL_WINDOW 10.0 /* RFC 6928 */
#define LEAST_WINDOW 2.0
#define DUPLICATES 3 /* RFC 5681 section 3.2 */
#define TIMEOUT TFRC_SECOND
#define ACK_DELAY (40 * TFRC_MILLISECOND) /* TCP_DELACK_MIN of Linux */
#define CUBIC_C 0.4                       /* RFC 9438 section 5 */
#define CUBIC_BETA 0.7                    /* section 4.6 */
#define RENO_BETA 0.5
#define RENO_GAIN (3.0 * (1.0 - CUBIC_BETA) / (1.0 + CUBIC_BETA)) /* 4.3 */
/* HyStart, RFC 9406 section 4.2. */
#define ROUND_SAMPLES 8
#define LEAST_RISE (4 * TFRC_MILLISECOND)
#define MOST_RISE (16 * TFRC_MILLISECOND)
#define RISE_PART 8

void
tcp_model_init (TcpModel *self, bool cubic, unsigned packets_per_ack,
    TfrcTime now)
{
  *self = (TcpModel) {
    .cubic = cubic,
    .packets_per_ack = packets_per_ack,
    .window = INITIAL_WINDOW,
    .threshold = (double) INFINITY,
    .heard_at = now,
    .epoch_at = TFRC_TIME_NONE,
    .least_rtt = TFRC_TIME_NONE,
    .round_rtt = TFRC_TIME_NONE,
    .fastest_rtt = TFRC_TIME_NONE,
    .ack_at = TFRC_TIME_NONE,
  };
}

bool
tcp_model_may_send (const TcpModel *self)
{
  return (double) self->in_flight + 1.0 <= self->window
      && self->next - self->first < TCP_MODEL_WINDOW;
}

uint64_t
tcp_model_on_sent (TcpModel *self, TfrcTime now)
{
  uint64_t number = self->next++;

  if (self->in_flight++ == 0)
    self->heard_at = now;
  self->known[number % TCP_MODEL_WINDOW] = false;
  self->sent_at[number % TCP_MODEL_WINDOW] = now;
  return number;
}

static void
reduce (TcpModel *self)
{
  double beta = self->cubic ? CUBIC_BETA : RENO_BETA;

  /* RFC 9438 section 4.7, fast convergence. */
  self->last_maximum = self->window < self->last_maximum
      ? floor (self->window * (1.0 + CUBIC_BETA) / 2.0)
      : self->window;
  self->window = self->threshold = fmax (LEAST_WINDOW,
      floor (beta * self->window));
  self->recover = self->next;
  self->epoch_at = TFRC_TIME_NONE;
}

/* A packet more for `count` that are acknowledged. */
static void
grow_by (TcpModel *self, double count)
{
  self->acked += 1.0;
  if (self->acked < count)
    return;
  self->window += 1.0;
  self->acked = 0.0;
}

/* RFC 9438 sections 4.2 and 4.3, in whole packets and with the least RTT, as Linux has
 * them. */
static void
grow_cubic (TcpModel *self, TfrcTime now)
{
  double at, target, count;

  if (self->epoch_at == TFRC_TIME_NONE) {
    self->epoch_at = now;
    self->acked = 0.0;
    self->reno_window = self->window;
    self->reno_acked = 0.0;
    self->cubic_period = self->last_maximum > self->window
        ? cbrt ((self->last_maximum - self->window) / CUBIC_C)
        : 0.0;
    self->origin = fmax (self->last_maximum, self->window);
  }
  at = tfrc_duration_to_seconds (now - self->epoch_at + self->fastest_rtt)
      - self->cubic_period;
  target = self->origin + trunc (CUBIC_C * at * at * at);
  count = target > self->window ? self->window / (target - self->window)
                                : 100.0 * self->window;
  if (self->last_maximum == 0.0)
    count = fmin (count, 20.0);
  self->reno_acked += 1.0;
  if (self->reno_acked * RENO_GAIN > self->window) {
    self->reno_acked -= self->window / RENO_GAIN;
    self->reno_window += 1.0;
  }
  if (self->reno_window > self->window)
    count = fmin (count, self->window / (self->reno_window - self->window));
  grow_by (self, fmax (count, 2.0));
}

static void
grow (TcpModel *self, TfrcTime now)
{
  if (self->window < self->threshold)
    self->window += 1.0;
  else if (self->cubic)
    grow_cubic (self, now);
  else
    grow_by (self, self->window);
}

/* HyStart: slow start is over when the least RTT of a round's first packets has
 * risen. */
static void
watch_round (TcpModel *self, uint64_t number, TfrcDuration sample)
{
  TfrcDuration rise = tfrc_time_max (LEAST_RISE,
      tfrc_time_min (self->least_rtt / RISE_PART, MOST_RISE));

  if (number >= self->round_end) {
    self->least_rtt = tfrc_time_min (self->least_rtt, self->round_rtt);
    self->round_rtt = TFRC_TIME_NONE;
    self->round_samples = 0;
    self->round_end = self->next;
  }
  self->round_rtt = tfrc_time_min (self->round_rtt, sample);
  if (++self->round_samples == ROUND_SAMPLES
      && self->round_rtt >= tfrc_time_add (self->least_rtt, rise))
    self->threshold = self->window;
}

/* RFC 5681 section 4.2: at once while segments are missing.  What was lost is sent
 * again when that is known, in front of all that is sent later. */
static bool
acks_at_once (TcpModel *self, uint64_t number)
{
  if (number >= self->expected) {
    self->missing += (uint32_t) (number - self->expected);
    self->expected = number + 1;
  } else if (self->missing > 0) {
    self->missing--;
    return true;
  }
  return self->missing > 0 || number < self->repaired;
}

void
tcp_model_on_packet (TcpModel *self, uint64_t number, TfrcTime now)
{
  TcpAck *ack = &self->delayed;
  bool at_once = acks_at_once (self, number);

  ack->numbers[ack->n++] = number;
  if (at_once || ack->n >= self->packets_per_ack)
    self->ack_at = now;
  else
    self->ack_at = tfrc_time_add (now, ACK_DELAY);
}

TfrcTime
tcp_model_next_ack_at (const TcpModel *self)
{
  return self->ack_at;
}

bool
tcp_model_poll_ack (TcpModel *self, TcpAck *ack, TfrcTime now)
{
  if (now < self->ack_at)
    return false;
  *ack = self->delayed;
  self->delayed.n = 0;
  self->ack_at = TFRC_TIME_NONE;
  return true;
}

/* What was under way and is known now, one way or the other. */
static void
settle (TcpModel *self, uint64_t number)
{
  self->known[number % TCP_MODEL_WINDOW] = true;
  self->in_flight--;
}

static bool
is_open (const TcpModel *self, uint64_t number)
{
  return number >= self->first && !self->known[number % TCP_MODEL_WINDOW];
}

static void
find_losses (TcpModel *self)
{
  for (uint64_t n = self->first; n + DUPLICATES < self->highest; n++) {
    if (!is_open (self, n))
      continue;
    settle (self, n);
    if (self->missing > 0)
      self->missing--;
    self->repaired = self->next;
    if (n >= self->recover)
      reduce (self);
  }
}

/* Linux has one sample for each acknowledgement, of the newest packet. */
static void
take_sample (TcpModel *self, uint64_t number, TfrcTime now)
{
  TfrcDuration sample = now - self->sent_at[number % TCP_MODEL_WINDOW];

  self->heard_at = now;
  self->fastest_rtt = tfrc_time_min (self->fastest_rtt, sample);
  self->rtt = self->rtt == 0 ? sample : (7 * self->rtt + sample) / 8;
  if (self->cubic && self->window < self->threshold)
    watch_round (self, number, sample);
}

void
tcp_model_on_ack (TcpModel *self, const TcpAck *ack, TfrcTime now)
{
  uint64_t newest = 0;
  unsigned n_new = 0;

  for (unsigned i = 0; i < ack->n; i++) {
    if (!is_open (self, ack->numbers[i]))
      continue;
    settle (self, ack->numbers[i]);
    newest = ack->numbers[i];
    n_new++;
    if (newest >= self->highest)
      self->highest = newest + 1;
  }
  if (n_new == 0)
    return;
  take_sample (self, newest, now);
  find_losses (self);
  while (self->first < self->next
      && self->known[self->first % TCP_MODEL_WINDOW])
    self->first++;
  for (; newest >= self->recover && n_new > 0; n_new--)
    grow (self, now);
}

TfrcTime
tcp_model_next_deadline (const TcpModel *self)
{
  return self->in_flight == 0 ? TFRC_TIME_NONE
                              : tfrc_time_add (self->heard_at, TIMEOUT);
}

/* All that is under way is lost, RFC 5681 section 3.1. */
void
tcp_model_on_deadline (TcpModel *self, TfrcTime now)
{
  if (now < tcp_model_next_deadline (self))
    return;
  reduce (self);
  self->window = 1.0;
  self->first = self->highest = self->next;
  self->repaired = self->expected = self->next;
  self->missing = 0;
  self->in_flight = 0;
}
