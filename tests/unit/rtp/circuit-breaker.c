/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The circuit breakers of RFC 8083: each trip, each restart, and streams that must
 * not trip. */
#include <check.h>
#include <math.h>

#include "check-suite.h"
#include "rtp/circuit-breaker.h"

#define SSRC 7
#define REPORTER 9
#define RTT (100 * MS)
#define SIZE 1200

/* A sender of one packet per frame. */
typedef struct
{
  RtpCircuitBreaker breaker;
  TfrcTime now;
  uint32_t sent; /* packets */
} Session;

static void
session_init (Session *self)
{
  rtp_circuit_breaker_init (&self->breaker, false);
  self->now = 1000 * S;
  self->sent = 0;
}

/* For `duration`, a packet every `interval`, the first one immediately. */
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

/* 15 s from the first packet, or from the newest report, and not a nanosecond
 * earlier. */
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
/* A sender that sends nothing is owed no report: an hour of silence, and then a
 * packet every 6 s, which is less than a probe. */
START_TEST (a_pause_is_no_silence)
{
  Session session;

  session_init (&session);
  session_send (&session, 2 * S, 20 * MS);
  session_send (&session, 3600 * S, 3600 * S);
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
  session_send (&session, 600 * S, 6 * S);
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
  /* After that the whole 15 s count again. */
  session.now += 10 * S;
  session_send (&session, 15 * S - 1, 20 * MS);
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
}

END_TEST
/* Feedback that proves that a packet arrived restarts the stream at once. */
START_TEST (evidence_closes_the_breaker)
{
  Session session;

  session_init (&session);
  session_send (&session, S, 20 * MS);
  session_report (&session, 40, 0);
  session_send (&session, 15 * S, 20 * MS);
  assert_state (&session, RTP_CIRCUIT_BREAKER_RTCP_TIMEOUT);
  /* RTCP arrives, but without progress. */
  session_report (&session, 40, 0);
  assert_state (&session, RTP_CIRCUIT_BREAKER_RTCP_TIMEOUT);
  if (_i == 0)
    session_report (&session, 41, 0);
  else
    rtp_circuit_breaker_on_feedback (&session.breaker, session.now);
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
  ck_assert_uint_eq (rtp_circuit_breaker_next_send_at (&session.breaker), 0);
  /* The silence is counted anew. */
  ck_assert_uint_eq (rtp_circuit_breaker_next_deadline (&session.breaker),
      session.now + 15 * S);
}

END_TEST
/* Reports every 5 s: the sixth block is the fifth without progress. */
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
/* Four without progress and one with, repeatedly, across a wrap of 32 bits. */
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
/* No packet was sent that could have arrived. */
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
/* A thousand reports in 2.4 s are four intervals of 0.5 s and a partial one. */
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
/* 1200 bytes, R = 0.1 s, and p = 64/256: X = 1200 / (0.1 sqrt (1/6)) = 29394, ten
 * times that is 293939 bytes/s, a packet every 4.0825 ms.  CB_INTERVAL is 3, so the
 * fourth block trips, and the third after that if the sender does not slow down: a
 * packet every 4.05 ms is 296296 bytes/s, and rate_limit is a tenth of that. */
START_TEST (ten_times_the_rate_of_tcp_trips)
{
  Session session;
  TfrcDuration interval = _i == 0
      ? 4050 * TFRC_MICROSECOND
      : 4120 * TFRC_MICROSECOND;

  session_init (&session);
  for (unsigned n = 0; n < 7; n++) {
    assert_state (&session,
        n < 4 || _i == 1 ? RTP_CIRCUIT_BREAKER_CLOSED
                         : RTP_CIRCUIT_BREAKER_REDUCED);
    if (n == 4 && _i == 0)
      ck_assert_double_eq_tol (session.breaker.rate_limit, 29629.6,
          29629.6 * 1e-3);
    else if (n < 4 || _i == 1)
      ck_assert (isinf (session.breaker.rate_limit));
    /* The test does not hold packets back. */
    ck_assert_uint_eq (rtp_circuit_breaker_next_send_at (&session.breaker), 0);
    session_send (&session, 5 * S, interval);
    session_report (&session, 3 * session.sent / 4, 64);
  }
  assert_state (&session,
      _i == 0 ? RTP_CIRCUIT_BREAKER_CONGESTION : RTP_CIRCUIT_BREAKER_CLOSED);
  ck_assert (isinf (session.breaker.rate_limit));
}

