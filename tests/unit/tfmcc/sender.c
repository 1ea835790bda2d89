/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender's rate: slow start, which receiver it follows and how fast it rises,
 * silence, pauses. */

#include "check-suite.h"
#include "tfmcc-sender-verbs.h"

START_TEST (the_first_rate_is_one_packet_per_r_max)
{
  ck_assert (tfmcc_sender_next_deadline (&sender) == TFRC_TIME_NONE);
  ck_assert_uint_eq (tfmcc_sender_next_send_at (&sender), 0);
  expect_rate (0, 2000.0);
  send_packet (S);
  ck_assert_uint_eq (tfmcc_sender_next_send_at (&sender), 1500 * MS - 5 * MS);
  ck_assert (extension.slow_start);
  ck_assert (!extension.has_echo);
  ck_assert (isinf (extension.suppression_rate));
  ck_assert_uint_eq (extension.max_rtt, 510 * MS);
  ck_assert_uint_eq (extension.send_time_us, 1000000 + OFFSET_US);
}

END_TEST
START_TEST (slow_start_goes_to_the_lowest_report_once_a_round)
{
  TfmccReport loss_free;

  setup_with_initial_rtt ();
  send_packet (S);
  loss_free = report_of (1, 8000.0, 100 * MS, 1500 * MS);
  loss_free.has_loss = false;
  accept (&loss_free, 1500 * MS);
  loss_free.ssrc = 2;
  loss_free.rate = 6000.0;
  accept (&loss_free, 1500 * MS);
  loss_free.ssrc = 3;
  loss_free.rate = 7000.0;
  accept (&loss_free, 1500 * MS);
  ck_assert (sender.slow_start);
  expect_rate (1500 * MS, 2000.0);
  /* One packet per R_max at once.  Without our deviations the round takes 6 max
   * (510 ms, 4 * 500 ms) = 12 s, and then the rate rises to the lowest report over
   * one R_max, which is still s/X + 10 ms. */
  tfmcc_sender_on_deadline (&sender, 13 * S - 1);
  ck_assert_uint_eq (sender.round.number, 0);
  tfmcc_sender_on_deadline (&sender, 13 * S);
  ck_assert_uint_eq (sender.round.number, 1);
  expect_rate (13 * S, 2000.0 + 1000.0 / 0.51);
  expect_rate (13 * S + 255 * MS, (2000.0 + 1000.0 / 0.51 + 6000.0) / 2.0);
  expect_rate (13 * S + 510 * MS, 6000.0);
  expect_rate (20 * S, 6000.0);
}

END_TEST
/* "8 s/R_max bits/s every R_max", and never faster however many reports arrive; at
 * the end of the round the CLR's newest report counts, not its first. */
START_TEST (within_a_round_slow_start_rises_by_one_packet_per_rtt)
{
  TfmccReport loss_free;

  setup_with_initial_rtt ();
  send_packet (S);
  for (unsigned i = 0; i <= 4; i++) {
    TfrcTime now = 1500 * MS + i * 255 * MS;

    loss_free = report_of (1, 4000.0 + 1000.0 * i, 100 * MS, now);
    loss_free.has_loss = false;
    accept (&loss_free, now);
  }
  expect_rate (2520 * MS, 2000.0 + 2.0 * 1000.0 / 0.51);
  /* Without reports it stays at what the last one allowed. */
  expect_rate (12 * S, 2000.0 + 3.0 * 1000.0 / 0.51);
  tfmcc_sender_on_deadline (&sender, 13 * S);
  expect_rate (14 * S, 8000.0);
}

END_TEST
/* Reports with an RTT of 50 ms at 3 s.  The round takes 3/4 of 6 * 510 ms, a
 * sixteenth more and 50 ms: 2.488 s.  A quarter of R_max is left, 127.5 ms; X is a
 * packet per that and 10 ms, 7273 bytes/s, though twice the receive rate is less.
 * It gets there within R_max, and the first packet announces R_max = 137.5 + 10 ms. */
START_TEST (slow_start_begins_anew_with_the_measured_rtt)
{
  TfmccReport loss_free;
  TfrcTime end = S + 2390625 * TFRC_MICROSECOND * 51 / 50 + 50 * MS;

  for (TfrcTime now = S; now <= 3 * S; now += 500 * MS)
    send_packet (now);
  for (uint32_t ssrc = 1; ssrc <= 2; ssrc++) {
    loss_free = report_of (ssrc, 4000.0, 50 * MS, 3 * S);
    loss_free.has_loss = false;
    accept (&loss_free, 3 * S);
  }
  tfmcc_sender_on_deadline (&sender, end - MS);
  ck_assert_uint_eq (sender.round.number, 0);
  tfmcc_sender_on_deadline (&sender, end);
  ck_assert_uint_eq (sender.round.number, 1);
  send_packet (end + 128 * MS);
  expect_rate (end + 128 * MS, 1000.0 / 0.1375);
  ck_assert_uint_eq (extension.max_rtt, 147500 * TFRC_MICROSECOND);
  /* A report from before does not count against it. */
  loss_free = report_of (1, 4000.0, 50 * MS, end + 130 * MS);
  loss_free.has_loss = false;
  accept (&loss_free, end + 130 * MS);
  expect_rate (end + 130 * MS, 1000.0 / 0.1375);
}

END_TEST
START_TEST (slow_start_falls_to_a_lower_report_at_once)
{
  TfmccReport loss_free;

  setup_with_initial_rtt ();
  send_packet (S);
  loss_free = report_of (1, 1500.0, 100 * MS, 1500 * MS);
  loss_free.has_loss = false;
  accept (&loss_free, 1500 * MS);
  ck_assert (sender.slow_start);
  expect_rate (12 * S, 1500.0);
}

END_TEST
/* Before the first report; until there is one X is not halved, and it follows the
 * limit no longer once there is. */
