/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Beyond RFC 5348: self-clocking (Bansal et al. 2001 section 4.1.1), t_RTO and
 * rate scale (Rhee and Xu 2007 section VII), CUBIC's rate (RFC 9438 section 5).  R = 100 ms and s = 1460:
 * X_Bps (p = 0.01) = 164005.062. */
#include <check.h>
#include <math.h>

#include "rfc5348.h"
#include "check-suite.h"
#include "sender-flow.h"

#define SIZE 1460

static TfrcCheckedSender checked;
static TfrcTime now;

static void
start (const TfrcSenderConfig *config)
{
  TfrcSenderConfig own = *config;

  own.max_segment_size = SIZE;
  own.max_credit = 0;
  tfrc_checked_sender_init (&checked, &own, tfrc_sender_checks_default ());
  tfrc_checked_sender_on_sent (&checked, SIZE, true, 0);
  now = 100 * MS;
  sender_flow_report (&checked, 0, 0.0, 0.0, now);
}

/* One RTT of packets at 292000 bytes/s, then the report at its end. */
static void
step (bool backlog, TfrcRate receive_rate, double p)
{
  sender_flow_send (&checked, SIZE, backlog, 292000.0, now, now + 100 * MS);
  ck_assert_int_eq (sender_flow_report (&checked, now, receive_rate, p,
                        now + 100 * MS),
      TFRC_OK);
  now += 100 * MS;
}

static void
expect_rate (TfrcRate rate)
{
  ck_assert_double_eq_tol (checked.sender.rate, rate, 1e-6 * rate + 1e-3);
}

START_TEST (self_clocking_sends_what_arrives_after_a_loss)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();

  config.self_clocking = true;
  start (&config);
  step (true, 140000.0, 0.0);
  step (true, 140000.0, 0.0);
  step (true, 140000.0, 0.0);
  step (true, 140000.0, 0.01);
  expect_rate (140000.0); /* min (164005, X_recv) */
  step (true, 140000.0, 0.01);
  expect_rate (154000.0); /* min (164005, 1.1 X_recv) */
  step (true, 150000.0, 0.01);
  expect_rate (164005.062); /* min (164005, 165000) */
  step (true, 30000.0, 0.011);
  expect_rate (30000.0);
}

END_TEST
START_TEST (a_loss_counts_for_one_rtt)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();

  config.self_clocking = true;
  start (&config);
  step (true, 100000.0, 0.0);
  step (true, 100000.0, 0.0);
  step (true, 100000.0, 0.0);
  step (true, 100000.0, 0.01);
  /* Another report half an RTT later. */
  tfrc_checked_sender_on_sent (&checked, SIZE, true, now);
  sender_flow_report (&checked, now - 50 * MS, 90000.0, 0.01, now + 50 * MS);
  expect_rate (90000.0);
  now += 50 * MS;
  tfrc_checked_sender_on_sent (&checked, SIZE, true, now);
  sender_flow_report (&checked, now - 50 * MS, 90000.0, 0.01, now + 50 * MS);
  expect_rate (1.1 * 90000.0);
}

END_TEST
START_TEST (between_losses_the_newest_report_counts)
{
  /* C times the current X_recv, 1.1 * 90000, though the RTT before left 100000 in
   * X_recv_set: twenty flows that use the largest of the set lose 5 to 6 % after
   * half of their link has gone, and 4 to 5 % this way. */
  TfrcSenderConfig config = tfrc_sender_config_default ();

  config.self_clocking = true;
  start (&config);
  step (true, 100000.0, 0.0);
  step (true, 100000.0, 0.0);
  step (true, 100000.0, 0.01);
  step (true, 100000.0, 0.01);
  expect_rate (110000.0);
  step (true, 90000.0, 0.01);
  expect_rate (99000.0);
}

END_TEST
START_TEST (self_clocking_leaves_slow_start_alone)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();
  int i;

  config.self_clocking = true;
  start (&config);
  for (i = 0; i < 5; i++)
    step (true, 50000.0, 0.0);
  expect_rate (100000.0);
}

