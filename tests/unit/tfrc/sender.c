/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The allowed rate, RFC 5348 sections 4.2, 4.3, 4.5 and 8.2.1, step by step.
 *
 * Unless a test says otherwise R is 100 ms, every report echoes what was sent
 * one R ago and was not held, and packets have 1000 bytes: W_init = min (4000,
 * max (2000, 4380)) = 4000 bytes, initial_rate = 40000 bytes/s. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "sender-flow.h"

#define SIZE 1000

static TfrcCheckedSender checked;

static void
start (uint32_t max_segment_size)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();

  config.max_segment_size = max_segment_size;
  /* Packets at the rate X use all of it. */
  config.max_credit = 0;
  config.timestamp_offset_us = 0xFFFFFF00; /* wraps early */
  tfrc_checked_sender_init (&checked, &config, tfrc_sender_checks_default ());
}

/* First packet at 0, first report at 100 ms. */
static void
start_with_rtt (uint32_t size, double p)
{
  start (size);
  tfrc_checked_sender_on_sent (&checked, size, true, 0);
  ck_assert_int_eq (sender_flow_report (&checked, 0, 0.0, p, 100 * MS),
      TFRC_OK);
}

/* One RTT of packets at `send_rate`, then the report that arrives at its end and
 * covers the RTT before. */
static void
step (uint32_t size, bool backlog, TfrcRate send_rate, TfrcRate receive_rate,
    double p, unsigned n)
{
  TfrcTime from = (TfrcTime) n * 100 * MS;

  sender_flow_send (&checked, size, backlog, send_rate, from, from + 100 * MS);
  ck_assert_int_eq (sender_flow_report (&checked, from, receive_rate, p,
                        from + 100 * MS),
      TFRC_OK);
}

START_TEST (one_packet_per_second_before_the_first_report)
{
  start (SIZE);
  ck_assert_uint_eq (tfrc_sender_next_send_at (&checked.sender), 0);
  ck_assert_uint_eq (tfrc_sender_next_deadline (&checked.sender),
      TFRC_TIME_NONE);
  /* X = s; the timer's 1 ms granularity lets it leave 0.5 ms early. */
  tfrc_checked_sender_on_sent (&checked, SIZE, true, 0);
  ck_assert_double_eq (checked.sender.rate, 1000.0);
  ck_assert_uint_eq (tfrc_sender_next_send_at (&checked.sender),
      1000 * MS - 500 * TFRC_MICROSECOND);
  ck_assert_int_eq (checked.sender.state, TFRC_SENDER_WAITING);
}

END_TEST
/* 1000 bytes at 37500 bytes/s: 26.67 ms.  X is in bytes, whatever s becomes, and
 * the timer waits for four report delays. */
START_TEST (a_start_rate_holds_until_the_first_report)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();
  TfrcSender sender;

  config.start_rate = 37500.0;
  tfrc_sender_init (&sender, &config);
  tfrc_sender_set_report_delay (&sender, 4 * TFRC_SECOND);
  tfrc_sender_on_sent (&sender, 1000, true, 0);
  ck_assert_uint_eq (tfrc_sender_next_send_at (&sender),
      26666667 - 500 * TFRC_MICROSECOND);
  tfrc_sender_on_sent (&sender, 60, true, 27 * MS);
  ck_assert_double_eq (sender.rate, 37500.0);
  ck_assert_uint_eq (tfrc_sender_next_deadline (&sender), 16 * TFRC_SECOND);
  tfrc_sender_on_deadline (&sender, 16 * TFRC_SECOND);
  ck_assert_double_eq (sender.rate, 18750.0);
}

END_TEST
/* R = 100 ms, so W_init / R is 43.8 kB/s: the start rate is higher, and remains as
 * nothing was lost.  Then X doubles as usual. */
START_TEST (a_start_rate_stays_where_nothing_was_lost)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();
  TfrcReport report = { .rtt_sample = 100 * MS, .receive_rate = 200e3 };
  TfrcSender sender;

  config.start_rate = 200e3;
  report.loss_event_rate = _i * 0.01;
  tfrc_sender_init (&sender, &config);
  tfrc_sender_on_sent (&sender, 1000, true, 0);
  tfrc_sender_on_feedback (&sender, &report, 100 * MS);
  ck_assert_double_eq_tol (sender.rate, _i == 0 ? 200e3 : 43.8e3, 1.0);
  if (_i > 0)
    return;
  tfrc_sender_on_sent (&sender, 1000, true, 101 * MS);
  report.echo = 101 * MS;
  tfrc_sender_on_feedback (&sender, &report, 201 * MS);
  ck_assert_double_eq_tol (sender.rate, 400e3, 1.0);
}

