/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* X_r of a TFMCC receiver, and the first loss interval. */

#include "check-suite.h"
#include "tfmcc-receiver-verbs.h"
#include "tfrc/equation.h"

START_TEST (before_losses_the_rate_is_twice_what_arrives)
{
  ck_assert_double_eq (tfmcc_receiver_get_rate (&receiver), 0.0);
  packets (300);
  /* 1000 bytes in 8 ms are 125000 bytes/s. */
  ck_assert_double_eq_tol (tfmcc_receiver_get_rate (&receiver), 250000.0,
      3000.0);
  ck_assert_double_eq (tfmcc_receiver_get_loss_event_rate (&receiver), 0.0);
}

END_TEST
/* Frames 33 ms apart at an RTT of 1 ms: 250 ms contain 7 or 8 of them, at whatever
 * time the rate is measured. */
START_TEST (a_short_rtt_does_not_see_single_frames)
{
  packets (2);
  echo (false, MS);
  for (unsigned i = 0; i < 30; i++)
    packet (33 * MS);
  ck_assert_double_eq_tol (tfmcc_receiver_get_rate (&receiver),
      2.0 * 8 * SIZE / 0.25, 1.0);
  now += 32 * MS;
  tfmcc_receiver_on_deadline (&receiver, now);
  ck_assert_double_eq_tol (tfmcc_receiver_get_rate (&receiver),
      2.0 * 7 * SIZE / 0.25, 1.0);
}

END_TEST
/* A timer expires up to R_max = 500 ms after the last packet: the rate until then
 * was 125000 bytes/s, though no packet lies within the last 250 ms. */
START_TEST (a_silence_is_no_receive_rate)
{
  TfmccReport report = { .rate = 0.0 };

  packets (300);
  echo (false, 20 * MS);
  packets (300);
  ck_assert_uint_ne (receiver.suppression.expires_at, TFRC_TIME_NONE);
  now += 400 * MS;
  receiver.suppression.expires_at = now;
  tfmcc_receiver_on_deadline (&receiver, now);
  ck_assert (poll_report (&report));
  ck_assert_double_eq_tol (report.rate, 250000.0, 8000.0);
}

END_TEST
/* R is 20 ms and the path stalls for 300 ms; the sender is in slow start, so
 * has_loss is cleared.  After the stall the packets that waited arrive 1 ms apart,
 * or all at once.  With the first of them R is 20 + 0.05 * 292 ms (D40), and X_recv
 * is one packet per that time, 28900 bytes/s, not one per 250 ms, 4000; in the end
 * it is 1000 bytes per 8 ms, as they were sent. */
START_TEST (a_stop_of_the_path_is_no_receive_rate)
{
  const bool at_once = _i == 1;
  TfrcTime sent;

  packets (50);
  echo (true, 20 * MS);
  packets (50);
  lose ();
  packets (50);
  sent = now - 20 * MS;
  now += 300 * MS;
  extension.slow_start = true;
  for (unsigned i = 0; i < 37; i++) {
    TfrcDataPacket data = { .ssrc = 1, .seq = seq++, .size = SIZE };

    now += at_once ? 0 : MS;
    sent += 8 * MS;
    extension.send_time_us = (uint32_t) (sent / TFRC_MICROSECOND);
    ck_assert_int_eq (tfmcc_packet_check_on_packet (&check, &receiver, &data,
                          &extension, now),
        TFRC_OK);
    if (i == 0)
      ck_assert_double_eq_tol (tfmcc_receiver_get_rate (&receiver),
          2.0 * 28900.0, 100.0);
    ck_assert_double_ge (tfmcc_receiver_get_rate (&receiver), 2.0 * 28800.0);
  }
  ck_assert (!receiver.has_loss);
  ck_assert_double_ge (tfmcc_receiver_get_rate (&receiver), 2.0 * 110000.0);
  ck_assert_double_le (tfmcc_receiver_get_rate (&receiver), 2.0 * 140000.0);
}

END_TEST
/* 1000 bytes each 8 ms, again after a second; the first two change places.  What came
 * since then in 80 ms is no rate over the second before. */
START_TEST (an_overtaken_packet_behind_a_pause_is_no_older_one)
{
  TfrcTime sent;

  packets (50);
  echo (true, 20 * MS);
  packets (50);
  now += S;
  sent = now - 20 * MS;
  for (unsigned i = 0; i < 11; i++) {
    unsigned n = i < 2 ? 1 - i : i;
    TfrcDataPacket data = {
      .ssrc = 1, .seq = (uint16_t) (seq + n), .size = SIZE
    };

    now += 8 * MS;
    extension.send_time_us = (uint32_t) ((sent + n * 8 * MS)
        / TFRC_MICROSECOND);
    ck_assert_int_eq (tfmcc_packet_check_on_packet (&check, &receiver, &data,
                          &extension, now),
        TFRC_OK);
  }
  ck_assert_double_ge (tfmcc_receiver_get_rate (&receiver), 2.0 * 120000.0);
  ck_assert_double_le (tfmcc_receiver_get_rate (&receiver), 2.0 * 140000.0);
}