END_TEST
START_TEST (self_clocking_does_not_trap_a_data_limited_flow)
{
  /* 140000 arrived once; then the encoder pauses, 14600 per second.  Between
   * losses C times the best rate stays allowed: 1.1 * 140000. */
  TfrcSenderConfig config = tfrc_sender_config_default ();
  int i;

  config.self_clocking = true;
  start (&config);
  for (i = 0; i < 5; i++)
    step (true, 140000.0, 0.01);
  for (i = 0; i < 50; i++) {
    tfrc_checked_sender_on_sent (&checked, SIZE, false, now);
    ck_assert_int_eq (sender_flow_report (&checked, now, 14600.0, 0.01,
                          now + 100 * MS),
        TFRC_OK);
    now += 100 * MS;
  }
  ck_assert (checked.sender.data_limited);
  expect_rate (154000.0);
  /* A loss halves the set, to {70000}; the rate does not fall to the 14600 of the
   * pause. */
  tfrc_checked_sender_on_sent (&checked, SIZE, false, now);
  sender_flow_report (&checked, now, 14600.0, 0.011, now + 100 * MS);
  expect_rate (70000.0);
}

END_TEST
START_TEST (tcp_rto_lowers_the_rate)
{
  /* t_RTO = max (1 s, 100 + 4 * 50 ms): 145883.849 instead of 164005.062. */
  TfrcSenderConfig config = tfrc_sender_config_default ();
  int i;

  config.rto.mode = TFRC_RTO_TCP;
  start (&config);
  for (i = 0; i < 5; i++)
    step (true, 146000.0, 0.01);
  expect_rate (145883.849);
}

END_TEST
START_TEST (scaled_rto_divides_the_timeout_term)
{
  /* t_RTO = 1 s / 2.5 = 0.4 s = 4 R gives what RFC 5348 gives. */
  TfrcSenderConfig config = tfrc_sender_config_default ();
  int i;

  config.rto.mode = TFRC_RTO_SCALED;
  config.rto.scale = 2.5;
  start (&config);
  for (i = 0; i < 5; i++)
    step (true, 146000.0, 0.01);
  expect_rate (164005.062);
  /* c = 3, s / (R sqrt (2p/3) + (1/3) 3 sqrt (3p/8) p (1 + 32 p^2)) = 1460 /
   * (0.00816496581 + 0.000614332) = 166300.315. */
  config.rto.scale = 3.0;
  start (&config);
  for (i = 0; i < 5; i++)
    step (true, 146000.0, 0.01);
  expect_rate (166300.315);
}

END_TEST
START_TEST (rate_scale_multiplies_the_equation)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();
  int i;

  config.rate_scale = 1.5;
  config.rto.mode = TFRC_RTO_TCP;
  start (&config);
  for (i = 0; i < 5; i++)
    step (true, 146000.0, 0.01);
  expect_rate (1.5 * 145883.849);
}

END_TEST
START_TEST (packets_per_ack_is_the_b_of_the_equation)
{
  /* b = 2: f (p) = sqrt (4p/3) + 12 sqrt (3p/4) p (1 + 32p^2) =
   * 0.115470054 + 0.010425590 = 0.125895644; 1460 / (0.1 f) = 115969.07. */
  TfrcSenderConfig config = tfrc_sender_config_default ();
  int i;

  config.packets_per_ack = 2.0;
  start (&config);
  for (i = 0; i < 5; i++)
    step (true, 146000.0, 0.01);
  expect_rate (115969.07);
}

END_TEST
/* p = 1e-4: CUBIC's R^(1/4) p^(3/4) / 1.054 = 0.562341 * 0.001 / 1.054 = 533.530e-6,
 * timeouts 0.4 * 3 sqrt (3.75e-5) 1e-4 = 0.735e-6, 1460 / 534.265e-6 = 2732724; Reno's
 * 0.1 * sqrt (2/3 * 1e-4) = 816.497e-6, 1460 / 817.232e-6 = 1786519.  While R is doubled
 * for one sample, X_inst is X R_sqmean / sqrt (R_sample) for both: sqrt (0.1) * 0.9 +
 * 0.1 * sqrt (0.2) by sqrt (0.2) is 0.7364. */