END_TEST
static void
report_first_flight (TfrcSender *sender, TfrcReport *report)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();
  TfrcTime now = 2000 * MS;

  config.start_rate = 37500.0;
  tfrc_sender_init (sender, &config);
  for (TfrcTime t = 0; t <= 1950 * MS; t += 30 * MS)
    tfrc_sender_on_sent (sender, 1000, true, t);
  for (TfrcTime t = 0; t <= 1950 * MS; t += 30 * MS) {
    report->echo = t;
    report->rtt_sample = now - t;
    tfrc_sender_on_feedback (sender, report, now);
    now += 20 * TFRC_MICROSECOND;
  }
}

/* Reports that waited for the first RTCP of the client arrive one after the other,
 * oldest first, about packets sent every 30 ms, 2 s to 50 ms ago.  R is the
 * smallest sample, 51.3 ms, and X is W_init / R = 85.4 kB/s.  A packet sent after
 * the first report counts as usual. */
START_TEST (of_the_first_flight_the_least_sample_is_r)
{
  TfrcReport report = { .receive_rate = 37500.0 };
  TfrcSender sender;

  report_first_flight (&sender, &report);
  ck_assert_uint_eq (sender.rtt.rtt, 51300 * TFRC_MICROSECOND);
  ck_assert_double_eq_tol (sender.rate, 4380.0 / 0.0513, 1.0);
  tfrc_sender_on_sent (&sender, 1000, true, 2010 * MS);
  report.echo = 2010 * MS;
  report.rtt_sample = 40 * MS;
  tfrc_sender_on_feedback (&sender, &report, 2050 * MS);
  ck_assert_double_eq_tol ((double) sender.rtt.rtt / MS, 40.0 + 11.3 * 0.9,
      0.05);
}

END_TEST
/* The same, with three of ten packets lost: X is that of the equation and does not
 * restart from W_init / R.  At p = 0.3 and R = 51.3 ms the equation with 1000 bytes
 * gives less than 8 kB/s, and W_init / R would be 85. */
START_TEST (of_a_first_flight_with_losses_x_is_the_equations)
{
  TfrcReport report = { .receive_rate = 25000.0, .loss_event_rate = 0.3 };
  TfrcSender sender;

  report_first_flight (&sender, &report);
  ck_assert_uint_eq (sender.rtt.rtt, 51300 * TFRC_MICROSECOND);
  ck_assert_uint_eq (sender.loss_rtt, 51300 * TFRC_MICROSECOND);
  ck_assert_double_lt (sender.rate, 8000.0);
}

END_TEST
static const double start_mbits[] = { 0.3, 10.0, 100.0 };

/* Before an RTT is known, too, a timer that is up to 5 ms late does not lower the
 * rate: for a second at X = 0.3, 10 and 100 Mbit/s, packets of 1000 bytes are sent
 * at once every 5 ms. */
START_TEST (a_late_timer_costs_nothing_of_a_start_rate)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();
  double sent = 0.0;
  TfrcSender sender;

  config.start_rate = start_mbits[_i] * 125000.0;
  tfrc_sender_init (&sender, &config);
  for (TfrcTime t = 0; t < TFRC_SECOND; t += 5 * MS) {
    while (tfrc_sender_next_send_at (&sender) <= t) {
      tfrc_sender_on_sent (&sender, 1000, true, t);
      sent += 1000.0;
    }
  }
  ck_assert_double_eq_tol (sent, config.start_rate, 1000.0 + 0.01 * sent);
}

END_TEST
START_TEST (the_first_second_is_counted_in_packets)
{
  /* A short packet first: the next one is due after one second all the same. */
  start (SIZE);
  tfrc_checked_sender_on_sent (&checked, 60, true, 0);
  ck_assert_uint_eq (tfrc_sender_next_send_at (&checked.sender),
      1000 * MS - 500 * TFRC_MICROSECOND);
  tfrc_checked_sender_on_sent (&checked, 1400, true, 1000 * MS);
  ck_assert_uint_eq (tfrc_sender_next_send_at (&checked.sender),
      2000 * MS - 500 * TFRC_MICROSECOND);
}

END_TEST
START_TEST (the_nofeedback_timer_starts_with_the_first_packet)
{
  start (SIZE);
  tfrc_checked_sender_on_sent (&checked, SIZE, true, 700 * MS);
  ck_assert_uint_eq (tfrc_sender_next_deadline (&checked.sender), 2700 * MS);
}

END_TEST static const struct
{
  uint32_t size;
  double window; /* W_init [bytes] */
} windows[] = {
  { 100, 400.0 },
  { 500, 2000.0 },
  { 1000, 4000.0 },
  { 1095, 4380.0 },
  { 1460, 4380.0 },
  { 2190, 4380.0 },
  { 3000, 6000.0 },
};

START_TEST (the_first_report_sets_the_initial_rate)
{
  start_with_rtt (windows[_i].size, 0.0);
  ck_assert_double_eq_tol (checked.sender.rate, windows[_i].window / 0.1, 1e-6);
  ck_assert_int_eq (checked.sender.state, TFRC_SENDER_SLOW_START);
  ck_assert_uint_eq (checked.sender.rtt.rtt, 100 * MS);
}

