/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Feedback that no correct receiver sends, and times that no correct clock has:
 * these are counted and change nothing. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "check-suite.h"
#include "sender-flow.h"

#define SIZE 1000

static TfrcCheckedSender checked;

/* Packets every 25 ms from 0 to 375 ms, reports at 100 (first), 200, 300 and
 * 400 ms that echo what was sent 100 ms before. */
static void
start_with (TfrcSenderChecks checks)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();
  TfrcTime now;

  config.max_segment_size = SIZE;
  config.timestamp_offset_us = 4000000000u;
  tfrc_checked_sender_init (&checked, &config, checks);
  for (now = 0; now <= 400 * MS; now += 25 * MS) {
    if (now > 0 && now % (100 * MS) == 0)
      ck_assert_int_eq (sender_flow_report (&checked, now - 100 * MS,
                            now == 100 * MS ? 0.0 : 40000.0, 0.0, now),
          TFRC_OK);
    tfrc_checked_sender_on_sent (&checked, SIZE, true, now);
  }
}

static void
start (void)
{
  start_with (tfrc_sender_checks_default ());
}

/* Everything except counters and the clock. */
static bool
has_same_control_state (const TfrcCheckedSender *x, const TfrcCheckedSender *y)
{
  const TfrcSender *a = &x->sender, *b = &y->sender;

  return a->state == b->state && a->rate == b->rate
      && a->instant_rate == b->instant_rate
      && a->receive_limit == b->receive_limit
      && a->loss_event_rate == b->loss_event_rate
      && a->nofeedback_at == b->nofeedback_at
      && x->feedback_check.echo == y->feedback_check.echo
      && memcmp (&a->rtt, &b->rtt, sizeof a->rtt) == 0
      && memcmp (&a->receive_set, &b->receive_set, sizeof a->receive_set) == 0
      && memcmp (&a->data_limit, &b->data_limit, sizeof a->data_limit) == 0;
}

static void
expect_accepted (TfrcFeedback report, TfrcTime now)
{
  ck_assert_int_eq (tfrc_checked_sender_on_feedback (&checked, &report, now),
      TFRC_OK);
}

static void
expect_dropped (TfrcFeedback report, TfrcTime now, TfrcResult result)
{
  static TfrcCheckedSender before;
  bool invalid = result == TFRC_INVALID;

  before = checked;
  ck_assert_int_eq (tfrc_checked_sender_on_feedback (&checked, &report, now),
      result);
  ck_assert (has_same_control_state (&checked, &before));
  ck_assert_uint_eq (checked.sender.counters.feedback,
      before.sender.counters.feedback);
  ck_assert_uint_eq (checked.counters.feedback_invalid,
      before.counters.feedback_invalid + (invalid ? 1 : 0));
  ck_assert_uint_eq (checked.counters.feedback_stale,
      before.counters.feedback_stale + (invalid ? 0 : 1));
}

static TfrcFeedback
plain_report (TfrcTime echo)
{
  return sender_flow_make_report (&checked, echo, 0, 40000.0, 0.0);
}

START_TEST (another_path_begins_anew)
{
  TfrcFeedback old;

  start ();
  old = plain_report (400 * MS);
  tfrc_sender_set_max_rate (&checked.sender, 50000.0);
  tfrc_checked_sender_begin_path (&checked);
  ck_assert_int_eq (checked.sender.state, TFRC_SENDER_WAITING);
  ck_assert (checked.sender.rtt.rtt == 0);
  ck_assert (checked.sender.config.max_rate == 50000.0);
  ck_assert_uint_eq (checked.sender.counters.packets, 17);
  ck_assert (tfrc_sender_next_send_at (&checked.sender) <= 500 * MS);
  /* It is about the path before. */
  expect_dropped (old, 500 * MS, TFRC_INVALID);
  tfrc_checked_sender_on_sent (&checked, SIZE, true, 500 * MS);
  ck_assert_int_eq (sender_flow_report (&checked, 500 * MS, 0.0, 0.0, 550 * MS),
      TFRC_OK);
  ck_assert_int_eq (checked.sender.state, TFRC_SENDER_SLOW_START);
  ck_assert_uint_eq (checked.sender.rtt.rtt, 50 * MS);
}
END_TEST

