/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TFMCC receiver: what it calculates, and when it reports. */

#include "check-suite.h"
#include "tfmcc-receiver-verbs.h"
#include "tfrc/equation.h"

/* The equation's rate with the first loss interval. */
static TfrcRate
get_first_rate (TfrcDuration rtt)
{
  TfrcPath path = tfrc_path_rfc5348 (SIZE, rtt);

  return tfrc_equation_rate (&path, 1.0 / receiver.history.first_interval);
}

START_TEST (the_first_measurement_corrects_the_first_interval)
{
  TfrcRate rate;

  packets (300);
  lose ();
  rate = get_first_rate (500 * MS);
  echo (false, 60 * MS);
  ck_assert_double_eq_tol (get_first_rate (60 * MS), rate, 1e-6 * rate);
  ck_assert_double_eq (receiver.history.now.intervals.sizes[0],
      receiver.history.first_interval);
}

END_TEST
START_TEST (losses_are_grouped_anew_by_the_first_measurement)
{
  packets (300);
  for (unsigned i = 0; i < 5; i++) {
    lose ();
    packets (6);
  }
  /* 80 ms apart: one loss event with an RTT of 500 ms, five with one of 60 ms. */
  ck_assert_uint_eq (receiver.history.now.intervals.events, 1);
  echo (false, 60 * MS);
  ck_assert_uint_eq (receiver.history.now.intervals.events, 5);
  ck_assert_double_eq (receiver.history.now.intervals.sizes[0], 10.0);
}

END_TEST
/* The sender would multiply the rate by R_max / R_r. */
START_TEST (synchronised_clocks_are_an_rtt_that_needs_no_correction)
{
  TfmccReport report;

  tfmcc_rtt_set_synchronised (&receiver.rtt, 30 * MS, 10 * MS, 5 * MS);
  packets (10);
  ck_assert_uint_eq (tfmcc_rtt_get (&receiver.rtt), 90 * MS);
  ck_assert (wait_for_report (&report, 3100 * MS));
  ck_assert (report.has_rtt);
}

END_TEST
START_TEST (a_round_brings_one_report)
{
  TfmccReport report;

  extension.round = 5;
  packet (8 * MS);
  /* T is 6 * 500 ms. */
  ck_assert (wait_for_report (&report, 3100 * MS));
  ck_assert_uint_eq (report.ssrc, SSRC);
  ck_assert_uint_eq (report.media_ssrc, 1);
  ck_assert_uint_eq (report.round, 5);
  ck_assert (!report.has_rtt && !report.has_loss && !report.leaving);
  ck_assert_uint_eq (report.report_time_us,
      (uint32_t) (now / TFRC_MICROSECOND) + OFFSET_US);
  /* The newest send timestamp, and the time it was held: 20 ms on the way here. */
  ck_assert_uint_eq (report.echo_time_us,
      (uint32_t) ((now - 20 * MS) / TFRC_MICROSECOND));
  ck_assert (!wait_for_report (&report, 10 * S));
  extension.round = 6;
  ck_assert (wait_for_report (&report, 3100 * MS));
  ck_assert_uint_eq (report.round, 6);
}

END_TEST
/* An X_recv over less than R_max would lower X for all.  With a loss the rate is
 * that of the equation, and the timer is as usual: of many receivers some are
 * early. */
START_TEST (who_has_just_come_reports_behind_r_max)
{
  unsigned early = 0;

  for (uint64_t seed = 1; seed <= 2000; seed++) {
    TfrcTime came_at = now + 8 * MS;

    tfmcc_receiver_forget (&receiver);
    tfrc_rng_init (&receiver.suppression.rng, seed, 0);
    extension.round = 5;
    packet (8 * MS);
    ck_assert_uint_ge (receiver.suppression.expires_at, came_at + MAX_RTT);
    packets (3);
    lose ();
    early += receiver.suppression.expires_at < came_at + MAX_RTT;
  }
  ck_assert_uint_gt (early, 0);
}