START_TEST (who_reports_otherwise_leads_where_nobody_reports)
{
  send_packet (0);
  tfmcc_sender_set_limit (&sender, 20000.0);
  expect_rate (0, 20000.0);
  for (TfrcTime now = 0; now < 20 * S; now += 100 * MS) {
    send_packet (now);
    tfmcc_sender_on_deadline (&sender, now);
  }
  expect_rate (20 * S, 20000.0);
  report (1, 15000.0, 20 * S);
  tfmcc_sender_set_limit (&sender, 18000.0);
  expect_rate (20 * S, 15000.0);
  /* Nobody reports any more. */
  for (TfrcTime now = 20 * S; now < 40 * S; now += 100 * MS) {
    send_packet (now);
    tfmcc_sender_on_deadline (&sender, now);
  }
  tfmcc_sender_set_limit (&sender, 12000.0);
  expect_rate (40 * S, 12000.0);
}

END_TEST
/* At once and on the way up, but not below the lower bound; the CLR's own rate
 * counts with its next report. */
START_TEST (who_reports_otherwise_limits_the_rate)
{
  start_at (20000.0, S);
  report (1, 50000.0, S);
  tfmcc_sender_set_limit (&sender, 21000.0);
  expect_rate (S, 20000.0);
  expect_rate (60 * S, 21000.0);
  tfmcc_sender_set_limit (&sender, 5000.0);
  expect_rate (S, 5000.0);
  report (1, 50000.0, S + 100 * MS);
  expect_rate (60 * S, 5000.0);
  tfmcc_sender_set_min_rate (&sender, 8000.0);
  expect_rate (S + 100 * MS, 8000.0);
  tfmcc_sender_set_limit (&sender, INFINITY);
  expect_rate (60 * S, 8000.0);
  report (1, 50000.0, S + 200 * MS);
  expect_rate (60 * S, 50000.0);
}

END_TEST
START_TEST (the_first_loss_ends_slow_start)
{
  send_packet (S);
  report (1, 50000.0, 1500 * MS);
  send_packet (1500 * MS);
  ck_assert (!extension.slow_start);
  /* One packet per R_max in each R_max: 1000 / 0.51^2 per s. */
  expect_rate (2500 * MS, 2000.0 + 1000.0 / (0.51 * 0.51));
}

END_TEST
/* Nothing waits behind the packet at 1 s: the receive rate without a loss is no
 * limit while that packet is within 250 ms of what was reported; but it suppresses
 * others with the same rate. */
START_TEST (what_was_not_sent_is_no_limit)
{
  TfmccReport loss_free;

  setup_with_initial_rtt ();
  extension = tfmcc_sender_on_sent (&sender, SIZE, false, S);
  loss_free = report_of (1, 500.0, 100 * MS, 1350 * MS);
  loss_free.has_loss = false;
  accept (&loss_free, 1350 * MS);
  expect_rate (1350 * MS, 2000.0);
  ck_assert_double_eq (sender.round.suppression_rate, 450.0);
  loss_free.echo_time_us += 1000;
  accept (&loss_free, 1351 * MS);
  expect_rate (1351 * MS, 500.0);

  setup_with_initial_rtt ();
  extension = tfmcc_sender_on_sent (&sender, SIZE, false, S);
  report (1, 500.0, 1100 * MS);
  expect_rate (1100 * MS, 500.0);
}

END_TEST
START_TEST (a_lower_report_cuts_the_rate_at_once)
{
  start_at (50000.0, 10 * S);
  report (2, 60000.0, 10 * S);
  expect_rate (10 * S, 50000.0);
  report (3, 20000.0, 10 * S);
  expect_rate (10 * S, 20000.0);
  ck_assert_uint_eq (tfmcc_sender_get_clr (&sender)->ssrc, 3);
}

END_TEST
START_TEST (reports_of_the_clr_move_the_rate_by_one_packet_per_rtt)
{
  start_at (50000.0, 10 * S);
  for (unsigned i = 1; i <= 10; i++)
    report (1, 90000.0, 10 * S + i * 100 * MS);
  expect_rate (11 * S, 50000.0 + 0.9 * 1000.0 / (0.51 * 0.51));
  report (1, 30000.0, 11 * S);
  expect_rate (11 * S, 30000.0);
}

END_TEST
/* A packet of 1000 bytes every 20 ms, 50000 bytes/s, with nothing waiting, while
 * the CLR could take 1e6: 100000, and a packet more at the edges of the second that
 * is measured.  When the source has more to send, X continues a second later. */
START_TEST (a_rate_that_is_not_used_is_at_most_twice_what_is_sent)
{
  TfrcTime now = 10 * S;

  start_at (50000.0, now);
  for (unsigned i = 1; i <= 3000; i++) {
    now += 20 * MS;
    extension = tfmcc_sender_on_sent (&sender, SIZE, false, now);
    if (i % 5 == 0)
      report (1, 1e6, now);
  }
  ck_assert_double_ge (tfmcc_sender_get_rate (&sender, now), 99999.0);
  ck_assert_double_le (tfmcc_sender_get_rate (&sender, now), 102000.0);
  for (unsigned i = 1; i <= 1000; i++) {
    now += 10 * MS;
    send_packet (now);
    if (i % 10 == 0)
      report (1, 1e6, now);
  }
  ck_assert_double_gt (tfmcc_sender_get_rate (&sender, now), 130000.0);
}

END_TEST
/* Packets of 100 bytes become packets of 1000, which s, their mean, does not follow
 * for long: twice what is sent is 100000 all the same. */
