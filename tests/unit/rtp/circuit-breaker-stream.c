/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formulas of RFC 8083, and which packets and report blocks of a stream go into
 * them. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "rtp/circuit-breaker.h"

#define RTT (100 * MS)
#define SIZE 1200

/* Section 4.3, by hand for the first: 10 Tr = 1 s, 3 Tdr = 15 s, and no more
 * than max (15 s, 3 Td) = 15 s: 15 s of 5 s each. */
START_TEST (cb_interval_is_that_of_the_rfc)
{
  static const struct
  {
    TfrcDuration decision, rtt, report, own;
    unsigned expected;
  } rows[] = {
    { 33333333, 100 * MS, 5 * S, 5 * S, 3 },
    { 20 * MS, 100 * MS, 500 * MS, 5 * S, 3 },
    { 33333333, 100 * MS, 100 * MS, 5 * S, 10 },
    { S, 200 * MS, S, 5 * S, 10 }, /* 30 frames of 1/30 s */
    { 33333333, 300 * MS, 360 * MS, 5 * S, 9 },
  };

  ck_assert_uint_eq (rtp_circuit_breaker_get_interval (rows[_i].decision,
                         rows[_i].rtt, rows[_i].report, rows[_i].own),
      rows[_i].expected);
}

END_TEST
/* Section 4.2, k = 5. */
START_TEST (media_timeout_is_that_of_the_rfc)
{
  static const struct
  {
    TfrcDuration frame, rtt, report;
    unsigned expected;
  } rows[] = {
    { 33333333, 100 * MS, 5 * S, 5 },
    { S, 100 * MS, 500 * MS, 10 },
    { 33333333, 300 * MS, 100 * MS, 15 },
  };

  ck_assert_uint_eq (rtp_circuit_breaker_get_media_timeout (rows[_i].frame,
                         rows[_i].rtt, rows[_i].report),
      rows[_i].expected);
}

END_TEST
/* 1200 / (0.1 sqrt (2/3 0.06)) = 1200 / (0.1 * 0.2) */
START_TEST (rate_is_that_of_the_simple_equation)
{
  ck_assert_double_eq_tol (rtp_circuit_breaker_get_rate (SIZE, RTT, 0.06),
      60000.0, 1e-6);
  ck_assert (isinf (rtp_circuit_breaker_get_rate (SIZE, RTT, 0.0)));
  ck_assert (isinf (rtp_circuit_breaker_get_rate (SIZE, 0, 0.06)));
}

END_TEST
/* From `start` to `end`, one packet per frame; the RTP timestamp continues. */
static void
send_frames (RtpCircuitBreakerStream *stream, TfrcTime start, TfrcTime end,
    TfrcDuration interval, uint32_t *timestamp)
{
  for (TfrcTime now = start; now < end; now += interval)
    rtp_circuit_breaker_stream_on_sent (stream, *timestamp += 3000, SIZE, now);
}

static void
report (RtpCircuitBreakerStream *stream, uint32_t highest_seq, TfrcTime now)
{
  const RtpReportBlock block = { .highest_seq = highest_seq };

  if (!rtp_circuit_breaker_stream_is_known (stream, &block, now))
    return;
  stream->progressed |= rtp_circuit_breaker_stream_on_block (stream, &block,
      now);
  ck_assert (rtp_circuit_breaker_stream_end_interval (stream, RTT, now));
}

/* Tf is the largest inter-frame interval of 10 s, and a longer pause does not
 * count.  Reports come every second, so MEDIA_TIMEOUT is ceil (5 max (Tf, 1 s) / 1
 * s): 5, but 10 for frames 2 s apart, as long as the second of these frames is
 * among the last ten. */
START_TEST (the_frame_interval_is_the_largest_of_ten_seconds)
{
  static const struct
  {
    TfrcDuration gap;
    unsigned seconds; /* after that second */
    unsigned expected;
  } rows[] = {
    { 20 * MS, 1, 5 },
    { 2 * S, 1, 10 },
    { 2 * S, 9, 10 },
    { 2 * S, 11, 5 },
    { 10 * S, 1, 50 },
    { 10 * S + 1, 1, 5 },
    { 3600 * S, 1, 5 },
  };
  RtpCircuitBreakerStream stream;
  TfrcTime end = 1003 * S + rows[_i].gap;
  uint32_t timestamp = 0;

  stream = (RtpCircuitBreakerStream) { .ssrc = 7 };
  send_frames (&stream, 1000 * S, 1003 * S + 1, 20 * MS, &timestamp);
  for (unsigned n = 0; n < rows[_i].seconds; n++, end += S) {
    send_frames (&stream, end, end + S, 20 * MS, &timestamp);
    report (&stream, 1, end);
  }
  stream.progressed = true;
  stream.report_interval = S;
  stream.interval_at = end - S;
  report (&stream, 2, end);
  ck_assert_uint_eq (stream.media_timeout, rows[_i].expected);
}