END_TEST
/* A third of the packets of 1000 bytes, sent every 8 ms, arrives.  It reports with
 * the first three packets if it knows that receivers are few, otherwise by its
 * timer. */
START_TEST (who_joins_few_and_gets_a_third_reports_at_once)
{
  TfmccReport report;

  for (unsigned few = 0; few < 2; few++) {
    setup ();
    extension.few_receivers = few;
    for (unsigned i = 0; i < 3; i++) {
      TfrcDataPacket data = { .ssrc = 1, .seq = seq++, .size = SIZE };

      extension.send_time_us = 1000000 + 8000 * i;
      now = 200 * S + 24 * i * MS;
      ck_assert (!poll_report (&report));
      tfmcc_packet_check_on_packet (&check, &receiver, &data, &extension, now);
    }
    ck_assert_int_eq (poll_report (&report), few);
  }
  ck_assert (report.has_loss && report.has_rtt && !report.leaving);
  ck_assert_double_eq_tol (report.rate, 0.7 * SIZE / .024, 1);
  ck_assert (!poll_report (&report));
}

END_TEST
/* As from a sender that uses the bit for its timestamp, or that hears of more
 * receivers. */
START_TEST (who_hears_now_and_then_of_few_receivers_judges_no_path)
{
  TfmccReport report;

  for (unsigned i = 0; i < 60; i++) {
    TfrcDataPacket data = { .ssrc = 1, .seq = seq++, .size = SIZE };

    extension.few_receivers = i % 3 == 0;
    extension.send_time_us = 1000000 + 4000 * i;
    now = 200 * S + 4 * i * MS;
    tfmcc_packet_check_on_packet (&check, &receiver, &data, &extension, now);
    ck_assert (!poll_report (&report));
  }
}

END_TEST
/* Otherwise thousands that share a link would report its queue at once. */
START_TEST (who_came_before_receivers_were_few_waits_for_its_timer)
{
  TfmccReport report;

  packets (10);
  extension.few_receivers = true;
  for (unsigned i = 0; i < 20; i++) {
    TfrcDataPacket data = { .ssrc = 1, .seq = seq++, .size = SIZE };

    extension.send_time_us += 8000;
    now += 24 * MS;
    tfmcc_packet_check_on_packet (&check, &receiver, &data, &extension, now);
    ck_assert (!poll_report (&report));
  }
}

END_TEST
/* A loss every 32 ms, with 1000 bytes every 8 ms: soon the equation gives much
 * less. */
START_TEST (who_can_take_less_than_is_sent_to_few_reports_at_once)
{
  TfmccReport report;

  for (unsigned few = 0; few < 2; few++) {
    unsigned n = 0;

    setup ();
    extension.few_receivers = few;
    packets (300);
    echo (false, 60 * MS);
    for (unsigned i = 0; i < 10; i++) {
      lose ();
      n += poll_report (&report);
    }
    /* Once per R_max. */
    ck_assert_uint_eq (n, few);
  }
  ck_assert (report.has_loss && report.has_rtt);
  ck_assert_double_lt (report.rate, 0.9 * SIZE / .008);
}

END_TEST
/* With one loss in 300 packets the equation gives more than is sent. */
START_TEST (who_can_take_more_waits_for_its_timer)
{
  TfmccReport report;

  extension.few_receivers = true;
  packets (300);
  echo (false, 60 * MS);
  lose ();
  poll_report (&report);
  packets (300);
  lose ();
  ck_assert (!poll_report (&report));
}

END_TEST
START_TEST (the_round_after_255_is_0)
{
  TfmccReport report;

  extension.round = 255;
  packets (100);
  ck_assert (wait_for_report (&report, 3100 * MS));
  ck_assert_uint_eq (report.round, 255);
  ck_assert (!wait_for_report (&report, 3100 * MS));
  extension.round = 0;
  ck_assert (wait_for_report (&report, 3100 * MS));
  ck_assert_uint_eq (report.round, 0);
  ck_assert_uint_eq (tfmcc_receiver_get_counters (&receiver).rounds, 2);
}

