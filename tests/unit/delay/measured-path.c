/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What reports show about a path of 50 ms: a report each 50 ms, of packets of 1000 bytes. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "delay/measured-path.h"
#include "units.h"

#define RTT (50 * MS)
#define PACKET 1000.0

typedef struct
{
  TfrcMeasuredPath path;
  TfrcPathUse use;
  TfrcTime now;
  double bytes; /* that arrived */
  bool has_delay;
  TfrcDuration more;  /* RTT sample beyond RTT and queue */
  TfrcDuration clock; /* of the receiver, ahead of the sender's */
} Reporter;

static Reporter
reporter_new (void)
{
  Reporter reporter = {
    .use = { .target = 10 * MS, .follows_queue = true },
    .now = TFRC_SECOND,
    .has_delay = true,
  };

  tfrc_measured_path_init (&reporter.path);
  return reporter;
}

/* The next report: of `packets`, of which the newest waited for `newest` and none for less
 * than `least`. */
static void
report (Reporter *self, double packets, TfrcDuration newest, TfrcDuration least)
{
  TfrcDuration sample = RTT + newest + self->more;
  TfrcPathReport report = {
    .rtt = sample,
    .rtt_sample = sample,
    .receive_rate = packets * PACKET / 0.05,
    .segment_size = PACKET,
    .bytes_before_echo = packets * PACKET,
    .flight_time = sample,
    .has_delay = self->has_delay,
  };

  self->now += RTT;
  self->bytes += packets * PACKET;
  report.bytes_in_flight = report.receive_rate
      * tfrc_duration_to_seconds (sample);
  report.bytes_sent = self->bytes + report.bytes_in_flight;
  report.delay = (TfrcDelayReport) {
    .least_delay_us = (uint32_t) ((self->clock + least) / TFRC_MICROSECOND),
    .newest_delay_us = (uint32_t) ((self->clock + newest) / TFRC_MICROSECOND),
    .arrival_us = (uint32_t) ((self->clock + self->now) / TFRC_MICROSECOND),
    .bytes = (uint32_t) self->bytes,
  };
  tfrc_measured_path_on_rtt (&self->path, sample, self->now);
  tfrc_measured_path_on_report (&self->path, &report, &self->use, self->now);
}

static Reporter
settled_reporter (void)
{
  Reporter reporter = reporter_new ();

  for (unsigned i = 0; i < 20; i++)
    report (&reporter, 10.0, 0, 0);
  return reporter;
}

/* 10 packets each 50 ms are 200 kB/s; six of them take 30 ms, less than the RTT. */
START_TEST (an_empty_path_has_no_queue)
{
  Reporter reporter = settled_reporter ();

  ck_assert_uint_eq (reporter.path.queue, 0);
  ck_assert_uint_eq (reporter.path.horizon, RTT);
  ck_assert_double_eq_tol (reporter.path.delivered, 200000.0, 1.0);
  ck_assert_double_eq_tol (reporter.path.least_rate, 20000.0, 1.0);
  ck_assert_double_eq_tol (tfrc_measured_path_get_noise (&reporter.path), 0.0,
      1e-9);
}

END_TEST
START_TEST (the_queue_is_what_the_delay_exceeds_the_least_by)
{
  Reporter reporter = settled_reporter ();

  report (&reporter, 10.0, 20 * MS, 12 * MS);
  ck_assert_uint_eq (reporter.path.queue, 20 * MS);
  ck_assert_uint_eq (reporter.path.least_queue, 12 * MS);
  ck_assert_uint_eq (tfrc_measured_path_get_empty_rtt (&reporter.path), RTT);
}

END_TEST
/* The RTT is 20 ms longer, and 5 ms are left to it being of one packet only. */
START_TEST (the_queue_is_no_longer_than_the_rtt_allows)
{
  Reporter reporter = settled_reporter ();

  report (&reporter, 10.0, 20 * MS, 20 * MS);
  ck_assert_uint_eq (reporter.path.impossible, 0);
  reporter.more = (TfrcDuration) 0 - 60 * MS;
  report (&reporter, 10.0, 80 * MS, 80 * MS);
  ck_assert_uint_eq (reporter.path.queue, 25 * MS);
  ck_assert_uint_eq (reporter.path.impossible, 1);
}

END_TEST
START_TEST (without_delays_the_rtt_shows_the_queue)
{
  Reporter reporter = reporter_new ();

  reporter.has_delay = false;
  report (&reporter, 10.0, 0, 0);
  report (&reporter, 5.0, 30 * MS, 0);
  ck_assert_uint_eq (reporter.path.queue, 30 * MS);
  ck_assert_uint_eq (reporter.path.least_queue, 30 * MS);
  ck_assert_double_eq (reporter.path.delivered, 100000.0);
}

END_TEST
/* A packet more in the newest of four reports moves the rate by a fortieth.  Half as many
 * packets move it to what that report shows, 100 kB/s, and a tenth. */
START_TEST (the_rate_follows_what_more_than_a_packet_changes)
{
  Reporter reporter = settled_reporter ();

  report (&reporter, 11.0, 0, 0);
  ck_assert_double_eq_tol (reporter.path.delivered, 205000.0, 1.0);
  reporter = settled_reporter ();
  report (&reporter, 5.0, 0, 0);
  ck_assert_double_eq_tol (reporter.path.delivered, 110000.0, 1.0);
}

