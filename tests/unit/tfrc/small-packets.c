/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TFRC-SP, RFC 4828: the rate of a sender of small packets, and how its receiver
 * counts losses. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "receiver-verbs.h"
#include "sender-flow.h"
#include "tfrc/equation.h"
#include "virtual-pair.h"

#define RTT (100 * MS)
#define PAYLOAD 120

static TfrcCheckedSender checked;

/* A sender that has sent 20 packets of PAYLOAD in a second, and knows R = 100 ms. */
static TfrcTime
start_sender (TfrcSenderConfig config)
{
  TfrcTime now = RTT;

  tfrc_checked_sender_init (&checked, &config, tfrc_sender_checks_default ());
  tfrc_checked_sender_on_sent (&checked, PAYLOAD, false, 0);
  sender_flow_report (&checked, 0, 0.0, 0.0, now);
  for (int i = 0; i < 20; i++, now += 50 * MS)
    tfrc_checked_sender_on_sent (&checked, PAYLOAD, true, now);
  return now - 50 * MS;
}

static TfrcSenderConfig
config_of_small_packets (void)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();

  config.small_packets = true;
  config.max_segment_size = 1460;
  return config;
}

START_TEST (the_rate_is_that_of_large_packets_less_headers)
{
  /* s = 1460, R = 0.1, p = 0.01: 164005.062 bytes/s, of which packets of 120 bytes
   * with 40 of headers may have 120/160 (RFC 4828 section 4.2). */
  TfrcTime now = start_sender (config_of_small_packets ());

  sender_flow_report (&checked, now, 2400.0, 0.01, now + RTT);
  ck_assert_double_eq_tol (checked.sender.equation_rate,
      164005.062 * 120.0 / 160.0, 0.01);
}

END_TEST
START_TEST (the_first_rate_leaves_room_for_headers)
{
  /* W_init = min (4 * 1460, max (2 * 1460, 4380)) = 4380 bytes. */
  start_sender (config_of_small_packets ());
  ck_assert_double_eq_tol (checked.sender.initial_rate, 43800.0 * 120.0 / 160.0,
      0.01);
}

END_TEST
START_TEST (a_smaller_path_has_a_smaller_segment)
{
  /* RFC 4828 section 4.1: 730 instead of 1460, half the rate. */
  TfrcSenderConfig config = config_of_small_packets ();
  TfrcTime now;

  config.max_segment_size = 730;
  now = start_sender (config);
  sender_flow_report (&checked, now, 2400.0, 0.01, now + RTT);
  ck_assert_double_eq_tol (checked.sender.equation_rate,
      164005.062 / 2.0 * 120.0 / 160.0, 0.01);
}

END_TEST
START_TEST (without_it_s_is_the_mean_size)
{
  TfrcSenderConfig config = config_of_small_packets ();
  TfrcTime now;

  config.small_packets = false;
  now = start_sender (config);
  sender_flow_report (&checked, now, 2400.0, 0.01, now + RTT);
  ck_assert_double_eq_tol (checked.sender.equation_rate,
      164005.062 * 120.0 / 1460.0, 0.01);
}

END_TEST
START_TEST (packets_are_ten_milliseconds_apart)
{
  /* RFC 4828 section 4.3, however high X is, and after a pause, too. */
  TfrcTime now = start_sender (config_of_small_packets ()) + 500 * MS;

  ck_assert_double_gt (checked.sender.rate, 12000.0);
  for (int i = 0; i < 10; i++) {
    ck_assert_uint_le (tfrc_sender_next_send_at (&checked.sender), now);
    tfrc_checked_sender_on_sent (&checked, PAYLOAD, true, now);
    ck_assert_uint_eq (tfrc_sender_next_send_at (&checked.sender),
        now + 10 * MS);
    now += 10 * MS;
  }
}

END_TEST
static TfrcLossHistory history;

static void
lose (TfrcSeq first, uint32_t count, TfrcTime at)
{
  TfrcLossRun run = {
    .first = first, .count = count, .first_at = at, .spacing = 10 * MS
  };

  tfrc_loss_history_on_loss (&history, &run, RTT);
}

