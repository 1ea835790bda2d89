/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Data packets that a receiver must not accept, or only within bounds: each has a
 * limited effect, and a counter. */

#include "check-suite.h"
#include "tfmcc-receiver-verbs.h"

static TfrcReceiverCounters
counters (void)
{
  return tfmcc_receiver_get_counters (&receiver);
}

/* Of another sender, whose clock is 10 minutes off. */
static TfrcResult
foreign_packet (uint32_t ssrc, uint16_t foreign_seq)
{
  TfrcDataPacket data = { .ssrc = ssrc, .seq = foreign_seq, .size = SIZE };
  TfmccExtension forged = extension;

  forged.send_time_us += 600000000;
  forged.suppression_rate = 1.0;
  forged.max_rtt = MS;
  forged.round += 9;
  return tfmcc_packet_check_on_packet (&check, &receiver, &data, &forged, now);
}

START_TEST (the_history_has_8_to_32_intervals)
{
  static const uint32_t cases[][2] = { { 0, 8 }, { 8, 8 }, { 20, 20 },
    { 33, 32 } };

  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    TfmccReceiverConfig config = tfmcc_receiver_config_default ();

    config.history_length = cases[i][0];
    tfmcc_receiver_init (&receiver, &config);
    ck_assert_uint_eq (receiver.config.history_length, cases[i][1]);
  }
}

END_TEST
START_TEST (packets_of_another_sender_have_no_effect)
{
  TfmccReport report;
  TfrcRate rate;

  packets (50);
  rate = tfmcc_receiver_get_rate (&receiver);
  for (uint16_t i = 0; i < 100; i++) {
    ck_assert_int_eq (foreign_packet (2, (uint16_t) (10 * i)), TFRC_INVALID);
    ck_assert_int_eq (foreign_packet (1, (uint16_t) (seq + 2 * i)),
        TFRC_INVALID);
  }
  ck_assert_uint_eq (check.counters.packets_foreign, 200);
  ck_assert_uint_eq (counters ().packets, 50);
  ck_assert_uint_eq (counters ().packets_lost, 0);
  ck_assert_double_eq (tfmcc_receiver_get_rate (&receiver), rate);
  ck_assert_uint_eq (tfmcc_rtt_get (&receiver.rtt), MAX_RTT);
  extension.round = 1;
  packets (60);
  ck_assert (wait_for_report (&report, 3100 * MS));
  ck_assert_uint_eq (report.round, 1);
  ck_assert_uint_eq (report.media_ssrc, 1);
}

END_TEST
/* An SSRC that has never had an extension causes no losses. */
START_TEST (packets_without_a_extension_need_a_known_ssrc)
{
  TfrcDataPacket data = { .ssrc = 2, .seq = 1, .size = SIZE };

  packets (2);
  for (unsigned i = 0; i < 100; i++, data.seq += 10)
    ck_assert_int_eq (tfmcc_packet_check_on_packet (&check, &receiver, &data,
                          NULL, now),
        TFRC_INVALID);
  ck_assert_uint_eq (check.counters.packets_foreign, 100);
  ck_assert_uint_eq (counters ().packets_lost, 0);
  data = (TfrcDataPacket) { .ssrc = 1, .seq = seq++, .size = SIZE };
  ck_assert_int_eq (tfmcc_packet_check_on_packet (&check, &receiver, &data,
                        NULL, now),
      TFRC_OK);
  ck_assert_uint_eq (counters ().packets_without_extension, 1);
}

END_TEST
/* Another stream of our sender shares its clock. */
START_TEST (another_ssrc_of_our_sender_is_welcome)
{
  TfrcDataPacket data = { .ssrc = 2, .seq = 1, .size = SIZE };

  packets (2);
  ck_assert_int_eq (tfmcc_packet_check_on_packet (&check, &receiver, &data,
                        &extension, now),
      TFRC_OK);
  ck_assert_uint_eq (counters ().packets, 3);
}