START_TEST (twice_what_is_sent_is_in_bytes)
{
  TfrcTime now = 10 * S;

  start_at (20000.0, now);
  for (unsigned i = 1; i <= 1000; i++) {
    now += 20 * MS;
    tfmcc_sender_on_deadline (&sender, now);
    extension = tfmcc_sender_on_sent (&sender, i < 850 ? 100 : SIZE, false,
        now);
    if (i % 5 == 0)
      report (1, 1e6, now);
  }
  ck_assert_double_lt (tfrc_segment_size_get (&sender.segment_size),
      0.5 * SIZE);
  ck_assert_double_ge (tfmcc_sender_get_rate (&sender, now), 99000.0);
  ck_assert_double_le (tfmcc_sender_get_rate (&sender, now), 102000.0);
}

END_TEST
/* An earlier, higher rate stays: X = 50000 with a source of 5000. */
START_TEST (a_rate_that_is_not_used_stays)
{
  TfrcTime now = 10 * S;

  start_at (50000.0, now);
  for (unsigned i = 1; i <= 300; i++) {
    now += 200 * MS;
    extension = tfmcc_sender_on_sent (&sender, SIZE, false, now);
    report (1, 1e6, now);
  }
  ck_assert_double_ge (tfmcc_sender_get_rate (&sender, now), 50000.0);
  ck_assert_double_le (tfmcc_sender_get_rate (&sender, now), 52000.0);
}

END_TEST
/* s becomes 100 bytes; the rate still rises as with packets of 1000.  A round has
 * ended: R_max is a quarter of 510 ms. */
START_TEST (small_packets_do_not_slow_the_rise)
{
  for (unsigned i = 0; i < 20000; i++)
    extension = tfmcc_sender_on_sent (&sender, 100, true, S + i * MS);
  start_at (50000.0, 22 * S);
  report (1, 90000.0, 22 * S + 100 * MS);
  /* Including the one of 1000 that start_at sends. */
  ck_assert_double_lt (tfrc_segment_size_get (&sender.segment_size), 102.0);
  ck_assert_uint_eq (sender.round.max_rtt, 127500 * TFRC_MICROSECOND);
  expect_rate (22 * S + 200 * MS, 50000.0 + 0.1 * 1000.0 / (0.1275 * 0.1275));
}

END_TEST
/* A guest of 400 ms determines R_max, and leaves: from the next round on X, 20000
 * plus what it has gained until then, rises as the 100 ms of those that stay allow. */
START_TEST (the_rate_rises_by_the_rtts_of_who_is_there)
{
  TfmccReport guest;
  TfrcTime now = 11 * S;
  TfrcRate rate;

  start_at (50000.0, 10 * S);
  for (unsigned i = 0; i < 50; i++) {
    tfmcc_sender_on_deadline (&sender, now);
    send_packet (now);
    guest = report_of (2, 20000.0, 400 * MS, now);
    accept (&guest, now);
    if (i % 5 == 0)
      report (1, 1e6, now);
    now += 200 * MS;
  }
  ck_assert_uint_eq (sender.round.max_rtt, 400 * MS);
  guest.leaving = true;
  guest.echo_time_us += 200000;
  accept (&guest, now);
  for (uint64_t rounds = sender.counters.rounds;
      sender.counters.rounds == rounds; now += 100 * MS) {
    send_packet (now);
    report (1, 1e6, now);
    tfmcc_sender_on_deadline (&sender, now);
  }
  ck_assert_uint_eq (sender.round.max_rtt, 100 * MS);
  report (1, 1e6, now);
  rate = tfmcc_sender_get_rate (&sender, now);
  expect_rate (now + 100 * MS, rate + 0.1 * 1000.0 / (0.1 * 0.1));
}

END_TEST
START_TEST (after_a_leave_the_rate_waits_for_a_round)
{
  TfmccReport leave;
  TfrcDuration span;

  start_at (50000.0, 10 * S);
  leave = report_of (1, 50000.0, 100 * MS, 11 * S);
  leave.leaving = true;
  accept (&leave, 11 * S);
  report (2, 90000.0, 11100 * MS);
  ck_assert_uint_eq (tfmcc_sender_get_clr (&sender)->ssrc, 2);
  span = tfmcc_round_get_span (&sender.round);
  report (2, 90000.0, 11200 * MS);
  expect_rate (11100 * MS + span, 50000.0);
  expect_rate (12100 * MS + span, 50000.0 + 1000.0 / (0.51 * 0.51));
}

END_TEST
/* A receiver that has reported in this round need not report again: X rises from
 * the leave on. */
START_TEST (whose_rate_is_known_succeeds_a_clr_that_leaves_at_once)
{
  TfmccReport leave;

  start_at (50000.0, 10 * S);
  report (2, 90000.0, 10500 * MS);
  send_packet (10600 * MS);
  leave = report_of (1, 50000.0, 100 * MS, 11 * S);
  leave.leaving = true;
  accept (&leave, 11 * S);
  ck_assert_uint_eq (tfmcc_sender_get_clr (&sender)->ssrc, 2);
  ck_assert_int_eq (sender.clr_change, TFMCC_CLR_SUCCEEDED);
  /* R_max is a quarter at once. */
  expect_rate (11500 * MS, 50000.0 + 0.5 * 1000.0 / (0.1275 * 0.1275));
  /* By its report of half a second ago. */
  send_packet (11 * S);
  ck_assert_uint_eq (extension.echo.ssrc, 2);
  ck_assert (extension.echo.is_clr);
  ck_assert_uint_eq (extension.echo.report_time_us, 77 + 500000);
}

END_TEST
START_TEST (whose_rate_is_known_succeeds_a_clr_that_is_silent)
{
  start_at (50000.0, 10 * S);
  report (1, 50000.0, 12 * S);
  report (2, 90000.0, 12 * S);
  send_packet (12 * S);
  tfmcc_sender_on_deadline (&sender, 12400 * MS);
  send_packet (12500 * MS);
  tfmcc_sender_on_deadline (&sender, 13 * S);
  ck_assert_uint_eq (tfmcc_sender_get_clr (&sender)->ssrc, 2);
  expect_rate (14 * S, 25000.0 + 1000.0 / (0.1275 * 0.1275));
}

