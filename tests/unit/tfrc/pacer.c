/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nominal send times, RFC 5348 sections 4.6 and 8.3. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "tfrc/pacer.h"

#define US TFRC_MICROSECOND
#define RTT (100 * MS)
#define RATE 100000.0 /* 1000 bytes take 10 ms */

/* Sends as soon as possible from `now` to before `until`, polling every 100 us;
 * returns the bytes sent. */
static uint64_t
send_greedily (TfrcPacer *pacer, uint32_t size, TfrcRate rate, TfrcTime now,
    TfrcTime until)
{
  uint64_t bytes = 0;

  for (; now < until; now += 100 * US)
    while (tfrc_pacer_next_send_at (pacer, rate, RTT) <= now) {
      tfrc_pacer_on_sent (pacer, size, rate, RTT, now);
      bytes += size;
    }
  return bytes;
}

START_TEST (the_first_packet_leaves_at_once)
{
  TfrcPacer pacer;

  tfrc_pacer_init (&pacer, MS, 10 * MS);
  ck_assert_uint_eq (tfrc_pacer_next_send_at (&pacer, RATE, 0), 0);
}

END_TEST
START_TEST (packets_are_spaced_by_their_own_size)
{
  TfrcPacer pacer;

  /* No granularity, no t_delta: 1000 bytes take 10 ms, 200 take 2 ms. */
  tfrc_pacer_init (&pacer, 0, 0);
  tfrc_pacer_on_sent (&pacer, 1000, RATE, RTT, 50 * MS);
  ck_assert_uint_eq (tfrc_pacer_next_send_at (&pacer, RATE, RTT), 60 * MS);
  tfrc_pacer_on_sent (&pacer, 200, RATE, RTT, 60 * MS);
  ck_assert_uint_eq (tfrc_pacer_next_send_at (&pacer, RATE, RTT), 62 * MS);
}

END_TEST
/* Three packets at once after one at 50 ms, of 10 ms each: the next one at 90 ms. */
START_TEST (a_train_leaves_at_once_and_what_follows_when_it_would)
{
  TfrcPacer pacer;

  tfrc_pacer_init (&pacer, 0, 0);
  tfrc_pacer_on_sent (&pacer, 1000, RATE, RTT, 50 * MS);
  tfrc_pacer_begin_train (&pacer, 3);
  for (unsigned i = 0; i < 3; i++) {
    ck_assert_uint_le (tfrc_pacer_next_send_at (&pacer, RATE, RTT), 50 * MS);
    tfrc_pacer_on_sent (&pacer, 1000, RATE, RTT, 50 * MS);
  }
  ck_assert_uint_eq (tfrc_pacer_next_send_at (&pacer, RATE, RTT), 90 * MS);
}

END_TEST
/* With a least interval: no two packets within 10 ms (RFC 4828 section 4.3). */
START_TEST (a_train_keeps_the_least_interval)
{
  TfrcPacer pacer;

  tfrc_pacer_init (&pacer, 0, 0);
  pacer.min_interval = 10 * MS;
  tfrc_pacer_on_sent (&pacer, 100, RATE, RTT, 50 * MS);
  tfrc_pacer_begin_train (&pacer, 3);
  ck_assert_uint_eq (tfrc_pacer_next_send_at (&pacer, RATE, RTT), 60 * MS);
}

END_TEST
/* t_delta = min (t_ipi, t_gran, rtt) / 2 with t_ipi = 10 ms. */
static const struct
{
  TfrcDuration granularity, rtt, delta;
} deltas[] = {
  { MS, RTT, 500 * US },
  { 20 * MS, RTT, 5 * MS },
  { 20 * MS, 4 * MS, 2 * MS },
  { MS, 0, 500 * US },
  { 0, RTT, 0 },
};

START_TEST (a_packet_may_leave_t_delta_early)
{
  TfrcPacer pacer;

  tfrc_pacer_init (&pacer, deltas[_i].granularity, 10 * MS);
  tfrc_pacer_on_sent (&pacer, 1000, RATE, deltas[_i].rtt, 50 * MS);
  ck_assert_uint_eq (tfrc_pacer_next_send_at (&pacer, RATE, deltas[_i].rtt),
      60 * MS - deltas[_i].delta);
}

END_TEST
START_TEST (leaving_early_does_not_raise_the_rate)
{
  /* Each packet leaves t_delta early, the nominal times stay 10 ms apart:
   * packets at 0, 9.5, 19.5, ... 989.5 and 999.5 ms, 101 in one second. */
  TfrcPacer pacer;

  tfrc_pacer_init (&pacer, MS, 10 * MS);
  ck_assert_uint_eq (send_greedily (&pacer, 1000, RATE, 0, TFRC_SECOND),
      101000);
}

