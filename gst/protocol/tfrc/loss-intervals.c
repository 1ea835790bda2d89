/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tfrc/loss-intervals.h"

#include <assert.h>
#include <string.h>

static_assert (TFRC_MAX_HISTORY >= TFRC_DEFAULT_HISTORY,
    "no place for the default history");

void
tfrc_loss_intervals_init (TfrcLossIntervals *self, uint32_t length,
    double discount_threshold)
{
  assert (length >= TFRC_MIN_HISTORY && length <= TFRC_MAX_HISTORY);
  assert (discount_threshold > 0.0 && discount_threshold <= 1.0);

  memset (self, 0, sizeof *self);
  self->length = length;
  self->discount_threshold = discount_threshold;
}

/* RFC 5348 section 5.5: the open interval becomes I_1 with DF_1 = 1; all older ones
 * move up and keep the discount that it caused. */
static void
shift (TfrcLossIntervals *self, double size, double discount)
{
  uint32_t kept = self->n_closed;

  if (kept == self->length)
    kept--;
  for (uint32_t i = kept; i > 0; i--) {
    self->sizes[i] = self->sizes[i - 1];
    self->discounts[i] = self->discounts[i - 1] * discount;
  }
  self->sizes[0] = size;
  self->discounts[0] = 1.0;
  self->n_closed = kept + 1;
}

/* w_i of RFC 5348 section 5.4 for any n: 1 for the newer half, then down to 2 / (n
 * + 2) in equal steps. */
static double
weight (const TfrcLossIntervals *self, uint32_t i)
{
  uint32_t n = self->length;

  if (2 * i < n)
    return 1.0;
  return i < n ? 2.0 * (n - i) / (n + 2.0) : 0.0;
}

static void
update_sums (TfrcLossIntervals *self)
{
  double w = weight (self, 0);

  self->shifted_size = self->shifted_weight = 0.0;
  self->closed_size = self->closed_weight = 0.0;
  for (uint32_t i = 0; i < self->n_closed; i++) {
    double plain = self->discounts[i] * w;

    self->closed_size += plain * self->sizes[i];
    self->closed_weight += plain;
    w = weight (self, i + 1);
    /* The open interval pushes out the oldest of k intervals. */
    if (i + 1 < self->n_closed) {
      double shifted = self->discounts[i] * w;

      self->shifted_size += shifted * self->sizes[i];
      self->shifted_weight += shifted;
    }
  }
}

static void
start_event (TfrcLossIntervals *self, TfrcSeq start, double size,
    double discount)
{
  shift (self, size, discount);
  self->event_start = start;
  self->events++;
  update_sums (self);
}

/* RFC 5348 section 5.5: DF = max (THRESHOLD, 2 I_mean / I_0) once I_0 is longer
 * than twice the mean of the closed intervals. */
static double
discount_of (const TfrcLossIntervals *self, double open)
{
  double twice_mean, discount;

  if (self->discount_threshold >= 1.0 || !(self->closed_weight > 0.0))
    return 1.0;
  twice_mean = 2.0 * self->closed_size / self->closed_weight;
  if (open <= twice_mean)
    return 1.0;
  discount = twice_mean / open;
  return discount > self->discount_threshold
      ? discount
      : self->discount_threshold;
}

/* RFC 5348 section 5.5 takes the DF as of the newest packet.  Here it is computed
 * from the interval that is closed, without the later packets that revealed the
 * loss.  The history then depends on the losses alone, and taking one back leaves
 * no trace. */
void
tfrc_loss_intervals_on_event (TfrcLossIntervals *self, TfrcSeq start,
    double first_interval)
{
  double size;

  if (self->events == 0) {
    start_event (self, start, first_interval, 1.0);
    return;
  }
  /* RFC 5348 section 5.3: from the first loss of one event to the first loss of the
   * next. */
  size = (double) (start - self->event_start);
  start_event (self, start, size, discount_of (self, size));
}

/* The event closes a short interval of `losses` losses: its size is divided by
 * their number (RFC 4828 section 4.4). */
static void
intervals_on_event_after_short (TfrcLossIntervals *self, TfrcSeq start,
    double losses)
{
  double size = (double) (start - self->event_start) / losses;

  assert (self->events > 0 && losses >= 1.0);
  start_event (self, start, size, discount_of (self, size));
}

/* Replaces the size of the oldest closed interval, of which there must be one. */
static void
intervals_replace_oldest (TfrcLossIntervals *self, double size)
{
  assert (self->n_closed > 0);
  self->sizes[self->n_closed - 1] = size;
  update_sums (self);
}

