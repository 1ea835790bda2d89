/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A sender whose receiver only reports arrivals, compared with one with a TFRC
 * receiver on the same link. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "tfrc-wire-packet-feedback.h"
#include "virtual-pair.h"

#define SEEDS 3

/* 2 Mbit/s, 100 ms of queue. */
static PairConfig
path_of (double loss, TfrcDuration rtt)
{
  PairConfig config = pair_config_default ();

  config.forward.rate = 2 * MBIT;
  config.forward.queue_limit = 100 * MS;
  config.forward.loss = loss;
  config.forward.delay = config.back.delay = rtt / 2;
  return config;
}

static TfrcRate
mean_rate (PairConfig config)
{
  TfrcRate sum = 0.0;

  for (config.seed = 1; config.seed <= SEEDS; config.seed++) {
    VirtualPair *pair = pair_new (&config);

    pair_run (pair, 20 * TFRC_SECOND);
    sum += pair_run_bins (pair, TFRC_SECOND, 100).mean;
    pair_free (pair);
  }
  return sum / SEEDS;
}

static const struct
{
  double loss;
  TfrcDuration rtt;
} paths[] = {
  { 0.0, 50 * MS },
  { 0.0, 200 * MS },
  { 0.01, 50 * MS },
  { 0.01, 200 * MS },
  { 0.03, 50 * MS },
  { 0.03, 200 * MS },
};
/* Through the bytes of a compound: all in one packet of RFC 8888, or one for each
 * SSRC. */
static size_t
read_compound (const TfrcPacketReport *report, TfrcReportedPacket *packets,
    size_t n, bool each)
{
  static uint8_t bytes[65536];
  static TfrcWireCcfbReader reader;
  TfrcPacketReport again;
  size_t size = 0, done = 0, n_read = 0;

  while (done < n) {
    size_t end = done, n_written, packet_size;

    while (end < n && (!each || packets[end].ssrc == packets[done].ssrc))
      end++;
    packet_size = tfrc_wire_write_ccfb (bytes + size, sizeof bytes - size,
        report, packets + done, end - done, &n_written);
    ck_assert_uint_eq (n_written, end - done);
    if (done == 0)
      ck_assert_int_eq (tfrc_wire_begin_ccfb (&reader, bytes, packet_size,
                            &again),
          TFRC_WIRE_FEEDBACK);
    else
      ck_assert (tfrc_wire_join_ccfb (&reader, bytes + size, packet_size,
          &again));
    size += packet_size;
    done = end;
  }
  while (n > 0 && tfrc_wire_next_ccfb (&reader, &packets[n_read]))
    n_read++;
  ck_assert_uint_eq (n_read, n);
  return n;
}

static size_t
read_one_packet (const TfrcPacketReport *report, TfrcReportedPacket *packets,
    size_t n)
{
  return read_compound (report, packets, n, false);
}

static size_t
read_packet_of_each (const TfrcPacketReport *report,
    TfrcReportedPacket *packets, size_t n)
{
  return read_compound (report, packets, n, true);
}

static const TfrcDuration intervals[] = { 50 * MS, 100 * MS, 250 * MS };

/* If the format has the time of the report, R is the same, and so is the rate,
 * within 3 %. Otherwise R includes the wait of the newest packet, half a packet
 * interval: 5 of 50 ms at 1 Mbit/s with 3 % loss. */
START_TEST (the_rate_is_that_with_a_receiver_of_tfrc)
{
  PairConfig config = path_of (paths[_i].loss, paths[_i].rtt);
  TfrcRate expected = mean_rate (config);

  for (unsigned i = 0; i < 3; i++) {
    config.report_interval = intervals[i];
    config.report_timed = true;
    ck_assert_double_ge (mean_rate (config), 0.97 * expected);
    ck_assert_double_le (mean_rate (config), 1.03 * expected);
    config.report_timed = false;
    ck_assert_double_ge (mean_rate (config), 0.89 * expected);
    ck_assert_double_le (mean_rate (config), 1.05 * expected);
  }
}

END_TEST
/* Every eighth packet has another SSRC, which reports list first: the rate is that
 * of one SSRC, within 5 %, since packets of both are processed in order of arrival.
 * Processed SSRC by SSRC, 20 Mbit/s at R = 20 ms become 3. */
static const struct
{
  TfrcRate rate;
  TfrcDuration rtt;
  double loss;
} two_streams[] = {
  { 20 * MBIT, 20 * MS, 0.0 },
  { 2 * MBIT, 50 * MS, 0.0 },
  { 2 * MBIT, 50 * MS, 0.01 },
};