START_TEST (a_plain_report_is_accepted)
{
  TfrcFeedback report;

  start ();
  report = plain_report (400 * MS);
  expect_accepted (report, 500 * MS);
}

END_TEST
/* The least RTT was 100 ms; it is traced with and without delay control. */
START_TEST (the_base_rtt_is_told_without_a_target)
{
  TfrcFeedback report;
  TfrcTrace trace;

  start ();
  report = plain_report (375 * MS);
  expect_accepted (report, 600 * MS);
  tfrc_checked_sender_get_trace (&checked, &trace, 600 * MS);
  ck_assert_uint_eq (checked.sender.rtt.sample, 225 * MS);
  ck_assert_uint_eq (trace.base_rtt, 100 * MS);
}

END_TEST
/* The path was blocked for 3 s, in which the timer expired: a sample like any
 * other, 0.9 * 100 + 0.1 * 3000 ms, and a queue. */
START_TEST (delay_control_sees_what_waited_in_a_path_that_stood)
{
  TfrcSenderChecks checks = tfrc_sender_checks_default ();
  TfrcFeedback report;

  checks.delay_target = 8 * MS;
  start_with (checks);
  for (TfrcTime now = 425 * MS; now < 3400 * MS; now += 25 * MS)
    if (tfrc_checked_sender_next_deadline (&checked) <= now)
      tfrc_checked_sender_on_deadline (&checked, now);
  ck_assert_uint_gt (checked.sender.counters.nofeedback_expiries, 0);
  report = plain_report (400 * MS);
  expect_accepted (report, 3400 * MS);
  ck_assert_uint_eq (checked.sender.rtt.rtt, 390 * MS);
  ck_assert_uint_eq (checked.delay_control.path.queue, 2900 * MS);
}

END_TEST
START_TEST (feedback_before_the_first_packet_is_invalid)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();

  tfrc_checked_sender_init (&checked, &config, tfrc_sender_checks_default ());
  expect_dropped (plain_report (0), 0, TFRC_INVALID);
  expect_dropped (plain_report (0), 100 * MS, TFRC_INVALID);
  ck_assert_uint_eq (tfrc_sender_next_deadline (&checked.sender),
      TFRC_TIME_NONE);
}

END_TEST
START_TEST (numbers_out_of_range_are_invalid)
{
  static const struct
  {
    double p, receive_rate;
  } cases[] = {
    { 1.0000001, 40000.0 },
    { -1e-9, 40000.0 },
    { (double) NAN, 40000.0 },
    { (double) INFINITY, 40000.0 },
    { 0.0, -1.0 },
    { 0.0, (double) NAN },
    { 0.0, (double) INFINITY },
  };
  TfrcFeedback report;

  start ();
  report = sender_flow_make_report (&checked, 400 * MS, 0,
      cases[_i].receive_rate, cases[_i].p);
  expect_dropped (report, 500 * MS, TFRC_INVALID);
}

END_TEST
START_TEST (an_echo_of_nothing_sent_is_invalid)
{
  start ();
  /* Between two packets, of the future, from before the clock's start. */
  expect_dropped (plain_report (388 * MS), 500 * MS, TFRC_INVALID);
  expect_dropped (plain_report (500 * MS + TFRC_MICROSECOND), 500 * MS,
      TFRC_INVALID);
  expect_dropped (plain_report (2000 * TFRC_SECOND), 500 * MS, TFRC_INVALID);
  /* 2^32 us are 4294.967296 s. */
  expect_dropped (plain_report (4294967296 * TFRC_MICROSECOND
                      - 10 * TFRC_SECOND),
      500 * MS, TFRC_INVALID);
}

