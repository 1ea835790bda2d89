/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Verbs of the tests of TFMCC's sender: packets leave, reports come. */
#pragma once

#include <check.h>
#include <math.h>

#include "checks/tfmcc-reports.h"
#include "units.h"

#define SIZE 1000
#define OFFSET_US 0xFFFFF000u

static TfmccSender sender;
static TfmccReportCheck check;
static TfmccExtension extension;

static inline void
setup_of (bool measured_max_rtt, bool start_delay)
{
  TfmccSenderConfig config = tfmcc_sender_config_default ();

  config.round.measured_max_rtt &= measured_max_rtt;
  config.round.start_delay &= start_delay;
  config.max_segment_size = SIZE;
  config.timestamp_offset_us = OFFSET_US;
  tfmcc_sender_init (&sender, &config);
  check = (TfmccReportCheck) { 0 };
}

static inline void
setup (void)
{
  setup_of (true, true);
}

/* R_max keeps 0.9 of its 500 ms in a round, as RFC 4654 has it. */
static inline void
setup_with_initial_rtt (void)
{
  setup_of (false, false);
}

static inline void
send_packet (TfrcTime now)
{
  extension = tfmcc_sender_on_sent (&sender, SIZE, true, now);
}

/* A report by a receiver of `rtt`, at `now`. */
static inline TfmccReport
report_of (uint32_t ssrc, TfrcRate rate, TfrcDuration rtt, TfrcTime now)
{
  return (TfmccReport) {
    .ssrc = ssrc,
    .has_rtt = true,
    .has_loss = true,
    .rate = rate,
    .round = sender.round.number,
    .report_time_us = 77,
    .echo_time_us = (uint32_t) ((now - rtt) / TFRC_MICROSECOND) + OFFSET_US,
  };
}

static inline void
accept (const TfmccReport *report, TfrcTime now)
{
  ck_assert_int_eq (tfmcc_report_check_on_report (&check, &sender, report, now),
      TFRC_OK);
}

static inline void
report (uint32_t ssrc, TfrcRate rate, TfrcTime now)
{
  TfmccReport report = report_of (ssrc, rate, 100 * MS, now);

  accept (&report, now);
}

static inline void
expect_rate (TfrcTime now, TfrcRate rate)
{
  ck_assert_double_eq_tol (tfmcc_sender_get_rate (&sender, now), rate,
      1e-6 * rate);
}

/* Out of slow start, at `rate`, following receiver 1; R_max is 510 ms: s/X + 10
 * at the first packet. */
static inline void
start_at (TfrcRate rate, TfrcTime now)
{
  TfmccReport first;

  send_packet (now - 100 * MS);
  first = report_of (1, rate, 100 * MS, now);
  accept (&first, now);
  sender.rate =
      (TfmccAllowedRate) { .base = rate, .target = rate, .since = now };
  sender.clr.packet_interval = tfrc_rate_time_for (rate, SIZE);
}