END_TEST
/* The timer of a new round where packets arrive 16 ms apart, without losses. */
static TfrcDuration
timer_for (TfrcDuration sent_apart)
{
  TfrcTime sent_at;

  setup ();
  sent_at = now;
  for (unsigned i = 0; i <= 100; i++) {
    TfrcDataPacket data = { .ssrc = 1, .seq = seq++, .size = SIZE };

    now += 16 * MS;
    sent_at += sent_apart;
    extension.send_time_us = (uint32_t) (sent_at / TFRC_MICROSECOND);
    extension.round = i == 100;
    ck_assert_int_eq (tfmcc_packet_check_on_packet (&check, &receiver, &data,
                          &extension, now),
        TFRC_OK);
  }
  return receiver.suppression.expires_at - now;
}

/* r is X_recv / X_send: 1 if everything arrives as sent, 6 / 16 if a queue grows,
 * which is below 0.5. r' is then 1 and 0, and gamma T 750 ms. */
START_TEST (in_slow_start_who_gets_less_than_is_sent_reports_earlier)
{
  ck_assert_uint_eq (timer_for (16 * MS), timer_for (6 * MS) + 750 * MS);
}

END_TEST
/* What is left of the timer when the next packet has a delay that much longer than
 * the first of its round, divided by what was left. */
static double
timer_by (uint8_t round, TfrcDuration longer)
{
  TfrcDataPacket data = { .ssrc = 1, .size = SIZE };
  TfrcTime expires_at;

  setup ();
  extension.slow_start = true;
  extension.round = round;
  packets (3);
  expires_at = receiver.suppression.expires_at;
  data.seq = seq++;
  extension.send_time_us += 8000;
  now += 8 * MS + longer;
  tfmcc_packet_check_on_packet (&check, &receiver, &data, &extension, now);
  return (double) (receiver.suppression.expires_at - now)
      / (double) (expires_at - now);
}

/* T is computed from R_max, 500 ms, plus the growth of the queue, at most 1 s; but
 * the first R_max is a guess.  A shorter delay is the new minimum. */
START_TEST (timers_are_for_a_queue_that_grows)
{
  ck_assert_double_eq_tol (timer_by (1, 0), 1.0, 1e-6);
  ck_assert_double_eq_tol (timer_by (1, 250 * MS), 1.5, 1e-6);
  ck_assert_double_eq_tol (timer_by (1, 1500 * MS), 3.0, 1e-6);
  ck_assert_double_eq_tol (timer_by (1, 0 - 4 * MS), 1.0, 1e-6);
  ck_assert_double_eq_tol (timer_by (0, 250 * MS), 1.0, 1e-6);
}

END_TEST
START_TEST (a_lower_rate_of_others_suppresses_the_report)
{
  TfmccReport report;

  packets (50);
  extension.round = 1;
  extension.suppression_rate = 1000.0;
  ck_assert (!wait_for_report (&report, 10 * S));
  ck_assert_uint_eq (tfmcc_receiver_get_counters (&receiver).reports_suppressed,
      1);
  extension.round = 2;
  extension.suppression_rate = 1e9;
  ck_assert (wait_for_report (&report, 3100 * MS));
}

END_TEST
START_TEST (a_loss_is_not_suppressed_by_receivers_without)
{
  TfmccReport report;

  extension.slow_start = true;
  packets (50);
  extension.round = 1;
  extension.suppression_rate = 1000.0;
  ck_assert (!wait_for_report (&report, 10 * S));
  /* The timer of this round has expired, but slow start must end. */
  lose ();
  ck_assert (wait_for_report (&report, 3100 * MS));
  ck_assert (report.has_loss);
}

END_TEST
START_TEST (an_rtt_beyond_r_max_is_not_suppressed)
{
  TfmccReport report;

  packets (50);
  echo (false, 700 * MS);
  extension.round = 1;
  extension.suppression_rate = 1000.0;
  ck_assert (wait_for_report (&report, 3100 * MS));
  ck_assert (report.has_rtt);
}

