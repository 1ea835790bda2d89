/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The circuit breakers of RFC 8083: each trip, each way back, and streams that
 * must not trip. */
#include <check.h>
#include <stdlib.h>

#include "rtp-circuit-breaker.h"

#define MS TFRC_MILLISECOND
#define S TFRC_SECOND
#define SSRC 7
#define REPORTER 9
#define RTT (100 * MS)
#define SIZE 1200

/* A sender of one packet per frame. */
typedef struct
{
  RtpCircuitBreaker breaker;
  TfrcTime now;
  uint32_t sent;                /* packets */
} Session;

static void
session_init (Session *self)
{
  rtp_circuit_breaker_init (&self->breaker, false);
  self->now = 1000 * S;
  self->sent = 0;
}

/* For `duration`, a packet every `interval`, the first at once. */
static void
session_send (Session *self, TfrcDuration duration, TfrcDuration interval)
{
  TfrcTime end = self->now + duration;

  while (self->now < end) {
    rtp_circuit_breaker_on_deadline (&self->breaker, self->now);
    self->sent++;
    rtp_circuit_breaker_on_sent (&self->breaker, SSRC, 3000 * self->sent, SIZE,
        self->now);
    self->now += interval;
  }
  self->now = end;
  rtp_circuit_breaker_on_deadline (&self->breaker, self->now);
}

static void
session_report (Session *self, uint32_t highest_seq, uint8_t fraction_lost)
{
  const RtpReportBlock block = { REPORTER, SSRC, fraction_lost, highest_seq };

  rtp_circuit_breaker_on_report (&self->breaker, &block, RTT, self->now);
}

static void
assert_state (const Session *self, RtpCircuitBreakerState state)
{
  ck_assert_str_eq (rtp_circuit_breaker_state_get_name (self->breaker.state),
      rtp_circuit_breaker_state_get_name (state));
}

/* Not a nanosecond before 15 s from the first packet, or from the newest
 * report. */
START_TEST (silence_trips_after_15_seconds)
{
  Session session;
  TfrcTime start;

  session_init (&session);
  start = session.now;
  session_send (&session, 10 * S, 20 * MS);
  if (_i == 1) {
    session_report (&session, 1, 0);
    start = session.now;
  } else if (_i == 2) {
    rtp_circuit_breaker_on_feedback (&session.breaker, session.now);
    start = session.now;
  }
  session_send (&session, start + 15 * S - session.now - 1, 20 * MS);
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
  ck_assert_uint_eq (rtp_circuit_breaker_next_deadline (&session.breaker),
      start + 15 * S);
  session_send (&session, 1, 1);
  assert_state (&session, RTP_CIRCUIT_BREAKER_RTCP_TIMEOUT);
  ck_assert_uint_eq (session.breaker.trips, 1);
  ck_assert_uint_eq (rtp_circuit_breaker_next_deadline (&session.breaker),
      TFRC_TIME_NONE);
  /* The newest packet left at start + 15 s - 1 ns. */
  ck_assert_uint_eq (rtp_circuit_breaker_next_send_at (&session.breaker),
      start + 18 * S - 1);
}

END_TEST
/* Who does not send owes no report: an hour of nothing, and a packet each 6 s,
 * which is less than a probe. */
START_TEST (a_pause_is_no_silence)
{
  Session session;

  session_init (&session);
  session_send (&session, 2 * S, 20 * MS);
  session_send (&session, 3600 * S, 3600 * S);
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
  session_send (&session, 600 * S, 6 * S);
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
  /* After it the whole 15 s run. */
  session.now += 10 * S;
  session_send (&session, 15 * S - 1, 20 * MS);
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
}

