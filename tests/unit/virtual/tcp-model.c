/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Delayed acknowledgements and what they do to a window of Reno: first ten packets,
 * one more for each that is acknowledged, half behind a loss.  And whole packets of a
 * window of CUBIC. */
#include <check.h>

#include "check-suite.h"
#include "tcp-model.h"

static TcpModel tcp;

static void
setup (void)
{
  tcp_model_init (&tcp, false, 2, 0);
}

static unsigned
send_all (TfrcTime now)
{
  unsigned n = 0;

  for (; tcp_model_may_send (&tcp); n++)
    tcp_model_on_sent (&tcp, now);
  return n;
}

/* What is acknowledged then: the first number, or -1, and how many. */
static int
arrive (uint64_t number, unsigned *n, TfrcTime now)
{
  TcpAck ack = { .n = 0 };

  tcp_model_on_packet (&tcp, number, now);
  *n = tcp_model_poll_ack (&tcp, &ack, now) ? ack.n : 0;
  if (*n == 0)
    return -1;
  tcp_model_on_ack (&tcp, &ack, now);
  ck_assert (!tcp_model_poll_ack (&tcp, &ack, now + TFRC_SECOND));
  return (int) ack.numbers[0];
}

/* In congestion avoidance: 4 is lost, and known by 7, when four and two packets more
 * have made the window 10 + 6 = 16.  Half is 8. */
static TfrcTime
avoid_congestion (void)
{
  unsigned n;

  ck_assert_uint_eq (send_all (0), 10);
  for (uint64_t i = 0; i < 4; i++)
    arrive (i, &n, 100 * MS);
  ck_assert_uint_eq (send_all (100 * MS), 8);
  for (uint64_t i = 5; i < 8; i++)
    arrive (i, &n, 200 * MS);
  return 200 * MS;
}

START_TEST (two_packets_have_one_acknowledgement)
{
  unsigned n;

  send_all (0);
  ck_assert_int_eq (arrive (0, &n, 10 * MS), -1);
  ck_assert_int_eq (arrive (1, &n, 12 * MS), 0);
  ck_assert_uint_eq (n, 2);
  ck_assert_uint_eq (tcp.in_flight, 8);
  ck_assert_uint_eq (tcp.rtt, 12 * MS);
}

END_TEST
START_TEST (one_alone_is_acknowledged_after_40_ms)
{
  TcpAck ack;
  unsigned n;

  send_all (0);
  ck_assert_int_eq (arrive (0, &n, 10 * MS), -1);
  ck_assert_uint_eq (tcp_model_next_ack_at (&tcp), 50 * MS);
  ck_assert (!tcp_model_poll_ack (&tcp, &ack, 50 * MS - 1));
  ck_assert (tcp_model_poll_ack (&tcp, &ack, 50 * MS));
  ck_assert_uint_eq (ack.n, 1);
  ck_assert_uint_eq (tcp_model_next_ack_at (&tcp), TFRC_TIME_NONE);
}

END_TEST
START_TEST (without_delay_each_packet_is_acknowledged)
{
  unsigned n;

  tcp_model_init (&tcp, false, 1, 0);
  send_all (0);
  ck_assert_int_eq (arrive (0, &n, 10 * MS), 0);
  ck_assert_uint_eq (n, 1);
  ck_assert_int_eq (arrive (1, &n, 11 * MS), 1);
  ck_assert_uint_eq (n, 1);
}

END_TEST
/* Four in slow start, for two: the window grows by each packet.  Then by an eighth for
 * each, which is no packet yet. */
START_TEST (packets_leave_in_pairs)
{
  unsigned n;
  TfrcTime now;

  send_all (0);
  arrive (0, &n, 10 * MS);
  ck_assert_uint_eq (send_all (10 * MS), 0);
  arrive (1, &n, 10 * MS);
  ck_assert_uint_eq (send_all (10 * MS), 4);
  setup ();
  now = avoid_congestion ();
  for (uint64_t i = 8; i < 18; i++)
    arrive (i, &n, now);
  ck_assert_uint_eq (send_all (now), 8);
  arrive (18, &n, now);
  ck_assert_uint_eq (send_all (now), 0);
  arrive (19, &n, now);
  ck_assert_uint_eq (send_all (now), 2);
}