END_TEST
START_TEST (the_clr_reports_once_per_rtt)
{
  TfmccReport report;
  TfrcTime first;

  packets (50);
  echo (true, 100 * MS);
  ck_assert (receiver.clr_role.is_clr);
  extension.suppression_rate = 1.0;
  ck_assert (wait_for_report (&report, 110 * MS));
  first = now;
  for (unsigned i = 1; i <= 20; i++) {
    ck_assert (wait_for_report (&report, 110 * MS));
    ck_assert_uint_eq (now, first + i * 100 * MS);
  }
  /* Without data there is nothing to report. */
  ck_assert_uint_eq (tfmcc_receiver_next_deadline (&receiver), TFRC_TIME_NONE);
}

END_TEST
/* Packets are 8 ms apart: without the bound there would be a report for each. */
START_TEST (on_a_short_path_the_clr_reports_every_20_ms)
{
  TfmccReport report;
  TfrcTime first;

  packets (50);
  echo (true, 3 * MS);
  ck_assert (wait_for_report (&report, 30 * MS));
  ck_assert_uint_lt (tfmcc_rtt_get (&receiver.rtt), 4 * MS);
  first = now;
  for (unsigned i = 1; i <= 50; i++) {
    ck_assert (wait_for_report (&report, 30 * MS));
    ck_assert_uint_eq (now, first + i * 20 * MS);
  }
}

END_TEST
START_TEST (the_clr_ends_when_another_is_named)
{
  TfmccReport report;

  packets (50);
  echo (true, 100 * MS);
  ck_assert (wait_for_report (&report, 110 * MS));
  extension.has_echo = true;
  extension.echo = (TfmccEcho) { .ssrc = SSRC + 1, .is_clr = true };
  packet (8 * MS);
  ck_assert (!receiver.clr_role.is_clr);
  ck_assert (!wait_for_report (&report, 10 * S));
  ck_assert_uint_eq (tfmcc_receiver_get_counters (&receiver).clr_periods, 1);
}

END_TEST
/* About a fifth more than arrives, instead of twice as much; without a queue it is
 * not reported like a loss. */
START_TEST (what_the_clr_finds_of_its_queue_is_nobody_elses)
{
  TfmccReport report;
  TfrcRate rate;

  tfmcc_queue_bound_init (&receiver.queue_bound, 15 * MS);
  packets (50);
  rate = tfmcc_receiver_get_rate (&receiver);
  echo (true, 100 * MS);
  packets (50);
  ck_assert (wait_for_report (&report, 110 * MS));
  ck_assert_double_lt (report.rate, 0.8 * rate);
  ck_assert (!report.has_loss);
  extension.has_echo = true;
  extension.echo = (TfmccEcho) { .ssrc = SSRC + 1, .is_clr = true };
  packet (8 * MS);
  ck_assert_double_ge (tfmcc_receiver_get_rate (&receiver), rate);
}

END_TEST
START_TEST (a_clr_that_leaves_says_so)
{
  TfmccReport report;

  packets (50);
  echo (true, 100 * MS);
  wait_for_report (&report, 110 * MS);
  tfmcc_receiver_leave (&receiver, now);
  ck_assert (poll_report (&report));
  ck_assert (report.leaving);
}

END_TEST
START_TEST (who_limits_nobody_leaves_in_silence)
{
  TfmccReport report;

  tfmcc_receiver_leave (&receiver, now);
  ck_assert (!poll_report (&report));
  setup ();
  packets (50);
  tfmcc_receiver_leave (&receiver, now);
  ck_assert (!poll_report (&report));
  ck_assert (!wait_for_report (&report, 10 * S));
}

END_TEST
START_TEST (a_pause_ends_the_memory_of_loss)
{
  TfmccReport report;

  packets (50);
  lose ();
  packet (5 * S);
  /* Few packets per time, so the round is long. */
  extension.round = 1;
  ck_assert (wait_for_report (&report, 20 * S));
  ck_assert (report.has_loss);
  /* 10 RTTs of 500 ms. */
  extension.slow_start = true;
  packet (5001 * MS);
  extension.round = 2;
  ck_assert (wait_for_report (&report, 20 * S));
  ck_assert (!report.has_loss);
}