END_TEST
START_TEST (the_future_is_invalid_however_late_it_is)
{
  /* After 5000 s every 32-bit timestamp has been used once. */
  TfrcSenderConfig config = tfrc_sender_config_default ();

  tfrc_checked_sender_init (&checked, &config, tfrc_sender_checks_default ());
  tfrc_checked_sender_on_sent (&checked, SIZE, true, 5000 * TFRC_SECOND);
  expect_dropped (plain_report (5001 * TFRC_SECOND), 5000500 * MS,
      TFRC_INVALID);
  expect_dropped (plain_report (4900 * TFRC_SECOND), 5000500 * MS, TFRC_STALE);
}

END_TEST
START_TEST (a_report_of_nothing_is_not_data_limited)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();

  tfrc_checked_sender_init (&checked, &config, tfrc_sender_checks_default ());
  tfrc_checked_sender_on_sent (&checked, SIZE, false, 0);
  sender_flow_report (&checked, 0, 0.0, 0.0, 100 * MS);
  tfrc_checked_sender_on_sent (&checked, SIZE, false, 100 * MS);
  sender_flow_report (&checked, 100 * MS, 0.0, 0.0, 200 * MS);
  ck_assert (!checked.sender.data_limited);
  tfrc_checked_sender_on_sent (&checked, SIZE, false, 200 * MS);
  sender_flow_report (&checked, 200 * MS, 10000.0, 0.0, 300 * MS);
  ck_assert (checked.sender.data_limited);
}

END_TEST
/* With delay control and a source that wants more, a packet of 100 bytes every 25
 * ms: the first report that shows the source is the limit starts a probe. */
START_TEST (a_probe_makes_the_source_no_less_the_limit)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();
  TfrcSenderChecks checks = tfrc_sender_checks_default ();
  TfrcTime now;

  checks.delay_target = 8 * MS;
  tfrc_checked_sender_init (&checked, &config, checks);
  checked.wanted_rate = (double) INFINITY;
  for (now = 0; now <= 300 * MS; now += 25 * MS) {
    if (now >= 100 * MS && now % (100 * MS) == 0)
      sender_flow_report (&checked, now - 100 * MS,
          now == 100 * MS ? 0.0 : 4000.0, 0.0, now);
    tfrc_checked_sender_on_sent (&checked, 100, false, now);
    if (tfrc_probing_is_on (&checked.probing))
      tfrc_checked_sender_on_probe_sent (&checked, SIZE, now);
  }
  ck_assert_uint_eq (checked.probing.counters.probes, 1);
  ck_assert_uint_ge (checked.probing.counters.bytes, 2 * SIZE);
  sender_flow_report (&checked, 300 * MS, 4000.0, 0.0, 400 * MS);
  ck_assert (checked.sender.data_limited);
}

END_TEST
START_TEST (the_echo_is_as_exact_as_the_wire)
{
  /* The echo is in microseconds: a packet sent 999 ns later is still the one that
   * it names, and an instant then at which the rate was the limit counts. */
  TfrcSenderConfig config = tfrc_sender_config_default ();

  tfrc_checked_sender_init (&checked, &config, tfrc_sender_checks_default ());
  tfrc_checked_sender_on_sent (&checked, SIZE, false, 0);
  sender_flow_report (&checked, 0, 0.0, 0.0, 100 * MS);
  tfrc_checked_sender_on_sent (&checked, SIZE, true, 300 * MS + 999);
  ck_assert_int_eq (sender_flow_report (&checked, 300 * MS, 10000.0, 0.0,
                        400 * MS),
      TFRC_OK);
  ck_assert (!checked.sender.data_limited);
}

END_TEST
START_TEST (an_older_echo_is_stale)
{
  start ();
  expect_dropped (plain_report (275 * MS), 500 * MS, TFRC_STALE);
}

END_TEST
START_TEST (a_replayed_report_is_a_duplicate)
{
  start ();
  /* The newest report echoed 300 ms. */
  expect_dropped (plain_report (300 * MS), 400 * MS, TFRC_DUPLICATE);
  expect_dropped (plain_report (300 * MS), 450 * MS, TFRC_DUPLICATE);
}