END_TEST
START_TEST (a_first_report_of_losses_sets_the_initial_rate_too)
{
  /* s = 1460, p = 0.5: the equation gives 609.348, which the next report sets. */
  start_with_rtt (1460, 0.5);
  ck_assert_double_eq_tol (checked.sender.rate, 43800.0, 1e-6);
  ck_assert_int_eq (checked.sender.state, TFRC_SENDER_EQUATION);
}

END_TEST
START_TEST (slow_start_doubles_up_to_twice_what_arrives)
{
  /* X_recv of a report is what was sent during the RTT before the last.  Infinity,
   * added at 100 ms, counts up to 300 ms; then 2 max X_recv_set. */
  static const struct
  {
    TfrcRate send, receive, rate;
  } steps[] = {
    { 40000.0, 10000.0, 80000.0 },
    { 80000.0, 40000.0, 160000.0 },
    { 160000.0, 80000.0, 160000.0 }, /* min (320000, 2 * 80000) */
    { 160000.0, 160000.0, 320000.0 },
    { 320000.0, 160000.0, 320000.0 },
    { 320000.0, 320000.0, 640000.0 },
  };
  unsigned i;

  start_with_rtt (SIZE, 0.0);
  for (i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    step (SIZE, true, steps[i].send, steps[i].receive, 0.0, i + 1);
    ck_assert_double_eq_tol (checked.sender.rate, steps[i].rate, 1e-6);
  }
  ck_assert_uint_eq (checked.counters.feedback_clamped, 0);
}

END_TEST
START_TEST (slow_start_doubles_once_per_rtt)
{
  /* A report every half RTT: tld is 100 ms, 200 ms, 300 ms. */
  static const TfrcRate rates[] = {
    40000.0,
    40000.0,
    80000.0,
    80000.0,
    160000.0,
  };
  TfrcTime now = 100 * MS;
  int i;

  start (SIZE);
  sender_flow_send (&checked, 8000, true, 160000.0, 0, now);
  sender_flow_report (&checked, 0, 0.0, 0.0, now);
  for (i = 0; i < 5; i++, now += 50 * MS) {
    if (i > 0)
      ck_assert_int_eq (sender_flow_report (&checked, now - 100 * MS, 40000.0,
                            0.0, now),
          TFRC_OK);
    ck_assert_double_eq_tol (checked.sender.rate, rates[i], 1e-6);
    tfrc_checked_sender_on_sent (&checked, 8000, true, now);
  }
}

END_TEST
/* After a fade R is 2 s.  A sample of 100 ms then arrives 2 s after the one before
 * and counts as 20: 100 + 1900 * 0.9^20 = 330.996 ms.  One of 2.5 s counts once. */
START_TEST (behind_a_fade_r_is_soon_that_of_the_path)
{
  static const TfrcDuration samples[] = { 100 * MS, 2500 * MS };
  TfrcTime now = 4000 * MS;

  start (SIZE);
  sender_flow_send (&checked, SIZE, true, 10000.0, 0, 2000 * MS);
  sender_flow_report (&checked, 0, 0.0, 0.001, 2000 * MS);
  ck_assert_uint_eq (checked.sender.rtt.rtt, 2000 * MS);
  sender_flow_send (&checked, SIZE, true, 10000.0, 2000 * MS, now);
  sender_flow_report (&checked, now - samples[_i], 10000.0, 0.001, now);
  ck_assert_double_eq_tol ((double) checked.sender.rtt.rtt / MS,
      _i == 0 ? 100.0 + 1900.0 * pow (0.9, 20) : 2050.0, 1e-3);
}

END_TEST
/* R is 300 ms, a sample of 100 ms arrives 150 ms after the one before and counts as
 * 1.5: 100 + 200 * 0.9^1.5 = 270.763 ms.  And slow start doubles, as more than 100
 * ms have passed. */
START_TEST (a_sample_far_below_r_counts_for_the_time_that_passed)
{
  start (SIZE);
  checked.sender.config.fast_return = _i == 0;
  sender_flow_send (&checked, SIZE, true, 80000.0, 0, 300 * MS);
  sender_flow_report (&checked, 0, 0.0, 0.0, 300 * MS);
  ck_assert_double_eq_tol (checked.sender.rate, 4000.0 / 0.3, 1e-6);
  sender_flow_send (&checked, SIZE, true, 80000.0, 300 * MS, 450 * MS);
  sender_flow_report (&checked, 350 * MS, 80000.0, 0.0, 450 * MS);
  ck_assert_double_eq_tol ((double) checked.sender.rtt.rtt / MS,
      _i == 0 ? 100.0 + 200.0 * pow (0.9, 1.5) : 280.0, 1e-3);
  ck_assert_double_eq_tol (checked.sender.rate,
      (_i == 0 ? 2.0 : 1.0) * 4000.0 / 0.3, 1e-6);
}