END_TEST
/* A packet per second with an RTT of 60 ms: three RTTs contain one packet or none,
 * and ten are over before the next. */
START_TEST (a_slow_flow_is_no_pause_and_no_burst)
{
  TfmccReport report;

  extension.max_rtt = 2 * S;
  packet (S);
  echo (false, 60 * MS);
  for (unsigned i = 0; i < 10; i++)
    packet (S);
  ck_assert_double_eq_tol (tfmcc_receiver_get_rate (&receiver), 2000.0, 1.0);
  seq++;
  for (unsigned i = 0; i < 4; i++)
    packet (S);
  extension.round = 1;
  packet (S);
  receiver.report_due = true;
  ck_assert (poll_report (&report));
  ck_assert (report.has_loss);
}

END_TEST
/* From 30 packets/s to 1.5, one of which is lost: 1.3 s are more than 10 RTTs of 60
 * ms, but the sender was never idle, or it would be in slow start. */
START_TEST (a_rate_that_falls_is_no_pause)
{
  TfmccReport report;

  extension.max_rtt = 2 * S;
  packet (33 * MS);
  echo (false, 60 * MS);
  for (unsigned i = 0; i < 60; i++)
    packet (33 * MS);
  seq++;
  for (unsigned i = 0; i < 4; i++)
    packet (33 * MS);
  seq++;
  packet (1333 * MS);
  extension.round = 1;
  packet (667 * MS);
  receiver.report_due = true;
  ck_assert (poll_report (&report));
  ck_assert (report.has_loss);
}

END_TEST
START_TEST (duplicates_have_no_effect)
{
  TfrcDataPacket data = { .ssrc = 1, .seq = 65500, .size = SIZE };

  packets (2);
  ck_assert_int_eq (tfmcc_packet_check_on_packet (&check, &receiver, &data,
                        &extension, now),
      TFRC_DUPLICATE);
  ck_assert_uint_eq (tfmcc_receiver_get_counters (&receiver).packets, 2);
  ck_assert_uint_eq (tfmcc_receiver_get_counters (&receiver).packets_duplicate,
      1);
}

END_TEST
/* A plausible sample is up to 2 R_max + 10 s = 11 s, and down to -1 s for the drift
 * of clocks.  Others give no RTT and make no receiver the CLR. */
static const struct
{
  int64_t sample_ms;
  uint64_t collisions;
} samples[] = {
  { 60, 0 },
  { 11000, 0 },
  { 11001, 1 },
  { -1000, 0 },
  { -1001, 1 },
  { 2000000, 1 },
};

START_TEST (an_echo_of_another_report_is_a_collision)
{
  packets (50);
  extension.has_echo = true;
  extension.echo = (TfmccEcho) {
    .ssrc = SSRC,
    .report_time_us = (uint32_t) ((now + 8 * MS) / TFRC_MICROSECOND)
        - (uint32_t) (1000 * samples[_i].sample_ms) + OFFSET_US,
    .is_clr = true,
  };
  packet (8 * MS);
  ck_assert_uint_eq (check.counters.ssrc_collisions, samples[_i].collisions);
  ck_assert (receiver.clr_role.is_clr == (samples[_i].collisions == 0));
  ck_assert_uint_eq (tfmcc_receiver_get_counters (&receiver).echoes,
      1 - samples[_i].collisions);
}

END_TEST
/* Measurements are kept, the role is not. */
START_TEST (a_new_ssrc_keeps_the_measurements)
{
  TfmccReport report;
  TfrcRate rate;

  packets (50);
  echo (true, 100 * MS);
  lose ();
  while (poll_report (&report))
    ;
  rate = tfmcc_receiver_get_rate (&receiver);
  tfmcc_receiver_set_ssrc (&receiver, SSRC + 1);
  ck_assert (!receiver.clr_role.is_clr);
  ck_assert_double_eq (tfmcc_receiver_get_rate (&receiver), rate);
  echo (true, 100 * MS);
  ck_assert (!receiver.clr_role.is_clr);
  extension.round = 1;
  ck_assert (wait_for_report (&report, 10 * S));
  ck_assert_uint_eq (report.ssrc, SSRC + 1);
  ck_assert (report.has_rtt && report.has_loss);
}

