/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* With all our deviations turned off: the numbers that follow from RFC 5348 alone,
 * step by step, and that each switch restores what the RFC says.  The behaviour of
 * whole flows is tested in pair-steady and pair-loss.
 *
 * Packets of 1460 bytes, R = 100 ms. */
#include <check.h>
#include <math.h>

#include "rfc5348.h"
#include "check-suite.h"

#define SIZE 1460
#define RTT (100 * MS)
#define INITIAL 43800.0 /* W_init / R = 4380 bytes / 0.1 s */

static TfrcSender sender;
static TfrcReceiver receiver;
static TfrcFeedback feedback;

static void
report (TfrcTime echo, TfrcRate receive_rate, double p, TfrcTime now)
{
  TfrcReport made = {
    .echo = echo,
    .rtt_sample = now - echo,
    .receive_rate = receive_rate,
    .loss_event_rate = p,
    .receiver_started = !(receive_rate > 0.0),
  };

  tfrc_sender_on_feedback (&sender, &made, now);
}

/* A packet every 10 ms for `n` RTTs from `from` on; `backlog`: limited by X. */
static void
send (TfrcTime from, unsigned n, bool backlog)
{
  for (TfrcTime now = from; now < from + n * RTT; now += 10 * MS)
    tfrc_sender_on_sent (&sender, SIZE, backlog, now);
}

/* The first report, which echoes a packet sent at 0, arrives after `rtt`. */
static void
start (uint32_t size, TfrcDuration rtt)
{
  TfrcSenderConfig config = tfrc_sender_config_rfc5348 ();

  config.max_segment_size = size;
  tfrc_sender_init (&sender, &config);
  tfrc_sender_on_sent (&sender, size, true, 0);
  report (0, 0.0, 0.0, rtt);
}

static void
expect_rate (TfrcRate rate)
{
  ck_assert_double_eq_tol (sender.rate, rate, 1e-6 * rate);
}

/* Section 4.2: W_init = min (4 MSS, max (2 MSS, 4380)). */
static const struct
{
  uint32_t size;
  double window;
} windows[] = {
  { 100, 400.0 },
  { 500, 2000.0 },
  { 1000, 4000.0 },
  { 1095, 4380.0 },
  { 2190, 4380.0 },
  { 3000, 6000.0 },
};

START_TEST (the_initial_window)
{
  start (windows[_i].size, RTT);
  expect_rate (windows[_i].window / 0.1);
}

END_TEST
/* Section 4.3 step 4: doubling once per R, up to 2 max (X_recv_set); within an R
 * X stays, whatever recv_limit has become. */
START_TEST (slow_start)
{
  start (SIZE, RTT);
  send (100 * MS, 2, true);
  report (200 * MS, 40000.0, 0.0, 300 * MS);
  expect_rate (2.0 * INITIAL);
  send (300 * MS, 1, true);
  report (300 * MS, 60000.0, 0.0, 400 * MS);
  /* Infinity has left the set: 2 * 60000. */
  expect_rate (120000.0);
  report (305 * MS, 10000.0, 0.0, 450 * MS);
  report (310 * MS, 10000.0, 0.0, 455 * MS);
  report (315 * MS, 10000.0, 0.0, 460 * MS);
  ck_assert_double_eq (sender.receive_limit, 20000.0);
  expect_rate (120000.0);
}

END_TEST
/* Section 3.1 with s = 1460, R = 0.1, t_RTO = 4 R: X_Bps at p; recv_limit is above
 * it but at 0.1 %. */
static const struct
{
  double p;
  TfrcRate rate;
} rates[] = {
  { 0.001, 400000.0 },
  { 0.01, 164005.062 },
  { 0.1, 25843.490 },
  { 1.0, 60.004279 },
};

START_TEST (the_equation_and_what_arrives)
{
  start (SIZE, RTT);
  send (100 * MS, 1, true);
  report (100 * MS, 200000.0, 0.0, 200 * MS);
  send (200 * MS, 4, true);
  report (500 * MS, 200000.0, rates[_i].p, 600 * MS);
  ck_assert_double_eq_tol (sender.rate, rates[_i].rate, 1e-7 * rates[_i].rate);
}

END_TEST
/* Section 4.3 step 4, a loss in a data-limited interval: X_recv_set is halved,
 * X_recv is 0.85 of what was reported, and recv_limit the larger. */
START_TEST (a_loss_while_data_limited)
{
  start (SIZE, RTT);
  send (100 * MS, 1, false);
  report (100 * MS, 40000.0, 0.0001, 200 * MS);
  ck_assert (sender.data_limited);
  /* Infinity is dropped from the set first: 0.85 * 40000. */
  expect_rate (34000.0);
  send (200 * MS, 1, false);
  report (200 * MS, 15000.0, 0.0002, 300 * MS);
  /* max (34000 / 2, 0.85 * 15000). */
  expect_rate (17000.0);
  send (300 * MS, 1, false);
  report (300 * MS, 15000.0, 0.0002, 400 * MS);
  /* 2 max (17000, 15000). */
  expect_rate (34000.0);
}

