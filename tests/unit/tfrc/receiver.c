/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When the receiver reports, RFC 5348 section 6, and how often. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "receiver-verbs.h"

START_TEST (first_packet_is_reported)
{
  setup ();
  expect_deadline (TFRC_TIME_NONE);
  receive (10, 100 * MS, 1000 * MS);
  ck_assert (tfrc_receiver_poll_feedback (&receiver, &feedback, 1003 * MS));
  ck_assert_uint_eq (feedback.media_ssrc, VIDEO);
  ck_assert_uint_eq (feedback.echo_time_us, 1000000);
  ck_assert_uint_eq (feedback.echo_delay, 3 * MS);
  ck_assert_double_eq (feedback.receive_rate, 0.0);
  ck_assert_double_eq (feedback.loss_event_rate, 0.0);
  expect_silence (1003 * MS);
  expect_deadline (1100 * MS);
}

END_TEST
START_TEST (a_report_has_no_delays_of_the_one_before)
{
  setup ();
  receive (10, 100 * MS, 1000 * MS);
  feedback.has_delay = true;
  ck_assert (tfrc_receiver_poll_feedback (&receiver, &feedback, 1003 * MS));
  ck_assert (!feedback.has_delay);
}

END_TEST
START_TEST (one_report_per_rtt)
{
  setup ();
  receive (0, 100 * MS, 1000 * MS);
  expect_report (1000 * MS);
  for (uint16_t i = 1; i <= 10; i++) {
    receive (i, 100 * MS, (1000 + 10 * (TfrcTime) i) * MS - 1);
    expect_silence (1100 * MS - 1);
  }
  tfrc_receiver_on_deadline (&receiver, 1100 * MS - 1);
  expect_silence (1100 * MS - 1);
  tfrc_receiver_on_deadline (&receiver, 1100 * MS);
  expect_report (1100 * MS);
  /* 10 packets of 1000 bytes in (1000, 1100]. */
  ck_assert_double_eq_tol (feedback.receive_rate, 100000.0, 1e-6);
  ck_assert_uint_eq (feedback.echo_time_us, 1099999);
  ck_assert_uint_eq (feedback.echo_delay, 1);
  expect_deadline (1200 * MS);

  /* The RTT of the newest packet applies to the next interval; this one is measured
   * over the RTT with which it was started. */
  receive (11, 100 * MS, 1110 * MS);
  receive (12, 250 * MS, 1150 * MS);
  expect_deadline (1200 * MS);
  tfrc_receiver_on_deadline (&receiver, 1200 * MS);
  expect_report (1200 * MS);
  ck_assert_double_eq_tol (feedback.receive_rate, 20000.0, 1e-6);
  ck_assert_uint_eq (feedback.echo_delay, 50 * MS);
  expect_deadline (1450 * MS);
}

END_TEST
START_TEST (a_silent_flow_is_not_reported_until_it_speaks)
{
  setup ();
  receive (0, 100 * MS, 1000 * MS);
  expect_report (1000 * MS);
  tfrc_receiver_on_deadline (&receiver, 1100 * MS);
  expect_silence (1100 * MS);
  /* Section 6.2 restarts the timer; all that matters of that is that the next
   * packet makes it expire. */
  expect_deadline (TFRC_TIME_NONE);
  receive (1, 100 * MS, 5000 * MS);
  expect_report (5000 * MS);
  /* One packet in the last RTT, not in four seconds. */
  ck_assert_double_eq_tol (feedback.receive_rate, 10000.0, 1e-6);
  ck_assert_uint_eq (feedback.echo_time_us, 5000000);
  expect_deadline (5100 * MS);
  /* The next one waits for its RTT again. */
  receive (2, 100 * MS, 5010 * MS);
  expect_silence (5010 * MS);
  tfrc_receiver_on_deadline (&receiver, 5100 * MS);
  expect_report (5100 * MS);
}

END_TEST
/* Ten packets at one instant, as Wi-Fi delivers them: the first is reported at
 * once, the others in the next report, an RTT later. */
START_TEST (what_comes_with_a_reported_packet_is_of_the_next_report)
{
  setup ();
  receive (0, 100 * MS, 1000 * MS);
  expect_report (1000 * MS);
  tfrc_receiver_on_deadline (&receiver, 1100 * MS);
  for (uint16_t i = 1; i <= 10; i++)
    receive (i, 100 * MS, 1170 * MS);
  expect_report (1170 * MS);
  ck_assert_double_eq_tol (feedback.receive_rate, 10000.0, 1e-6);
  tfrc_receiver_on_deadline (&receiver, 1270 * MS);
  expect_report (1270 * MS);
  ck_assert_double_eq_tol (feedback.receive_rate, 90000.0, 1e-6);
}