END_TEST
/* Its clock has another origin, its rounds start at 0: after a second and 2 R_max
 * of silence, and two packets that are refused, everything is measured anew. */
START_TEST (a_sender_that_restarted_is_followed)
{
  TfmccReport report;

  extension.round = 40;
  packets (50);
  echo (true, 100 * MS);
  lose ();
  now += 2 * S;
  for (unsigned i = 0; i < 2; i++)
    ck_assert_int_eq (foreign_packet (2, (uint16_t) i), TFRC_INVALID);
  ck_assert_int_eq (foreign_packet (2, 2), TFRC_OK);
  ck_assert_uint_eq (check.counters.sender_restarts, 1);
  ck_assert_uint_eq (counters ().loss_events, 1);
  ck_assert (!receiver.clr_role.is_clr);
  ck_assert_double_eq (tfmcc_receiver_get_loss_event_rate (&receiver), 0.0);
  ck_assert_int_eq (foreign_packet (2, 3), TFRC_OK);
  now = tfmcc_receiver_next_deadline (&receiver);
  ck_assert (now == TFRC_TIME_NONE || now > 0);
  ck_assert (!poll_report (&report));
}

END_TEST
/* Another sender, the first or second, whose clock is ten minutes off takes over after
 * `silence` and announces `max_rtt`, in slow start: its third packet is the first that
 * counts, and the timer goes by the rate of the fourth. */
static void
restart (unsigned sender, TfrcDuration silence, TfrcDuration max_rtt)
{
  TfmccExtension first = {
    .suppression_rate = TFMCC_NO_SUPPRESSION,
    .max_rtt = max_rtt,
    .slow_start = true,
  };

  now += silence;
  for (uint16_t i = 0; i < 4; i++, now += 8 * MS) {
    TfrcDataPacket data = { .ssrc = 1 + sender, .seq = i, .size = SIZE };

    first.send_time_us = (uint32_t) (now / TFRC_MICROSECOND)
        + sender * 600000000;
    ck_assert_int_eq (tfmcc_packet_check_on_packet (&check, &receiver, &data,
                          &first, now),
        i < 2 ? TFRC_INVALID : TFRC_OK);
  }
  ck_assert_uint_eq (check.counters.sender_restarts, sender);
}

/* R is 100 ms, R_max was 150 ms: for a minute.  Then both are the new R_max, as
 * they are for who has never had an RTT. */
START_TEST (the_rtts_outlive_a_restart_by_a_minute)
{
  static const struct
  {
    bool measured;
    TfrcDuration silence, max_rtt, rtt, timer;
  } cases[] = {
    { true, 2 * S, 500 * MS, 100 * MS, 150 * MS },
    { true, 59 * S, 500 * MS, 100 * MS, 150 * MS },
    { true, 61 * S, 500 * MS, 500 * MS, 500 * MS },
    { false, 2 * S, 500 * MS, 500 * MS, 500 * MS },
    /* No R is longer than what the sender announces. */
    { true, 2 * S, 80 * MS, 80 * MS, 80 * MS },
  };

  for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    TfrcDataPacket data = { .ssrc = 2, .size = SIZE };

    setup ();
    extension.max_rtt = 150 * MS;
    packets (50);
    if (cases[i].measured)
      echo (true, 100 * MS);
    restart (1, cases[i].silence, cases[i].max_rtt);
    ck_assert (!tfmcc_rtt_is_measured (&receiver.rtt));
    ck_assert (tfmcc_rtt_is_own (&receiver.rtt)
        == (cases[i].rtt < cases[i].max_rtt || cases[i].max_rtt == 80 * MS));
    ck_assert_uint_eq (tfmcc_rtt_get (&receiver.rtt), cases[i].rtt);
    ck_assert_uint_eq (receiver.suppression.max_rtt, cases[i].timer);
    /* 3/4 of 6 R_max. */
    ck_assert_uint_le (receiver.suppression.expires_at,
        now + 9 * cases[i].timer / 2);
    ck_assert_double_eq (tfmcc_receiver_get_loss_event_rate (&receiver), 0.0);
    /* In the next round that of the sender is measured. */
    extension = *tfmcc_receiver_get_extension (&receiver);
    extension.round++;
    for (data.seq = 4; data.seq < 6; data.seq++, now += 8 * MS) {
      extension.send_time_us += 8000;
      tfmcc_packet_check_on_packet (&check, &receiver, &data, &extension, now);
    }
    ck_assert_uint_eq (receiver.suppression.max_rtt, cases[i].max_rtt);
  }
}