END_TEST
/* 600 packets of 1200 bytes in every 5 s, and four of 100 bytes at the end: 144080
 * bytes/s, s = 1193.  At p = 1/4 and 100 ms X = 1193 / (0.1 sqrt (1/6)) = 29200;
 * with s = 100 it would be 2450. */
START_TEST (small_packets_right_before_a_report_are_not_the_packet_size)
{
  Session session;

  session_init (&session);
  for (unsigned n = 0; n < 5; n++) {
    session_send (&session, 5 * S, 5 * S / 600);
    for (unsigned i = 0; i < 4; i++)
      rtp_circuit_breaker_on_sent (&session.breaker, SSRC,
          3000 * ++session.sent, 100, session.now);
    session_report (&session, session.sent, 64);
  }
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
}

END_TEST
/* 240000 bytes/s are ten times X where sqrt (2 p / 3) is 1/2: p = 0.375.  An outage
 * takes 5 of 20 s, and the report before it is lost: the next one covers 10 s, but
 * its fraction lost only the 5 s of the outage.  So p is 1000 of 4000 packets; it
 * would be a half if that fraction were applied to all 10 s. */
START_TEST (a_lost_report_does_not_count_what_the_next_one_says_twice)
{
  static const struct
  {
    TfrcDuration duration;
    uint8_t fraction_lost;
    int32_t cumulative_lost;
  } reports[] = { { 5 * S, 0, 0 }, { 5 * S, 0, 0 }, { 10 * S, 255, 1000 },
    { 5 * S, 0, 1000 } };
  Session session;

  session_init (&session);
  for (unsigned n = 0; n < 4; n++) {
    RtpReportBlock block = { REPORTER, SSRC, reports[n].fraction_lost };

    session_send (&session, reports[n].duration, 5 * MS);
    block.highest_seq = session.sent;
    block.cumulative_lost = reports[n].cumulative_lost;
    rtp_circuit_breaker_on_report (&session.breaker, &block, RTT, session.now);
  }
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
}

END_TEST
/* Of retransmissions, for instance, whose block may come first in the report. */
START_TEST (a_block_of_another_stream_tells_the_rtt)
{
  const RtpReportBlock block = { REPORTER, SSRC + 1 };
  Session session;

  session_init (&session);
  rtp_circuit_breaker_on_report (&session.breaker, &block, RTT, session.now);
  ck_assert_uint_eq (session.breaker.rtt, RTT);
}

END_TEST
/* The losses of `loss` in turn, one each 5 s, reported every `interval`; returns
 * after how many blocks the state changes, 99 if it does not. */
static unsigned
count_reports (Session *session, const uint8_t loss[3], TfrcDuration interval)
{
  RtpCircuitBreakerState state = session->breaker.state;

  for (unsigned n = 1; n < 99; n++) {
    session_send (session, 5 * S, interval);
    session_report (session, session->sent, loss[(n - 1) % 3]);
    if (session->breaker.state != state)
      return n;
  }
  return 99;
}

/* 40 %, 40 % and 0 at 5 Mbit/s: p = 0.266, X = 1200 / (0.1 sqrt (0.177)) = 28500,
 * and 625000 bytes/s are 22 times that.  A tenth of it is less than ten times TCP's
 * rate; a flow that returns to all of it within half a minute ceases. */
START_TEST (lasting_congestion_ceases_at_the_second_time)
{
  const uint8_t loss[3] = { 102, 102, 0 };
  TfrcDuration interval = 1920 * TFRC_MICROSECOND;
  Session session;

  session_init (&session);
  ck_assert_uint_eq (count_reports (&session, loss, interval), 4);
  assert_state (&session, RTP_CIRCUIT_BREAKER_REDUCED);
  ck_assert_double_eq_tol (session.breaker.rate_limit, 62500.0, 62.5);
  if (_i == 0) {
    ck_assert_uint_eq (count_reports (&session, loss, 10 * interval), 3);
    assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
  }
  ck_assert_uint_eq (count_reports (&session, loss, interval), 3);
  assert_state (&session, RTP_CIRCUIT_BREAKER_CONGESTION);
}

