/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "delay/delay-meter.h"

/* A run lasts at least this part of an RTT and has at least this many packets. */
#define RUNS_PER_RTT 4
#define RUN_PACKETS 2
/* Packets from before a longer pause, or before the clock went back, say nothing about
 * the current queue.  After it, a single packet has not waited behind others of its
 * frame. */
#define PAUSE TFRC_SECOND

static uint32_t
get_less (uint32_t a_us, uint32_t b_us)
{
  return (int32_t) (a_us - b_us) < 0 ? a_us : b_us;
}

static void
continue_run (TfrcDelayMeter *self, uint32_t delay_us, TfrcDuration rtt,
    TfrcTime now)
{
  TfrcDelayRun *run = &self->runs[0];

  if (run->packets > 0 && now - self->newest_at > tfrc_time_max (PAUSE, rtt)) {
    self->runs[0].packets = self->runs[1].packets = 0;
    self->packets_needed = RUN_PACKETS;
  }
  self->newest_at = now;
  if (run->packets >= RUN_PACKETS && now - run->since >= rtt / RUNS_PER_RTT) {
    self->runs[1] = *run;
    run->packets = 0;
  }
  if (run->packets == 0)
    *run = (TfrcDelayRun) { .first_us = delay_us, .since = now };
  run->sum_us += (int32_t) (delay_us - run->first_us);
  run->packets++;
}

void
tfrc_delay_meter_on_packet (TfrcDelayMeter *self, uint32_t send_time_us,
    uint32_t size, TfrcDuration rtt, TfrcTime now)
{
  TfrcDelayReport *report = &self->report;
  uint32_t delay_us;

  report->arrival_us = (uint32_t) (now / TFRC_MICROSECOND);
  report->bytes += size;
  delay_us = report->arrival_us - send_time_us;
  report->least_delay_us = self->has_delay
      ? get_less (delay_us, report->least_delay_us)
      : delay_us;
  self->has_delay = true;
  continue_run (self, delay_us, rtt, now);
}

void
tfrc_delay_meter_forget (TfrcDelayMeter *self)
{
  *self = (TfrcDelayMeter) { .report.bytes = self->report.bytes };
}

/* Mean delay over both runs; the current one has at least one packet. */
static uint32_t
get_mean (const TfrcDelayRun runs[2])
{
  int64_t packets = (int64_t) runs[0].packets + runs[1].packets;
  int64_t sum_us = runs[0].sum_us + runs[1].sum_us
      + (int64_t) runs[1].packets
          * (int32_t) (runs[1].first_us - runs[0].first_us);

  return runs[0].first_us + (uint32_t) (int32_t) (sum_us / packets);
}

bool
tfrc_delay_meter_poll (TfrcDelayMeter *self, TfrcDelayReport *report)
{
  if (!self->has_delay
      || self->runs[0].packets + self->runs[1].packets < self->packets_needed)
    return false;
  *report = self->report;
  report->newest_delay_us = get_mean (self->runs);
  self->has_delay = false;
  return true;
}