END_TEST
START_TEST (slow_flow_reports_every_packet)
{
  setup ();
  /* Less than a packet per RTT: every expiry sends nothing, every packet is
   * reported at once, and X_recv is one packet per RTT (section 6.2). */
  receive (0, 100 * MS, 1000 * MS);
  expect_report (1000 * MS);
  for (uint16_t i = 1; i < 10; i++) {
    TfrcTime now = (1000 + 150 * (TfrcTime) i) * MS;

    tfrc_receiver_on_deadline (&receiver,
        tfrc_receiver_next_deadline (&receiver));
    expect_silence (now);
    receive (i, 100 * MS, now);
    expect_report (now);
    ck_assert_double_eq_tol (feedback.receive_rate, 10000.0, 1e-6);
  }
}

END_TEST
START_TEST (without_an_rtt_every_packet_is_reported)
{
  setup ();
  receive (0, 0, 1000 * MS);
  expect_report (1000 * MS);
  ck_assert_double_eq (feedback.receive_rate, 0.0);
  expect_deadline (TFRC_TIME_NONE);
  receive (1, 0, 1500 * MS);
  expect_report (1500 * MS);
  /* 1000 bytes since the last report. */
  ck_assert_double_eq_tol (feedback.receive_rate, 2000.0, 1e-6);
  expect_deadline (TFRC_TIME_NONE);
  /* "until a data packet arrives containing an estimate": the timer takes
   * over. */
  receive (2, 100 * MS, 2000 * MS);
  expect_silence (2000 * MS);
  expect_deadline (2100 * MS);
  tfrc_receiver_on_deadline (&receiver, 2100 * MS);
  expect_report (2100 * MS);
  ck_assert_double_eq_tol (feedback.receive_rate, 10000.0, 1e-6);
}

END_TEST
START_TEST (a_new_loss_event_is_reported_at_once)
{
  setup ();
  receive (0, 100 * MS, 1000 * MS);
  expect_report (1000 * MS);
  stream (1, 100 * MS, 10 * MS, 1000 * MS, 1050 * MS);
  receive (7, 100 * MS, 1060 * MS);
  expect_silence (1060 * MS);
  receive (8, 100 * MS, 1062 * MS);
  expect_silence (1062 * MS);
  receive (9, 100 * MS, 1064 * MS);
  expect_report (1064 * MS);
  ck_assert_double_gt (feedback.loss_event_rate, 0.0);
  /* (964, 1064]: nine packets, 0 to 5 and 7 to 9; a whole RTT although the timer
   * had run for only 64 ms. */
  ck_assert_double_eq_tol (feedback.receive_rate, 90000.0, 1e-6);
  expect_deadline (1164 * MS);
  /* A second loss within the event changes nothing. */
  receive (11, 100 * MS, 1066 * MS);
  receive (12, 100 * MS, 1068 * MS);
  receive (13, 100 * MS, 1070 * MS);
  expect_silence (1070 * MS);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).packets_lost, 2);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).loss_events, 1);
}

END_TEST
START_TEST (an_event_that_does_not_raise_p_waits_for_the_timer)
{
  uint16_t seq;
  TfrcTime now = 1000 * MS;
  uint64_t reports;

  setup ();
  receive (0, 200 * MS, now);
  seq = 1;
  /* A loss every 50 packets, 10 ms apart, then one after 90. */
  for (int i = 0; i < 10; i++) {
    seq = stream (seq, 200 * MS, 10 * MS, now, now + 490 * MS);
    seq++;
    now += 500 * MS;
  }
  seq = stream (seq, 200 * MS, 10 * MS, now, now + 890 * MS);
  seq++;
  now += 900 * MS;
  reports = tfrc_receiver_get_counters (&receiver).feedback;
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).loss_events, 10);
  stream (seq, 200 * MS, MS, now, now + 3 * MS);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).loss_events, 11);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).feedback, reports);
}

END_TEST
/* One caller serves each deadline, the other only those it has to wake up for: the
 * same reports at the same times.  Bursts of three packets every 10 to 190 ms at R
 * = 50 ms, so that some expiries find data and others do not. */