END_TEST
/* Reports 12.5 ms apart.  A sample of 62.5 ms then counts as a fifth of one: 62.5 +
 * 37.5 * 0.9^(12.5 / 62.5) = 99.218 ms.  A tenth, as for one sample per R, would
 * make 96.25 ms. */
START_TEST (reports_more_often_than_r_move_it_no_faster)
{
  TfrcTime step = 12500 * TFRC_MICROSECOND;

  start (SIZE);
  checked.sender.config.fast_return = _i == 0;
  sender_flow_send (&checked, SIZE, true, 80000.0, 0, 100 * MS);
  sender_flow_report (&checked, 0, 0.0, 0.001, 100 * MS);
  sender_flow_send (&checked, SIZE, true, 80000.0, 100 * MS, 125 * MS);
  sender_flow_report (&checked, step, 10000.0, 0.001, 100 * MS + step);
  ck_assert_int_eq (sender_flow_report (&checked, 5 * step, 10000.0, 0.001,
                        100 * MS + 2 * step),
      TFRC_OK);
  ck_assert_double_eq_tol ((double) checked.sender.rtt.rtt / MS,
      _i == 0 ? 62.5 + 37.5 * pow (0.9, 0.2) : 96.25, 1e-3);
}

END_TEST
/* p > 0 and a still scene for long: 2 max (X_recv_set) = 2000 bytes/s was all that
 * an encoder could start from.  W_init / R is what any flow may start with; X_Bps
 * at p = 0.0001 is far above. */
START_TEST (a_still_scene_keeps_what_a_flow_may_begin_with)
{
  start_with_rtt (SIZE, 0.0);
  checked.sender.config.fast_return = _i == 0;
  for (unsigned i = 1; i < 6; i++)
    step (SIZE, true, 10000.0, 10000.0, 0.0, i);
  /* A loss while data-limited, then a still scene: {10000 / 2 ...}. */
  for (unsigned i = 6; i < 12; i++)
    step (SIZE, false, 10000.0, 1000.0, 0.0001 * i, i);
  step (SIZE, false, 10000.0, 1000.0, 0.0011, 12);
  ck_assert (checked.sender.data_limited);
  if (_i == 0)
    ck_assert_double_eq_tol (checked.sender.rate, 40000.0, 1e-6);
  else
    ck_assert_double_lt (checked.sender.rate, 20000.1);
}

END_TEST
/* X_Bps for packets of 1000 bytes.  The packets of 100 that an encoder makes of a
 * still scene are s of the schedule, but say nothing about the rate TCP would have
 * here. */
START_TEST (what_a_source_makes_of_little_is_no_size_for_the_equation)
{
  TfrcRate rate;

  start_with_rtt (SIZE, 0.0);
  for (unsigned i = 1; i < 6; i++)
    step (SIZE, true, 10000.0, 10000.0, 0.01, i);
  rate = checked.sender.equation_rate;
  for (unsigned i = 6; i < 300; i++)
    step (100, false, 2000.0, 2000.0, 0.01, i);
  ck_assert_double_lt (tfrc_segment_size_get (&checked.sender.segment_size),
      101.0);
  ck_assert_double_eq_tol (checked.sender.equation_rate, rate, 1e-6 * rate);
}

END_TEST
/* X is 40000, and 300 ms later several reports arrive at the same instant, as
 * packet feedback makes them: of 21000, 30000 and 70000 bytes/s.  X is twice that,
 * but at most doubled. */
START_TEST (of_reports_at_one_instant_the_largest_counts)
{
  start (SIZE);
  sender_flow_send (&checked, SIZE, true, 80000.0, 0, 100 * MS);
  sender_flow_report (&checked, 0, 0.0, 0.0, 100 * MS);
  sender_flow_send (&checked, SIZE, true, 80000.0, 100 * MS, 400 * MS);
  sender_flow_report (&checked, 300 * MS, 21000.0, 0.0, 400 * MS);
  ck_assert_double_eq_tol (checked.sender.rate, 42000.0, 1e-6);
  sender_flow_report (&checked, 325 * MS, 30000.0, 0.0, 400 * MS);
  ck_assert_double_eq_tol (checked.sender.rate, 60000.0, 1e-6);
  sender_flow_report (&checked, 350 * MS, 70000.0, 0.0, 400 * MS);
  ck_assert_double_eq_tol (checked.sender.rate, 80000.0, 1e-6);
}

END_TEST
/* At 700 ms a report of 40000 bytes/s arrives that has waited for 300 ms, and one
 * of 5000 that has waited for 200: they are one R apart, so recv_limit is twice the
 * larger (RFC 5348 section 4.3). 100 ms later that is dropped, and a packet per R
 * is the lower limit. */