END_TEST
START_TEST (sizes_do_not_change_the_rate)
{
  TfrcPacer pacer;
  uint64_t bytes;

  /* 100000 bytes in one second, up to one packet more. */
  tfrc_pacer_init (&pacer, MS, 10 * MS);
  bytes = send_greedily (&pacer, 70, RATE, 0, TFRC_SECOND / 2);
  bytes += send_greedily (&pacer, 1400, RATE, TFRC_SECOND / 2, TFRC_SECOND);
  ck_assert_uint_ge (bytes, 100000);
  ck_assert_uint_le (bytes, 101400);
}

END_TEST
/* Credit saved over a pause of 1 s: min (RTT, max_credit) at RATE, or two ticks if
 * these are longer. */
static const struct
{
  TfrcDuration granularity, rtt, max_credit;
  int burst;
} credits[] = {
  { 0, RTT, 10 * MS, 2 }, /* the packet itself and 10 ms of credit */
  { 0, RTT, 35 * MS, 4 },
  { 0, RTT, 500 * MS, 11 }, /* no more than one RTT */
  { 0, 20 * MS, 500 * MS, 3 },
  { 0, RTT, 0, 1 },
  { 0, 0, 500 * MS, 1 },        /* RTT not known */
  { 15 * MS, US, 500 * MS, 4 }, /* two ticks of 15 ms */
  { 15 * MS, US, 10 * MS, 2 },
  { 15 * MS, 0, 500 * MS, 1 },
};

START_TEST (a_pause_saves_limited_credit)
{
  TfrcPacer pacer;
  TfrcTime now = TFRC_SECOND;
  int burst = 0;

  tfrc_pacer_init (&pacer, credits[_i].granularity, credits[_i].max_credit);
  tfrc_pacer_on_sent (&pacer, 1000, RATE, credits[_i].rtt, 0);
  while (tfrc_pacer_next_send_at (&pacer, RATE, credits[_i].rtt) <= now) {
    tfrc_pacer_on_sent (&pacer, 1000, RATE, credits[_i].rtt, now);
    burst++;
  }
  ck_assert_int_eq (burst, credits[_i].burst);
}

END_TEST
START_TEST (a_timer_that_is_late_loses_nothing)
{
  /* Woken 4 ms late at 14 ms, the second packet is followed by the third at
   * its nominal 20 ms. */
  TfrcPacer pacer;

  tfrc_pacer_init (&pacer, 0, 10 * MS);
  tfrc_pacer_on_sent (&pacer, 1000, RATE, RTT, 0);
  tfrc_pacer_on_sent (&pacer, 1000, RATE, RTT, 14 * MS);
  ck_assert_uint_eq (tfrc_pacer_next_send_at (&pacer, RATE, RTT), 20 * MS);
}

END_TEST
START_TEST (a_rise_of_the_rate_takes_effect_at_once)
{
  /* At 1000 bytes in 64 s the next packet is far away; at RATE it is not. */
  TfrcPacer pacer;

  tfrc_pacer_init (&pacer, 0, 10 * MS);
  tfrc_pacer_on_sent (&pacer, 1000, 1000.0 / 64.0, RTT, 0);
  ck_assert_uint_eq (tfrc_pacer_next_send_at (&pacer, 1000.0 / 64.0, RTT),
      64 * TFRC_SECOND);
  ck_assert_uint_eq (tfrc_pacer_next_send_at (&pacer, RATE, RTT), 10 * MS);
}

END_TEST
START_TEST (no_rate_sends_nothing_and_recovers)
{
  TfrcPacer pacer;

  tfrc_pacer_init (&pacer, MS, 10 * MS);
  tfrc_pacer_on_sent (&pacer, 1000, RATE, RTT, 0);
  ck_assert_uint_eq (tfrc_pacer_next_send_at (&pacer, 0.0, RTT),
      TFRC_TIME_NONE);
  tfrc_pacer_on_sent (&pacer, 1000, 0.0, RTT, TFRC_SECOND);
  ck_assert_uint_eq (tfrc_pacer_next_send_at (&pacer, RATE, RTT),
      TFRC_SECOND + 10 * MS - 500 * US);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfrc-pacer");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, the_first_packet_leaves_at_once);
  tcase_add_test (tcase, packets_are_spaced_by_their_own_size);
  tcase_add_test (tcase, a_train_leaves_at_once_and_what_follows_when_it_would);
  tcase_add_test (tcase, a_train_keeps_the_least_interval);
  tcase_add_loop_test (tcase, a_packet_may_leave_t_delta_early, 0,
      sizeof deltas / sizeof deltas[0]);
  tcase_add_test (tcase, leaving_early_does_not_raise_the_rate);
  tcase_add_test (tcase, sizes_do_not_change_the_rate);
  tcase_add_loop_test (tcase, a_pause_saves_limited_credit, 0,
      sizeof credits / sizeof credits[0]);
  tcase_add_test (tcase, a_timer_that_is_late_loses_nothing);
  tcase_add_test (tcase, a_rise_of_the_rate_takes_effect_at_once);
  tcase_add_test (tcase, no_rate_sends_nothing_and_recovers);
  return run_check_suite (suite);
}
