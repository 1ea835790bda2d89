/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The nofeedback timer, RFC 5348 section 4.4, and what happens after a silence.  R
 * is 100 ms unless a test says otherwise, so the timer takes 400 ms. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "sender-flow.h"

static TfrcCheckedSender checked;

static void
start (uint32_t size)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();

  config.max_segment_size = size;
  config.max_credit = 0;
  tfrc_checked_sender_init (&checked, &config, tfrc_sender_checks_default ());
  tfrc_checked_sender_on_sent (&checked, size, true, 0);
}

/* A flow that sends `send_rate`, of which `receive_rate` arrives, at the loss event
 * rate p; returns when the last report arrived. */
static TfrcTime
start_flow (uint32_t size, TfrcRate send_rate, TfrcRate receive_rate, double p)
{
  TfrcTime now = 100 * MS;

  start (size);
  sender_flow_report (&checked, 0, 0.0, p, now);
  for (; now < 1000 * MS; now += 100 * MS) {
    sender_flow_send (&checked, size, true, send_rate, now, now + 100 * MS);
    ck_assert_int_eq (sender_flow_report (&checked, now, receive_rate, p,
                          now + 100 * MS),
        TFRC_OK);
  }
  return now;
}

static void
expire (void)
{
  tfrc_checked_sender_on_deadline (&checked,
      tfrc_sender_next_deadline (&checked.sender));
}

START_TEST (without_any_feedback_the_rate_halves_from_two_seconds_on)
{
  /* X = s: 2 s.  Then s/2: max (2 s, 2 s / X) = 4 s, and so on; the floor is
   * one packet in 64 s. */
  static const struct
  {
    TfrcTime at;
    double rate;
  } steps[] = {
    { 2, 500.0 },
    { 6, 250.0 },
    { 14, 125.0 },
    { 30, 62.5 },
    { 62, 31.25 },
    { 126, 15.625 },
    { 254, 15.625 },
    { 382, 15.625 },
  };
  unsigned i;

  start (1000);
  for (i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    ck_assert_uint_eq (tfrc_sender_next_deadline (&checked.sender),
        steps[i].at * TFRC_SECOND);
    expire ();
    tfrc_checked_sender_on_sent (&checked, 1000, true,
        steps[i].at * TFRC_SECOND);
    ck_assert_double_eq (checked.sender.rate, steps[i].rate);
    ck_assert_int_eq (checked.sender.state, TFRC_SENDER_WAITING);
  }
}

END_TEST
START_TEST (without_feedback_packets_still_leave_every_three_seconds)
{
  /* X falls to one packet per 64 s, but packets are sent once per 3 s (0.5 ms
   * early), whatever their size. */
  TfrcTime now;

  start (1000);
  while ((now = tfrc_sender_next_deadline (&checked.sender))
      < 100 * TFRC_SECOND) {
    expire ();
    tfrc_checked_sender_on_sent (&checked, 1000, true, now);
  }
  tfrc_checked_sender_on_sent (&checked, 5000, true, 100 * TFRC_SECOND);
  ck_assert_uint_le (tfrc_sender_next_send_at (&checked.sender)
          - 100 * TFRC_SECOND,
      3 * TFRC_SECOND);
  ck_assert_double_lt (checked.sender.rate, 50.0);
}

END_TEST
START_TEST (probing_can_be_that_of_the_rfc)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();

  config.probe_interval = 0;
  config.max_credit = 0;
  tfrc_checked_sender_init (&checked, &config, tfrc_sender_checks_default ());
  tfrc_checked_sender_on_sent (&checked, 1200, true, 0);
  while (tfrc_sender_next_deadline (&checked.sender) < 100 * TFRC_SECOND) {
    TfrcTime now = tfrc_sender_next_deadline (&checked.sender);

    expire ();
    tfrc_checked_sender_on_sent (&checked, 1200, true, now);
  }
  tfrc_checked_sender_on_deadline (&checked,
      tfrc_sender_next_deadline (&checked.sender));
  tfrc_checked_sender_on_sent (&checked, 1200, true, 500 * TFRC_SECOND);
  ck_assert_uint_eq (tfrc_sender_next_send_at (&checked.sender),
      564 * TFRC_SECOND - 500 * TFRC_MICROSECOND);
}