END_TEST
/* At a rate of 1 MB/s a guest that can take 0.2 joins, and leaves. */
static TfrcTime
let_guest_leave (bool few, TfrcDuration stays)
{
  TfrcTime now = 10 * S;
  TfmccReport guest;

  start_at (1e6, now);
  report (2, 2e5, now);
  expect_rate (now, 2e5);
  for (TfrcTime end = now + stays; now < end; now += 500 * MS)
    send_packet (now);
  report (1, 2e6, now);
  sender.few_receivers = few;
  guest = report_of (2, 2e5, 100 * MS, now);
  guest.leaving = true;
  ck_assert_int_eq (tfmcc_sender_on_report (&sender, &guest, now), TFRC_OK);
  return now;
}

/* X rises by itself within T, of 127.5 ms, to three quarters, then by a packet per
 * RTT. */
START_TEST (behind_a_guest_of_few_the_rate_of_before_is_soon_back)
{
  TfrcTime now = let_guest_leave (true, 0), end = now + S;
  TfmccReport next;

  expect_rate (now + 50 * MS, 2e5 + 0.05 * 2e5 / (6 * 0.1275));
  for (; now < end; now += 50 * MS) {
    send_packet (now);
    next = report_of (1, 2e6, 100 * MS, now);
    ck_assert_int_eq (tfmcc_sender_on_report (&sender, &next, now), TFRC_OK);
    ck_assert_double_le (tfmcc_sender_get_rate (&sender, now), 0.75e6);
  }
  expect_rate (now + 10 * S, 0.75e6);
  now += 2 * S;
  next = report_of (1, 2e6, 100 * MS, now);
  ck_assert_int_eq (tfmcc_sender_on_report (&sender, &next, now), TFRC_OK);
  ck_assert_double_eq (sender.rate_before, 0.0);
  ck_assert_double_lt (tfmcc_sender_get_rate (&sender, now + S), 0.85e6);
}

END_TEST
START_TEST (behind_a_guest_of_many_it_is_a_packet_per_rtt)
{
  TfrcTime now = let_guest_leave (false, 0);

  expect_rate (now + 50 * MS, 2e5 + 0.05 * 1000.0 / (0.1275 * 0.1275));
}

END_TEST
/* A rate only slightly above what the path has carried is no goal, nor one that is
 * reached. */
START_TEST (a_rate_that_is_reached_is_no_goal_any_more)
{
  start_at (1e6, 10 * S);
  report (2, 9e5, 10 * S);
  report (2, 9e5, 10 * S);
  ck_assert_double_eq (sender.rate_before, 0.0);
  report (3, 5e5, 10 * S);
  ck_assert_double_eq (sender.rate_before, 9e5);
  report (3, 5e5, 10 * S);
  ck_assert_double_eq (sender.rate_before, 9e5);
}

END_TEST
/* A rate of slow start is up to twice what the path carries. */
START_TEST (of_a_rate_of_slow_start_half_is_the_goal)
{
  TfmccReport loss_free;

  start_at (1e6, 10 * S);
  sender.slow_start = true;
  loss_free = report_of (1, 1e6, 100 * MS, 10 * S);
  loss_free.has_loss = false;
  accept (&loss_free, 10 * S);
  report (2, 2e5, 10 * S);
  ck_assert_double_eq (sender.rate_before, 5e5);
}

END_TEST
/* The guest stayed for five minutes and a second. */
START_TEST (behind_a_guest_that_stayed_it_is_a_packet_per_rtt)
{
  TfrcTime now = let_guest_leave (true, 301 * S);

  ck_assert (!sender.returning);
  ck_assert_double_le (tfmcc_sender_get_rate (&sender, now + 50 * MS), 2.07e5);
}

END_TEST
/* Its link has become narrow meanwhile: the rate before is no longer the goal. */
START_TEST (who_takes_over_on_the_way_back_ends_it)
{
  TfrcTime now = let_guest_leave (true, 0) + 500 * MS;
  TfmccReport next = report_of (3, 2.5e5, 100 * MS, now);

  send_packet (now);
  ck_assert_int_eq (tfmcc_sender_on_report (&sender, &next, now), TFRC_OK);
  expect_rate (now, 2.5e5);
  ck_assert (!sender.returning);
  ck_assert_double_lt (sender.rate_before, 0.75e6);
}

END_TEST
START_TEST (a_rate_by_the_initial_rtt_is_corrected)
{
  TfmccReport no_rtt;

  start_at (50000.0, 10 * S);
  no_rtt = report_of (2, 20000.0, 100 * MS, 10 * S);
  no_rtt.has_rtt = false;
  accept (&no_rtt, 10 * S);
  /* X' = 20000 * 510 / 100 is above X, so 1 stays the CLR. */
  ck_assert_uint_eq (tfmcc_sender_get_clr (&sender)->ssrc, 1);
  no_rtt.rate = 5000.0;
  accept (&no_rtt, 10 * S);
  expect_rate (10 * S, 25500.0);
  /* But others are suppressed by the rate as reported. */
  ck_assert_double_eq_tol (sender.round.suppression_rate, 4500.0, 1e-6);
}

END_TEST
START_TEST (a_silent_clr_costs_half_and_then_its_place)
{
  start_at (50000.0, 10 * S);
  /* Old enough not to be new; others continue to report. */
  report (1, 50000.0, 12 * S);
  send_packet (12 * S);
  tfmcc_sender_on_deadline (&sender, 12400 * MS);
  expect_rate (12400 * MS, 25000.0);
  send_packet (12500 * MS);
  tfmcc_sender_on_deadline (&sender, 13 * S);
  ck_assert (tfmcc_sender_get_clr (&sender) == NULL);
  ck_assert_uint_eq (tfmcc_sender_get_counters (&sender).clr_timeouts, 1);
}