END_TEST
/* Before the first of them has echoed anybody. */
START_TEST (the_rtts_outlive_two_restarts)
{
  extension.max_rtt = 150 * MS;
  packets (50);
  echo (true, 100 * MS);
  restart (1, 2 * S, 500 * MS);
  restart (2, 2 * S, 400 * MS);
  ck_assert_uint_eq (tfmcc_rtt_get (&receiver.rtt), 100 * MS);
  ck_assert_uint_eq (receiver.suppression.max_rtt, 150 * MS);
}

END_TEST
/* Where packets are further apart than that R_max, none could suppress within T. */
START_TEST (a_timer_is_not_shorter_than_the_packets_are_apart)
{
  TfmccReport report;

  extension.max_rtt = 150 * MS;
  packets (50);
  echo (true, 100 * MS);
  restart (1, 2 * S, 500 * MS);
  extension = *tfmcc_receiver_get_extension (&receiver);
  seq = 4;
  for (unsigned i = 0; i < 2; i++) {
    TfrcDataPacket data = { .ssrc = 2, .seq = seq++, .size = SIZE };

    now += 320 * MS;
    extension.send_time_us += 320000;
    tfmcc_packet_check_on_packet (&check, &receiver, &data, &extension, now);
  }
  /* Four of them in 8 + 2 * 320 ms. */
  ck_assert (!poll_report (&report));
  ck_assert_uint_ge (receiver.suppression.max_rtt, 210 * MS);
}

END_TEST
START_TEST (who_was_leaving_still_is_when_the_sender_restarts)
{
  TfmccReport report;

  packets (50);
  tfmcc_receiver_leave (&receiver, now);
  now += 2 * S;
  for (uint16_t i = 0; i < 50; i++)
    foreign_packet (2, i);
  ck_assert_uint_eq (check.counters.sender_restarts, 1);
  ck_assert (receiver.leaving);
  ck_assert (tfmcc_receiver_next_deadline (&receiver) == TFRC_TIME_NONE);
  ck_assert (!poll_report (&report));
}

END_TEST
START_TEST (who_is_told_of_another_sender_follows_it_at_once)
{
  packets (50);
  tfmcc_receiver_forget (&receiver);
  tfmcc_packet_check_forget (&check);
  ck_assert_int_eq (foreign_packet (2, 0), TFRC_OK);
}

END_TEST
/* R_max of 63 s is taken as 10 s: T is 60 s, and not 6 minutes. */
START_TEST (an_absurd_r_max_delays_reports_by_a_minute)
{
  TfmccReport report;

  packets (50);
  extension.max_rtt = 63 * S;
  extension.round = 1;
  packets (30);
  ck_assert_uint_eq (tfmcc_receiver_get_extension (&receiver)->max_rtt, 10 * S);
  ck_assert_uint_gt (check.counters.extensions_corrected, 0);
  ck_assert (wait_for_report (&report, 60 * S));
}

END_TEST
/* R_max of 1 ms would make all receivers report within 6 ms: it is taken as 0.2 of
 * that of the round before, so T is 0.6 s. */