END_TEST
/* Section 4.4 step 1 at p = 0.01, X_Bps = 164005. */
static const struct
{
  TfrcRate receive_rate, rate;
} expiries[] = {
  { 50000.0, 50000.0 },        /* X_Bps > 2 X_recv: update_limits (X_recv) */
  { 100000.0, 164005.062 / 2 } /* else: update_limits (X_Bps / 2) */
};

START_TEST (the_nofeedback_timer_expires)
{
  start (SIZE, RTT);
  send (100 * MS, 1, true);
  report (100 * MS, 1e6, 0.0, 200 * MS);
  send (200 * MS, 5, true);
  report (600 * MS, expiries[_i].receive_rate, 0.01, 700 * MS);
  tfrc_sender_on_sent (&sender, SIZE, true, 700 * MS);
  /* Step 3: max (4 R, 2 s/X). */
  ck_assert_uint_eq (tfrc_sender_next_deadline (&sender), 1100 * MS);
  tfrc_sender_on_deadline (&sender, 1100 * MS);
  expect_rate (expiries[_i].rate);
  ck_assert_uint_eq (tfrc_sender_next_deadline (&sender), 1500 * MS);
}

END_TEST
/* Section 4.3 steps 3 and 6: 4 R however short R is, with the X before the report;
 * it counts from the report on, whatever is sent. */
START_TEST (the_timer_is_that_of_steps_3_and_6)
{
  start (SIZE, MS);
  /* 2 s / X of a packet per second. */
  ck_assert_uint_eq (tfrc_sender_next_deadline (&sender), 2 * TFRC_SECOND + MS);
  tfrc_sender_on_sent (&sender, SIZE, true, MS);
  report (MS, 1e6, 0.0, 2 * MS);
  ck_assert_uint_eq (tfrc_sender_next_deadline (&sender), 6 * MS);
  tfrc_sender_on_sent (&sender, SIZE, true, 5 * MS);
  ck_assert_uint_eq (tfrc_sender_next_deadline (&sender), 6 * MS);
}

END_TEST
/* Section 4.4: X halves down to a packet per 64 s, and no packet is sent earlier. */
START_TEST (silence_leaves_a_packet_in_64_seconds)
{
  TfrcTime now = RTT;

  start (SIZE, RTT);
  while (sender.rate > 1.001 * SIZE / 64.0) {
    tfrc_sender_on_sent (&sender, SIZE, true, now);
    now = tfrc_time_max (now, tfrc_sender_next_deadline (&sender));
    tfrc_sender_on_deadline (&sender, now);
  }
  tfrc_sender_on_sent (&sender, SIZE, true, now);
  ck_assert_uint_ge (tfrc_sender_next_send_at (&sender),
      now + 63 * TFRC_SECOND);
}

END_TEST
/* Section 4.5, R_sqmean was sqrt (0.1), then one sample: X_inst / X. */
static const struct
{
  TfrcDuration sample;
  double damping;
} dampings[] = {
  { 100 * MS, 1.0 },
  { 120 * MS, 0.921584 },
  { 200 * MS, 0.736396 },
  { 400 * MS, 0.55 },
};

START_TEST (oscillations_are_damped)
{
  start (SIZE, RTT);
  send (100 * MS, 1, true);
  report (100 * MS, 40000.0, 0.0, 100 * MS + dampings[_i].sample);
  ck_assert_double_eq_tol (sender.instant_rate / sender.rate,
      dampings[_i].damping, 1e-6);
}

END_TEST
/* Section 4.6: what was not sent within one RTT may follow, and no more. */
START_TEST (a_burst_is_one_rtt)
{
  unsigned n = 0;

  start (SIZE, RTT);
  tfrc_sender_on_sent (&sender, SIZE, true, RTT);
  /* X = 43800: three packets in R, and the one that is due. */
  while (tfrc_sender_next_send_at (&sender) <= TFRC_SECOND) {
    tfrc_sender_on_sent (&sender, SIZE, true, TFRC_SECOND);
    n++;
  }
  ck_assert_uint_eq (n, 4);
}

END_TEST
static void
start_receiver (void)
{
  TfrcReceiverConfig config = tfrc_receiver_config_rfc5348 ();

  tfrc_receiver_init (&receiver, &config);
}