END_TEST
/* It reported that it could take more, and left; nobody has reported so since. */
START_TEST (without_a_clr_the_rate_does_not_rise)
{
  TfmccReport leave;
  TfrcRate rate;

  start_at (50000.0, 10 * S);
  leave = report_of (1, 90000.0, 100 * MS, 11 * S);
  leave.leaving = true;
  accept (&leave, 11 * S);
  send_packet (11 * S);
  tfmcc_sender_on_deadline (&sender, 12 * S);
  ck_assert (tfmcc_sender_get_clr (&sender) == NULL);
  rate = tfmcc_sender_get_rate (&sender, 12 * S);
  ck_assert_double_lt (rate, 60000.0);
  expect_rate (15 * S, rate);
}

END_TEST
/* As if it had timed out; forgetting another receiver has no effect. */
START_TEST (a_clr_that_is_forgotten_has_no_place)
{
  TfrcRate rate;

  start_at (50000.0, 10 * S);
  report (1, 90000.0, 11 * S);
  tfmcc_sender_forget (&sender, 2, 11 * S);
  ck_assert_uint_eq (tfmcc_sender_get_clr (&sender)->ssrc, 1);
  rate = tfmcc_sender_get_rate (&sender, 11 * S);
  tfmcc_sender_forget (&sender, 1, 11 * S);
  ck_assert (tfmcc_sender_get_clr (&sender) == NULL);
  /* The rate that it could have taken is no target any more. */
  expect_rate (15 * S, rate);
  report (2, 20000.0, 15 * S);
  ck_assert_uint_eq (tfmcc_sender_get_clr (&sender)->ssrc, 2);
  ck_assert_uint_eq (tfmcc_sender_get_counters (&sender).clr_timeouts, 0);
}

END_TEST
/* The first to report then need not be the slowest. */
START_TEST (after_a_timeout_the_rate_waits_for_a_round)
{
  TfrcDuration span;
  TfrcRate rate;

  start_at (50000.0, 10 * S);
  report (1, 50000.0, 12 * S);
  send_packet (12 * S);
  tfmcc_sender_on_deadline (&sender, 12400 * MS);
  send_packet (12500 * MS);
  tfmcc_sender_on_deadline (&sender, 13 * S);
  ck_assert (tfmcc_sender_get_clr (&sender) == NULL);
  rate = tfmcc_sender_get_rate (&sender, 13100 * MS);
  span = tfmcc_round_get_span (&sender.round);
  report (2, 90000.0, 13100 * MS);
  ck_assert_uint_eq (tfmcc_sender_get_clr (&sender)->ssrc, 2);
  report (2, 90000.0, 13200 * MS);
  expect_rate (13100 * MS + span, rate);
  expect_rate (14100 * MS + span, rate + 1000.0 / (0.51 * 0.51));
}

END_TEST
/* Its path may have been down, and everybody else's with it. */
START_TEST (the_clr_that_comes_back_waits_for_a_round)
{
  TfrcDuration span;

  start_at (50000.0, 10 * S);
  send_packet (10 * S);
  tfmcc_sender_on_deadline (&sender, 12 * S);
  ck_assert (tfmcc_sender_get_clr (&sender) == NULL);
  span = tfmcc_round_get_span (&sender.round);
  report (1, 90000.0, 12 * S);
  ck_assert_double_eq (tfmcc_sender_get_rate (&sender, 12 * S + span),
      tfmcc_sender_get_rate (&sender, 12 * S));
}

END_TEST
START_TEST (a_clr_that_has_left_is_gone_but_has_not_timed_out)
{
  TfmccReport leave;

  start_at (50000.0, 10 * S);
  leave = report_of (1, 50000.0, 100 * MS, 12 * S);
  leave.leaving = true;
  accept (&leave, 12 * S);
  send_packet (12 * S);
  tfmcc_sender_on_deadline (&sender, 12400 * MS);
  expect_rate (12400 * MS, 50000.0);
  send_packet (12500 * MS);
  tfmcc_sender_on_deadline (&sender, 13 * S);
  ck_assert (tfmcc_sender_get_clr (&sender) == NULL);
  ck_assert_uint_eq (tfmcc_sender_get_counters (&sender).clr_timeouts, 0);
}

END_TEST
START_TEST (without_answers_the_rate_halves_to_its_floor)
{
  TfrcTime now = 10 * S;

  start_at (50000.0, now);
  while (now < 3600 * S) {
    TfrcTime next = tfmcc_sender_next_send_at (&sender);

    now = tfrc_time_max (now,
        tfrc_time_min (next, tfmcc_sender_next_deadline (&sender)));
    tfmcc_sender_on_deadline (&sender, now);
    if (next <= now)
      send_packet (now);
  }
  /* One packet in 8 s. */
  expect_rate (now, SIZE / 8.0);
  ck_assert (!extension.slow_start);
  ck_assert_uint_gt (tfmcc_sender_get_counters (&sender).starvations, 5);
}

END_TEST
/* Reports of a CLR at 2 ms are 20 ms apart: two lost ones are no silence. */
START_TEST (two_lost_reports_on_a_short_path_do_not_halve_the_rate)
{
  TfmccSenderConfig config = tfmcc_sender_config_default ();
  TfmccReport first;
  TfrcTime now = 10 * S;

  config.max_segment_size = SIZE;
  config.timestamp_offset_us = OFFSET_US;
  config.round.initial_rtt = 2 * MS;
  config.round.granularity = MS;
  tfmcc_sender_init (&sender, &config);
  send_packet (now);
  now += 2 * MS;
  first = report_of (1, 1e6, 2 * MS, now);
  accept (&first, now);
  sender.rate = (TfmccAllowedRate) { .base = 1e6, .target = 1e6, .since = now };
  for (TfrcTime end = now + 60 * MS; now < end;) {
    now += MS;
    send_packet (now);
    tfmcc_sender_on_deadline (&sender, now);
  }
  ck_assert_uint_eq (tfmcc_sender_get_counters (&sender).starvations, 0);
  expect_rate (now, 1e6);
}