START_TEST (an_absurdly_short_r_max_makes_no_storm)
{
  unsigned n_reports = 0;
  TfrcTime began_at;

  packets (50);
  extension.max_rtt = MS;
  extension.round = 1;
  packet (8 * MS);
  began_at = now;
  for (uint64_t i = 0; i < 1000; i++) {
    TfmccSuppression timer = receiver.suppression;

    tfmcc_suppression_init (&timer, &receiver.config.suppression, i);
    tfmcc_suppression_start (&timer, 1.0, 1.0,
        tfmcc_receiver_get_extension (&receiver)->max_rtt, 8 * MS, now);
    n_reports += timer.expires_at - began_at < 100 * MS;
  }
  ck_assert_uint_eq (tfmcc_receiver_get_extension (&receiver)->max_rtt,
      100 * MS);
  /* With gamma no receiver at the sender's rate reports before T / 4. */
  ck_assert_uint_eq (n_reports, 0);
}

END_TEST
/* A new round number in each packet, for a minute: at most one round per R_max / 2,
 * so at most 240 reports. */
START_TEST (round_numbers_that_jump_make_few_reports)
{
  TfmccReport report;
  unsigned n_reports = 0;

  packets (50);
  for (unsigned i = 0; i < 7500; i++) {
    extension.round = (uint8_t) (37 * i);
    packet (8 * MS);
    if (tfmcc_receiver_next_deadline (&receiver) <= now)
      tfmcc_receiver_on_deadline (&receiver, now);
    n_reports += poll_report (&report);
  }
  ck_assert_uint_le (n_reports, 240);
  ck_assert_uint_le (counters ().rounds, 241);
  ck_assert_uint_gt (check.counters.extensions_corrected, 5000);
}

END_TEST
/* Send timestamps 8 s apart are accepted, but an RTT is between 1 ms and 64 s, and
 * rates stay finite. */
START_TEST (send_times_that_jump_leave_an_rtt)
{
  packets (50);
  echo (false, 60 * MS);
  for (int i = 0; i < 1000; i++) {
    TfrcDataPacket data = { .ssrc = 1, .seq = seq++, .size = SIZE };
    TfmccExtension jumping = extension;

    now += 8 * MS;
    jumping.send_time_us = (uint32_t) (now / TFRC_MICROSECOND)
        + (i % 2 == 0 ? 4000000u : (uint32_t) -4000000);
    tfmcc_packet_check_on_packet (&check, &receiver, &data, &jumping, now);
    ck_assert_uint_ge (tfmcc_rtt_get (&receiver.rtt), MS);
    ck_assert_uint_le (tfmcc_rtt_get (&receiver.rtt), 64 * S);
    ck_assert (isfinite (tfmcc_receiver_get_rate (&receiver)));
    ck_assert (isfinite (tfmcc_receiver_get_sending_rate (&receiver)));
  }
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-receiver-input");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_test (tcase, the_history_has_8_to_32_intervals);
  tcase_add_test (tcase, packets_of_another_sender_have_no_effect);
  tcase_add_test (tcase, packets_without_a_extension_need_a_known_ssrc);
  tcase_add_test (tcase, another_ssrc_of_our_sender_is_welcome);
  tcase_add_test (tcase, a_sender_that_restarted_is_followed);
  tcase_add_test (tcase, the_rtts_outlive_a_restart_by_a_minute);
  tcase_add_test (tcase, the_rtts_outlive_two_restarts);
  tcase_add_test (tcase, a_timer_is_not_shorter_than_the_packets_are_apart);
  tcase_add_test (tcase, who_was_leaving_still_is_when_the_sender_restarts);
  tcase_add_test (tcase, who_is_told_of_another_sender_follows_it_at_once);
  tcase_add_test (tcase, an_absurd_r_max_delays_reports_by_a_minute);
  tcase_add_test (tcase, an_absurdly_short_r_max_makes_no_storm);
  tcase_add_test (tcase, round_numbers_that_jump_make_few_reports);
  tcase_add_test (tcase, send_times_that_jump_leave_an_rtt);
  return run_check_suite (suite);
}