START_TEST (the_rate_is_cubics_or_renos)
{
  static const TfrcRate rates[] = {
    [TFRC_TCP_RENO] = 1786519.644, [TFRC_TCP_CUBIC] = 2732723.628
  };
  TfrcSenderConfig config = tfrc_sender_config_default ();

  ck_assert_int_eq (config.tcp, TFRC_TCP_CUBIC);
  ck_assert_int_eq (tfrc_sender_config_rfc5348 ().tcp, TFRC_TCP_RENO);
  config.tcp = (TfrcTcp) _i;
  start (&config);
  step (true, 292000.0, 1e-4);
  ck_assert_double_eq_tol (checked.sender.equation_rate, rates[_i],
      1e-8 * rates[_i]);
  /* The p of a rate is that at which it is X_Bps. */
  ck_assert_double_eq_tol (tfrc_sender_get_loss_event_rate_for (&checked.sender,
                               rates[_i], 100 * MS, 0),
      1e-4, 1e-11);
  tfrc_checked_sender_on_sent (&checked, SIZE, true, now);
  sender_flow_report (&checked, now, 292000.0, 1e-4, now + 200 * MS);
  ck_assert_double_eq_tol (tfrc_sender_get_damping (&checked.sender), 0.7364,
      1e-4);
}

END_TEST
/* As above, 533.530e-6 s for a packet and 0.735e-6 for timeouts with R = 100 ms, and 1.2
 * times that when a sample of 300 ms has made R 120 ms.  A loss then counts for an
 * eighth: (7 * 100 + 120) / 8 = 102.5 ms. */
START_TEST (cubics_window_is_of_the_rtt_at_losses)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();
  const double packet_time = 533.530e-6;

  start (&config);
  step (true, 292000.0, 1e-4);
  tfrc_checked_sender_on_sent (&checked, SIZE, true, now);
  sender_flow_report (&checked, now, 292000.0, 1e-4, now + 300 * MS);
  ck_assert_uint_eq (checked.sender.rtt.rtt, 120 * MS);
  ck_assert_double_eq_tol (checked.sender.equation_rate,
      SIZE / (1.2 * (packet_time + 0.735e-6)), 10.0);
  now += 300 * MS;
  tfrc_checked_sender_on_sent (&checked, SIZE, true, now);
  sender_flow_report (&checked, now, 292000.0, 1.0001e-4, now + 120 * MS);
  ck_assert_uint_eq (checked.sender.loss_rtt, 102500000);
  ck_assert_double_eq_tol (checked.sender.equation_rate,
      SIZE / (1.2 * (packet_time * pow (1.0001 / 1.025, 0.75) + 0.735e-6)),
      10.0);
}

END_TEST
/* Whether it is the first loss or not, and p rises or falls, and with R as it is, shorter or
 * three times as long: all of this moves the window. */
START_TEST (a_rate_has_the_p_that_makes_it_the_next_rate)
{
  static const TfrcDuration samples[] = { 20 * MS, 100 * MS, 300 * MS };
  TfrcSenderConfig config = tfrc_sender_config_default ();
  TfrcRate rate = (_i % 2 ? 0.5 : 1.5) * 2732724.0;
  TfrcDuration sample = samples[_i / 4];
  double p;

  start (&config);
  step (true, 292000.0, _i / 2 % 2 ? 1e-4 : 0.0);
  tfrc_checked_sender_on_sent (&checked, SIZE, true, now);
  p = tfrc_sender_get_loss_event_rate_for (&checked.sender, rate, sample, 0);
  sender_flow_report (&checked, now, 292000.0, p, now + sample);
  ck_assert_double_eq_tol (checked.sender.equation_rate, rate, 1e-6 * rate);
}

END_TEST
/* R is then 0.9 * 100 + 0.1 * 180 = 108 ms, and the window one of 180. */
START_TEST (the_rtt_at_the_first_loss_is_the_sample)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();

  start (&config);
  step (true, 292000.0, 0.0);
  tfrc_checked_sender_on_sent (&checked, SIZE, true, now);
  sender_flow_report (&checked, now, 292000.0, 1e-4, now + 180 * MS);
  ck_assert_uint_eq (checked.sender.rtt.rtt, 108 * MS);
  ck_assert_uint_eq (checked.sender.loss_rtt, 180 * MS);
}