END_TEST
/* 4 is lost, known at 7, and sent again then, in front of 18. */
START_TEST (while_any_is_missing_each_is_acknowledged)
{
  unsigned n;
  TfrcTime now = avoid_congestion ();

  ck_assert_double_eq (tcp.window, 8.0);
  ck_assert_uint_eq (tcp.in_flight, 10);
  for (uint64_t i = 8; i < 18; i++)
    ck_assert_int_eq (arrive (i, &n, now), (int) i);
  send_all (now);
  ck_assert_int_eq (arrive (18, &n, now), -1);
  ck_assert_int_eq (arrive (19, &n, now), 18);
}

END_TEST
/* What waits goes with the one that shows the hole. */
START_TEST (one_that_comes_late_is_acknowledged_at_once)
{
  unsigned n;

  send_all (0);
  ck_assert_int_eq (arrive (0, &n, 10 * MS), -1);
  ck_assert_int_eq (arrive (2, &n, 11 * MS), 0);
  ck_assert_uint_eq (n, 2);
  ck_assert_int_eq (arrive (1, &n, 12 * MS), 1);
  ck_assert_int_eq (arrive (3, &n, 13 * MS), -1);
  ck_assert_uint_eq (tcp.in_flight, 7);
}

END_TEST
/* Nothing is missing any more: what was under way was sent again. */
START_TEST (after_a_timeout_packets_wait_again)
{
  unsigned n;

  send_all (0);
  arrive (1, &n, 10 * MS);
  ck_assert_uint_eq (n, 1);
  tcp_model_on_deadline (&tcp, 10 * MS + TFRC_SECOND);
  ck_assert_uint_eq (send_all (TFRC_SECOND), 1);
  ck_assert_int_eq (arrive (tcp.next - 1, &n, TFRC_SECOND), -1);
}

END_TEST
/* Seven tenths of 16 are 11.2, and 11 count. */
START_TEST (cubic_keeps_whole_packets)
{
  tcp_model_init (&tcp, true, 2, 0);
  avoid_congestion ();
  ck_assert_double_eq (tcp.window, 11.0);
  ck_assert_double_eq (tcp.last_maximum, 16.0);
}

END_TEST
/* RFC 9438 section 4.2: K is the cubic root of 30 / 0.4, 4.217 s, so 0.1 s behind a
 * reduction the target is 100 - 0.4 4.117^3 = 100 - 27.9, whole packets from 100: 73.
 * That is three more in 70: one for 23.3 that are acknowledged. */
START_TEST (cubic_grows_by_whole_packets)
{
  unsigned n;

  tcp_model_init (&tcp, true, 2, 0);
  tcp.window = tcp.threshold = 70.0;
  tcp.last_maximum = 100.0;
  ck_assert_uint_eq (send_all (0), 70);
  for (uint64_t i = 0; i < 22; i++)
    arrive (i, &n, 100 * MS);
  ck_assert_double_eq (tcp.window, 70.0);
  arrive (22, &n, 100 * MS);
  arrive (23, &n, 100 * MS);
  ck_assert_double_eq (tcp.window, 71.0);
  ck_assert_uint_eq (send_all (100 * MS), 25);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tcp-model");
  TCase *tc = tcase_create ("general");

  tcase_add_checked_fixture (tc, setup, NULL);
  tcase_add_test (tc, two_packets_have_one_acknowledgement);
  tcase_add_test (tc, one_alone_is_acknowledged_after_40_ms);
  tcase_add_test (tc, without_delay_each_packet_is_acknowledged);
  tcase_add_test (tc, packets_leave_in_pairs);
  tcase_add_test (tc, while_any_is_missing_each_is_acknowledged);
  tcase_add_test (tc, one_that_comes_late_is_acknowledged_at_once);
  tcase_add_test (tc, after_a_timeout_packets_wait_again);
  tcase_add_test (tc, cubic_keeps_whole_packets);
  tcase_add_test (tc, cubic_grows_by_whole_packets);
  suite_add_tcase (suite, tc);
  return run_check_suite (suite);
}