END_TEST
/* The newest packets wait for 15 ms and others for none, of which 5 ms are a packet's
 * transmission: jitter, but no longer queue for a packet that is sent now. */
START_TEST (what_some_packets_wait_for_is_jitter)
{
  Reporter reporter = settled_reporter ();

  for (unsigned i = 0; i < 400; i++)
    report (&reporter, 10.0, 15 * MS, 0);
  ck_assert_double_eq_tol (reporter.path.jitter, 0.010, 0.0005);
  ck_assert_uint_eq (reporter.path.least_queue, 0);
}

END_TEST
/* The queue grows by 10 ms per report, each time more than expected: that deviates by 10 ms,
 * and only upwards.  20 ms up and down again deviate by 20 ms, half of it each way. */
START_TEST (what_only_grows_is_no_steady_noise)
{
  Reporter growing = settled_reporter (), swinging = settled_reporter ();

  growing.use.follows_queue = swinging.use.follows_queue = true;
  for (unsigned i = 0; i < 400; i++) {
    TfrcDuration queue = i * 10 * MS, swing = i % 2 * 20 * MS;

    report (&growing, 10.0, queue, queue);
    report (&swinging, 10.0, swing, swing);
  }
  ck_assert_double_gt (tfrc_measured_path_get_noise (&growing.path), 0.005);
  ck_assert_double_eq (tfrc_measured_path_get_steady_noise (&growing.path), 0);
  ck_assert_double_eq_tol (tfrc_measured_path_get_steady_noise (&swinging.path),
      0.020, 0.002);
}

END_TEST
START_TEST (a_base_that_is_restarted_is_the_present_delay)
{
  Reporter reporter = settled_reporter ();

  report (&reporter, 10.0, 20 * MS, 20 * MS);
  tfrc_measured_path_restart_base (&reporter.path, reporter.now);
  report (&reporter, 10.0, 20 * MS, 20 * MS);
  ck_assert_uint_eq (reporter.path.queue, 0);
}

END_TEST
/* Three drains left 10 ms each, and the queue deviates from what is expected by `deviation`
 * [s]. */
static Reporter
drained_reporter (double deviation)
{
  Reporter reporter = settled_reporter ();

  for (unsigned i = 0; i < TFRC_PATH_DRAINS; i++)
    tfrc_measured_path_on_drained (&reporter.path, 10 * MS);
  reporter.path.above = deviation;
  return reporter;
}

START_TEST (what_each_drain_leaves_is_no_queue)
{
  Reporter reporter = drained_reporter (0.004);

  report (&reporter, 10.0, 20 * MS, 12 * MS);
  ck_assert_uint_eq (reporter.path.queue, 10 * MS);
  ck_assert_uint_eq (reporter.path.least_queue, 2 * MS);
  tfrc_measured_path_on_drained (&reporter.path, 0);
  report (&reporter, 10.0, 20 * MS, 12 * MS);
  ck_assert_uint_eq (reporter.path.queue, 20 * MS);
}

END_TEST
/* Three times 2 ms: more would be others' queue, or a longer path. */
START_TEST (drains_leave_no_more_than_three_deviations_explain)
{
  Reporter reporter = drained_reporter (0.002);

  report (&reporter, 10.0, 20 * MS, 12 * MS);
  ck_assert_uint_eq (reporter.path.queue, 14 * MS);
  ck_assert_uint_eq (reporter.path.least_queue, 6 * MS);
}

END_TEST
/* By 100 s at once: the base delay is then that of this report. */
START_TEST (what_drains_left_ends_with_the_base)
{
  Reporter restarted = drained_reporter (0.004);
  Reporter stepped = drained_reporter (0.004);

  tfrc_measured_path_restart_base (&restarted.path, restarted.now);
  report (&restarted, 10.0, 0, 0);
  report (&restarted, 10.0, 20 * MS, 12 * MS);
  ck_assert_uint_eq (restarted.path.queue, 20 * MS);
  stepped.clock = 100 * TFRC_SECOND;
  report (&stepped, 10.0, 0, 0);
  ck_assert_uint_eq (stepped.path.clock_steps, 1);
  report (&stepped, 10.0, 20 * MS, 12 * MS);
  ck_assert_uint_eq (stepped.path.queue, 20 * MS);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("measured-path");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_test (tcase, an_empty_path_has_no_queue);
  tcase_add_test (tcase, the_queue_is_what_the_delay_exceeds_the_least_by);
  tcase_add_test (tcase, the_queue_is_no_longer_than_the_rtt_allows);
  tcase_add_test (tcase, without_delays_the_rtt_shows_the_queue);
  tcase_add_test (tcase, the_rate_follows_what_more_than_a_packet_changes);
  tcase_add_test (tcase, what_some_packets_wait_for_is_jitter);
  tcase_add_test (tcase, a_base_that_is_restarted_is_the_present_delay);
  tcase_add_test (tcase, what_each_drain_leaves_is_no_queue);
  tcase_add_test (tcase, drains_leave_no_more_than_three_deviations_explain);
  tcase_add_test (tcase, what_drains_left_ends_with_the_base);
  tcase_add_test (tcase, what_only_grows_is_no_steady_noise);
  return run_check_suite (suite);
}
