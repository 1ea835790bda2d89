/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random events, correct, forged and absurd, against the invariants of the checked
 * sender.  The seed is the loop index, which libcheck prints on failure. */
#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "check-suite.h"
#include "sender-flow.h"
#include "base/rng.h"

#define N_EVENTS 6000

static TfrcCheckedSender checked;
static TfrcRng rng;
static TfrcTime last_sent_at;

/* 0 to n - 1. */
static uint32_t
draw (uint32_t n)
{
  return tfrc_rng_next (&rng) % n;
}

static double
draw_between (double low, double high)
{
  return low + (high - low) * tfrc_rng_uniform (&rng);
}

static void
check_invariants (void)
{
  double size = tfrc_segment_size_get (&checked.sender.segment_size);
  TfrcRate minimum = size / 64.0;
  TfrcRate largest = tfrc_receive_set_max (&checked.sender.receive_set);
  TfrcRate rate = checked.sender.rate;
  TfrcRate pacing = tfrc_sender_get_pacing_rate (&checked.sender);

  ck_assert (isfinite (rate) && isfinite (pacing));
  ck_assert_double_le (rate, checked.sender.config.max_rate);
  /* The mean size changes with each packet, the floor with the next report. */
  ck_assert_double_ge (rate, fmin (1.0 / 64.0, minimum));
  ck_assert_double_ge (pacing, fmin (1.0 / 64.0, minimum));
  ck_assert (checked.sender.loss_event_rate >= 0.0
      && checked.sender.loss_event_rate <= 1.0);
  /* There is always a time at which the next packet may be sent. */
  ck_assert_uint_lt (tfrc_sender_next_send_at (&checked.sender),
      TFRC_TIME_NONE);
  /* In slow start the limit may be below X until an RTT is over. */
  if (checked.sender.loss_event_rate > 0.0 && !isinf (largest))
    ck_assert_double_le (rate,
        1.0000001
            * fmax (fmax (checked.sender.initial_rate, 2.0 * largest),
                fmax (minimum, 1500.0 / 64.0)));
  if (checked.sender.state == TFRC_SENDER_NO_FEEDBACK
      || checked.sender.state == TFRC_SENDER_WAITING)
    ck_assert_double_ge (pacing * 1.0000001, size / 3.0);
}

static void
send_something (TfrcTime now)
{
  uint32_t n = draw (20) == 0 ? draw (30) + 1 : 1;

  while (n-- > 0)
    tfrc_checked_sender_on_sent (&checked, 40 + draw (1460), draw (2) == 0,
        now);
  last_sent_at = now;
}

static void
report_something (TfrcTime now)
{
  static const double rates[] = { 0.0, 1.0, 1e4, 1e6, 4294967295.0 };
  static const double ps[] = { 0.0, 2.4e-10, 1e-4, 0.01, 0.3, 1.0, 2.0 };
  TfrcTime echo = draw (4) != 0 ? last_sent_at
                                : tfrc_time_sub (now, draw (2000) * MS);
  TfrcDuration delay = draw (4) == 0 ? draw (50) * MS : 0;
  double p = draw (3) == 0 ? ps[draw (7)] : checked.sender.loss_event_rate;
  TfrcFeedback report = sender_flow_make_report (&checked, echo, delay,
      draw (2) == 0 ? rates[draw (5)] : draw_between (0.0, 1e6), p);

  tfrc_checked_sender_on_feedback (&checked, &report, now);
}

START_TEST (invariants_hold_whatever_happens)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();
  TfrcTime now = 0;
  int i;

  tfrc_rng_init (&rng, (uint64_t) _i, 1);
  config.timestamp_offset_us = tfrc_rng_next (&rng);
  config.self_clocking = _i % 3 == 0;
  config.oscillation_damping = _i % 2 == 0;
  config.rto.mode = (TfrcRtoMode) (_i % 3);
  if (_i % 5 == 0)
    config.max_rate = 50000.0;
  tfrc_checked_sender_init (&checked, &config, tfrc_sender_checks_default ());
  for (i = 0; i < N_EVENTS; i++) {
    switch (draw (8)) {
      case 0:
        now += draw (10) * MS;
        break;
      case 1:
        if (draw (50) == 0)
          now += draw (20) * TFRC_SECOND;
        break;
      case 2:
      case 3:
        report_something (now);
        break;
      case 4:
        if (tfrc_sender_next_deadline (&checked.sender) <= now) {
          tfrc_checked_sender_on_deadline (&checked, now);
          ck_assert_uint_gt (tfrc_sender_next_deadline (&checked.sender), now);
        }
        break;
      default:
        now += draw (2000) * TFRC_MICROSECOND;
        send_something (now);
        break;
    }
    check_invariants ();
  }
  /* The run covered what it is meant to. */
  ck_assert_uint_gt (checked.sender.counters.feedback, 100);
  ck_assert_uint_gt (checked.counters.feedback_invalid, 50);
  ck_assert_uint_gt (checked.counters.feedback_stale, 50);
  ck_assert_uint_gt (checked.counters.feedback_clamped, 10);
  ck_assert_uint_gt (checked.sender.counters.nofeedback_expiries, 0);
}

END_TEST
START_TEST (equal_inputs_give_equal_outputs)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();
  TfrcRate rates[2] = { 0.0, 0.0 };
  int run, i;

  for (run = 0; run < 2; run++) {
    TfrcTime now = 0;

    tfrc_rng_init (&rng, (uint64_t) _i, 2);
    tfrc_checked_sender_init (&checked, &config, tfrc_sender_checks_default ());
    for (i = 0; i < 2000; i++) {
      now += draw (3000) * TFRC_MICROSECOND;
      send_something (now);
      now += draw (3000) * TFRC_MICROSECOND;
      report_something (now);
      rates[run] += tfrc_sender_get_pacing_rate (&checked.sender);
    }
  }
  ck_assert (rates[0] == rates[1]);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-sender-random");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, invariants_hold_whatever_happens, 0, 40);
  tcase_add_loop_test (tcase, equal_inputs_give_equal_outputs, 0, 4);
  return run_check_suite (suite);
}
