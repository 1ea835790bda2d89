/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "delay/delay-history.h"

#define CLOCK_STEP_US 1000000

/* Factor by which packets must be sent faster than earlier ones, and than they
 * arrived; and largest share of the additional bytes that may have arrived.  On a
 * link of which a flow has the share x, (1 - x) of what it sends more arrives; if
 * it has the whole link, nothing does. */
#define FASTER 1.25
#define ANSWER 0.25
/* Factor by which earlier packets may have arrived faster than the newest ones.  What
 * arrived faster had more of the link: since then another flow has come (back), as BBR does
 * when it has measured its least RTT, or the capacity fell. */
#define TAKEN 1.1

/* The packets that arrived between two reports. */
typedef struct
{
  uint32_t first; /* age of the sample before the first of them */
  TfrcRate sent;
  TfrcRate arrived;
} Stretch;

/* Sample by age, where 0 is the newest. */
static const TfrcDelaySample *
get_sample (const TfrcDelayHistory *self, uint32_t age)
{
  return &self->samples[(self->n_samples - 1 - age) % TFRC_DELAY_SAMPLES];
}

static bool
has_sample (const TfrcDelayHistory *self, uint32_t age)
{
  return age < TFRC_DELAY_SAMPLES && age < self->n_samples;
}

/* The least delay of an interval is near its newest one, whatever the origin of the
 * clocks. */
static TfrcDelaySample
unwrap (const TfrcDelayHistory *self, const TfrcDelayArrival *arrival,
    TfrcTime now)
{
  static const TfrcDelaySample none = { 0 };
  const TfrcDelaySample *last = self->n_samples > 0
      ? get_sample (self, 0)
      : &none;
  const TfrcDelayReport *delay = &arrival->delay;
  int64_t newest_delay_us = last->newest_delay_us
      + (int32_t) (delay->newest_delay_us - (uint32_t) last->newest_delay_us);

  return (TfrcDelaySample) {
    .at = now,
    .least_delay_us = newest_delay_us
        + (int32_t) (delay->least_delay_us - delay->newest_delay_us),
    .newest_delay_us = newest_delay_us,
    .arrival_us = last->arrival_us
        + (int32_t) (delay->arrival_us - (uint32_t) last->arrival_us),
    .bytes = last->bytes + (uint32_t) (delay->bytes - (uint32_t) last->bytes),
    .sent = arrival->sent,
  };
}

bool
tfrc_delay_history_add (TfrcDelayHistory *self, const TfrcDelayArrival *arrival,
    TfrcTime now)
{
  const TfrcDelaySample *last = get_sample (self, 0);
  TfrcDelaySample sample = unwrap (self, arrival, now);
  int64_t passed = (int64_t) ((now - last->at) / TFRC_MICROSECOND);
  int64_t arrived = sample.arrival_us - last->arrival_us;
  bool is_step = self->n_samples > 0
      && (arrived < 0 || arrived - passed > CLOCK_STEP_US
          || passed - arrived > CLOCK_STEP_US);

  if (is_step
      || (self->n_samples > 0
          && (double) (sample.bytes - last->bytes)
              > arrival->bytes_sent - last->sent + arrival->slack))
    self->n_samples = 0;
  self->samples[self->n_samples++ % TFRC_DELAY_SAMPLES] = sample;
  return !is_step;
}

const TfrcDelaySample *
tfrc_delay_history_get_newest (const TfrcDelayHistory *self)
{
  return get_sample (self, 0);
}

/* The newest sample whose packet arrived at least `duration` before that of the
 * newest one, or the oldest there is. */
static const TfrcDelaySample *
get_sample_before (const TfrcDelayHistory *self, TfrcDuration duration)
{
  const TfrcDelaySample *newest = get_sample (self, 0);
  const TfrcDelaySample *sample = newest;

  for (uint32_t age = 1; has_sample (self, age); age++) {
    sample = get_sample (self, age);
    if ((newest->arrival_us - sample->arrival_us) * 1000 >= (int64_t) duration)
      break;
  }
  return sample;
}

TfrcRate
tfrc_delay_history_get_rate (const TfrcDelayHistory *self, TfrcDuration horizon,
    TfrcRate otherwise)
{
  const TfrcDelaySample *newest = get_sample (self, 0);
  const TfrcDelaySample *oldest = get_sample_before (self, horizon);
  double span = (double) (newest->arrival_us - oldest->arrival_us) / 1e6;

  if (!(span > 0.0))
    return otherwise;
  return (double) (newest->bytes - oldest->bytes) / span;
}

int64_t
tfrc_delay_history_get_least_us (const TfrcDelayHistory *self,
    TfrcDuration span, TfrcTime now)
{
  int64_t least_us = get_sample (self, 0)->least_delay_us;

  for (uint32_t age = 1;
      has_sample (self, age) && now - get_sample (self, age)->at < span;
      age++) {
    int64_t delay_us = get_sample (self, age)->least_delay_us;

    least_us = delay_us < least_us ? delay_us : least_us;
  }
  return least_us;
}

/* Measures the packets of one horizon, up to the report of age `last`.  If packets
 * waited longer than those before them, they were sent in less time than they
 * arrived in.  Returns false if there are none. */
static bool
measure_stretch (const TfrcDelayHistory *self, uint32_t last,
    TfrcDuration horizon, TfrcTime since, Stretch *stretch)
{
  const TfrcDelaySample *newest, *oldest;
  int64_t arrival_us, departure_us;

  for (uint32_t age = last + 1; has_sample (self, age); age++) {
    newest = get_sample (self, last);
    oldest = get_sample (self, age);
    arrival_us = newest->arrival_us - oldest->arrival_us;
    if (oldest->at < since)
      break;
    if (arrival_us * 1000 < (int64_t) horizon)
      continue;
    departure_us = arrival_us
        - (newest->newest_delay_us - oldest->newest_delay_us);
    if (departure_us <= 0 || newest->bytes <= oldest->bytes)
      break;
    *stretch = (Stretch) {
      .first = age,
      .sent = (double) (newest->bytes - oldest->bytes) * 1e6
          / (double) departure_us,
      .arrived = (double) (newest->bytes - oldest->bytes) * 1e6
          / (double) arrival_us,
    };
    return true;
  }
  return false;
}

bool
tfrc_delay_history_grew_alone (const TfrcDelayHistory *self,
    TfrcDuration horizon, TfrcTime since)
{
  Stretch newest, older;

  if (!measure_stretch (self, 0, horizon, since, &newest)
      || newest.sent < FASTER * newest.arrived)
    return false;
  older = newest;
  while (measure_stretch (self, older.first, horizon, since, &older)) {
    double more = newest.sent / older.sent - 1.0;

    if (older.arrived > TAKEN * newest.arrived)
      break;
    if (more >= FASTER - 1.0
        && newest.arrived / older.arrived - 1.0 <= ANSWER * more)
      return true;
  }
  return false;
}