END_TEST
START_TEST (the_timer_takes_four_rtts)
{
  TfrcTime now = start_flow (1460, 146000.0, 146000.0, 0.01);

  ck_assert_uint_eq (tfrc_sender_next_deadline (&checked.sender),
      now + 400 * MS);
  tfrc_checked_sender_on_deadline (&checked, now + 400 * MS - 1);
  ck_assert_uint_eq (checked.sender.counters.nofeedback_expiries, 0);
  tfrc_checked_sender_on_deadline (&checked, now + 400 * MS);
  ck_assert_uint_eq (checked.sender.counters.nofeedback_expiries, 1);
}

END_TEST
START_TEST (the_timer_is_that_of_the_rate_before_the_report)
{
  /* Step 3 comes before step 4: "max (4 R, 2 s / X)" with the X of one packet
   * per second is 2 s, although X is 40000 then. */
  start (1000);
  sender_flow_report (&checked, 0, 0.0, 0.0, 100 * MS);
  ck_assert_uint_eq (tfrc_sender_next_deadline (&checked.sender), 2100 * MS);
}

END_TEST
START_TEST (a_path_shorter_than_timers_gets_a_longer_one)
{
  /* R = 100 us: 4 R = 0.4 ms, but the receiver's timers leave 1 ms between two
   * reports and, to limit their share, up to 2 ms.  The timer waits for 20 ms, of
   * which two reports and two late timers take twelve. */
  TfrcTime now = 5 * MS;

  start (1200);
  ck_assert_int_eq (sender_flow_report (&checked, 0, 0.0, 0.0,
                        100 * TFRC_MICROSECOND),
      TFRC_OK);
  tfrc_checked_sender_on_sent (&checked, 1200, true, now);
  ck_assert_int_eq (sender_flow_report (&checked, now, 1e6, 0.0,
                        now + 100 * TFRC_MICROSECOND),
      TFRC_OK);
  ck_assert_uint_eq (tfrc_sender_next_deadline (&checked.sender),
      now + 100 * TFRC_MICROSECOND + 20 * MS);
}

END_TEST
START_TEST (from_five_milliseconds_on_the_timer_is_that_of_the_rfc)
{
  /* R = 5 ms: 4 R = 20 ms.  R = 6 ms: 24 ms.  The second report is used, since the
   * timer of the first is that of one packet per second. */
  static const TfrcDuration rtts[] = { 5 * MS, 6 * MS };
  unsigned i;

  for (i = 0; i < 2; i++) {
    TfrcDuration rtt = rtts[i];

    start (1200);
    sender_flow_report (&checked, 0, 0.0, 0.0, rtt);
    tfrc_checked_sender_on_sent (&checked, 1200, true, 2 * rtt);
    ck_assert_int_eq (sender_flow_report (&checked, 2 * rtt, 1e6, 0.0, 3 * rtt),
        TFRC_OK);
    ck_assert_uint_eq (tfrc_sender_next_deadline (&checked.sender), 7 * rtt);
  }
}

END_TEST
/* s = 1460, R = 100 ms, p = 0.01: X_Bps = 164005.062. */
static const struct
{
  TfrcRate receive_rate, rate;
} expiries[] = {
  { 50000.0, 50000.0 },    /* X_Bps > 2 X_recv: X_recv */
  { 100000.0, 82002.531 }, /* else X_Bps / 2 */
};

START_TEST (expiry_halves_what_was_the_limit)
{
  TfrcTime now = start_flow (1460, 146000.0, expiries[_i].receive_rate, 0.01);

  tfrc_checked_sender_on_sent (&checked, 1460, true, now);
  expire ();
  ck_assert_double_eq_tol (checked.sender.rate, expiries[_i].rate, 1e-3);
  ck_assert_int_eq (checked.sender.state, TFRC_SENDER_NO_FEEDBACK);
  /* X_recv_set = {X / 2}, so the next expiry halves once more. */
  ck_assert_double_eq_tol (tfrc_receive_set_max (&checked.sender.receive_set),
      expiries[_i].rate / 2.0, 1e-3);
  tfrc_checked_sender_on_sent (&checked, 1460, true, now + 410 * MS);
  expire ();
  ck_assert_double_eq_tol (checked.sender.rate, expiries[_i].rate / 2.0, 1e-3);
}