END_TEST
/* R_max is 8 s at the floor, and each round leaves a quarter of it, while the rate
 * rises by a packet per R_max in each R_max. */
static const struct
{
  TfrcRate min_rate;
  double least_s, most_s; /* from there to 1 Mbit/s */
} ways_back[] = {
  { 0.0, 70.0, 95.0 },
  { 1000.0, 8.0, 13.0 },
  { 4000.0, 2.0, 6.0 },
};

START_TEST (a_lower_bound_shortens_the_way_back)
{
  TfmccSenderConfig config = tfmcc_sender_config_default ();
  TfrcTime now = S, reported_at = S;

  config.max_segment_size = SIZE;
  config.timestamp_offset_us = OFFSET_US;
  config.min_rate = ways_back[_i].min_rate;
  tfmcc_sender_init (&sender, &config);
  while (tfmcc_sender_get_rate (&sender, now) < 125e3) {
    TfrcTime next = tfmcc_sender_next_send_at (&sender);

    now = tfrc_time_max (now,
        tfrc_time_min (next, tfmcc_sender_next_deadline (&sender)));
    tfmcc_sender_on_deadline (&sender, now);
    if (next > now)
      continue;
    send_packet (now);
    if (now >= reported_at + 100 * MS) {
      /* 1 byte/s, and from then on more than is needed. */
      TfmccReport by_clr = report_of (1, sender.slow_start ? 1.0 : 126e3,
          100 * MS, now);

      by_clr.report_time_us = (uint32_t) (now / TFRC_MICROSECOND);
      accept (&by_clr, now);
      reported_at = now;
    }
  }
  ck_assert_double_ge (tfrc_duration_to_seconds (now - S),
      ways_back[_i].least_s);
  ck_assert_double_le (tfrc_duration_to_seconds (now - S),
      ways_back[_i].most_s);
}

END_TEST
/* The first report, of 100 ms, comes after 0.4 s: whoever knows R_max is heard a
 * quarter of that later, and an R_peak.  Otherwise the first round takes 3/4 of 6
 * R_max, of 510 ms. */
START_TEST (who_has_an_rtt_at_once_ends_the_first_round)
{
  enum
  {
    KNOWS,
    LOSES,
    HAS_NO_RTT,
    COMES_SECOND
  };

  for (int what = KNOWS; what <= COMES_SECOND; what++) {
    TfmccReport first;

    setup ();
    send_packet (S);
    first = report_of (1, 8000.0, 100 * MS, 1400 * MS);
    first.has_loss = what == LOSES;
    first.has_rtt = what == KNOWS || what == LOSES;
    accept (&first, 1400 * MS);
    if (what == COMES_SECOND) {
      first = report_of (2, 8000.0, 100 * MS, 1400 * MS);
      first.has_loss = false;
      accept (&first, 1400 * MS);
    }
    tfmcc_sender_on_deadline (&sender, 1600 * MS - 1);
    ck_assert_uint_eq (sender.round.number, 0);
    tfmcc_sender_on_deadline (&sender, 1600 * MS);
    ck_assert_uint_eq (sender.round.number, what == KNOWS);
    if (what != KNOWS)
      continue;
    /* That one only: the next takes 6 R_max, of 100 ms, and an R_peak. */
    first = report_of (2, 8000.0, 100 * MS, 1700 * MS);
    first.has_loss = false;
    accept (&first, 1700 * MS);
    tfmcc_sender_on_deadline (&sender, 2300 * MS - 1);
    ck_assert_uint_eq (sender.round.number, 1);
  }
}

END_TEST
/* A round in which nobody reported ends after 2 T, and those that heard the sender
 * before it restarted are heard in it. */
START_TEST (who_has_an_rtt_in_a_later_round_does_not_end_it)
{
  TfmccReport first;
  TfrcTime began;

  send_packet (S);
  began = sender.round.began_at + 2 * tfmcc_round_get_span (&sender.round);
  tfmcc_sender_on_deadline (&sender, began);
  ck_assert_uint_eq (sender.round.number, 1);
  first = report_of (1, 8000.0, 100 * MS, began + 400 * MS);
  first.has_loss = false;
  accept (&first, began + 400 * MS);
  tfmcc_sender_on_deadline (&sender, began + 600 * MS);
  ck_assert_uint_eq (sender.round.number, 1);
}

END_TEST
/* When it ends, at 1.6 s, nobody else has been heard. */
START_TEST (who_ends_the_first_round_doubles_the_rate_at_most)
{
  TfmccReport liar;

  send_packet (S);
  tfmcc_allowed_rate_set (&sender.rate, 37500.0, S);
  liar = report_of (1, 1e6, 100 * MS, 1400 * MS);
  liar.has_loss = false;
  accept (&liar, 1400 * MS);
  tfmcc_sender_on_deadline (&sender, 1600 * MS);
  ck_assert_uint_eq (sender.round.number, 1);
  expect_rate (2 * S, 75000.0);
}

END_TEST
/* The rate that silence has left is no start for a receiver that joins, unless that
 * one has a loss, or is leaving. */