END_TEST
/* A larger MEDIA_TIMEOUT applies at once, a smaller one only after progress.
 * Reports come every second: 5; with a frame after 2 s: 10, also once that frame is
 * older than ten seconds. */
START_TEST (only_a_larger_media_timeout_replaces_one_that_runs)
{
  RtpCircuitBreakerStream stream;
  uint32_t timestamp = 0;
  TfrcTime now = 1000 * S;

  stream = (RtpCircuitBreakerStream) { .ssrc = 7 };
  for (unsigned n = 0; n < 16; n++) {
    TfrcTime from = n == 2 ? now + 2 * S - 20 * MS : now;

    send_frames (&stream, from, from + S, 20 * MS, &timestamp);
    /* As if the report after the gap came a second after the last one. */
    now = from + S;
    if (n == 2)
      stream.interval_at = stream.block_at = now - S;
    report (&stream, 1, now);
    ck_assert_uint_eq (stream.media_timeout, n == 0 ? 0 : n == 1 ? 5 : 10);
  }
  send_frames (&stream, now, now + 12 * S, 20 * MS, &timestamp);
  stream.interval_at = stream.block_at = now + 11 * S;
  report (&stream, 2, now + 12 * S);
  ck_assert_uint_eq (stream.media_timeout, 5);
}

END_TEST
/* The interval of 2 s expires as well if no other frame follows. */
START_TEST (a_frame_interval_is_forgotten_after_ten_seconds)
{
  RtpCircuitBreakerStream stream;
  uint32_t timestamp = 0;
  TfrcTime end = _i == 0 ? 1011 * S : 1012 * S;

  stream = (RtpCircuitBreakerStream) { .ssrc = 7 };
  send_frames (&stream, 1000 * S, 1002 * S + 1, 2 * S, &timestamp);
  report (&stream, 1, end - S);
  report (&stream, 2, end);
  ck_assert_uint_eq (stream.media_timeout, _i == 0 ? 10 : 5);
}

END_TEST
/* 128/256 of the second since then only, not of the five seconds before it. */
START_TEST (loss_before_it_forgot_does_not_count)
{
  RtpCircuitBreakerStream stream;
  RtpReportBlock block = { 0 };
  TfrcTime now = 1000 * S;

  stream = (RtpCircuitBreakerStream) { .ssrc = 7 };
  ck_assert (!rtp_circuit_breaker_stream_is_known (&stream, &block, now));
  rtp_circuit_breaker_stream_forget (&stream, now + 5 * S);
  block.fraction_lost = 128;
  rtp_circuit_breaker_stream_on_block (&stream, &block, now + 6 * S);
  ck_assert_uint_eq (stream.open.lost_time, 500 * MS);
}

END_TEST
/* A report after 100 ms is not judged, but its loss counts: 0.1 s of 128/256, then
 * 0.9 s of 64/256, are 0.05 s and 0.225 s. */
START_TEST (reports_that_come_fast_count_as_one)
{
  RtpCircuitBreakerStream stream;
  RtpReportBlock block = { 0 };
  TfrcTime now = 1000 * S;

  stream = (RtpCircuitBreakerStream) { .ssrc = 7 };
  ck_assert (!rtp_circuit_breaker_stream_is_known (&stream, &block, now));
  block.fraction_lost = 128;
  now += 100 * MS;
  ck_assert (rtp_circuit_breaker_stream_is_known (&stream, &block, now));
  ck_assert (!rtp_circuit_breaker_stream_on_block (&stream, &block, now));
  ck_assert (!rtp_circuit_breaker_stream_end_interval (&stream, RTT, now));
  block.fraction_lost = 64;
  now += 900 * MS;
  ck_assert (!rtp_circuit_breaker_stream_on_block (&stream, &block, now));
  ck_assert (rtp_circuit_breaker_stream_end_interval (&stream, RTT, now));
  ck_assert_uint_eq (stream.intervals[0].duration, S);
  ck_assert_uint_eq (stream.intervals[0].lost_time, 275 * MS);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("rtp-circuit-breaker-stream");
  TCase *tcase = tcase_create ("general");

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, cb_interval_is_that_of_the_rfc, 0, 5);
  tcase_add_loop_test (tcase, media_timeout_is_that_of_the_rfc, 0, 3);
  tcase_add_test (tcase, rate_is_that_of_the_simple_equation);
  tcase_add_loop_test (tcase, the_frame_interval_is_the_largest_of_ten_seconds,
      0, 7);
  tcase_add_test (tcase, only_a_larger_media_timeout_replaces_one_that_runs);
  tcase_add_loop_test (tcase, a_frame_interval_is_forgotten_after_ten_seconds,
      0, 2);
  tcase_add_test (tcase, loss_before_it_forgot_does_not_count);
  tcase_add_test (tcase, reports_that_come_fast_count_as_one);
  return run_check_suite (suite);
}