START_TEST (x_recv_is_as_old_as_its_report_would_be)
{
  TfrcFeedback report;

  start (SIZE);
  sender_flow_send (&checked, SIZE, true, 80000.0, 0, 100 * MS);
  sender_flow_report (&checked, 0, 0.0, 0.0, 100 * MS);
  tfrc_sender_set_report_delay (&checked.sender, 300 * MS);
  sender_flow_send (&checked, SIZE, true, 80000.0, 100 * MS, 700 * MS);
  for (unsigned i = 0; i < 3; i++) {
    static const TfrcTime echoes[] = { 300 * MS, 400 * MS, 650 * MS };
    static const TfrcTime waits[] = { 300 * MS, 200 * MS, 50 * MS };

    report = sender_flow_make_report (&checked, echoes[i], waits[i],
        i == 0 ? 40000.0 : 5000.0, 0.0);
    tfrc_checked_sender_on_feedback (&checked, &report,
        i < 2 ? 700 * MS : 800 * MS);
    ck_assert_double_eq_tol (checked.sender.receive_limit,
        i < 2 ? 80000.0 : 20000.0, 1e-6);
  }
}

END_TEST
/* R is 100 ms, and samples of 125, 100 and 50 ms arrive at the same instant: 0.9 R
 * + 0.1 * 50 ms is 95 ms (RFC 5348 section 4.3). */
START_TEST (samples_of_reports_at_one_instant_count_as_one)
{
  start (SIZE);
  tfrc_sender_set_report_delay (&checked.sender, 100 * MS);
  sender_flow_send (&checked, SIZE, true, 80000.0, 0, 100 * MS);
  sender_flow_report (&checked, 0, 0.0, 0.0, 100 * MS);
  sender_flow_send (&checked, SIZE, true, 80000.0, 100 * MS, 200 * MS);
  sender_flow_report (&checked, 75 * MS, 40000.0, 0.0, 200 * MS);
  sender_flow_report (&checked, 100 * MS, 40000.0, 0.0, 200 * MS);
  sender_flow_report (&checked, 150 * MS, 40000.0, 0.0, 200 * MS);
  ck_assert_uint_eq (checked.sender.rtt.rtt, 95 * MS);
}

END_TEST
START_TEST (slow_start_keeps_the_initial_rate)
{
  /* Only single packets arrive, one per RTT: 2 X_recv = 20000 is below W_init / R. */
  unsigned i;

  start_with_rtt (SIZE, 0.0);
  for (i = 1; i < 10; i++)
    step (SIZE, true, 10000.0, 10000.0, 0.0, i);
  ck_assert_double_eq_tol (checked.sender.rate, 40000.0, 1e-6);
}

END_TEST
START_TEST (losses_hand_over_to_the_equation)
{
  /* s = 1460, R = 100 ms, p = 0.01: 164005.062, while 2 X_recv = 292000. */
  unsigned i;

  start_with_rtt (1460, 0.0);
  for (i = 1; i < 5; i++)
    step (1460, true, 146000.0, 146000.0, 0.01, i);
  ck_assert_double_eq_tol (checked.sender.rate, 164005.062, 1e-3);
  ck_assert_int_eq (checked.sender.state, TFRC_SENDER_EQUATION);
  ck_assert_uint_eq (checked.sender.counters.loss_reports, 1);
  /* Twice what arrives is the bound: 2 * 50000. */
  for (; i < 9; i++)
    step (1460, true, 146000.0, 50000.0, 0.01, i);
  ck_assert_double_eq_tol (checked.sender.rate, 100000.0, 1e-3);
}

END_TEST
/* s = 1460, p = 0.01: 164005.062.  Back to p = 0, whether the only loss was taken
 * back or the receiver is a new one, whose first report has X_recv = 0: X doubles
 * once per RTT, up to 2 * 146000. */
START_TEST (without_a_loss_it_is_slow_start_again)
{
  unsigned i;

  start_with_rtt (1460, 0.0);
  for (i = 1; i < 5; i++)
    step (1460, true, 146000.0, 146000.0, 0.01, i);
  ck_assert_double_eq_tol (checked.sender.rate, 164005.062, 1e-3);
  step (1460, true, 146000.0, _i == 0 ? 146000.0 : 0.0, 0.0, i++);
  ck_assert_int_eq (checked.sender.state, TFRC_SENDER_SLOW_START);
  ck_assert_double_eq_tol (checked.sender.rate, 292000.0, 1e-3);
  step (1460, true, 292000.0, 146000.0, 0.0, i++);
  ck_assert_double_eq_tol (checked.sender.rate, 292000.0, 1e-3);
  step (1460, true, 292000.0, 292000.0, 0.0, i++);
  ck_assert_double_eq_tol (checked.sender.rate, 584000.0, 1e-3);
}

