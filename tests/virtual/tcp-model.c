/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tcp-model.h"

#include <math.h>

#define INITIAL_WINDOW 10.0 /* RFC 6928 */
#define LEAST_WINDOW 2.0
#define DUPLICATES 3 /* RFC 5681 section 3.2 */
#define TIMEOUT TFRC_SECOND
#define CUBIC_C 0.4    /* RFC 9438 section 5 */
#define CUBIC_BETA 0.7 /* section 4.6 */
#define RENO_BETA 0.5
/* HyStart, RFC 9406 section 4.2. */
#define ROUND_SAMPLES 8
#define LEAST_RISE (4 * TFRC_MILLISECOND)
#define MOST_RISE (16 * TFRC_MILLISECOND)
#define RISE_PART 8

void
tcp_model_init (TcpModel *self, bool cubic, TfrcTime now)
{
  *self = (TcpModel) {
    .cubic = cubic,
    .window = INITIAL_WINDOW,
    .threshold = (double) INFINITY,
    .heard_at = now,
    .epoch_at = TFRC_TIME_NONE,
    .least_rtt = TFRC_TIME_NONE,
    .round_rtt = TFRC_TIME_NONE,
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
      ? self->window * (1.0 + CUBIC_BETA) / 2.0
      : self->window;
  self->window = self->threshold = fmax (LEAST_WINDOW, beta * self->window);
  self->recover = self->next;
  self->epoch_at = TFRC_TIME_NONE;
}

/* RFC 9438 sections 4.2 and 4.3. */
static void
grow_cubic (TcpModel *self, TfrcTime now)
{
  double at, target;

  if (self->epoch_at == TFRC_TIME_NONE) {
    self->epoch_at = now;
    self->reno_window = self->window;
    self->cubic_period = self->last_maximum > self->window
        ? cbrt ((self->last_maximum - self->window) / CUBIC_C)
        : 0.0;
  }
  at = tfrc_duration_to_seconds (now - self->epoch_at + self->rtt)
      - self->cubic_period;
  target = fmax (self->last_maximum, self->threshold) + CUBIC_C * at * at * at;
  target = fmin (target, 1.5 * self->window);
  self->reno_window += 3.0 * (1.0 - CUBIC_BETA) / (1.0 + CUBIC_BETA)
      / self->window;
  if (target > self->window)
    self->window += (target - self->window) / self->window;
  self->window = fmax (self->window, self->reno_window);
}

static void
grow (TcpModel *self, TfrcTime now)
{
  if (self->window < self->threshold)
    self->window += 1.0;
  else if (self->cubic)
    grow_cubic (self, now);
  else
    self->window += 1.0 / self->window;
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

void
tcp_model_on_ack (TcpModel *self, uint64_t number, TfrcTime now)
{
  bool *known = &self->known[number % TCP_MODEL_WINDOW];
  TfrcDuration sample = now - self->sent_at[number % TCP_MODEL_WINDOW];

  if (number < self->first || *known)
    return;
  *known = true;
  self->in_flight--;
  self->heard_at = now;
  self->rtt = self->rtt == 0 ? sample : (7 * self->rtt + sample) / 8;
  if (self->cubic && self->window < self->threshold)
    watch_round (self, number, sample);
  if (number >= self->highest)
    self->highest = number + 1;
  for (uint64_t n = self->first; n + DUPLICATES < self->highest; n++) {
    if (self->known[n % TCP_MODEL_WINDOW])
      continue;
    self->known[n % TCP_MODEL_WINDOW] = true;
    self->in_flight--;
    if (n >= self->recover)
      reduce (self);
  }
  while (self->first < self->next
      && self->known[self->first % TCP_MODEL_WINDOW])
    self->first++;
  if (number >= self->recover)
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
  self->in_flight = 0;
}