END_TEST
/* Eight minutes later it is a new case, and the rate is reduced first. */
START_TEST (long_after_it_the_rate_is_reduced_again)
{
  const uint8_t loss[3] = { 102, 102, 102 }, none[3] = { 0, 0, 0 };
  Session session;

  session_init (&session);
  count_reports (&session, loss, 2 * MS);
  assert_state (&session, RTP_CIRCUIT_BREAKER_REDUCED);
  ck_assert_uint_eq (count_reports (&session, none, 20 * MS), 3);
  ck_assert_uint_eq (count_reports (&session, none, 2 * MS), 99);
  ck_assert_uint_le (count_reports (&session, loss, 2 * MS), 3);
  assert_state (&session, RTP_CIRCUIT_BREAKER_REDUCED);
}

END_TEST
/* Reports every 50 ms, R = 0.15 s with a full queue, frames every 20 ms:
 * CB_INTERVAL = ceil (3 min (max (0.2, 1.5, 3 Tdr), 15) / (3 Tdr)) is 30 for Tdr =
 * 0.05 s, and 3 for the 0.5 s within which reports count as one here: 1.5 s, either
 * way. */
static void
session_report_fast (Session *self, TfrcDuration duration,
    TfrcDuration interval, uint8_t fraction_lost)
{
  for (TfrcDuration past = 0; past < duration; past += 50 * MS) {
    const RtpReportBlock block = { REPORTER, SSRC, fraction_lost, self->sent };

    session_send (self, 50 * MS, interval);
    rtp_circuit_breaker_on_report (&self->breaker, &block, 150 * MS, self->now);
  }
}

/* A link that falls from 2 Mbit/s to 0.5 repeatedly, every minute or 20 s, and a
 * flow that is below that a second later: 1200 bytes every 5 ms of which 3/4 are
 * lost, then every 20 ms.  At the end of that second p = 0.75 / 1.5 = 0.5 over
 * CB_INTERVAL: ten times X = 1200 / (0.15 sqrt (2/3 0.5)) are 139 kbyte/s, and 240
 * were sent.  The congestion is over when it is detected: once a minute the rate is
 * reduced, for 1.5 s, and the flow never ceases. */
START_TEST (a_link_that_falls_each_minute_stops_nobody)
{
  TfrcDuration period = _i == 0 ? 60 * S : 20 * S;
  Session session;
  unsigned ceased = 0;

  session_init (&session);
  session_report_fast (&session, 10 * S, 5 * MS, 0);
  for (unsigned n = 0; n < 5; n++) {
    session_report_fast (&session, S, 5 * MS, 192);
    ceased += session.breaker.state == RTP_CIRCUIT_BREAKER_CONGESTION;
    if (n == 0)
      assert_state (&session, RTP_CIRCUIT_BREAKER_REDUCED);
    session_report_fast (&session, 5 * S, 20 * MS, 0);
    if (n == 0 || _i == 0)
      assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
    session_report_fast (&session, period - 6 * S, 5 * MS, 0);
  }
  if (_i == 0) {
    ck_assert_uint_eq (ceased, 0);
    ck_assert_uint_eq (session.breaker.trips, 5);
  } else {
    ck_assert_uint_ge (ceased, 1);
  }
}

END_TEST
/* The stream that tripped has ended and another one goes on: after twice 15 s its
 * reports count for all. */