START_TEST (two_streams_have_the_rate_of_one)
{
  PairConfig config = path_of (two_streams[_i / 2].loss,
      two_streams[_i / 2].rtt);
  TfrcRate one;

  config.forward.rate = two_streams[_i / 2].rate;
  config.report_interval = 100 * MS;
  config.report_timed = true;
  one = mean_rate (config);
  config.aside_every = 8;
  config.read_report = _i % 2 == 0 ? read_one_packet : read_packet_of_each;
  ck_assert_double_eq_tol (mean_rate (config), one, 0.05 * one);
}

END_TEST
/* A fifth of the reports is lost: their packets count neither as lost nor as
 * arrived.  Reports that overlap make up for it. */
START_TEST (lost_reports_hardly_matter)
{
  PairConfig config = path_of (0.01, 50 * MS);
  TfrcRate expected = mean_rate (config);

  config.report_interval = 100 * MS;
  config.report_timed = _i < 2;
  config.reports_overlap = _i == 1;
  config.back.loss = 0.2;
  ck_assert_double_ge (mean_rate (config), 0.88 * expected);
  ck_assert_double_le (mean_rate (config), 1.12 * expected);
}

END_TEST
/* 250 ms are more than four times R: RFC 5348's timer would halve the rate in
 * between (D56). */
START_TEST (rare_reports_let_no_timer_expire)
{
  PairConfig config = path_of (0.0, 20 * MS);
  VirtualPair *pair;

  config.report_interval = 250 * MS;
  config.report_timed = true;
  config.frame_interval = 33 * MS;
  config.encoder_max_rate = MBIT;
  pair = pair_new (&config);
  pair_run (pair, 60 * TFRC_SECOND);
  ck_assert_uint_eq ((pair_get_sender (pair))->counters.nofeedback_expiries, 0);
  pair_free (pair);
}

END_TEST
/* Each report covers many R, in most of which nothing arrives between two frames. */
START_TEST (short_paths_with_rare_reports_fill_the_link)
{
  static const TfrcDuration rtts[] = { 1 * MS, 5 * MS, 10 * MS, 15 * MS };
  PairConfig config = path_of (0.0, rtts[_i / 3]);

  config.forward.rate = 20 * MBIT;
  config.report_interval = intervals[_i % 3];
  config.report_timed = true;
  config.frame_interval = 33 * MS;
  config.encoder_max_rate = 20 * MBIT;
  ck_assert_double_ge (mean_rate (config), 0.9 * 20 * MBIT);
}

END_TEST
/* 100 Mbit/s, a report every 250 ms, each of up to 250 R: R must not follow the
 * queue of its last few ms. */
START_TEST (rare_reports_do_not_make_the_rate_swing)
{
  static const TfrcDuration rtts[] = { 2 * MS, 5 * MS, 10 * MS };
  PairConfig config = path_of (0.0, rtts[_i]);

  config.forward.rate = 100 * MBIT;
  config.report_interval = 250 * MS;
  config.report_timed = true;
  ck_assert_double_ge (mean_rate (config), 0.75 * 100 * MBIT);
}

END_TEST
/* The report about a large frame arrives when all of the frame has been delivered,
 * which is no silence of the path.  Otherwise packets would be sent one at a time,
 * and a second of frames be dropped. */
START_TEST (a_large_frame_is_not_missed_by_who_reports_frames)
{
  PairConfig config = path_of (0.0, 50 * MS);
  VirtualPair *pair;

  config.sender_checks.delay_target = 8 * MS;
  config.receiver_checks.report_delays = true;
  config.report_interval = 50 * MS;
  config.report_frames = true;
  config.frame_interval = 33 * MS;
  config.key_frame_every = _i == 0 ? 30 : 60;
  pair = pair_new (&config);
  pair_run (pair, 5 * TFRC_SECOND);
  ck_assert_double_ge (pair_run_bins (pair, TFRC_SECOND / 2, 50).lowest,
      0.4 * 2 * MBIT);
  ck_assert_uint_eq (pair_get_counters (pair).frames_dropped, 0);
  pair_free (pair);
}

END_TEST
/* The instants at which the rate was the limit are kept as long as reports are
 * late: otherwise 42, 26 and 5 % of the reports would count a greedy source as
 * data-limited. */