double
tfrc_loss_intervals_get_discount (const TfrcLossIntervals *self,
    TfrcSeq highest)
{
  if (self->events == 0)
    return 1.0;
  return discount_of (self, (double) (highest - self->event_start + 1));
}

/* RFC 5348 section 5.4: "max (I_tot0, I_tot1) / W_tot"; with discounting (5.5) "p =
 * min (W_tot0/I_tot0, W_tot1/I_tot1)", which is the same if all factors are 1. w_0
 * is 1 for every n. */
double
tfrc_loss_intervals_get_loss_event_rate (const TfrcLossIntervals *self,
    TfrcSeq highest)
{
  double open, discount, with_open, without;

  if (self->events == 0)
    return 0.0;
  /* RFC 5348 section 5.3: I_0 = S_highest - S_A + 1. */
  open = (double) (highest - self->event_start + 1);
  discount = discount_of (self, open);
  /* I_0 is at least 1, so neither total is 0. */
  with_open = (1.0 + discount * self->shifted_weight)
      / (open + discount * self->shifted_size);
  if (!(self->closed_size > 0.0))
    return with_open < 1.0 ? with_open : 1.0;
  without = self->closed_weight / self->closed_size;
  if (without < with_open)
    with_open = without;
  return with_open < 1.0 ? with_open : 1.0;
}

double
tfrc_loss_intervals_get_closed_loss_event_rate (const TfrcLossIntervals *self)
{
  if (!(self->closed_size > 0.0))
    return 0.0;
  return self->closed_weight < self->closed_size
      ? self->closed_weight / self->closed_size
      : 1.0;
}

static_assert (TFRC_MAX_LOSS_RUNS >= 1, "no place for a loss");

void
tfrc_loss_history_init (TfrcLossHistory *self, uint32_t length,
    double discount_threshold)
{
  tfrc_loss_intervals_init (&self->before.intervals, length,
      discount_threshold);
  self->before.event_at = 0;
  self->now = self->before;
  self->n_records = 0;
  self->first_interval = 1.0;
  self->small_packets = false;
}

void
tfrc_loss_history_set_first_interval (TfrcLossHistory *self, double packets)
{
  self->first_interval = packets > 1.0 ? packets : 1.0;
}

static bool
is_short (const TfrcLossEvents *events, TfrcDuration rtt, TfrcTime end)
{
  return events->intervals.events > 0
      && end <= tfrc_time_add (events->event_at, 2 * rtt);
}

/* The losses of an interval are those of the event that starts it: the first loss
 * outside that event starts the next interval. */
static void
begin_event (const TfrcLossHistory *self, TfrcLossEvents *events, TfrcSeq start,
    TfrcTime at, TfrcDuration rtt)
{
  if (self->small_packets && is_short (events, rtt, at))
    intervals_on_event_after_short (&events->intervals, start,
        (double) events->intervals.losses);
  else
    tfrc_loss_intervals_on_event (&events->intervals, start,
        self->first_interval);
  events->event_at = at;
}

/* Once the history contains only intervals of `per_event` packets, a further one
 * changes nothing but its position.  Skips these, so that a long run takes no time,
 * but leaves enough for the discounts to settle.  Returns the number of packets
 * skipped. */
static uint32_t
skip_events (TfrcLossEvents *events, uint32_t per_event, uint32_t n_left,
    TfrcDuration spacing)
{
  uint32_t n_events = n_left / per_event;
  uint32_t n_skipped;

  if (n_events <= events->intervals.length + 1)
    return 0;
  n_events -= events->intervals.length + 1;
  n_skipped = n_events * per_event;
  events->intervals.events += n_events;
  events->intervals.event_start += n_skipped;
  events->event_at = tfrc_time_add (events->event_at, n_skipped * spacing);
  return n_skipped;
}

/* Index of the first packet of the run, from `i` on, that lies more than one RTT
 * after the start of the event, or the length of the run. */
static uint32_t
first_outside (const TfrcLossEvents *events, const TfrcLossRecord *record,
    uint32_t i)
{
  const TfrcLossRun *run = &record->run;
  TfrcTime end = tfrc_time_add (events->event_at, record->rtt);
  TfrcTime at = tfrc_time_add (run->first_at, i * run->spacing);
  TfrcDuration steps;

  if (events->intervals.events == 0 || i >= run->count)
    return i;
  /* The loss was detected after later ones had been folded into `before`: it
   * belongs to their event. */
  if (run->first + i <= events->intervals.event_start)
    return run->count;
  if (at > end)
    return i;
  if (run->spacing == 0)
    return run->count;
  steps = (end - at) / run->spacing + 1;
  return steps < run->count - i ? i + (uint32_t) steps : run->count;
}