END_TEST
START_TEST (a_second_report_of_a_packet_has_held_it_for_longer)
{
  TfrcFeedback report;

  start ();
  report = sender_flow_make_report (&checked, 300 * MS, 50 * MS, 40000.0, 0.0);
  expect_accepted (report, 450 * MS);
  ck_assert_uint_eq (checked.sender.rtt.sample, 100 * MS);
  report.echo_delay = 20 * MS;
  expect_dropped (report, 460 * MS, TFRC_STALE);
}

END_TEST
START_TEST (a_loss_within_a_burst_is_heard)
{
  TfrcFeedback report;

  start ();
  /* Two packets of one burst have the same send timestamp; the second report shows
   * a loss.  Replaying both has no effect. */
  report = plain_report (400 * MS);
  expect_accepted (report, 500 * MS);
  report.loss_event_rate = 0.01;
  expect_accepted (report, 501 * MS);
  expect_dropped (report, 502 * MS, TFRC_DUPLICATE);
  expect_dropped (plain_report (400 * MS), 502 * MS, TFRC_DUPLICATE);
}

END_TEST
START_TEST (an_echo_older_than_a_minute_is_stale)
{
  TfrcFeedback report;

  start ();
  report = plain_report (400 * MS);
  expect_dropped (report, 60400 * MS + TFRC_MICROSECOND, TFRC_STALE);
  /* Exactly a minute is not too old. */
  start ();
  expect_accepted (report, 60400 * MS);
}

END_TEST
START_TEST (a_report_that_arrives_before_it_was_sent_is_invalid)
{
  TfrcFeedback report;

  start ();
  /* R_sample = 500 - 400 - delay. */
  report = sender_flow_make_report (&checked, 400 * MS, 100 * MS, 40000.0, 0.0);
  expect_dropped (report, 500 * MS, TFRC_INVALID);
  report.echo_delay = TFRC_TIME_NONE;
  expect_dropped (report, 500 * MS, TFRC_INVALID);
  /* One nanosecond is left: below the resolution of the wire, taken as 1 us. */
  report.echo_delay = 100 * MS - 1;
  expect_accepted (report, 500 * MS);
  ck_assert_uint_eq (checked.sender.rtt.sample, TFRC_MICROSECOND);
}

END_TEST
START_TEST (a_receiver_cannot_have_got_more_than_was_sent)
{
  TfrcFeedback report;

  start ();
  /* Four packets of 1000 bytes in (300, 400] and one allowed in addition: 50000. */
  report = sender_flow_make_report (&checked, 400 * MS, 0, 4294967295.0, 0.0);
  expect_accepted (report, 500 * MS);
  ck_assert_double_eq_tol (checked.sender.receive_rate, 50000.0, 1e-6);
  ck_assert_uint_eq (checked.counters.feedback_clamped, 1);
}

END_TEST
/* Nothing for 0.2 s, then 9 packets in (600, 640].  With a sample of 40 ms, R is 94
 * ms: these and one more are 106383 bytes/s; over the sample 8 and one are 225000.
 * A sample of 60 ms is not below half of R: 10 packets in 96 ms, 104167. */
START_TEST (behind_a_silence_the_newest_rtt_counts_as_well)
{
  static const TfrcDuration samples[] = { 40 * MS, 60 * MS };
  static const TfrcRate believed[] = { 200000.0, 10000.0 / 0.096 };
  TfrcFeedback report;

  start ();
  for (TfrcTime now = 600 * MS; now <= 640 * MS; now += 5 * MS)
    tfrc_checked_sender_on_sent (&checked, SIZE, true, now);
  report = sender_flow_make_report (&checked, 640 * MS, 0, 200000.0, 0.0);
  expect_accepted (report, 640 * MS + samples[_i]);
  ck_assert_double_eq_tol (checked.sender.receive_rate, believed[_i], 1e-6);
}

END_TEST
/* 95 kB/s over 5 s, and 40 kB/s in the last R of it. */
START_TEST (x_recv_of_an_interval_is_not_bounded_by_its_last_rtt)
{
  TfrcFeedback report;

  start ();
  report = sender_flow_make_report (&checked, 400 * MS, 0, 95000.0, 0.0);
  report.interval = 5 * TFRC_SECOND;
  expect_accepted (report, 500 * MS);
  ck_assert_double_eq_tol (checked.sender.receive_rate, 95000.0, 1e-6);
  ck_assert_uint_eq (checked.counters.feedback_clamped, 0);
}