END_TEST
START_TEST (the_rate_stays_above_one_packet_in_64_seconds)
{
  /* s = 1460, p = 1, R = 10 s: the equation gives 1460 / (10 * 243.316) =
   * 0.6, s / t_mbi = 22.8125 bytes/s. */
  start (1460);
  tfrc_checked_sender_on_sent (&checked, 1460, true, 0);
  sender_flow_report (&checked, 0, 0.0, 0.0, 10 * TFRC_SECOND);
  tfrc_checked_sender_on_sent (&checked, 1460, true, 10 * TFRC_SECOND);
  sender_flow_report (&checked, 10 * TFRC_SECOND, 146.0, 1.0, 20 * TFRC_SECOND);
  ck_assert_double_eq (checked.sender.rate, 22.8125);
}

END_TEST
START_TEST (data_limited_reports_keep_the_best_rate)
{
  /* The sender uses all of its rate up to 80000, then the application pauses: 2000
   * bytes/s.  Such intervals say nothing about the network; 2 * 80000 stays
   * allowed. */
  unsigned i;

  start_with_rtt (SIZE, 0.0);
  step (SIZE, true, 40000.0, 10000.0, 0.0, 1);
  step (SIZE, true, 80000.0, 40000.0, 0.0, 2);
  step (SIZE, true, 160000.0, 80000.0, 0.0, 3);
  step (SIZE, false, 10000.0, 80000.0, 0.0, 4);
  for (i = 5; i < 50; i++)
    step (SIZE, false, 10000.0, 10000.0, 0.0, i);
  ck_assert (checked.sender.data_limited);
  ck_assert_double_eq_tol (checked.sender.rate, 160000.0, 1e-6);
  /* The report of step 4 covers the packets of step 3, which were not data-limited;
   * those of 5 to 49 are. */
  ck_assert_uint_eq (checked.sender.counters.feedback_data_limited, 45);
}

END_TEST
START_TEST (a_loss_while_data_limited_lowers_the_limit_for_one_report)
{
  /* X_recv_set {80000}; then p rises while 20000 bytes/s are sent: {40000},
   * 0.85 * 20000 = 17000, recv_limit = 40000.  The next report without a new
   * loss: 2 * 40000. */
  unsigned i;

  start_with_rtt (SIZE, 0.0);
  for (i = 1; i < 6; i++)
    step (SIZE, true, 80000.0, 80000.0, 0.0, i);
  for (; i < 9; i++)
    step (SIZE, false, 20000.0, 20000.0, 0.0, i);
  step (SIZE, false, 20000.0, 20000.0, 0.0001, 9);
  ck_assert_double_eq_tol (checked.sender.receive_limit, 40000.0, 1e-6);
  ck_assert_double_eq_tol (checked.sender.rate, 40000.0, 1e-6);
  step (SIZE, false, 20000.0, 20000.0, 0.0001, 10);
  ck_assert_double_eq_tol (checked.sender.rate, 80000.0, 1e-6);
  /* Once more, until 0.85 X_recv is larger: {40000}, then {20000}, then 17000
   * against 10000. */
  step (SIZE, false, 20000.0, 20000.0, 0.0002, 11);
  ck_assert_double_eq_tol (checked.sender.receive_limit, 20000.0, 1e-6);
  step (SIZE, false, 20000.0, 20000.0, 0.0003, 12);
  ck_assert_double_eq_tol (checked.sender.receive_limit, 17000.0, 1e-6);
}

END_TEST
START_TEST (pairs_at_full_rate_are_not_data_limited)
{
  /* The example of section 8.2.1.  Two packets per RTT; after the first one is
   * waiting, after the second none. */
  TfrcTime now;

  start_with_rtt (SIZE, 0.0);
  for (now = 100 * MS; now < 2000 * MS; now += 100 * MS) {
    tfrc_checked_sender_on_sent (&checked, SIZE, true, now);
    tfrc_checked_sender_on_sent (&checked, SIZE, false, now + MS);
    sender_flow_report (&checked, now + MS, 20000.0, 0.0, now + 99 * MS);
  }
  ck_assert_uint_eq (checked.sender.counters.feedback, 20);
  ck_assert_uint_eq (checked.sender.counters.feedback_data_limited, 0);
}

END_TEST
START_TEST (a_backlog_that_may_leave_at_once_is_no_limit)
{
  /* After a pause the second packet may follow the first at once with 10 ms of
   * credit (1000 bytes take 6.25 ms): the rate does not hold it back.  It does hold
   * back the third. */
  TfrcSenderConfig config = tfrc_sender_config_default ();

  config.max_segment_size = 8000; /* W_init = 16000 bytes */
  tfrc_checked_sender_init (&checked, &config, tfrc_sender_checks_default ());
  tfrc_checked_sender_on_sent (&checked, SIZE, false, 0);
  sender_flow_report (&checked, 0, 0.0, 0.0, 100 * MS);
  ck_assert_double_eq_tol (checked.sender.rate, 160000.0, 1e-6);
  tfrc_checked_sender_on_sent (&checked, SIZE, true, 200 * MS);
  ck_assert (tfrc_data_limit_covers (&checked.sender.data_limit, 200 * MS,
      100 * MS));
  tfrc_checked_sender_on_sent (&checked, SIZE, true, 200 * MS);
  ck_assert (!tfrc_data_limit_covers (&checked.sender.data_limit, 200 * MS,
      100 * MS));
}