END_TEST
START_TEST (expiry_in_slow_start_halves_the_rate)
{
  TfrcTime now = start_flow (1000, 40000.0, 40000.0, 0.0);

  /* Twice the 40000 that arrived. */
  ck_assert_double_eq_tol (checked.sender.rate, 80000.0, 1e-6);
  tfrc_checked_sender_on_sent (&checked, 1000, true, now);
  expire ();
  ck_assert_double_eq_tol (checked.sender.rate, 40000.0, 1e-6);
  ck_assert_int_eq (checked.sender.state, TFRC_SENDER_NO_FEEDBACK);
}

END_TEST
START_TEST (silence_halves_down_to_one_packet_in_64_seconds)
{
  TfrcTime now = start_flow (1460, 146000.0, 146000.0, 0.01);
  TfrcRate before = checked.sender.rate;

  while (now < 1000 * TFRC_SECOND) {
    tfrc_checked_sender_on_sent (&checked, 1460, true, now);
    now = tfrc_sender_next_deadline (&checked.sender);
    expire ();
    ck_assert_double_eq_tol (checked.sender.rate, fmax (before / 2.0, 22.8125),
        1e-6);
    before = checked.sender.rate;
  }
  ck_assert_double_eq (before, 22.8125);
  ck_assert_double_eq (checked.sender.receive_limit, 22.8125);
  /* X follows the RFC, the packets follow the probing rate: 1460 bytes in 3 s. */
  ck_assert_double_eq_tol (tfrc_sender_get_pacing_rate (&checked.sender),
      1460.0 / 3.0, 1e-9);
}

END_TEST
START_TEST (an_idle_sender_keeps_its_rate_below_the_recover_rate)
{
  /* recover_rate = 4380 / 0.1 = 43800 > X_recv = 40000. */
  TfrcTime now = start_flow (1460, 40000.0, 40000.0, 0.01);
  TfrcRate before = checked.sender.rate;

  ck_assert_double_eq_tol (before, 80000.0, 1e-6);
  tfrc_checked_sender_on_deadline (&checked, now + 400 * MS);
  ck_assert_double_eq (checked.sender.rate, before);
  ck_assert_int_eq (checked.sender.state, TFRC_SENDER_EQUATION);
  /* X can no longer change: the timer stops until the next packet. */
  ck_assert_uint_eq (tfrc_sender_next_deadline (&checked.sender),
      TFRC_TIME_NONE);
  tfrc_checked_sender_on_sent (&checked, 1460, false, now + 7000 * MS);
  ck_assert_uint_eq (tfrc_sender_next_deadline (&checked.sender),
      now + 7400 * MS);
}

END_TEST
/* X_recv = 44000 is above 43800, and X_Bps of 0.17 MB/s above twice that. */
START_TEST (an_idle_sender_just_above_the_recover_rate_is_halved)
{
  TfrcTime now = start_flow (1460, 44000.0, 44000.0, 0.01);

  ck_assert_double_eq_tol (checked.sender.rate, 88000.0, 1e-6);
  tfrc_checked_sender_on_deadline (&checked, now + 400 * MS);
  ck_assert_double_eq_tol (checked.sender.rate, 44000.0, 1e-6);
}

END_TEST
START_TEST (an_idle_sender_falls_to_the_recover_rate)
{
  /* X_recv = 100000 is above 43800: halving, 82002.5, set {41001}. That is below,
   * so X stays. */
  TfrcTime now = start_flow (1460, 146000.0, 100000.0, 0.01);

  tfrc_checked_sender_on_deadline (&checked, now + 400 * MS);
  ck_assert_double_eq_tol (checked.sender.rate, 82002.531, 1e-3);
  ck_assert_int_eq (checked.sender.state, TFRC_SENDER_EQUATION);
  tfrc_checked_sender_on_deadline (&checked,
      tfrc_sender_next_deadline (&checked.sender));
  ck_assert_double_eq_tol (checked.sender.rate, 82002.531, 1e-3);
  ck_assert_uint_eq (tfrc_sender_next_deadline (&checked.sender),
      TFRC_TIME_NONE);
}