END_TEST
/* Reports of at most a second are samples of the queue. */
START_TEST (rare_reception_reports_are_left_to_x)
{
  TfrcSenderChecks checks = tfrc_sender_checks_default ();
  TfrcFeedback report;

  checks.delay_target = 8 * MS;
  start_with (checks);
  report = sender_flow_make_report (&checked, 375 * MS, 0, 20000.0, 0.0);
  report.interval = 5 * TFRC_SECOND;
  expect_accepted (report, 500 * MS);
  ck_assert_uint_eq (checked.delay_control.path.reported_at, 400 * MS);
  report = sender_flow_make_report (&checked, 400 * MS, 0, 20000.0, 0.0);
  report.interval = TFRC_SECOND;
  expect_accepted (report, 525 * MS);
  ck_assert_uint_eq (checked.delay_control.path.reported_at, 525 * MS);
}

END_TEST
START_TEST (a_receiver_of_nothing_got_the_packet_it_echoes)
{
  TfrcFeedback report;

  start ();
  report = sender_flow_make_report (&checked, 400 * MS, 0, 0.0, 0.0);
  expect_accepted (report, 500 * MS);
  /* One packet per RTT. */
  ck_assert_double_eq_tol (checked.sender.receive_rate, 10000.0, 1e-6);
  ck_assert (!checked.sender.data_limited);
}

END_TEST
START_TEST (reports_of_nothing_do_not_stop_a_flow)
{
  /* X_recv = 0 for ever, with losses: two packets per RTT, not one in 64 s. */
  TfrcTime now;

  start ();
  for (now = 425 * MS; now < 5 * TFRC_SECOND; now += 25 * MS) {
    sender_flow_report (&checked, now - 100 * MS, 0.0, 0.001, now);
    tfrc_checked_sender_on_sent (&checked, SIZE, true, now);
  }
  ck_assert_double_eq_tol (checked.sender.rate, 20000.0, 1e-6);
}

END_TEST
START_TEST (time_that_steps_back_stands_still)
{
  TfrcTime deadline;

  start ();
  deadline = tfrc_sender_next_deadline (&checked.sender);
  tfrc_checked_sender_on_sent (&checked, SIZE, true, 390 * MS);
  ck_assert (tfrc_byte_log_covers (&checked.sent, 400 * MS, 0));
  ck_assert (!tfrc_byte_log_covers (&checked.sent, 390 * MS, 0));
  tfrc_checked_sender_on_deadline (&checked, 0);
  ck_assert_uint_eq (tfrc_sender_next_deadline (&checked.sender), deadline);
  /* A report at "0" counts as one at 400 ms. */
  ck_assert_int_eq (sender_flow_report (&checked, 325 * MS, 40000.0, 0.0, 0),
      TFRC_OK);
  ck_assert_uint_eq (checked.sender.rtt.sample, 75 * MS);
}

END_TEST
START_TEST (a_configuration_out_of_range_is_clamped)
{
  TfrcSenderConfig config = { 0 };

  config.max_rate = (double) NAN;
  config.self_clocking = true;
  config.self_clocking_factor = (double) NAN;
  config.rate_scale = -1.0;
  config.packets_per_ack = 0.0;
  tfrc_checked_sender_init (&checked, &config, tfrc_sender_checks_default ());
  tfrc_checked_sender_on_sent (&checked, SIZE, true, 0);
  sender_flow_report (&checked, 0, 0.0, 0.01, 100 * MS);
  tfrc_checked_sender_on_sent (&checked, SIZE, true, 100 * MS);
  sender_flow_report (&checked, 100 * MS, 1000.0, 0.01, 200 * MS);
  ck_assert (isfinite (checked.sender.rate));
  ck_assert_double_gt (checked.sender.rate, 0.0);
}

END_TEST
/* 1250 bytes every 10 us are 1 Gbit/s; R = 1 ms.  The reverse path then delays
 * reports by `waited`, which neither makes them invalid nor lowers X_recv. */