START_TEST (whoever_wakes_for_reports_alone_misses_nothing)
{
  TfrcReceiverConfig config = tfrc_receiver_config_default ();
  TfrcReceiver other;
  TfrcTime now = 1000 * MS, at, wakeup;
  TfrcFeedback another;
  uint64_t wakeups = 0, deadlines = 0;

  setup ();
  config.fast_return = receiver.config.fast_return = _i == 0;
  tfrc_receiver_init (&other, &config);
  for (uint16_t seq = 0; seq < 300; seq++) {
    TfrcDataPacket packet = packet_of (seq, 50 * MS, now);

    while ((at = tfrc_receiver_next_deadline (&receiver)) < now) {
      wakeup = tfrc_receiver_next_wakeup (&other);
      tfrc_receiver_on_deadline (&receiver, at);
      deadlines++;
      if (wakeup == at) {
        tfrc_receiver_on_deadline (&other, at);
        wakeups++;
      }
      ck_assert_int_eq (tfrc_receiver_poll_feedback (&receiver, &feedback, at),
          tfrc_receiver_poll_feedback (&other, &another, at));
      ck_assert_double_eq (feedback.receive_rate, another.receive_rate);
    }
    tfrc_receiver_on_packet (&receiver, &packet, now);
    tfrc_receiver_on_packet (&other, &packet, now);
    ck_assert_int_eq (tfrc_receiver_poll_feedback (&receiver, &feedback, now),
        tfrc_receiver_poll_feedback (&other, &another, now));
    ck_assert_double_eq (feedback.receive_rate, another.receive_rate);
    ck_assert_uint_eq (feedback.echo_time_us, another.echo_time_us);
    now += seq % 3 < 2 ? MS : (TfrcTime) (10 + 20 * (seq / 3 % 10)) * MS;
  }
  ck_assert_uint_gt (wakeups, 50);
  ck_assert_uint_gt (deadlines, wakeups + 50);
}

END_TEST
/* R = 0.3 ms, 7 packets within 60 us after a silence: one report, 1 ms after the
 * first packet, of 7000 bytes in 1 ms.  At R = 1 ms the first packet is reported at
 * once, as in RFC 5348 section 6.1 step 4. */
START_TEST (one_report_tells_of_a_burst_shorter_than_the_timer)
{
  setup ();
  receive (0, 300 * US, 1000 * MS);
  expect_report (1000 * MS);
  tfrc_receiver_on_deadline (&receiver, 1001 * MS);
  for (uint16_t i = 0; i < 7; i++) {
    receive (1 + i, 300 * US, 1033 * MS + i * 10 * US);
    expect_silence (1033 * MS + i * 10 * US);
  }
  expect_deadline (1034 * MS);
  tfrc_receiver_on_deadline (&receiver, 1034 * MS);
  expect_report (1034 * MS);
  ck_assert_double_eq_tol (feedback.receive_rate, 7000.0 / 0.001, 1e-3);
  ck_assert_uint_eq (feedback.echo_delay, 940 * US);

  receive (8, MS, 1034 * MS + 500 * US);
  tfrc_receiver_on_deadline (&receiver, 1035 * MS);
  expect_report (1035 * MS);
  tfrc_receiver_on_deadline (&receiver, 1036 * MS);
  receive (9, MS, 1100 * MS);
  expect_report (1100 * MS);
}

END_TEST
/* A report is due after a quarter of R, limited to 25 to 100 ms, and waits for as
 * many of these as it takes until four packets have arrived, or for R.  X_recv is
 * measured over R all the same. */
static const struct
{
  TfrcDuration rtt, spacing, part;
} parts[] = {
  { 2000 * MS, 10 * MS, 100 * MS }, /* a quarter of R is 500 ms */
  { 2000 * MS, 40 * MS, 200 * MS }, /* 2 packets in 100 ms, 5 in 200 */
  { 200 * MS, 10 * MS, 50 * MS },
  { 40 * MS, 5 * MS, 25 * MS },  /* a quarter is 10 ms */
  { 40 * MS, 15 * MS, 40 * MS }, /* 2 packets in R */
  { 20 * MS, MS, 20 * MS },
  { MS, 100 * US, MS },
};

START_TEST (a_part_of_a_long_rtt_is_time_enough_for_four_packets)
{
  TfrcDuration rtt = parts[_i].rtt, spacing = parts[_i].spacing;
  TfrcTime now = 1000 * MS;
  uint64_t reports;
  uint16_t seq;

  setup ();
  receiver.config.fast_return = true;
  receive (0, rtt, now);
  expect_report (now);
  seq = stream (1, rtt, spacing, now, now + 5 * rtt);
  now += 5 * rtt;
  reports = tfrc_receiver_get_counters (&receiver).feedback;
  stream (seq, rtt, spacing, now, now + 20 * parts[_i].part);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).feedback - reports,
      20);
  ck_assert_double_eq_tol (feedback.receive_rate, tfrc_rate_of (SIZE, spacing),
      tfrc_rate_of (SIZE, rtt) + 1e-6);
}

END_TEST
/* Fewer packets are reported once R has passed, and without any there is no report;
 * the first packet after that is reported at once, as usual. */