END_TEST
/* What needs a packet to have arrived brings the stream back at once. */
START_TEST (evidence_closes_the_breaker)
{
  Session session;

  session_init (&session);
  session_send (&session, S, 20 * MS);
  session_report (&session, 40, 0);
  session_send (&session, 15 * S, 20 * MS);
  assert_state (&session, RTP_CIRCUIT_BREAKER_RTCP_TIMEOUT);
  /* Heard, but of nothing new. */
  session_report (&session, 40, 0);
  assert_state (&session, RTP_CIRCUIT_BREAKER_RTCP_TIMEOUT);
  if (_i == 0)
    session_report (&session, 41, 0);
  else
    rtp_circuit_breaker_on_feedback (&session.breaker, session.now);
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
  ck_assert_uint_eq (rtp_circuit_breaker_next_send_at (&session.breaker), 0);
  /* And the silence begins anew. */
  ck_assert_uint_eq (rtp_circuit_breaker_next_deadline (&session.breaker),
      session.now + 15 * S);
}

END_TEST
/* Reports each 5 s: the sixth block is the fifth without progress. */
START_TEST (reports_without_progress_trip)
{
  Session session;

  session_init (&session);
  for (unsigned n = 0; n < 6; n++) {
    assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
    session_send (&session, 5 * S, 20 * MS);
    session_report (&session, 40, 0);
  }
  assert_state (&session, RTP_CIRCUIT_BREAKER_MEDIA_TIMEOUT);
  ck_assert_uint_eq (session.breaker.tripped_ssrc, SSRC);
}

END_TEST
/* Four and one that progresses, over and over, across a wrap of 32 bits. */
START_TEST (any_progress_cancels_the_media_timeout)
{
  Session session;
  uint32_t highest = UINT32_MAX - 2;

  session_init (&session);
  for (unsigned n = 0; n < 50; n++) {
    session_send (&session, 5 * S, 20 * MS);
    session_report (&session, highest += n % 5 == 0, 0);
  }
  ck_assert_uint_eq (highest, 7);
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
}

END_TEST
/* Nothing was sent that could have arrived. */
START_TEST (a_paused_stream_is_no_media_timeout)
{
  Session session;

  session_init (&session);
  session_send (&session, 5 * S, 20 * MS);
  for (unsigned n = 0; n < 50; n++) {
    session.now += 5 * S;
    session_report (&session, 250, 0);
  }
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
}

END_TEST
/* A thousand reports in 2.4 s are four intervals of 0.5 s, and a part. */
START_TEST (a_flood_of_reports_does_not_trip)
{
  Session session;

  session_init (&session);
  session_send (&session, S, 20 * MS);
  for (unsigned n = 0; n < 1000; n++) {
    session_send (&session, 2400 * TFRC_MICROSECOND, 1200 * TFRC_MICROSECOND);
    session_report (&session, 40, 0);
  }
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
}

END_TEST
/* 1200 bytes, R = 0.1 s, and p = 64/256: X = 1200 / (0.1 sqrt (1/6)) = 29394,
 * ten times that is 293939 bytes/s, a packet each 4.0825 ms.  CB_INTERVAL is 3,
 * so the fourth block trips. */
START_TEST (ten_times_the_rate_of_tcp_trips)
{
  Session session;
  TfrcDuration interval = _i == 0 ? 4050 * TFRC_MICROSECOND
      : 4120 * TFRC_MICROSECOND;

  session_init (&session);
  for (unsigned n = 0; n < 4; n++) {
    assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
    session_send (&session, 5 * S, interval);
    session_report (&session, 3 * session.sent / 4, 64);
  }
  assert_state (&session, _i == 0 ? RTP_CIRCUIT_BREAKER_CONGESTION
      : RTP_CIRCUIT_BREAKER_CLOSED);
}

END_TEST static void
trip_by_congestion (Session *session)
{
  for (unsigned n = 0; n < 4
      && session->breaker.state == RTP_CIRCUIT_BREAKER_CLOSED; n++) {
    session_send (session, 5 * S, 2 * MS);
    session_report (session, session->sent, 64);
  }
  assert_state (session, RTP_CIRCUIT_BREAKER_CONGESTION);
}

/* The report that ends with the trip, feedback, and packets that arrive for less
 * than 15 s prove nothing; nor does what comes within 15 s of another loss.
 * Tripped again within a minute it takes 30 s. */
