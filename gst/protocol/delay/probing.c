/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "delay/probing.h"

#include <math.h>

/* X_recv covers one RTT, which may start at any time. */
#define PROBE_RTTS 1.5
#define LEAST_PROBE (30 * TFRC_MILLISECOND)
#define TIME_SHARE 20 /* a probe lasts for one part in this many of the time */
#define BYTE_SHARE 4  /* bytes of the source for each byte of probes */
/* What slow start sends in four RTTs, doubling from 4380 bytes on (RFC 5348 section
 * 4.2): 15 times that. */
#define START_CREDIT 65700.0
/* Share of the allowed rate; a source that sends more needs no probes. */
#define IDLE_PART 0.8
#define SOURCE_TIME 1.0 /* time constant [s] */

void
tfrc_probing_init (TfrcProbing *self)
{
  *self = (TfrcProbing) {
    .emptied_at = TFRC_TIME_NONE,
    .credit = START_CREDIT,
    .most_credit = START_CREDIT,
  };
}

static double
get_source_rate (const TfrcProbing *self, TfrcTime now)
{
  double passed = tfrc_duration_to_seconds (tfrc_time_since (self->source_at,
      now));

  return self->source_bytes * exp (-passed / SOURCE_TIME) / SOURCE_TIME;
}

bool
tfrc_probing_is_idle (const TfrcProbing *self, TfrcRate allowed, TfrcTime now)
{
  return self->emptied_at != TFRC_TIME_NONE
      && tfrc_time_since (self->emptied_at, now) < TFRC_SECOND
      && get_source_rate (self, now) < IDLE_PART * allowed;
}

void
tfrc_probing_on_source (TfrcProbing *self, uint32_t size, bool backlog,
    TfrcTime now)
{
  if (!backlog)
    self->emptied_at = now;
  self->source_bytes = get_source_rate (self, now) * SOURCE_TIME + size;
  self->source_at = now;
  self->credit = fmin (self->credit + (double) size / BYTE_SHARE,
      self->most_credit);
}

void
tfrc_probing_on_probe (TfrcProbing *self, uint32_t size)
{
  self->counters.bytes += size;
  self->credit -= size;
  self->bytes_left -= size;
}

void
tfrc_probing_on_report (TfrcProbing *self, const TfrcProbingReport *report,
    TfrcTime now)
{
  TfrcDuration duration =
      tfrc_time_max ((TfrcDuration) (PROBE_RTTS * (double) report->rtt),
          LEAST_PROBE);
  double bytes = tfrc_rate_bytes_in (report->allowed_rate, duration);

  if (!report->receive_limited || !report->queue_empty
      || report->allowed_rate >= report->wanted_rate) {
    self->until = tfrc_time_min (self->until, now);
    self->bytes_left = 0.0;
    return;
  }
  self->most_credit = fmax (START_CREDIT, bytes);
  if (now < self->next_at || self->credit < bytes
      || !tfrc_probing_is_idle (self, report->allowed_rate, now))
    return;
  self->counters.probes++;
  self->bytes_left = bytes;
  self->begun_at = now;
  self->rate = report->allowed_rate;
  self->until = tfrc_time_add (now, duration);
  self->next_at = tfrc_time_add (now, TIME_SHARE * duration);
}

bool
tfrc_probing_was_on (const TfrcProbing *self, TfrcTime sent_at)
{
  return sent_at >= self->begun_at && sent_at < self->until;
}

TfrcTime
tfrc_probing_next_deadline (const TfrcProbing *self)
{
  return tfrc_probing_is_on (self) ? self->until : TFRC_TIME_NONE;
}

void
tfrc_probing_on_deadline (TfrcProbing *self, TfrcTime now)
{
  if (now >= self->until)
    self->bytes_left = 0.0;
}

bool
tfrc_probing_is_on (const TfrcProbing *self)
{
  return self->bytes_left > 0.0;
}