END_TEST
/* Video: three packets of 1460 bytes and a last one of 260 per frame; the mean is
 * 1160.  CUBIC's rate is that of the test before with s = 1460, Reno's that of s =
 * 1160: 1786519.644 * 1160 / 1460, to two packets of 1024. */
START_TEST (segments_are_the_largest_packets_but_of_reno)
{
  static const TfrcRate rates[] = {
    [TFRC_TCP_RENO] = 1419426.566, [TFRC_TCP_CUBIC] = 2732723.628
  };
  TfrcSenderConfig config = tfrc_sender_config_default ();

  config.tcp = (TfrcTcp) _i;
  config.max_segment_size = SIZE;
  start (&config);
  for (int i = 0; i < 4 * 4 * TFRC_SEGMENT_MAX_INTERVAL; i++)
    tfrc_checked_sender_on_sent (&checked, i % 4 < 3 ? SIZE : 260, true, now);
  sender_flow_report (&checked, now, 292000.0, 1e-4, now + 100 * MS);
  ck_assert_double_eq_tol (checked.sender.equation_rate, rates[_i],
      2e-3 * rates[_i]);
}

END_TEST
/* An encoder that gets a lower rate makes smaller packets: of four intervals, 1/p =
 * 5 packets each, all are of 60 bytes.  With s = 60 X_Bps would be a twentieth, and
 * the encoder's rate would be lowered again. */
static const uint32_t first_sizes[] = { 1200, 60000 };

/* A single datagram of 60000 bytes is not a segment either. */
START_TEST (packets_that_shrink_with_the_rate_are_no_smaller_segments)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();
  TfrcRate before;

  config.tcp = TFRC_TCP_CUBIC;
  config.max_segment_size = 1200;
  start (&config);
  tfrc_checked_sender_on_sent (&checked, 1200, true, now);
  sender_flow_report (&checked, now, 292000.0, 0.2, now + 100 * MS);
  before = checked.sender.equation_rate;
  now += 100 * MS;
  tfrc_checked_sender_on_sent (&checked, first_sizes[_i], true, now);
  for (int i = 0; i < 40; i++)
    tfrc_checked_sender_on_sent (&checked, 1200, true, now);
  for (int i = 0; i < 40; i++)
    tfrc_checked_sender_on_sent (&checked, 60, true, now + 200 * MS);
  sender_flow_report (&checked, now + 200 * MS, 292000.0, 0.2, now + 300 * MS);
  ck_assert_double_eq (tfrc_segment_size_get (&checked.sender.segment_size),
      60.0);
  ck_assert_double_eq_tol (checked.sender.equation_rate, before, 1e-6 * before);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-sender-extensions");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, self_clocking_sends_what_arrives_after_a_loss);
  tcase_add_test (tcase, a_loss_counts_for_one_rtt);
  tcase_add_test (tcase, between_losses_the_newest_report_counts);
  tcase_add_test (tcase, self_clocking_leaves_slow_start_alone);
  tcase_add_test (tcase, self_clocking_does_not_trap_a_data_limited_flow);
  tcase_add_test (tcase, tcp_rto_lowers_the_rate);
  tcase_add_test (tcase, scaled_rto_divides_the_timeout_term);
  tcase_add_test (tcase, rate_scale_multiplies_the_equation);
  tcase_add_test (tcase, packets_per_ack_is_the_b_of_the_equation);
  tcase_add_loop_test (tcase, the_rate_is_cubics_or_renos, 0, 2);
  tcase_add_loop_test (tcase, segments_are_the_largest_packets_but_of_reno, 0,
      2);
  tcase_add_loop_test (tcase,
      packets_that_shrink_with_the_rate_are_no_smaller_segments, 0,
      sizeof first_sizes / sizeof first_sizes[0]);
  tcase_add_test (tcase, cubics_window_is_of_the_rtt_at_losses);
  tcase_add_loop_test (tcase, a_rate_has_the_p_that_makes_it_the_next_rate, 0,
      12);
  tcase_add_test (tcase, the_rtt_at_the_first_loss_is_the_sample);
  return run_check_suite (suite);
}