START_TEST (few_packets_wait_for_the_rtt)
{
  setup ();
  receiver.config.fast_return = true;
  receive (0, 200 * MS, 1000 * MS);
  expect_report (1000 * MS);
  expect_deadline (1050 * MS);
  receive (1, 200 * MS, 1060 * MS);
  expect_deadline (1100 * MS);
  for (unsigned i = 2; i < 4; i++) {
    tfrc_receiver_on_deadline (&receiver, (1000 + 50 * i) * MS);
    expect_silence ((1000 + 50 * i) * MS);
    expect_deadline ((1050 + 50 * i) * MS);
  }
  tfrc_receiver_on_deadline (&receiver, 1200 * MS);
  expect_report (1200 * MS);
  tfrc_receiver_on_deadline (&receiver, 1400 * MS);
  expect_silence (1400 * MS);
  expect_deadline (TFRC_TIME_NONE);
  receive (2, 200 * MS, 5000 * MS);
  expect_report (5000 * MS);
}

END_TEST
START_TEST (no_rtt_makes_a_storm_of_timers)
{
  uint64_t expiries = 0;
  uint16_t seq = 1;

  setup ();
  receive (0, 1, 1000 * MS);
  expect_report (1000 * MS);
  /* R = 1 ns, a packet every 10 us, for 100 ms: at most one report per ms. */
  for (TfrcTime t = 1000 * MS; t <= 1100 * MS; t += 10 * US) {
    receive (seq++, 1, t);
    while (tfrc_receiver_next_deadline (&receiver) <= t) {
      tfrc_receiver_on_deadline (&receiver, t);
      ck_assert_uint_gt (tfrc_receiver_next_deadline (&receiver), t);
      expiries++;
    }
    tfrc_receiver_poll_feedback (&receiver, &feedback, t);
  }
  ck_assert_uint_eq (expiries, 100);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).feedback, 101);
}

END_TEST
START_TEST (time_never_runs_back)
{
  setup ();
  receive (0, 100 * MS, 1000 * MS);
  expect_report (1000 * MS);
  receive (1, 100 * MS, 500 * MS);
  tfrc_receiver_on_deadline (&receiver, 400 * MS);
  expect_silence (400 * MS);
  expect_deadline (1100 * MS);
  tfrc_receiver_on_deadline (&receiver, 1100 * MS);
  ck_assert (tfrc_receiver_poll_feedback (&receiver, &feedback, 0));
  /* Taken as having arrived at 1000 ms. */
  ck_assert_uint_eq (feedback.echo_delay, 0);
  ck_assert_double_eq_tol (feedback.receive_rate, 10000.0, 1e-6);
}

END_TEST
START_TEST (config_out_of_range_is_clamped)
{
  TfrcReceiverConfig config = tfrc_receiver_config_default ();

  ck_assert_uint_eq (config.history_length, 8);
  ck_assert (config.history_discounting);
  ck_assert_double_eq (config.discount_threshold, 0.25);
  config.history_length = 0;
  config.discount_threshold = (double) NAN;
  tfrc_receiver_init (&receiver, &config);
  ck_assert_uint_eq (receiver.config.history_length, 2);
  ck_assert_double_eq (receiver.config.discount_threshold, 0.25);
  config.history_length = 100000;
  tfrc_receiver_init (&receiver, &config);
  ck_assert_uint_eq (receiver.config.history_length, 256);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-receiver");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, first_packet_is_reported);
  tcase_add_test (tcase, a_report_has_no_delays_of_the_one_before);
  tcase_add_test (tcase, one_report_per_rtt);
  tcase_add_test (tcase, a_silent_flow_is_not_reported_until_it_speaks);
  tcase_add_test (tcase,
      what_comes_with_a_reported_packet_is_of_the_next_report);
  tcase_add_test (tcase, slow_flow_reports_every_packet);
  tcase_add_test (tcase, without_an_rtt_every_packet_is_reported);
  tcase_add_test (tcase, a_new_loss_event_is_reported_at_once);
  tcase_add_test (tcase, an_event_that_does_not_raise_p_waits_for_the_timer);
  tcase_add_loop_test (tcase, whoever_wakes_for_reports_alone_misses_nothing, 0,
      2);
  tcase_add_test (tcase, one_report_tells_of_a_burst_shorter_than_the_timer);
  tcase_add_loop_test (tcase,
      a_part_of_a_long_rtt_is_time_enough_for_four_packets, 0,
      sizeof parts / sizeof parts[0]);
  tcase_add_test (tcase, few_packets_wait_for_the_rtt);
  tcase_add_test (tcase, no_rtt_makes_a_storm_of_timers);
  tcase_add_test (tcase, time_never_runs_back);
  tcase_add_test (tcase, config_out_of_range_is_clamped);
  return run_check_suite (suite);
}