END_TEST
START_TEST (an_idle_sender_in_slow_start_keeps_twice_the_recover_rate)
{
  /* X = 292000, recover_rate 43800: 146000, then 73000 < 87600 stays. */
  TfrcTime now = start_flow (1460, 146000.0, 146000.0, 0.0);

  ck_assert_double_eq_tol (checked.sender.rate, 292000.0, 1e-6);
  tfrc_checked_sender_on_deadline (&checked, now + 400 * MS);
  ck_assert_double_eq_tol (checked.sender.rate, 146000.0, 1e-6);
  tfrc_checked_sender_on_deadline (&checked,
      tfrc_sender_next_deadline (&checked.sender));
  ck_assert_double_eq_tol (checked.sender.rate, 73000.0, 1e-6);
  tfrc_checked_sender_on_deadline (&checked,
      tfrc_sender_next_deadline (&checked.sender));
  ck_assert_double_eq_tol (checked.sender.rate, 73000.0, 1e-6);
}

END_TEST
START_TEST (an_idle_sender_without_an_rtt_keeps_its_rate)
{
  start (1000);
  expire ();
  ck_assert_double_eq (checked.sender.rate, 500.0);
  /* Nothing was sent since. */
  expire ();
  ck_assert_double_eq (checked.sender.rate, 500.0);
}

END_TEST
START_TEST (feedback_ends_the_silence_with_twice_what_arrives)
{
  TfrcTime now = start_flow (1460, 146000.0, 146000.0, 0.01);
  TfrcTime sent_at;

  while (now < 30 * TFRC_SECOND) {
    tfrc_checked_sender_on_sent (&checked, 1460, true, now);
    now = tfrc_sender_next_deadline (&checked.sender);
    expire ();
  }
  sent_at = now;
  tfrc_checked_sender_on_sent (&checked, 1460, true, sent_at);
  ck_assert_int_eq (checked.sender.state, TFRC_SENDER_NO_FEEDBACK);
  /* One packet in one RTT: 14600 bytes/s, so X = 29200. */
  sender_flow_report (&checked, sent_at, 14600.0, 0.01, sent_at + 100 * MS);
  ck_assert_int_eq (checked.sender.state, TFRC_SENDER_EQUATION);
  ck_assert_double_eq_tol (checked.sender.rate, 29200.0, 1e-6);
  /* The microsecond timestamp has cut up to 1 us off 100 ms: 1e-5 / 2 in the root. */
  ck_assert_double_eq_tol (tfrc_sender_get_pacing_rate (&checked.sender),
      29200.0, 0.15);
}

END_TEST
START_TEST (a_late_call_expires_once)
{
  TfrcTime now = start_flow (1460, 146000.0, 146000.0, 0.01);

  tfrc_checked_sender_on_sent (&checked, 1460, true, now);
  tfrc_checked_sender_on_deadline (&checked, now + TFRC_SECOND);
  ck_assert_uint_eq (checked.sender.counters.nofeedback_expiries, 1);
  ck_assert_uint_eq (tfrc_sender_next_deadline (&checked.sender),
      now + TFRC_SECOND + 400 * MS);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-sender-nofeedback");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase,
      without_any_feedback_the_rate_halves_from_two_seconds_on);
  tcase_add_test (tcase,
      without_feedback_packets_still_leave_every_three_seconds);
  tcase_add_test (tcase, probing_can_be_that_of_the_rfc);
  tcase_add_test (tcase, the_timer_takes_four_rtts);
  tcase_add_test (tcase, a_path_shorter_than_timers_gets_a_longer_one);
  tcase_add_test (tcase,
      from_five_milliseconds_on_the_timer_is_that_of_the_rfc);
  tcase_add_test (tcase, the_timer_is_that_of_the_rate_before_the_report);
  tcase_add_loop_test (tcase, expiry_halves_what_was_the_limit, 0,
      sizeof expiries / sizeof expiries[0]);
  tcase_add_test (tcase, expiry_in_slow_start_halves_the_rate);
  tcase_add_test (tcase, silence_halves_down_to_one_packet_in_64_seconds);
  tcase_add_test (tcase, an_idle_sender_keeps_its_rate_below_the_recover_rate);
  tcase_add_test (tcase, an_idle_sender_just_above_the_recover_rate_is_halved);
  tcase_add_test (tcase, an_idle_sender_falls_to_the_recover_rate);
  tcase_add_test (tcase,
      an_idle_sender_in_slow_start_keeps_twice_the_recover_rate);
  tcase_add_test (tcase, an_idle_sender_without_an_rtt_keeps_its_rate);
  tcase_add_test (tcase, feedback_ends_the_silence_with_twice_what_arrives);
  tcase_add_test (tcase, a_late_call_expires_once);
  return run_check_suite (suite);
}