END_TEST
/* From one packet per 80 ms to one per second, without a loss and with an R of 20
 * ms: 60 ms after the latter X_recv is one packet in these 60 ms, not none. */
START_TEST (the_only_packet_behind_a_silence_is_one)
{
  packet (80 * MS);
  echo (true, 20 * MS);
  for (unsigned i = 0; i < 50; i++)
    packet (80 * MS);
  packet (S);
  now += 60 * MS;
  tfmcc_receiver_on_deadline (&receiver, now);
  ck_assert_double_ge (tfmcc_receiver_get_rate (&receiver), 2.0 * SIZE / 0.08);
  ck_assert_double_le (tfmcc_receiver_get_rate (&receiver), 2.0 * SIZE / 0.06);
}

END_TEST
/* At which the equation gives X_recv = 1 Mbit/s with R = 0.5 s and 60 ms, or half
 * of it in slow start. */
static const struct
{
  bool slow_start, measured;
  double interval;
} first_intervals[] = {
  { false, false, 2622.07 },
  { true, false, 668.75 },
  { false, true, 51.83 },
};

START_TEST (the_first_interval_follows_from_the_receive_rate)
{
  extension.slow_start = first_intervals[_i].slow_start;
  packets (300);
  if (first_intervals[_i].measured)
    echo (false, 60 * MS);
  packets (100);
  lose ();
  /* The lost packet is missing in the last RTT, and entries of the byte log are R /
   * 16 wide: 5 packets of 62 in the long RTT, 2 of 7.5 in the short one. */
  ck_assert_double_eq_tol (receiver.history.first_interval,
      first_intervals[_i].interval,
      (first_intervals[_i].measured ? 0.45 : 0.16)
          * first_intervals[_i].interval);
}

END_TEST
START_TEST (with_losses_the_rate_is_the_equations)
{
  TfrcPath path = tfrc_path_rfc5348 (SIZE, 60 * MS);

  packets (300);
  echo (false, 60 * MS);
  for (unsigned i = 0; i < 20; i++) {
    packets (46);
    lose ();
  }
  /* A loss every 50 packets. */
  ck_assert_double_eq_tol (tfmcc_receiver_get_rate (&receiver),
      tfrc_equation_rate (&path, 0.02),
      0.01 * tfrc_equation_rate (&path, 0.02));
}

END_TEST
/* 100 packets/s, of which every 100th is lost. */
static void
stream_of (uint32_t size, unsigned seconds)
{
  for (unsigned i = 0; i < 100 * seconds; i++) {
    if (i % 100 == 50) {
      seq++;
      now += 10 * MS;
    } else {
      packet_of (size, 10 * MS);
    }
  }
}

/* RFC 4654 equation (1) at p = 0.01 and R = 100 ms: 1080 kbit/s with 1200 bytes.
 * An encoder that gets a lower rate makes smaller packets, which must not lower the
 * rate further. */
static const struct
{
  uint32_t before, after;
} sizes[] = {
  { 1200, 300 },
  { 300, 1200 },
};

START_TEST (the_rate_is_that_of_the_largest_packets)
{
  TfrcPath path = tfrc_path_rfc5348 (1200, 100 * MS);
  TfrcRate rate = tfrc_equation_rate (&path, 0.01);

  packet (10 * MS);
  echo (false, 100 * MS);
  stream_of (sizes[_i].before, 600);
  stream_of (sizes[_i].after, 30);
  ck_assert_double_eq_tol (tfmcc_receiver_get_rate (&receiver), rate,
      0.02 * rate);
}

END_TEST
/* Packets of 300 bytes, after 1200: with a queue s is 390, as the path carries that
 * size. */
START_TEST (behind_a_queue_the_rate_is_that_of_packets_that_come)
{
  TfrcPath path = tfrc_path_rfc5348 (390, 100 * MS);
  TfrcRate rate = tfrc_equation_rate (&path, 0.01);

  packet (10 * MS);
  echo (false, 100 * MS);
  stream_of (1200, 600);
  stream_of (300, 600);
  receiver.queue_bound.queue = 20 * MS;
  receiver.queue_bound.usual_target = 15.0 * MS;
  ck_assert_double_eq_tol (tfmcc_receiver_get_rate (&receiver), rate,
      0.02 * rate);
}