static void
start_history (bool small_packets)
{
  tfrc_loss_history_init (&history, 8, 1.0);
  history.small_packets = small_packets;
  tfrc_loss_history_set_first_interval (&history, 100.0);
}

START_TEST (a_short_interval_counts_by_its_losses)
{
  start_history (true);
  lose (100, 2, 1000 * MS);
  lose (104, 2, 1040 * MS);
  /* 20 packets and 4 losses in exactly two RTTs: 5 (RFC 4828 section 4.4). */
  lose (120, 1, 1200 * MS);
  ck_assert_double_eq (history.now.intervals.sizes[0], 5.0);
  ck_assert_double_eq (history.now.intervals.sizes[1], 100.0);
  /* With one loss its size stays. */
  lose (135, 1, 1350 * MS);
  ck_assert_double_eq (history.now.intervals.sizes[0], 15.0);
}

END_TEST
START_TEST (a_longer_interval_counts_whole)
{
  start_history (true);
  lose (100, 4, 1000 * MS);
  lose (121, 1, 1210 * MS);
  ck_assert_double_eq (history.now.intervals.sizes[0], 21.0);
}

END_TEST
START_TEST (without_it_every_interval_counts_whole)
{
  start_history (false);
  lose (100, 2, 1000 * MS);
  lose (104, 2, 1040 * MS);
  lose (120, 1, 1200 * MS);
  ck_assert_double_eq (history.now.intervals.sizes[0], 20.0);
}

END_TEST
START_TEST (an_outage_counts_packet_by_packet)
{
  /* Events of 11 packets, 10 ms each, all lost: each interval has the size 11 / 11. */
  start_history (true);
  lose (100, 400, 1000 * MS);
  ck_assert_uint_eq (history.now.intervals.events, 37);
  for (int i = 0; i < 8; i++)
    ck_assert_double_eq (history.now.intervals.sizes[i], 1.0);
}

END_TEST
START_TEST (a_repair_takes_its_loss_out_of_the_count)
{
  start_history (true);
  lose (100, 2, 1000 * MS);
  lose (104, 2, 1040 * MS);
  lose (120, 1, 1200 * MS);
  ck_assert (tfrc_loss_history_on_repair (&history, 105));
  ck_assert_double_eq_tol (history.now.intervals.sizes[0], 20.0 / 3.0, 1e-12);
}

END_TEST
START_TEST (what_is_forgotten_keeps_its_count)
{
  /* Of each pair of events 200 ms apart the first has two losses: 20 / 2. */
  start_history (true);
  for (uint32_t i = 0; i < 3 * TFRC_MAX_LOSS_RUNS; i++) {
    lose (100 + 20 * i, 1, (1000 + 200 * i) * MS);
    lose (102 + 20 * i, 1, (1020 + 200 * i) * MS);
  }
  for (int i = 0; i < 7; i++)
    ck_assert_double_eq (history.now.intervals.sizes[i], 10.0);
}

END_TEST
/* From `seq` at `from` on a packet of PAYLOAD every 20 ms; those in `lost` do not
 * arrive. */
static uint16_t
talk (uint16_t seq, uint16_t until, TfrcTime *now, uint16_t first_lost,
    uint16_t n_lost)
{
  for (; seq < until; seq++, *now += 20 * MS) {
    TfrcDataPacket packet = packet_of (seq, RTT, *now);

    packet.size = PAYLOAD;
    if (seq >= first_lost && seq < first_lost + n_lost)
      continue;
    while (tfrc_receiver_next_deadline (&receiver) < *now) {
      TfrcTime deadline = tfrc_receiver_next_deadline (&receiver);

      tfrc_receiver_on_deadline (&receiver, deadline);
      tfrc_receiver_poll_feedback (&receiver, &feedback, deadline);
    }
    tfrc_receiver_on_packet (&receiver, &packet, *now);
    tfrc_receiver_poll_feedback (&receiver, &feedback, *now);
  }
  return seq;
}

