/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The circuit breakers of an RTP session, RFC 8083: when what comes back says
 * that sending does no good, or that nothing else has kept the rate in bounds,
 * the sender has to cease.
 *
 *   CLOSED --- no report for 15 s (section 4.1) ---------> RTCP_TIMEOUT
 *          --- reports without progress (section 4.2) ---> MEDIA_TIMEOUT
 *          --- 10 times TCP's rate (section 4.3) --------> REDUCED
 *          <-- not so over the next CB_INTERVAL reports --- REDUCED
 *   REDUCED or half a minute behind it --- the same -----> CONGESTION
 *          <-- evidence that packets arrive (section 4.5) --- any timeout,
 *                                                             CONGESTION
 *
 * REDUCED is the way that section 4.3 leaves to senders that can: a tenth of the
 * rate first, which may resolve the congestion.
 *
 * Media usability (section 4.4) is left to the application.  Nothing here
 * holds packets back; whoever does asks rtp_circuit_breaker_next_send_at and
 * keeps to rate_limit.
 *
 * Sections are those of RFC 8083, the symbols in rtp/circuit-breaker-stream.h. */
#pragma once

#include "base/streams.h"
#include "rtp/circuit-breaker-stream.h"

/* "at least three times its deterministic RTCP reporting interval", of which
 * the minimum is Tmin = 5 s. */
#define RTP_CIRCUIT_BREAKER_TIMEOUT (3 * RTP_CIRCUIT_BREAKER_TD)

/* Tripped, one packet may leave in this time.  Without it nobody could report
 * and no evidence would ever come; RFC 8085 section 3.1 allows as much to a
 * sender that gets no feedback at all. */
#define RTP_CIRCUIT_BREAKER_PROBE_INTERVAL (3 * TFRC_SECOND)

/* Section 4.5: how often a flow restarts after congestion is limited.  It takes
 * CONGESTION_HOLD, and twice as long as before where it trips again within
 * STABLE_TIME of the restart, whatever evidence comes.
 *
 * Section 4.3 has a flow cease that trips again over the next CB_INTERVAL reports of
 * the reduced rate.  One that goes back to ten times TCP's rate instead trips
 * within the longest CB_INTERVAL, 15 s: within twice that, REDUCTION_TIME, it
 * ceases, too. */
#define RTP_CIRCUIT_BREAKER_REDUCTION_TIME (30 * TFRC_SECOND)
#define RTP_CIRCUIT_BREAKER_CONGESTION_HOLD (15 * TFRC_SECOND)
#define RTP_CIRCUIT_BREAKER_STABLE_TIME (60 * TFRC_SECOND)
#define RTP_CIRCUIT_BREAKER_MAX_HOLD (240 * TFRC_SECOND)

typedef enum
{
  RTP_CIRCUIT_BREAKER_CLOSED,  /* packets may leave */
  RTP_CIRCUIT_BREAKER_REDUCED, /* so they may, at a tenth of the rate */
  RTP_CIRCUIT_BREAKER_RTCP_TIMEOUT,
  RTP_CIRCUIT_BREAKER_MEDIA_TIMEOUT,
  RTP_CIRCUIT_BREAKER_CONGESTION,
} RtpCircuitBreakerState;

typedef struct
{
  bool group; /* section 4.1 alone */
  RtpCircuitBreakerState state;
  /* Those that sections 4.2 and 4.3 look after; 4.1 is for all of them. */
  RtpCircuitBreakerStream streams[TFRC_MAX_STREAMS];
  uint32_t n_streams;
  TfrcDuration rtt;          /* Tr; 0 = not known */
  TfrcTime sent_at;          /* newest packet */
  TfrcTime unanswered_since; /* sending unanswered; TFRC_TIME_NONE = not */
  TfrcTime tripped_at;       /* newest trip */
  uint32_t tripped_ssrc;     /* of the newest trip; 0 = all */
  TfrcRate rate_limit;       /* of all streams; INFINITY but while REDUCED */
  TfrcDuration hold;         /* of the newest trip by congestion */
  TfrcTime lossy_at;         /* newest report of loss since */
  TfrcTime cleared_at;       /* end of congestion; TFRC_TIME_NONE = none */
  bool ceased;               /* it was one that CONGESTION ended */
  uint64_t trips;
} RtpCircuitBreaker;

/* `group`: the receivers are many and do not send RTCP; RFC 8083 is for
 * unicast, and of it only the silence of all receivers is looked for. */
void rtp_circuit_breaker_init (RtpCircuitBreaker *self, bool group);

/* A packet leaves. */
void rtp_circuit_breaker_on_sent (RtpCircuitBreaker *self, uint32_t ssrc,
    uint32_t timestamp, uint32_t size, TfrcTime now);

/* RTCP about one of our SSRCs came in.  Without a report block it counts for
 * section 4.1 alone (section 5). */
void rtp_circuit_breaker_on_rtcp (RtpCircuitBreaker *self, TfrcTime now);

/* The same, but of a kind that only somebody sends who got a recent packet: it
 * is evidence after a timeout. */
void rtp_circuit_breaker_on_feedback (RtpCircuitBreaker *self, TfrcTime now);

/* A report block about one of our SSRCs; `rtt` is a new sample of Tr, 0 if
 * there is none. */
void rtp_circuit_breaker_on_report (RtpCircuitBreaker *self,
    const RtpReportBlock *block, TfrcDuration rtt, TfrcTime now);

/* When the silence has lasted too long; TFRC_TIME_NONE while it does not
 * run. */
TfrcTime rtp_circuit_breaker_next_deadline (const RtpCircuitBreaker *self);
void rtp_circuit_breaker_on_deadline (RtpCircuitBreaker *self, TfrcTime now);

/* 0 while closed or reduced, and in a group, where who sends less hears of joiners
 * later; else when the next probe may leave. */
TfrcTime rtp_circuit_breaker_next_send_at (const RtpCircuitBreaker *self);

/* Static: "closed", "reduced", "rtcp-timeout", "media-timeout", "congestion". */
const char *rtp_circuit_breaker_state_get_name (RtpCircuitBreakerState state);