END_TEST
/* Two packets of another stream are missing, and one arrived after them. */
START_TEST (a_stream_that_left_is_not_waited_for)
{
  TfrcDataPacket data = { .ssrc = 2, .seq = 10, .size = SIZE };

  packets (2);
  tfmcc_packet_check_on_packet (&check, &receiver, &data, &extension, now);
  data.seq = 13;
  tfmcc_packet_check_on_packet (&check, &receiver, &data, NULL, now);
  ck_assert_uint_eq (tfmcc_receiver_get_counters (&receiver).packets_lost, 0);
  tfmcc_receiver_remove_stream (&receiver, 2, now);
  ck_assert_uint_eq (tfmcc_receiver_get_counters (&receiver).packets_lost, 2);
  ck_assert_uint_eq (
      tfmcc_receiver_get_counters (&receiver).packets_without_extension, 1);
}

END_TEST
/* 125000 bytes/s, of packets of 1000 bytes, from the sender's timestamps. */
START_TEST (the_trace_has_what_was_measured)
{
  TfrcTrace trace = { 0 };

  tfmcc_receiver_get_trace (&receiver, &trace, now);
  ck_assert_double_eq (trace.receive_rate, 0.0);
  ck_assert_double_eq (tfmcc_receiver_get_sending_rate (&receiver), 0.0);
  packets (300);
  tfmcc_receiver_get_trace (&receiver, &trace, now);
  ck_assert_uint_eq (trace.at, now);
  ck_assert_uint_eq (trace.packets, 300);
  ck_assert_uint_eq (trace.bytes, 300 * SIZE);
  ck_assert_uint_eq (trace.rtt, 0);
  ck_assert_double_eq (trace.segment_size, SIZE);
  ck_assert_double_eq_tol (trace.receive_rate, 125000.0, 1500.0);
  ck_assert_double_eq_tol (tfmcc_receiver_get_sending_rate (&receiver),
      125000.0, 1.0);
  ck_assert_double_eq (trace.loss_event_rate, 0.0);
  echo (false, 100 * MS);
  lose ();
  tfmcc_receiver_get_trace (&receiver, &trace, now);
  ck_assert_uint_eq (trace.packets_lost, 1);
  ck_assert_uint_eq (trace.loss_events, 1);
  ck_assert (trace.loss_event_rate > 0.0);
  ck_assert (trace.rtt > 0);
  /* Counters go on after the flow. */
  tfmcc_receiver_forget (&receiver);
  tfmcc_receiver_get_trace (&receiver, &trace, now);
  ck_assert_uint_eq (trace.loss_events, 1);
  ck_assert_uint_eq (trace.packets, 304);
}

END_TEST
/* The sender corrects the rate by its R_max at that time. */
START_TEST (r_max_is_the_rtt_until_it_is_measured)
{
  TfrcRate rate;

  extension.max_rtt = 900 * MS;
  packet (0);
  ck_assert_uint_eq (tfmcc_rtt_get (&receiver.rtt), 900 * MS);
  packets (300);
  lose ();
  rate = get_first_rate (900 * MS);
  extension.max_rtt = 810 * MS;
  extension.round++;
  packets (1);
  ck_assert_uint_eq (tfmcc_rtt_get (&receiver.rtt), 810 * MS);
  ck_assert_double_eq_tol (get_first_rate (810 * MS), rate, 1e-6 * rate);
  echo (false, 60 * MS);
  extension.max_rtt = 900 * MS;
  packets (1);
  ck_assert (tfmcc_rtt_get (&receiver.rtt) < 61 * MS);
  ck_assert_double_eq_tol (get_first_rate (60 * MS), rate, 1e-6 * rate);
}