START_TEST (a_start_rate_is_for_whom_nobody_was_heard_before)
{
  enum
  {
    COMES,
    LOSES,
    LEAVES
  };

  for (int what = COMES; what <= LEAVES; what++) {
    TfmccSenderConfig config = tfmcc_sender_config_default ();
    TfmccReport first;
    TfrcTime now;

    config.max_segment_size = SIZE;
    config.timestamp_offset_us = OFFSET_US;
    config.min_rate = 1000.0;
    config.start_rate = 37500.0;
    tfmcc_sender_init (&sender, &config);
    expect_rate (0, 37500.0);
    for (now = 0; now < 60 * S; now += 500 * MS) {
      send_packet (now);
      tfmcc_sender_on_deadline (&sender, now);
    }
    send_packet (now);
    expect_rate (now, 1000.0);
    now += 100 * MS;
    first = report_of (1, 2000.0, 100 * MS, now);
    first.has_loss = what == LOSES;
    first.leaving = what == LEAVES;
    accept (&first, now);
    if (what == COMES)
      expect_rate (now, 37500.0);
    else
      ck_assert_double_lt (tfmcc_sender_get_rate (&sender, now), 2001.0);
  }
}

END_TEST
START_TEST (after_a_pause_slow_start_leads_back)
{
  TfmccReport loss_free;

  start_at (64000.0, 10 * S);
  send_packet (10 * S);
  /* R_max is 510 ms, and 459 after a round, as no receiver is left by then: ten of
   * them two and a half times, so two halvings. */
  for (TfrcTime at = 10 * S; at < 22 * S; at += 100 * MS)
    tfmcc_sender_on_deadline (&sender, at);
  send_packet (22000 * MS);
  ck_assert (extension.slow_start);
  expect_rate (22000 * MS, 16000.0);
  ck_assert_uint_eq (tfmcc_sender_get_counters (&sender).starvations, 0);
  /* Reports would allow more, but not before the old rate is reached. */
  loss_free = report_of (1, 500000.0, 100 * MS, 22850 * MS);
  loss_free.has_loss = false;
  loss_free.ssrc = 5;
  accept (&loss_free, 22850 * MS);
  tfmcc_sender_on_deadline (&sender, 40 * S);
  expect_rate (60 * S, 64000.0);
}

END_TEST
/* 12 s are two halvings of X as it was when the pause began. */
START_TEST (what_is_gained_in_a_pause_does_not_count)
{
  start_at (50000.0, 10 * S);
  report (1, 90000.0, 10 * S);
  send_packet (10 * S);
  ck_assert_double_gt (tfmcc_sender_get_rate (&sender, 20 * S), 80000.0);
  send_packet (22 * S);
  expect_rate (22 * S, 12500.0);
  ck_assert_double_eq (sender.resume_rate, 50000.0);
}

END_TEST
START_TEST (a_pause_on_the_way_back_leads_back_as_well)
{
  TfmccReport loss_free;

  start_at (64000.0, 10 * S);
  send_packet (10 * S);
  send_packet (22 * S);
  send_packet (34 * S);
  ck_assert (extension.slow_start);
  loss_free = report_of (5, 500000.0, 100 * MS, 34100 * MS);
  loss_free.has_loss = false;
  accept (&loss_free, 34100 * MS);
  tfmcc_sender_on_deadline (&sender, 50 * S);
  expect_rate (70 * S, 64000.0);
}

END_TEST
START_TEST (the_echo_goes_to_the_receiver_that_needs_it)
{
  TfmccReport no_rtt;

  start_at (50000.0, 10 * S);
  send_packet (10 * S);
  ck_assert (extension.has_echo && extension.echo.is_clr);
  ck_assert_uint_eq (extension.echo.ssrc, 1);
  no_rtt = report_of (2, 60000.0, 100 * MS, 10 * S);
  no_rtt.has_rtt = false;
  accept (&no_rtt, 10 * S);
  send_packet (10010 * MS);
  ck_assert_uint_eq (extension.echo.ssrc, 2);
  ck_assert (!extension.echo.is_clr);
  ck_assert_uint_eq (extension.echo.report_time_us, 77 + 10000);
  send_packet (10020 * MS);
  ck_assert_uint_eq (extension.echo.ssrc, 1);
}

END_TEST
START_TEST (the_rate_stays_within_its_bounds)
{
  TfmccSenderConfig config = tfmcc_sender_config_default ();

  config.max_segment_size = SIZE;
  config.timestamp_offset_us = OFFSET_US;
  config.min_rate = 10000.0;
  config.max_rate = 40000.0;
  tfmcc_sender_init (&sender, &config);
  send_packet (0);
  expect_rate (0, 10000.0);
  report (1, 1.0, 100 * MS);
  expect_rate (100 * MS, 10000.0);
  for (unsigned i = 2; i < 600; i++)
    report (1, 1e6, i * 100 * MS);
  expect_rate (60 * S, 40000.0);
}

END_TEST
/* Raised while running, to 3000: the upper bound of 2500 rises with it. */
START_TEST (a_new_lower_bound_lifts_the_rate_at_once)
{
  TfmccSenderConfig config = tfmcc_sender_config_default ();

  config.max_segment_size = SIZE;
  config.max_rate = 2500.0;
  tfmcc_sender_init (&sender, &config);
  send_packet (S);
  tfmcc_sender_set_min_rate (&sender, 1500.0);
  expect_rate (S, 2000.0);
  tfmcc_sender_set_min_rate (&sender, 3000.0);
  expect_rate (S, 3000.0);
  tfmcc_sender_set_min_rate (&sender, 0.0);
  expect_rate (S, 3000.0);
}

END_TEST
/* "new CLR, or CLR with no RTT yet" goes before others without an RTT. */
START_TEST (a_clr_without_an_rtt_is_echoed_first)
{
  TfmccReport no_rtt;

  start_at (50000.0, 10 * S);
  send_packet (10 * S);
  for (uint32_t ssrc = 1; ssrc <= 2; ssrc++) {
    no_rtt = report_of (3 - ssrc, 60000.0, 100 * MS, 10100 * MS);
    no_rtt.has_rtt = false;
    accept (&no_rtt, 10100 * MS);
  }
  send_packet (10110 * MS);
  ck_assert_uint_eq (extension.echo.ssrc, 1);
  ck_assert (extension.echo.is_clr);
  send_packet (10120 * MS);
  ck_assert_uint_eq (extension.echo.ssrc, 2);
}