/* RFC 5348 section 5.2: a loss is part of the event if "T_old + R >= T_new", and
 * starts the next one otherwise. */
static void
add_record (const TfrcLossHistory *self, TfrcLossEvents *events,
    const TfrcLossRecord *record)
{
  const TfrcLossRun *run = &record->run;
  uint32_t started = 0;
  uint32_t i = first_outside (events, record, 0);

  events->intervals.losses += i;
  while (i < run->count) {
    uint32_t next;

    begin_event (self, events, run->first + i,
        tfrc_time_add (run->first_at, i * run->spacing), record->rtt);
    next = first_outside (events, record, i + 1);
    events->intervals.losses = next - i;
    /* A run of many RTTs makes intervals of equal size. */
    if (++started == events->intervals.length + 1 && next < run->count)
      next += skip_events (events, next - i, run->count - next, run->spacing);
    i = next;
  }
}

/* Inserts in front of record `i`. */
static void
insert_record (TfrcLossHistory *self, uint32_t i, const TfrcLossRecord *record)
{
  for (uint32_t j = self->n_records; j > i; j--)
    self->records[j] = self->records[j - 1];
  self->records[i] = *record;
  self->n_records++;
}

static void
remove_record (TfrcLossHistory *self, uint32_t i)
{
  self->n_records--;
  for (uint32_t j = i; j < self->n_records; j++)
    self->records[j] = self->records[j + 1];
}

/* Regrouping takes one step per event, or 2 (n + 1) for a long run, each with a few
 * operations per interval.  The two limits keep the cost of a late packet low for
 * any n. */
static void
forget_old (TfrcLossHistory *self)
{
  while (self->n_records > TFRC_MAX_LOSS_RUNS
      || (self->n_records > 1
          && self->now.intervals.events - self->before.intervals.events
              > TFRC_MAX_LOSS_EVENTS)) {
    add_record (self, &self->before, &self->records[0]);
    remove_record (self, 0);
  }
}

static void
regroup (TfrcLossHistory *self)
{
  self->now = self->before;
  for (uint32_t i = 0; i < self->n_records; i++)
    add_record (self, &self->now, &self->records[i]);
}

void
tfrc_loss_history_on_loss (TfrcLossHistory *self, const TfrcLossRun *run,
    TfrcDuration rtt)
{
  TfrcLossRecord record = { .run = *run, .rtt = rtt };
  uint32_t i = self->n_records;

  while (i > 0 && self->records[i - 1].run.first > run->first)
    i--;
  insert_record (self, i, &record);
  if (i + 1 == self->n_records)
    add_record (self, &self->now, &record);
  else
    regroup (self);
  forget_old (self);
}

bool
tfrc_loss_history_on_repair (TfrcLossHistory *self, TfrcSeq position)
{
  for (uint32_t i = self->n_records; i > 0; i--) {
    TfrcLossRecord *below = &self->records[i - 1];
    TfrcLossRecord above = *below;
    uint32_t n_below;

    if (below->run.marked || position < below->run.first
        || position >= below->run.first + below->run.count)
      continue;
    n_below = (uint32_t) (position - below->run.first);
    above.run.first = position + 1;
    above.run.count -= n_below + 1;
    above.run.first_at += (n_below + 1) * above.run.spacing;
    below->run.count = n_below;
    if (above.run.count > 0)
      insert_record (self, i, &above);
    if (n_below == 0)
      remove_record (self, i - 1);
    regroup (self);
    forget_old (self);
    return true;
  }
  return false;
}

void
tfrc_loss_history_remodel (TfrcLossHistory *self, TfrcDuration rtt,
    double first_factor)
{
  TfrcLossIntervals *before = &self->before.intervals;

  tfrc_loss_history_set_first_interval (self,
      self->first_interval * first_factor);
  /* It was closed first, so it is the oldest until newer ones push it out. */
  if (before->events > 0 && before->events <= before->length)
    intervals_replace_oldest (before, self->first_interval);
  for (uint32_t i = 0; i < self->n_records; i++)
    self->records[i].rtt = rtt;
  regroup (self);
  forget_old (self);
}

bool
tfrc_loss_history_is_short (const TfrcLossHistory *self, TfrcDuration rtt,
    TfrcTime now)
{
  return is_short (&self->now, rtt, now);
}