END_TEST
/* 40 ms apart at an RTT of 50: four are 25000 bytes/s, two in an RTT would be 40000.
 * Without a queue a fifth more may be sent. */
START_TEST (the_rate_behind_a_queue_is_that_of_four_packets)
{
  tfmcc_queue_bound_init (&receiver.queue_bound, 15 * MS);
  packet (10 * MS);
  echo (true, 50 * MS);
  for (unsigned i = 0; i < 50; i++)
    packet (40 * MS);
  ck_assert_double_eq_tol (receiver.queue_bound.rate, 1.2 * 25000.0, 600.0);
}

END_TEST
/* Half of the packets are short: s is 1200 and not the mean, 750. */
START_TEST (short_packets_among_large_ones_lower_no_rate)
{
  TfrcPath path = tfrc_path_rfc5348 (1200, 100 * MS);
  TfrcRate rate = tfrc_equation_rate (&path, 0.01);

  packet (10 * MS);
  echo (false, 100 * MS);
  for (unsigned i = 0; i < 100; i++) {
    stream_of (1200, 4);
    stream_of (300, 2);
  }
  ck_assert_double_eq_tol (tfmcc_receiver_get_rate (&receiver), rate,
      0.02 * rate);
}

END_TEST
/* 1000 packets after 20,000 of another size: 10 of the largest per RTT of 100 ms,
 * as before, give a loss per 83, and 2.5 of these one per 13. */
START_TEST (the_first_interval_is_by_packets_of_now)
{
  double interval = _i == 0 ? 12.5 : 83.0;

  packet_of (sizes[_i].before, 10 * MS);
  echo (false, 100 * MS);
  for (unsigned i = 0; i < 21000; i++)
    packet_of (i < 20000 ? sizes[_i].before : sizes[_i].after, 10 * MS);
  seq++;
  now += 10 * MS;
  for (unsigned i = 0; i < 3; i++)
    packet_of (sizes[_i].after, 10 * MS);
  /* One of the ten is lost, another lies at the edge of a log entry. */
  ck_assert_double_eq_tol (receiver.history.first_interval, interval,
      0.2 * interval);
}

END_TEST
/* The equation gives 1000 / (10 (0.447 + 12 * 0.335 * 0.3 * 3.88)) = 19 bytes/s at
 * p = 0.3 and an RTT of 10 s; one packet in 8 s is 125. */
START_TEST (no_rate_is_below_one_packet_in_eight_seconds)
{
  packets (50);
  echo (false, 10 * S);
  for (unsigned i = 0; i < 20; i++) {
    seq++;
    packet (60 * S);
  }
  ck_assert_double_gt (tfmcc_receiver_get_loss_event_rate (&receiver), 0.3);
  ck_assert_double_eq (tfmcc_receiver_get_rate (&receiver), SIZE / 8.0);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("tfmcc-receiver-rate");
  TCase *tcase = tcase_create ("general");
  TCase *deviations = tcase_create ("deviations");

  suite_add_tcase (suite, tcase);
  suite_add_tcase (suite, deviations);
  tcase_add_checked_fixture (tcase, setup, NULL);
  tcase_add_checked_fixture (deviations, setup, NULL);
  tcase_add_test (tcase, before_losses_the_rate_is_twice_what_arrives);
  tcase_add_test (deviations, a_short_rtt_does_not_see_single_frames);
  tcase_add_test (deviations, a_silence_is_no_receive_rate);
  tcase_add_loop_test (deviations, a_stop_of_the_path_is_no_receive_rate, 0, 2);
  tcase_add_test (deviations,
      an_overtaken_packet_behind_a_pause_is_no_older_one);
  tcase_add_test (deviations, the_only_packet_behind_a_silence_is_one);
  tcase_add_loop_test (tcase, the_first_interval_follows_from_the_receive_rate,
      0, sizeof first_intervals / sizeof first_intervals[0]);
  tcase_add_test (tcase, with_losses_the_rate_is_the_equations);
  tcase_add_test (tcase, short_packets_among_large_ones_lower_no_rate);
  tcase_add_test (tcase, behind_a_queue_the_rate_is_that_of_packets_that_come);
  tcase_add_test (tcase, the_rate_behind_a_queue_is_that_of_four_packets);
  tcase_add_loop_test (tcase, the_rate_is_that_of_the_largest_packets, 0,
      sizeof sizes / sizeof sizes[0]);
  tcase_add_loop_test (tcase, the_first_interval_is_by_packets_of_now, 0,
      sizeof sizes / sizeof sizes[0]);
  tcase_add_test (tcase, no_rate_is_below_one_packet_in_eight_seconds);
  return run_check_suite (suite);
}