static void
receive (uint16_t seq, TfrcDuration rtt, TfrcTime now)
{
  TfrcDataPacket packet = { .ssrc = 1, .seq = seq, .size = SIZE };

  packet.has_extension = true;
  packet.extension = (TfrcExtension) { (uint32_t) (now / TFRC_MICROSECOND),
    rtt };
  while (tfrc_receiver_next_deadline (&receiver) < now) {
    tfrc_receiver_on_deadline (&receiver,
        tfrc_receiver_next_deadline (&receiver));
    tfrc_receiver_poll_feedback (&receiver, &feedback, now);
  }
  ck_assert_int_eq (tfrc_receiver_on_packet (&receiver, &packet, now), TFRC_OK);
  tfrc_receiver_poll_feedback (&receiver, &feedback, now);
}

static double
get_p (void)
{
  TfrcTrace trace = { 0 };

  tfrc_receiver_get_trace (&receiver, &trace, 0);
  return trace.loss_event_rate;
}

/* Sections 5.3 to 5.5: eight intervals of 100 packets, and an open one. */
static const struct
{
  unsigned open;
  double p;
} intervals[] = {
  { 5, 0.01 },
  { 250, 0.00769231 },
  { 500, 0.00428571 },
};

START_TEST (p_of_equal_intervals)
{
  /* Ninth loss: the interval before the first event has left the history. */
  unsigned last = 900;

  start_receiver ();
  for (unsigned i = 1; i < last + intervals[_i].open; i++)
    if (i % 100 != 0 || i > last)
      receive ((uint16_t) i, 10 * MS, i * MS);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).loss_events, 9);
  ck_assert_double_eq_tol (get_p (), intervals[_i].p, 1e-8);
}

END_TEST
/* Section 6.3.1: 10 packets per RTT before the first loss give an interval of
 * 82.150938. */
START_TEST (the_first_interval)
{
  start_receiver ();
  for (uint16_t i = 0; i < 50; i++)
    if (i != 45)
      receive (i, RTT, i * 10 * MS + MS);
  ck_assert_double_eq_tol (1.0 / get_p (), 82.150938, 1e-3);
}

END_TEST
/* Section 5.1: three later packets make a loss, however often the packet then
 * arrived. */
START_TEST (three_later_packets_make_a_loss)
{
  start_receiver ();
  receive (0, RTT, 0);
  for (uint16_t i = 1; i <= 200; i++)
    receive ((uint16_t) (i % 5 == 0 ? i - 4 : i + 1), RTT, i * 10 * MS + MS);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).packets_late, 40);
}

END_TEST
/* Section 5.2: nominal times of losses lie on a line, over an outage as well: 19
 * losses 1.05 R apart are 19 events. */
START_TEST (losses_of_an_outage_are_spread)
{
  start_receiver ();
  for (uint16_t i = 0; i < 10; i++)
    receive (i, RTT, i * 10 * MS + MS);
  for (uint16_t i = 29; i < 33; i++)
    receive (i, RTT, 91 * MS + 2100 * MS + (i - 29) * MS);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).loss_events, 19);
}

END_TEST
/* Section 6.2: the timer is R_m, even at 100 us, whatever share of the flow that
 * takes; section 6.1 step 4: after silence the first packet is reported. */
START_TEST (a_report_per_rtt)
{
  start_receiver ();
  receive (0, 100 * TFRC_MICROSECOND, TFRC_SECOND);
  ck_assert_uint_eq (tfrc_receiver_next_deadline (&receiver),
      TFRC_SECOND + 100 * TFRC_MICROSECOND);
  receive (1, 100 * TFRC_MICROSECOND, 2 * TFRC_SECOND);
  ck_assert_uint_eq (tfrc_receiver_get_counters (&receiver).feedback, 2);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-rfc5348");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, the_initial_window, 0,
      sizeof windows / sizeof windows[0]);
  tcase_add_test (tcase, slow_start);
  tcase_add_loop_test (tcase, the_equation_and_what_arrives, 0,
      sizeof rates / sizeof rates[0]);
  tcase_add_test (tcase, a_loss_while_data_limited);
  tcase_add_loop_test (tcase, the_nofeedback_timer_expires, 0,
      sizeof expiries / sizeof expiries[0]);
  tcase_add_test (tcase, the_timer_is_that_of_steps_3_and_6);
  tcase_add_test (tcase, silence_leaves_a_packet_in_64_seconds);
  tcase_add_loop_test (tcase, oscillations_are_damped, 0,
      sizeof dampings / sizeof dampings[0]);
  tcase_add_test (tcase, a_burst_is_one_rtt);
  tcase_add_loop_test (tcase, p_of_equal_intervals, 0,
      sizeof intervals / sizeof intervals[0]);
  tcase_add_test (tcase, the_first_interval);
  tcase_add_test (tcase, three_later_packets_make_a_loss);
  tcase_add_test (tcase, losses_of_an_outage_are_spread);
  tcase_add_test (tcase, a_report_per_rtt);
  return run_check_suite (suite);
}