START_TEST (after_congestion_only_clean_reports_help)
{
  static const struct
  {
    TfrcDuration at;            /* since the trip */
    uint8_t fraction_lost;
    RtpCircuitBreakerState state;
  } reports[2][5] = {
    {
          {5 * S, 0, RTP_CIRCUIT_BREAKER_CONGESTION},
          {16 * S, 1, RTP_CIRCUIT_BREAKER_CONGESTION},
          {21 * S, 0, RTP_CIRCUIT_BREAKER_CONGESTION},
          {31 * S - 1, 0, RTP_CIRCUIT_BREAKER_CONGESTION},
          {31 * S, 0, RTP_CIRCUIT_BREAKER_CLOSED},
        },
    {
          {10 * S, 0, RTP_CIRCUIT_BREAKER_CONGESTION},
          {14 * S, 255, RTP_CIRCUIT_BREAKER_CONGESTION},
          {20 * S, 0, RTP_CIRCUIT_BREAKER_CONGESTION},
          {30 * S - 1, 0, RTP_CIRCUIT_BREAKER_CONGESTION},
          {30 * S, 0, RTP_CIRCUIT_BREAKER_CLOSED},
        },
  };
  Session session;

  session_init (&session);
  for (unsigned trip = 0; trip < 2; trip++) {
    TfrcTime tripped_at;

    trip_by_congestion (&session);
    ck_assert_uint_eq (session.breaker.trips, trip + 1);
    tripped_at = session.now;
    for (unsigned i = 0; i < 5; i++) {
      session_send (&session, tripped_at + reports[trip][i].at - session.now,
          3 * S);
      rtp_circuit_breaker_on_feedback (&session.breaker, session.now);
      session_report (&session, session.sent, reports[trip][i].fraction_lost);
      assert_state (&session, reports[trip][i].state);
    }
  }
}

END_TEST
/* At 1200 bytes/ms and R = 0.1 s, of three reports one that lost a half makes
 * p = 1/6, X = 1200 / (0.1 sqrt (1/9)) = 36000 bytes/s, and 1.2 Mbyte/s are 33
 * times that.  But one burst, in one report or in two of them, is none of the
 * congestion that lasts: 43/256 in each is about the same p.  So it is with
 * 25/256, 15 times TCP's rate, and 9/256 in each. */
START_TEST (a_burst_of_loss_does_not_trip)
{
  static const struct
  {
    uint8_t fraction_lost[3];
    RtpCircuitBreakerState state;
  } rows[] = {
    {{128, 0, 0}, RTP_CIRCUIT_BREAKER_CLOSED},
    {{0, 128, 0}, RTP_CIRCUIT_BREAKER_CLOSED},
    {{0, 128, 128}, RTP_CIRCUIT_BREAKER_CLOSED},
    {{43, 43, 43}, RTP_CIRCUIT_BREAKER_CONGESTION},
    {{0, 0, 25}, RTP_CIRCUIT_BREAKER_CLOSED},
    {{9, 9, 9}, RTP_CIRCUIT_BREAKER_CONGESTION},
  };
  Session session;

  session_init (&session);
  session_send (&session, 5 * S, MS);
  session_report (&session, session.sent, 0);
  for (unsigned n = 0; n < 3; n++) {
    assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
    session_send (&session, 5 * S, MS);
    session_report (&session, session.sent, rows[_i].fraction_lost[n]);
  }
  assert_state (&session, rows[_i].state);
}

END_TEST
/* RTCP that need not have been caused by a packet keeps the time, and restarts
 * nothing. */
START_TEST (rtcp_of_any_kind_is_no_silence)
{
  Session session;

  session_init (&session);
  for (unsigned n = 0; n < 10; n++) {
    session_send (&session, 14 * S, 20 * MS);
    rtp_circuit_breaker_on_rtcp (&session.breaker, session.now);
  }
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
  session_send (&session, 15 * S, 20 * MS);
  rtp_circuit_breaker_on_rtcp (&session.breaker, session.now);
  assert_state (&session, RTP_CIRCUIT_BREAKER_RTCP_TIMEOUT);
}