START_TEST (late_reports_of_a_greedy_source_are_not_data_limited)
{
  static const TfrcDuration rtts[] = { 1 * MS, 5 * MS, 10 * MS };
  PairConfig config = path_of (0.0, rtts[_i]);
  TfrcSenderCounters counters;
  VirtualPair *pair;

  config.forward.rate = 20 * MBIT;
  config.report_interval = 250 * MS;
  config.report_timed = true;
  pair = pair_new (&config);
  pair_run (pair, 60 * TFRC_SECOND);
  counters = (pair_get_sender (pair))->counters;
  ck_assert_uint_le (counters.feedback_data_limited, counters.feedback / 50);
  pair_free (pair);
}

END_TEST
/* The link is gone: after four intervals the timer expires, and each expiry halves
 * the rate, down to a packet in three seconds (D2). */
START_TEST (a_path_that_dies_stops_the_flow)
{
  PairConfig config = path_of (0.0, 50 * MS);
  LinkConfig dead = config.forward;
  VirtualPair *pair;
  PairRates rates;

  config.report_interval = 100 * MS;
  pair = pair_new (&config);
  pair_run (pair, 20 * TFRC_SECOND);
  dead.rate = 0.0;
  pair_set_forward (pair, &dead);
  pair_run (pair, 30 * TFRC_SECOND);
  rates = pair_run_bins (pair, 6 * TFRC_SECOND, 1);
  ck_assert_double_le (rates.mean, 3 * 1200 / 6.0);
  pair_set_forward (pair, &config.forward);
  ck_assert_uint_le (pair_run_until_above (pair, 1.5 * MBIT, TFRC_SECOND,
                         20 * TFRC_SECOND),
      10 * TFRC_SECOND);
  pair_free (pair);
}

END_TEST
/* 2 Mbit/s become 0.5, then 2 again. */
START_TEST (a_link_that_changes_is_followed)
{
  PairConfig config = path_of (0.0, 50 * MS);
  LinkConfig slow = config.forward;
  VirtualPair *pair;

  config.report_interval = intervals[_i];
  pair = pair_new (&config);
  pair_run (pair, 20 * TFRC_SECOND);
  slow.rate = 0.5 * MBIT;
  pair_set_forward (pair, &slow);
  ck_assert_uint_le (pair_run_until_below (pair, 0.55 * MBIT, TFRC_SECOND,
                         20 * TFRC_SECOND),
      5 * TFRC_SECOND);
  pair_run (pair, 45 * TFRC_SECOND);
  pair_set_forward (pair, &config.forward);
  ck_assert_uint_le (pair_run_until_above (pair, 1.8 * MBIT, TFRC_SECOND,
                         60 * TFRC_SECOND),
      25 * TFRC_SECOND);
  pair_free (pair);
}

END_TEST
/* Reordered packets, duplicates and jitter in both directions: reports arrive in
 * another order, too. */
START_TEST (a_path_that_jitters_is_used)
{
  PairConfig config = path_of (0.0, 50 * MS);

  config.report_interval = 50 * MS;
  config.report_timed = _i == 1;
  config.forward.reorder = config.back.reorder = 0.02;
  config.forward.reorder_packets = config.back.reorder_packets = 2;
  config.forward.duplicate = config.back.duplicate = 0.02;
  ck_assert_double_ge (mean_rate (config), 0.9 * 2 * MBIT);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("pair-sender-based");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, the_rate_is_that_with_a_receiver_of_tfrc, 0, 6);
  tcase_add_loop_test (tcase, two_streams_have_the_rate_of_one, 0, 6);
  tcase_add_loop_test (tcase, lost_reports_hardly_matter, 0, 3);
  tcase_add_test (tcase, rare_reports_let_no_timer_expire);
  tcase_add_loop_test (tcase, short_paths_with_rare_reports_fill_the_link, 0,
      12);
  tcase_add_loop_test (tcase, rare_reports_do_not_make_the_rate_swing, 0, 3);
  tcase_add_loop_test (tcase, a_large_frame_is_not_missed_by_who_reports_frames,
      0, 2);
  tcase_add_loop_test (tcase,
      late_reports_of_a_greedy_source_are_not_data_limited, 0, 3);
  tcase_add_test (tcase, a_path_that_dies_stops_the_flow);
  tcase_add_loop_test (tcase, a_link_that_changes_is_followed, 0, 3);
  tcase_add_loop_test (tcase, a_path_that_jitters_is_used, 0, 2);
  return run_check_suite (suite);
}