static const TfrcDuration waits[] = { 0, 40 * MS, 150 * MS, 1000 * MS };

START_TEST (a_report_that_waited_counts_at_any_rate)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();
  TfrcRate rate = 125e6;
  TfrcTime now = MS;

  tfrc_checked_sender_init (&checked, &config, tfrc_sender_checks_default ());
  tfrc_checked_sender_on_sent (&checked, 1250, true, 0);
  ck_assert_int_eq (sender_flow_report (&checked, 0, 0.0, 0.0, now), TFRC_OK);
  for (unsigned i = 0; i < 2000; i++, now += MS) {
    sender_flow_send (&checked, 1250, true, rate, now, now + MS);
    ck_assert_int_eq (sender_flow_report (&checked, now, i < 2 ? 0.0 : rate,
                          0.0, now + MS),
        TFRC_OK);
  }
  sender_flow_send (&checked, 1250, true, rate, now, now + waits[_i] + 2 * MS);
  now += waits[_i] + 2 * MS;
  ck_assert_int_eq (sender_flow_report (&checked, now - waits[_i] - MS, rate,
                        0.0, now),
      TFRC_OK);
  ck_assert_double_ge (checked.sender.receive_rate, 0.99 * rate);
  /* Nor may the receiver claim more than was sent. */
  sender_flow_send (&checked, 1250, true, rate, now, now + waits[_i] + 2 * MS);
  now += waits[_i] + 2 * MS;
  ck_assert_int_eq (sender_flow_report (&checked, now - waits[_i] - MS,
                        2.0 * rate, 0.0, now),
      TFRC_OK);
  ck_assert_double_le (checked.sender.receive_rate, 1.1 * rate);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("checks-sender");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, another_path_begins_anew);
  tcase_add_test (tcase, a_plain_report_is_accepted);
  tcase_add_test (tcase, the_base_rtt_is_told_without_a_target);
  tcase_add_test (tcase, delay_control_sees_what_waited_in_a_path_that_stood);
  tcase_add_test (tcase, feedback_before_the_first_packet_is_invalid);
  tcase_add_loop_test (tcase, numbers_out_of_range_are_invalid, 0, 7);
  tcase_add_test (tcase, an_echo_of_nothing_sent_is_invalid);
  tcase_add_test (tcase, the_future_is_invalid_however_late_it_is);
  tcase_add_test (tcase, a_report_of_nothing_is_not_data_limited);
  tcase_add_test (tcase, a_probe_makes_the_source_no_less_the_limit);
  tcase_add_test (tcase, the_echo_is_as_exact_as_the_wire);
  tcase_add_test (tcase, an_older_echo_is_stale);
  tcase_add_test (tcase, a_replayed_report_is_a_duplicate);
  tcase_add_test (tcase, a_second_report_of_a_packet_has_held_it_for_longer);
  tcase_add_test (tcase, a_loss_within_a_burst_is_heard);
  tcase_add_test (tcase, an_echo_older_than_a_minute_is_stale);
  tcase_add_test (tcase, a_report_that_arrives_before_it_was_sent_is_invalid);
  tcase_add_test (tcase, a_receiver_cannot_have_got_more_than_was_sent);
  tcase_add_loop_test (tcase, behind_a_silence_the_newest_rtt_counts_as_well, 0,
      2);
  tcase_add_test (tcase, x_recv_of_an_interval_is_not_bounded_by_its_last_rtt);
  tcase_add_test (tcase, rare_reception_reports_are_left_to_x);
  tcase_add_test (tcase, a_receiver_of_nothing_got_the_packet_it_echoes);
  tcase_add_test (tcase, reports_of_nothing_do_not_stop_a_flow);
  tcase_add_test (tcase, time_that_steps_back_stands_still);
  tcase_add_test (tcase, a_configuration_out_of_range_is_clamped);
  tcase_add_loop_test (tcase, a_report_that_waited_counts_at_any_rate, 0,
      sizeof waits / sizeof waits[0]);
  return run_check_suite (suite);
}