END_TEST
/* Another reporter starts with numbers of its own. */
START_TEST (a_restarted_receiver_does_not_trip)
{
  Session session;
  RtpReportBlock block = { REPORTER, SSRC, 0, 0 };

  session_init (&session);
  for (unsigned n = 0; n < 50; n++) {
    session_send (&session, 5 * S, 20 * MS);
    block.reporter_ssrc += n % 4 == 0;
    block.highest_seq = 1000000 - 10000 * n;
    rtp_circuit_breaker_on_report (&session.breaker, &block, RTT, session.now);
  }
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
}

END_TEST
/* Nine streams, of which eight are looked after.  Where one of them gets
 * through, the path is not to blame that another does not. */
START_TEST (one_stream_that_progresses_speaks_for_all)
{
  RtpCircuitBreaker breaker;
  TfrcTime now = S;

  rtp_circuit_breaker_init (&breaker, false);
  for (unsigned n = 0; n < 6; n++, now += 5 * S) {
    ck_assert_int_eq (breaker.state, RTP_CIRCUIT_BREAKER_CLOSED);
    for (uint32_t ssrc = 0; ssrc <= RTP_CIRCUIT_BREAKER_MAX_STREAMS; ssrc++) {
      const RtpReportBlock block = { REPORTER, ssrc, 0,
        ssrc == 3 && _i == 1 ? n : 5
      };

      if (ssrc > 0 || n == 0)
        rtp_circuit_breaker_on_sent (&breaker, ssrc, n, SIZE, now + ssrc);
      rtp_circuit_breaker_on_report (&breaker, &block, RTT, now + ssrc);
    }
  }
  ck_assert_int_eq (breaker.state, _i == 1 ? RTP_CIRCUIT_BREAKER_CLOSED
      : RTP_CIRCUIT_BREAKER_MEDIA_TIMEOUT);
}

END_TEST
/* Of a group only the silence of all counts, and its pace is not held. */
START_TEST (a_group_trips_by_silence_alone)
{
  Session session;

  session_init (&session);
  rtp_circuit_breaker_init (&session.breaker, true);
  for (unsigned n = 0; n < 10; n++) {
    session_send (&session, 5 * S, 2 * MS);
    session_report (&session, 40, 64);
  }
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
  session_send (&session, 15 * S, 2 * MS);
  assert_state (&session, RTP_CIRCUIT_BREAKER_RTCP_TIMEOUT);
  ck_assert_uint_eq (rtp_circuit_breaker_next_send_at (&session.breaker), 0);
  rtp_circuit_breaker_on_feedback (&session.breaker, session.now);
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
}

END_TEST int
main (void)
{
  Suite *suite = suite_create ("rtp-circuit-breaker");
  TCase *tcase = tcase_create ("general");
  SRunner *runner = srunner_create (suite);
  int failed;

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, silence_trips_after_15_seconds, 0, 3);
  tcase_add_test (tcase, a_pause_is_no_silence);
  tcase_add_loop_test (tcase, evidence_closes_the_breaker, 0, 2);
  tcase_add_test (tcase, reports_without_progress_trip);
  tcase_add_test (tcase, any_progress_cancels_the_media_timeout);
  tcase_add_test (tcase, a_paused_stream_is_no_media_timeout);
  tcase_add_test (tcase, a_flood_of_reports_does_not_trip);
  tcase_add_loop_test (tcase, ten_times_the_rate_of_tcp_trips, 0, 2);
  tcase_add_test (tcase, after_congestion_only_clean_reports_help);
  tcase_add_loop_test (tcase, a_burst_of_loss_does_not_trip, 0, 6);
  tcase_add_test (tcase, rtcp_of_any_kind_is_no_silence);
  tcase_add_test (tcase, a_restarted_receiver_does_not_trip);
  tcase_add_loop_test (tcase, one_stream_that_progresses_speaks_for_all, 0, 2);
  tcase_add_test (tcase, a_group_trips_by_silence_alone);
  srunner_run_all (runner, CK_ENV);
  failed = srunner_ntests_failed (runner);
  srunner_free (runner);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