END_TEST
/* X_inst / X after R_sqmean = sqrt (0.1) and one sample. */
static const struct
{
  TfrcDuration sample;
  double factor;
} dampings[] = {
  { 100 * MS, 1.0 },
  { 120 * MS, 0.921584 },
  { 200 * MS, 0.736396 },
  { 400 * MS, 0.55 },
};

START_TEST (a_growing_rtt_lowers_the_instant_rate)
{
  start_with_rtt (SIZE, 0.0);
  tfrc_checked_sender_on_sent (&checked, SIZE, true, 100 * MS);
  sender_flow_report (&checked, 100 * MS, 10000.0, 0.0,
      100 * MS + dampings[_i].sample);
  ck_assert_double_eq_tol (checked.sender.instant_rate / checked.sender.rate,
      dampings[_i].factor, 5e-7);
  ck_assert_double_eq (tfrc_sender_get_pacing_rate (&checked.sender),
      checked.sender.instant_rate);
}

END_TEST
START_TEST (damping_can_be_turned_off)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();

  config.oscillation_damping = false;
  tfrc_checked_sender_init (&checked, &config, tfrc_sender_checks_default ());
  tfrc_checked_sender_on_sent (&checked, SIZE, true, 0);
  sender_flow_report (&checked, 0, 0.0, 0.0, 100 * MS);
  tfrc_checked_sender_on_sent (&checked, SIZE, true, 100 * MS);
  sender_flow_report (&checked, 100 * MS, 10000.0, 0.0, 500 * MS);
  ck_assert_double_eq (checked.sender.instant_rate, checked.sender.rate);
}

END_TEST
START_TEST (the_maximum_binds_at_once_and_lifts)
{
  start_with_rtt (SIZE, 0.0);
  tfrc_sender_set_max_rate (&checked.sender, 15000.0);
  ck_assert_double_eq (checked.sender.rate, 15000.0);
  ck_assert_double_eq (tfrc_sender_get_pacing_rate (&checked.sender), 15000.0);
  step (SIZE, true, 15000.0, 10000.0, 0.0, 1);
  ck_assert_double_eq (checked.sender.rate, 15000.0);
  tfrc_sender_set_max_rate (&checked.sender, (double) INFINITY);
  step (SIZE, true, 15000.0, 10000.0, 0.0, 2);
  /* max (min (30000, ...), initial_rate). */
  ck_assert_double_eq_tol (checked.sender.rate, 40000.0, 1e-6);
}

END_TEST
START_TEST (a_nonsense_maximum_stops_nothing)
{
  static const double rates[] = { 0.0, -1.0, (double) NAN };

  start_with_rtt (SIZE, 0.0);
  tfrc_sender_set_max_rate (&checked.sender, rates[_i]);
  /* s / t_mbi. */
  ck_assert_double_eq (checked.sender.rate, 1000.0 / 64.0);
}

END_TEST
START_TEST (the_extension_wraps_with_its_offset)
{
  TfrcExtension extension;

  start (SIZE);
  /* 0xFFFFFF00 + 0x200 us. */
  extension = tfrc_checked_sender_on_sent (&checked, SIZE, true,
      0x200 * TFRC_MICROSECOND);
  ck_assert_uint_eq (extension.send_time_us, 0x100);
  ck_assert_uint_eq (extension.rtt, 0);
  sender_flow_report (&checked, 0x200 * TFRC_MICROSECOND, 0.0, 0.0, 100 * MS);
  extension = tfrc_checked_sender_on_sent (&checked, SIZE, true, 100 * MS);
  ck_assert_uint_eq (extension.rtt, 100 * MS - 0x200 * TFRC_MICROSECOND);
}

END_TEST
START_TEST (time_held_by_the_receiver_is_no_rtt)
{
  TfrcFeedback report;

  start (SIZE);
  tfrc_checked_sender_on_sent (&checked, SIZE, true, 0);
  report = sender_flow_make_report (&checked, 0, 70 * MS, 0.0, 0.0);
  ck_assert_int_eq (tfrc_checked_sender_on_feedback (&checked, &report,
                        100 * MS),
      TFRC_OK);
  ck_assert_uint_eq (checked.sender.rtt.rtt, 30 * MS);
}

END_TEST
START_TEST (a_satellite_path_gets_its_window_too)
{
  /* R = 600 ms: W_init / R = 4000 / 0.6 = 6666.67, RTO = 2.4 s. */
  start (SIZE);
  tfrc_checked_sender_on_sent (&checked, SIZE, true, 0);
  sender_flow_report (&checked, 0, 0.0, 0.0, 600 * MS);
  ck_assert_double_eq_tol (checked.sender.rate, 6666.67, 0.01);
  ck_assert_uint_eq (tfrc_sender_next_deadline (&checked.sender), 3000 * MS);
}