START_TEST (the_first_loss_leaves_the_rate_at_what_arrived)
{
  /* X_recv = 6000; with the p that is reported a sender with s = 1460 gets that
   * rate, times 160/120 for the headers. */
  TfrcPath path = tfrc_path_rfc5348 (1460.0, RTT);
  TfrcTime now = 1000 * MS;

  setup ();
  tfrc_receiver_set_small_packets (&receiver);
  talk (0, 60, &now, 50, 1);
  ck_assert_double_gt (feedback.loss_event_rate, 0.0);
  ck_assert_double_eq_tol (tfrc_equation_rate (&path, feedback.loss_event_rate),
      6000.0 * 160.0 / 120.0, 0.06 * 8000.0);
}

END_TEST
START_TEST (an_open_interval_counts_after_two_rtts)
{
  double first;
  TfrcTime now = 1000 * MS;
  uint16_t seq;

  setup ();
  tfrc_receiver_set_small_packets (&receiver);
  seq = talk (0, 53 + 1, &now, 50, 1);
  first = feedback.loss_event_rate;
  /* The first interval is less than 10 packets, and an RTT has five: 200 ms after
   * the loss the open interval has 10 and still does not count. */
  ck_assert_double_gt (first, 0.1);
  seq = talk (seq, 61, &now, 0, 0);
  ck_assert_double_eq (feedback.loss_event_rate, first);
  talk (seq, 80, &now, 0, 0);
  ck_assert_double_lt (feedback.loss_event_rate, first);
}

END_TEST
/* Voice of 32 kbit/s: 120 bytes every 20 ms, 6000 bytes/s. */
static const struct
{
  double loss;
  TfrcDuration one_way;
} paths[] = {
  { 0.03, 100 * MS },
  { 0.05, 100 * MS },
};

static double
get_part_that_leaves (double loss, TfrcDuration one_way, bool small_packets)
{
  PairConfig config = pair_config_default ();
  VirtualPair *pair;
  PairCounters counters;
  double part;

  config.sender.small_packets = small_packets;
  config.receiver.small_packets = small_packets;
  config.packet_size = PAYLOAD;
  config.frame_interval = 20 * MS;
  config.encoder_max_rate = 6000.0;
  config.max_queue_time = 200 * MS;
  config.forward.loss = loss;
  config.forward.delay = config.back.delay = one_way;
  pair = pair_new (&config);
  pair_run (pair, 300 * TFRC_SECOND);
  counters = pair_get_counters (pair);
  part = (double) counters.bytes / (6000.0 * 300.0);
  pair_free (pair);
  return part;
}

START_TEST (a_voice_has_the_rate_that_it_needs)
{
  double with = get_part_that_leaves (paths[_i].loss, paths[_i].one_way, true);
  double without = get_part_that_leaves (paths[_i].loss, paths[_i].one_way,
      false);

  ck_assert_double_gt (with, 0.95);
  ck_assert_double_lt (without, 0.8);
}

END_TEST
int
main (void)
{
  Suite *suite = suite_create ("tfrc-small-packets");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, the_rate_is_that_of_large_packets_less_headers);
  tcase_add_test (tcase, the_first_rate_leaves_room_for_headers);
  tcase_add_test (tcase, a_smaller_path_has_a_smaller_segment);
  tcase_add_test (tcase, without_it_s_is_the_mean_size);
  tcase_add_test (tcase, packets_are_ten_milliseconds_apart);
  tcase_add_test (tcase, a_short_interval_counts_by_its_losses);
  tcase_add_test (tcase, a_longer_interval_counts_whole);
  tcase_add_test (tcase, without_it_every_interval_counts_whole);
  tcase_add_test (tcase, an_outage_counts_packet_by_packet);
  tcase_add_test (tcase, a_repair_takes_its_loss_out_of_the_count);
  tcase_add_test (tcase, what_is_forgotten_keeps_its_count);
  tcase_add_test (tcase, the_first_loss_leaves_the_rate_at_what_arrived);
  tcase_add_test (tcase, an_open_interval_counts_after_two_rtts);
  tcase_add_loop_test (tcase, a_voice_has_the_rate_that_it_needs, 0,
      (int) (sizeof paths / sizeof paths[0]));
  return run_check_suite (suite);
}