START_TEST (another_stream_may_end_the_reduction)
{
  const uint8_t loss[3] = { 102, 102, 102 };
  Session session;
  TfrcTime reduced_at;

  session_init (&session);
  count_reports (&session, loss, 2 * MS);
  assert_state (&session, RTP_CIRCUIT_BREAKER_REDUCED);
  reduced_at = session.now;
  for (unsigned n = 0; n <= 6; n++) {
    RtpReportBlock block = { REPORTER, SSRC + 1, 0, n };

    assert_state (&session, RTP_CIRCUIT_BREAKER_REDUCED);
    session.now = reduced_at + n * 5 * S;
    rtp_circuit_breaker_on_sent (&session.breaker, SSRC + 1, n, SIZE,
        session.now);
    rtp_circuit_breaker_on_report (&session.breaker, &block, RTT, session.now);
  }
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
}

END_TEST static void
trip_by_congestion (Session *session)
{
  for (unsigned n = 0;
      n < 8 && session->breaker.state != RTP_CIRCUIT_BREAKER_CONGESTION; n++) {
    session_send (session, 5 * S, 2 * MS);
    session_report (session, session->sent, 64);
  }
  assert_state (session, RTP_CIRCUIT_BREAKER_CONGESTION);
}

/* The report that arrives with the trip, feedback, and packets that arrive for less
 * than 15 s are no evidence; nor is anything within 15 s of another loss.  After
 * another trip within a minute it takes 30 s. */