END_TEST
START_TEST (the_trace_shows_the_state)
{
  TfrcTrace trace = { 0 };
  unsigned i;

  start_with_rtt (1460, 0.0);
  for (i = 1; i < 5; i++)
    step (1460, true, 146000.0, 146000.0, 0.01, i);
  tfrc_checked_sender_get_trace (&checked, &trace, 500 * MS);
  ck_assert_uint_eq (trace.at, 500 * MS);
  ck_assert_double_eq_tol (trace.allowed_rate, 164005.062, 1e-3);
  ck_assert_double_eq_tol (trace.equation_rate, 164005.062, 1e-3);
  ck_assert_double_eq_tol (trace.receive_limit, 292000.0, 1e-6);
  ck_assert_double_eq_tol (trace.receive_rate, 146000.0, 1e-6);
  ck_assert_double_eq (trace.loss_event_rate, 0.01);
  ck_assert_uint_eq (trace.rtt, 100 * MS);
  ck_assert_uint_eq (trace.rto, 400 * MS);
  ck_assert_double_eq (trace.segment_size, 1460.0);
  ck_assert_uint_eq (trace.state, TFRC_SENDER_EQUATION);
  ck_assert_uint_eq (trace.packets, 41);
  ck_assert_uint_eq (trace.bytes, 41 * 1460);
  ck_assert_uint_eq (trace.feedback, 5);
  ck_assert_uint_eq (trace.loss_events, 1);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-sender");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, one_packet_per_second_before_the_first_report);
  tcase_add_test (tcase, a_start_rate_holds_until_the_first_report);
  tcase_add_loop_test (tcase, a_start_rate_stays_where_nothing_was_lost, 0, 2);
  tcase_add_test (tcase, of_the_first_flight_the_least_sample_is_r);
  tcase_add_test (tcase, of_a_first_flight_with_losses_x_is_the_equations);
  tcase_add_loop_test (tcase, a_late_timer_costs_nothing_of_a_start_rate, 0, 3);
  tcase_add_test (tcase, the_first_second_is_counted_in_packets);
  tcase_add_test (tcase, the_nofeedback_timer_starts_with_the_first_packet);
  tcase_add_loop_test (tcase, the_first_report_sets_the_initial_rate, 0,
      sizeof windows / sizeof windows[0]);
  tcase_add_test (tcase, a_first_report_of_losses_sets_the_initial_rate_too);
  tcase_add_test (tcase, slow_start_doubles_up_to_twice_what_arrives);
  tcase_add_test (tcase, slow_start_doubles_once_per_rtt);
  tcase_add_loop_test (tcase, behind_a_fade_r_is_soon_that_of_the_path, 0, 2);
  tcase_add_loop_test (tcase,
      a_sample_far_below_r_counts_for_the_time_that_passed, 0, 2);
  tcase_add_loop_test (tcase, reports_more_often_than_r_move_it_no_faster, 0,
      2);
  tcase_add_loop_test (tcase, a_still_scene_keeps_what_a_flow_may_begin_with, 0,
      2);
  tcase_add_test (tcase,
      what_a_source_makes_of_little_is_no_size_for_the_equation);
  tcase_add_test (tcase, of_reports_at_one_instant_the_largest_counts);
  tcase_add_test (tcase, x_recv_is_as_old_as_its_report_would_be);
  tcase_add_test (tcase, samples_of_reports_at_one_instant_count_as_one);
  tcase_add_test (tcase, slow_start_keeps_the_initial_rate);
  tcase_add_test (tcase, losses_hand_over_to_the_equation);
  tcase_add_loop_test (tcase, without_a_loss_it_is_slow_start_again, 0, 2);
  tcase_add_test (tcase, the_rate_stays_above_one_packet_in_64_seconds);
  tcase_add_test (tcase, data_limited_reports_keep_the_best_rate);
  tcase_add_test (tcase,
      a_loss_while_data_limited_lowers_the_limit_for_one_report);
  tcase_add_test (tcase, pairs_at_full_rate_are_not_data_limited);
  tcase_add_test (tcase, a_backlog_that_may_leave_at_once_is_no_limit);
  tcase_add_loop_test (tcase, a_growing_rtt_lowers_the_instant_rate, 0,
      sizeof dampings / sizeof dampings[0]);
  tcase_add_test (tcase, damping_can_be_turned_off);
  tcase_add_test (tcase, the_maximum_binds_at_once_and_lifts);
  tcase_add_loop_test (tcase, a_nonsense_maximum_stops_nothing, 0, 3);
  tcase_add_test (tcase, the_extension_wraps_with_its_offset);
  tcase_add_test (tcase, time_held_by_the_receiver_is_no_rtt);
  tcase_add_test (tcase, a_satellite_path_gets_its_window_too);
  tcase_add_test (tcase, the_trace_shows_the_state);
  return run_check_suite (suite);
}