END_TEST
/* Each packet has the report of another new receiver to echo. */
START_TEST (the_clr_is_named_once_a_round_beside_others)
{
  unsigned n_named[3] = { 0 };
  TfrcTime now = 10 * S;

  start_at (50000.0, now);
  for (uint32_t i = 1; extension.round < 3; i++) {
    now += 20 * MS;
    tfmcc_sender_on_deadline (&sender, now);
    if (i % 5 == 0)
      report (1, 50000.0, now);
    report (100 + i, 60000.0, now);
    send_packet (now);
    ck_assert (extension.has_echo);
    if (extension.round < 3)
      n_named[extension.round] += extension.echo.is_clr;
  }
  ck_assert_uint_eq (n_named[1], 1);
  ck_assert_uint_eq (n_named[2], 1);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-sender");
  TCase *tcase = tcase_create ("general");
  TCase *deviations = tcase_create ("deviations");

  suite_add_tcase (suite, tcase);
  suite_add_tcase (suite, deviations);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_checked_fixture (deviations, setup, NULL);
  tcase_add_test (tcase, the_first_rate_is_one_packet_per_r_max);
  tcase_add_test (tcase, slow_start_goes_to_the_lowest_report_once_a_round);
  tcase_add_test (tcase, within_a_round_slow_start_rises_by_one_packet_per_rtt);
  tcase_add_test (deviations, slow_start_begins_anew_with_the_measured_rtt);
  tcase_add_test (tcase, slow_start_falls_to_a_lower_report_at_once);
  tcase_add_test (deviations, who_reports_otherwise_leads_where_nobody_reports);
  tcase_add_test (deviations, who_reports_otherwise_limits_the_rate);
  tcase_add_test (tcase, the_first_loss_ends_slow_start);
  tcase_add_test (deviations, what_was_not_sent_is_no_limit);
  tcase_add_test (tcase, a_lower_report_cuts_the_rate_at_once);
  tcase_add_test (deviations,
      reports_of_the_clr_move_the_rate_by_one_packet_per_rtt);
  tcase_add_test (deviations, small_packets_do_not_slow_the_rise);
  tcase_add_test (deviations,
      a_rate_that_is_not_used_is_at_most_twice_what_is_sent);
  tcase_add_test (deviations, twice_what_is_sent_is_in_bytes);
  tcase_add_test (deviations, a_rate_that_is_not_used_stays);
  tcase_add_test (deviations, the_rate_rises_by_the_rtts_of_who_is_there);
  tcase_add_test (tcase, after_a_leave_the_rate_waits_for_a_round);
  tcase_add_test (deviations,
      whose_rate_is_known_succeeds_a_clr_that_leaves_at_once);
  tcase_add_test (deviations,
      whose_rate_is_known_succeeds_a_clr_that_is_silent);
  tcase_add_test (deviations,
      behind_a_guest_of_few_the_rate_of_before_is_soon_back);
  tcase_add_test (deviations, behind_a_guest_of_many_it_is_a_packet_per_rtt);
  tcase_add_test (deviations, a_rate_that_is_reached_is_no_goal_any_more);
  tcase_add_test (deviations, of_a_rate_of_slow_start_half_is_the_goal);
  tcase_add_test (deviations,
      behind_a_guest_that_stayed_it_is_a_packet_per_rtt);
  tcase_add_test (deviations, who_takes_over_on_the_way_back_ends_it);
  tcase_add_test (tcase, a_rate_by_the_initial_rtt_is_corrected);
  tcase_add_test (tcase, a_silent_clr_costs_half_and_then_its_place);
  tcase_add_test (tcase, without_a_clr_the_rate_does_not_rise);
  tcase_add_test (tcase, a_clr_that_is_forgotten_has_no_place);
  tcase_add_test (tcase, after_a_timeout_the_rate_waits_for_a_round);
  tcase_add_test (tcase, the_clr_that_comes_back_waits_for_a_round);
  tcase_add_test (tcase, a_clr_that_has_left_is_gone_but_has_not_timed_out);
  tcase_add_test (tcase, without_answers_the_rate_halves_to_its_floor);
  tcase_add_test (deviations,
      two_lost_reports_on_a_short_path_do_not_halve_the_rate);
  tcase_add_loop_test (deviations, a_lower_bound_shortens_the_way_back, 0,
      sizeof ways_back / sizeof ways_back[0]);
  tcase_add_test (deviations, who_has_an_rtt_at_once_ends_the_first_round);
  tcase_add_test (deviations,
      who_ends_the_first_round_doubles_the_rate_at_most);
  tcase_add_test (deviations, who_has_an_rtt_in_a_later_round_does_not_end_it);
  tcase_add_test (deviations, a_start_rate_is_for_whom_nobody_was_heard_before);
  tcase_add_test (deviations, after_a_pause_slow_start_leads_back);
  tcase_add_test (deviations, what_is_gained_in_a_pause_does_not_count);
  tcase_add_test (tcase, a_pause_on_the_way_back_leads_back_as_well);
  tcase_add_test (tcase, the_echo_goes_to_the_receiver_that_needs_it);
  tcase_add_test (tcase, the_rate_stays_within_its_bounds);
  tcase_add_test (tcase, a_new_lower_bound_lifts_the_rate_at_once);
  tcase_add_test (tcase, a_clr_without_an_rtt_is_echoed_first);
  tcase_add_test (tcase, the_clr_is_named_once_a_round_beside_others);
  return run_check_suite (suite);
}