START_TEST (after_congestion_only_clean_reports_help)
{
  static const struct
  {
    TfrcDuration at; /* since the trip */
    uint8_t fraction_lost;
    RtpCircuitBreakerState state;
  } reports[2][5] = {
    {
        { 5 * S, 0, RTP_CIRCUIT_BREAKER_CONGESTION },
        { 16 * S, 1, RTP_CIRCUIT_BREAKER_CONGESTION },
        { 21 * S, 0, RTP_CIRCUIT_BREAKER_CONGESTION },
        { 31 * S - 1, 0, RTP_CIRCUIT_BREAKER_CONGESTION },
        { 31 * S, 0, RTP_CIRCUIT_BREAKER_CLOSED },
    },
    {
        { 10 * S, 0, RTP_CIRCUIT_BREAKER_CONGESTION },
        { 14 * S, 255, RTP_CIRCUIT_BREAKER_CONGESTION },
        { 20 * S, 0, RTP_CIRCUIT_BREAKER_CONGESTION },
        { 30 * S - 1, 0, RTP_CIRCUIT_BREAKER_CONGESTION },
        { 30 * S, 0, RTP_CIRCUIT_BREAKER_CLOSED },
    },
  };
  Session session;

  session_init (&session);
  for (unsigned trip = 0; trip < 2; trip++) {
    TfrcTime tripped_at;

    trip_by_congestion (&session);
    ck_assert_uint_eq (session.breaker.trips, trip + 2);
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
/* At 1200 bytes/ms and R = 0.1 s, one of three reports with a tenth lost makes p =
 * 0.033, X = 1200 / (0.1 sqrt (0.022)) = 81000 bytes/s, and 1.2 Mbyte/s are 15
 * times that, though the flow may have reacted to the burst long before.  It costs
 * such a flow 15 s at a tenth of the rate, and no more. */
START_TEST (a_burst_of_loss_reduces_the_rate)
{
  static const uint8_t bursts[][3] = {
    { 0, 0, 25 },
    { 0, 25, 0 },
    { 25, 0, 0 },
  };
  const uint8_t none[3] = { 0, 0, 0 };
  Session session;

  session_init (&session);
  session_send (&session, 5 * S, MS);
  session_report (&session, session.sent, 0);
  ck_assert_uint_eq (count_reports (&session, bursts[_i], MS), 3);
  assert_state (&session, RTP_CIRCUIT_BREAKER_REDUCED);
  ck_assert_uint_eq (count_reports (&session, none, 10 * MS), 3);
  assert_state (&session, RTP_CIRCUIT_BREAKER_CLOSED);
  ck_assert_uint_eq (count_reports (&session, none, MS), 99);
}

END_TEST
/* RTCP that does not prove that a packet arrived prevents the timeout, but does not
 * restart the flow. */
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
/* Another reporter starts with its own counts. */
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
/* One stream more than there are places for.  If one of them gets through, the path
 * is not the reason why another does not. */
START_TEST (one_stream_that_progresses_speaks_for_all)
{
  RtpCircuitBreaker breaker;
  TfrcTime now = S;

  rtp_circuit_breaker_init (&breaker, false);
  for (unsigned n = 0; n < 6; n++, now += 5 * S) {
    ck_assert_int_eq (breaker.state, RTP_CIRCUIT_BREAKER_CLOSED);
    for (uint32_t ssrc = 0; ssrc <= TFRC_MAX_STREAMS; ssrc++) {
      const RtpReportBlock block = { REPORTER, ssrc, 0,
        ssrc == 3 && _i == 1 ? n : 5 };

      if (ssrc > 0 || n == 0)
        rtp_circuit_breaker_on_sent (&breaker, ssrc, n, SIZE, now + ssrc);
      rtp_circuit_breaker_on_report (&breaker, &block, RTT, now + ssrc);
    }
  }
  ck_assert_int_eq (breaker.state,
      _i == 1 ? RTP_CIRCUIT_BREAKER_CLOSED : RTP_CIRCUIT_BREAKER_MEDIA_TIMEOUT);
}

END_TEST
/* An endpoint with two SSRCs (RFC 8108), each with its own counts, that report in
 * turn, or both at once. 300 kB/s are more than ten times TCP's 1200 / (0.1 * sqrt
 * (2/3 * 0.6)) = 19 kB/s: with one of them followed, it trips 3 * 5 s or 3 * 10 s
 * after its first report. */
START_TEST (reporters_in_turn_do_not_disarm_it)
{
  Session session;
  unsigned n;

  session_init (&session);
  for (n = 1; session.breaker.trips == 0; n++) {
    ck_assert_uint_le (n, 8);
    session_send (&session, 5 * S, 4 * MS);
    for (uint32_t i = 0; i < 2; i++) {
      const RtpReportBlock block = { REPORTER + i, SSRC, 154,
        500000 * i + session.sent };

      if (_i == 1 || n % 2 == i)
        rtp_circuit_breaker_on_report (&session.breaker, &block, RTT,
            session.now);
    }
  }
  assert_state (&session, RTP_CIRCUIT_BREAKER_REDUCED);
}

END_TEST
/* A reporter that takes over has its own counts, and is judged by these. */
START_TEST (a_reporter_that_left_makes_room_for_another)
{
  Session session;
  RtpReportBlock block = { REPORTER, SSRC, 0, 0 };

  session_init (&session);
  for (unsigned n = 0; n < 4; n++) {
    session_send (&session, 5 * S, 4 * MS);
    session_report (&session, 1000000 + session.sent, 0);
  }
  block.reporter_ssrc++;
  for (unsigned n = 0; n < 9 && session.breaker.trips == 0; n++) {
    session_send (&session, 5 * S, 4 * MS);
    block.fraction_lost = 154;
    block.highest_seq = session.sent;
    rtp_circuit_breaker_on_report (&session.breaker, &block, RTT, session.now);
  }
  assert_state (&session, RTP_CIRCUIT_BREAKER_REDUCED);
}

END_TEST
/* Nine streams, and one more than there are places for, all at once, each of 300
 * kB/s: 60 % of each is lost, or nothing arrives. */
START_TEST (many_streams_do_not_disarm_it)
{
  const uint32_t n_streams = _i / 2 == 0 ? 9 : TFRC_MAX_STREAMS + 1;
  const bool arrives = _i % 2 == 0;
  RtpCircuitBreaker breaker;
  TfrcTime now = S;

  rtp_circuit_breaker_init (&breaker, false);
  for (uint32_t n = 1; breaker.trips == 0; n++) {
    ck_assert_uint_le (n, 7);
    for (uint32_t sent = 0; sent < 1250; sent++, now += 4 * MS)
      for (uint32_t ssrc = 1; ssrc <= n_streams; ssrc++)
        rtp_circuit_breaker_on_sent (&breaker, ssrc, sent, SIZE, now + ssrc);
    for (uint32_t ssrc = 1; ssrc <= n_streams && breaker.trips == 0; ssrc++) {
      const RtpReportBlock block = { REPORTER, ssrc, arrives ? 154 : 0,
        arrives ? 1250 * n : 7 };

      rtp_circuit_breaker_on_report (&breaker, &block, RTT, now);
    }
  }
  ck_assert_int_eq (breaker.state,
      arrives ? RTP_CIRCUIT_BREAKER_REDUCED
              : RTP_CIRCUIT_BREAKER_MEDIA_TIMEOUT);
}

END_TEST
/* When all places are taken, a stream that ended gives up its place. */
START_TEST (a_stream_that_ended_makes_room)
{
  RtpCircuitBreaker breaker;
  TfrcTime now = S;

  rtp_circuit_breaker_init (&breaker, false);
  for (uint32_t ssrc = 1; ssrc <= TFRC_MAX_STREAMS; ssrc++)
    rtp_circuit_breaker_on_sent (&breaker, ssrc, 0, SIZE, now);
  for (uint32_t n = 1; n < 20; n++) {
    now += 5 * S;
    for (uint32_t ssrc = 2; ssrc <= TFRC_MAX_STREAMS + 1; ssrc++) {
      const RtpReportBlock block = { REPORTER, ssrc, 0,
        ssrc > TFRC_MAX_STREAMS ? 7 : n };

      rtp_circuit_breaker_on_sent (&breaker, ssrc, n, SIZE, now);
      if (ssrc > TFRC_MAX_STREAMS || n < 4)
        rtp_circuit_breaker_on_report (&breaker, &block, RTT, now);
    }
  }
  ck_assert_int_eq (breaker.state, RTP_CIRCUIT_BREAKER_MEDIA_TIMEOUT);
  ck_assert_uint_eq (breaker.tripped_ssrc, TFRC_MAX_STREAMS + 1);
}

END_TEST
/* In a group only the silence of all receivers counts, and the pace is not limited. */
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

  suite_add_tcase (suite, tcase);
  tcase_add_loop_test (tcase, silence_trips_after_15_seconds, 0, 3);
  tcase_add_test (tcase, a_pause_is_no_silence);
  tcase_add_loop_test (tcase, evidence_closes_the_breaker, 0, 2);
  tcase_add_test (tcase, reports_without_progress_trip);
  tcase_add_test (tcase, any_progress_cancels_the_media_timeout);
  tcase_add_test (tcase, a_paused_stream_is_no_media_timeout);
  tcase_add_test (tcase, a_flood_of_reports_does_not_trip);
  tcase_add_loop_test (tcase, ten_times_the_rate_of_tcp_trips, 0, 2);
  tcase_add_test (tcase,
      small_packets_right_before_a_report_are_not_the_packet_size);
  tcase_add_test (tcase,
      a_lost_report_does_not_count_what_the_next_one_says_twice);
  tcase_add_test (tcase, a_block_of_another_stream_tells_the_rtt);
  tcase_add_test (tcase, after_congestion_only_clean_reports_help);
  tcase_add_loop_test (tcase, lasting_congestion_ceases_at_the_second_time, 0,
      2);
  tcase_add_test (tcase, long_after_it_the_rate_is_reduced_again);
  tcase_add_loop_test (tcase, a_link_that_falls_each_minute_stops_nobody, 0, 2);
  tcase_add_test (tcase, another_stream_may_end_the_reduction);
  tcase_add_loop_test (tcase, a_burst_of_loss_reduces_the_rate, 0, 3);
  tcase_add_test (tcase, rtcp_of_any_kind_is_no_silence);
  tcase_add_test (tcase, a_restarted_receiver_does_not_trip);
  tcase_add_loop_test (tcase, one_stream_that_progresses_speaks_for_all, 0, 2);
  tcase_add_loop_test (tcase, reporters_in_turn_do_not_disarm_it, 0, 2);
  tcase_add_test (tcase, a_reporter_that_left_makes_room_for_another);
  tcase_add_loop_test (tcase, many_streams_do_not_disarm_it, 0, 4);
  tcase_add_test (tcase, a_stream_that_ended_makes_room);
  tcase_add_test (tcase, a_group_trips_by_silence_alone);
  return run_check_suite (suite);
}