END_TEST
/* The equation has no rate for p = 0. */
START_TEST (the_only_loss_may_come_after_all)
{
  TfrcDataPacket late = { .ssrc = 1, .size = SIZE };
  TfrcRate rate;

  packets (300);
  rate = tfmcc_receiver_get_rate (&receiver);
  late.seq = seq;
  lose ();
  ck_assert (receiver.has_loss);
  ck_assert_int_eq (tfmcc_packet_check_on_packet (&check, &receiver, &late,
                        &extension, now),
      TFRC_OK);
  ck_assert (!receiver.has_loss);
  ck_assert_uint_eq (tfmcc_receiver_get_counters (&receiver).packets_late, 1);
  ck_assert_double_eq_tol (tfmcc_receiver_get_rate (&receiver), rate,
      0.02 * rate);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-receiver");
  TCase *tcase = tcase_create ("general");
  TCase *deviations = tcase_create ("deviations");

  suite_add_tcase (suite, tcase);
  suite_add_tcase (suite, deviations);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_checked_fixture (deviations, setup, NULL);
  tcase_add_test (tcase, the_first_measurement_corrects_the_first_interval);
  tcase_add_test (tcase, losses_are_grouped_anew_by_the_first_measurement);
  tcase_add_test (tcase,
      synchronised_clocks_are_an_rtt_that_needs_no_correction);
  tcase_add_test (tcase, a_round_brings_one_report);
  tcase_add_test (deviations, who_has_just_come_reports_behind_r_max);
  tcase_add_test (tcase, who_joins_few_and_gets_a_third_reports_at_once);
  tcase_add_test (tcase,
      who_hears_now_and_then_of_few_receivers_judges_no_path);
  tcase_add_test (tcase,
      who_came_before_receivers_were_few_waits_for_its_timer);
  tcase_add_test (deviations,
      who_can_take_less_than_is_sent_to_few_reports_at_once);
  tcase_add_test (deviations, who_can_take_more_waits_for_its_timer);
  tcase_add_test (tcase, the_round_after_255_is_0);
  tcase_add_test (tcase,
      in_slow_start_who_gets_less_than_is_sent_reports_earlier);
  tcase_add_test (tcase, timers_are_for_a_queue_that_grows);
  tcase_add_test (tcase, a_lower_rate_of_others_suppresses_the_report);
  tcase_add_test (tcase, a_loss_is_not_suppressed_by_receivers_without);
  tcase_add_test (tcase, an_rtt_beyond_r_max_is_not_suppressed);
  tcase_add_test (tcase, the_clr_reports_once_per_rtt);
  tcase_add_test (deviations, on_a_short_path_the_clr_reports_every_20_ms);
  tcase_add_test (tcase, the_clr_ends_when_another_is_named);
  tcase_add_test (deviations, what_the_clr_finds_of_its_queue_is_nobody_elses);
  tcase_add_test (tcase, a_clr_that_leaves_says_so);
  tcase_add_test (deviations, who_limits_nobody_leaves_in_silence);
  tcase_add_test (tcase, a_pause_ends_the_memory_of_loss);
  tcase_add_test (tcase, a_slow_flow_is_no_pause_and_no_burst);
  tcase_add_test (tcase, a_rate_that_falls_is_no_pause);
  tcase_add_test (tcase, duplicates_have_no_effect);
  tcase_add_loop_test (deviations, an_echo_of_another_report_is_a_collision, 0,
      sizeof samples / sizeof samples[0]);
  tcase_add_test (tcase, a_new_ssrc_keeps_the_measurements);
  tcase_add_test (tcase, a_stream_that_left_is_not_waited_for);
  tcase_add_test (tcase, the_trace_has_what_was_measured);
  tcase_add_test (deviations, r_max_is_the_rtt_until_it_is_measured);
  tcase_add_test (tcase, the_only_loss_may_come_after_all);
  return run_check_suite (suite);
}
