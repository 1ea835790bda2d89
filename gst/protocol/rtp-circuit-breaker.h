/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The circuit breakers of an RTP session, RFC 8083: when what comes back says
 * that sending does no good, or that nothing else has kept the rate in bounds,
 * the sender has to cease.
 *
 *   CLOSED --- no report for 15 s (section 4.1) ---------> RTCP_TIMEOUT
 *          --- reports without progress (section 4.2) ---> MEDIA_TIMEOUT
 *          --- 10 times TCP's rate (section 4.3) --------> CONGESTION
 *          <-- evidence that packets arrive (section 4.5) --- any
 *
 * Media usability (section 4.4) is left to the application.  Nothing here
 * holds packets back; whoever does asks rtp_circuit_breaker_next_send_at.
 *
 * Sections are those of RFC 8083.  Symbols: Td is the deterministic interval
 * of RTCP (RFC 3550 section 6.3.1), Tdr the receiver's, Tr the RTT, Tf the
 * interval of frames. */
#pragma once

#include "tfrc-rate.h"

/* Td, by its floor: reports of two members never need more of the bandwidth. */
#define RTP_CIRCUIT_BREAKER_TD (5 * TFRC_SECOND)

/* "three or more of its RTCP reporting intervals" with Tmin = 5 s. */
#define RTP_CIRCUIT_BREAKER_TIMEOUT (3 * RTP_CIRCUIT_BREAKER_TD)

/* Tripped, one packet may leave in this time.  Without it nobody could report
 * and no evidence would ever come; RFC 8085 section 3.1.1 allows as much to a
 * sender that gets no feedback at all. */
#define RTP_CIRCUIT_BREAKER_PROBE_INTERVAL (3 * TFRC_SECOND)

/* Reports that come faster count as one: a flood of them must not do the work
 * of half a minute, and the intervals have a place below. */
#define RTP_CIRCUIT_BREAKER_MIN_REPORT_INTERVAL (500 * TFRC_MILLISECOND)

/* Section 4.5: who restarts often has to wait.  A trip within
 * RTP_CIRCUIT_BREAKER_STABLE_TIME of the newest restart is held for FIRST_HOLD,
 * and each further one for twice as long as the one before, whatever evidence
 * comes.  What follows congestion is never shorter than CONGESTION_HOLD. */
#define RTP_CIRCUIT_BREAKER_STABLE_TIME (60 * TFRC_SECOND)
#define RTP_CIRCUIT_BREAKER_FIRST_HOLD (5 * TFRC_SECOND)
#define RTP_CIRCUIT_BREAKER_CONGESTION_HOLD (15 * TFRC_SECOND)
#define RTP_CIRCUIT_BREAKER_MAX_HOLD (240 * TFRC_SECOND)

/* Largest CB_INTERVAL: 15 s of the shortest intervals. */
#define RTP_CIRCUIT_BREAKER_MAX_INTERVALS 30

/* SSRCs that sections 4.2 and 4.3 look after; 4.1 is for all of them. */
#define RTP_CIRCUIT_BREAKER_MAX_STREAMS 8

/* A report block (RFC 3550 section 6.4.1), as far as it matters here. */
typedef struct
{
  uint32_t reporter_ssrc;
  uint32_t media_ssrc;
  uint8_t fraction_lost;        /* in 256 */
  uint32_t highest_seq;         /* extended */
} RtpReportBlock;

typedef enum
{
  RTP_CIRCUIT_BREAKER_CLOSED,   /* packets may leave */
  RTP_CIRCUIT_BREAKER_RTCP_TIMEOUT,
  RTP_CIRCUIT_BREAKER_MEDIA_TIMEOUT,
  RTP_CIRCUIT_BREAKER_CONGESTION,
} RtpCircuitBreakerState;

/* From one report to the next. */
typedef struct
{
  TfrcDuration duration;
  TfrcDuration lost_time;       /* fraction lost times duration */
  uint64_t packets;             /* sent */
  uint64_t bytes;
} RtpCircuitBreakerInterval;

/* 4 G frames, over which s is taken, with G = 1: TFRC decides on its rate once
 * per RTT, and Tr stands beside G Tf wherever that matters. */
#define RTP_CIRCUIT_BREAKER_SIZE_FRAMES 4

typedef struct
{
  bool used;
  uint32_t ssrc;
  TfrcTime sent_at;             /* newest packet */
  uint32_t timestamp;           /* RTP, of the newest frame */
  TfrcTime frame_at;            /* its first packet */
  TfrcDuration frame_interval;  /* Tf; 0 = not known */
  uint64_t frame_packets[RTP_CIRCUIT_BREAKER_SIZE_FRAMES];
  uint64_t frame_bytes[RTP_CIRCUIT_BREAKER_SIZE_FRAMES];
  unsigned frame;               /* index of the newest there */

  bool reported;                /* what follows is known */
  uint32_t reporter_ssrc;
  uint32_t highest_seq;
  TfrcTime block_at;            /* newest report block */
  TfrcTime interval_at;         /* where `open` begins */
  bool progressed;              /* since then, this stream or another */
  RtpCircuitBreakerInterval open;       /* no duration yet */
  TfrcDuration report_interval; /* Tdr, as measured; 0 = not known */
  unsigned stalled;             /* reports in a row without progress */
  unsigned stalled_max;         /* MEDIA_TIMEOUT since the first of them */

  RtpCircuitBreakerInterval intervals[RTP_CIRCUIT_BREAKER_MAX_INTERVALS];
  unsigned n_intervals;
  unsigned next_interval;       /* where the next one goes */
} RtpCircuitBreakerStream;

typedef struct
{
  bool group;                   /* section 4.1 alone */
  RtpCircuitBreakerState state;
  RtpCircuitBreakerStream streams[RTP_CIRCUIT_BREAKER_MAX_STREAMS];
  TfrcDuration rtt;             /* Tr; 0 = not known */
  TfrcTime sent_at;             /* newest packet */
  TfrcTime silent_since;        /* sending unanswered; TFRC_TIME_NONE = not */
  TfrcTime tripped_at;          /* of the newest trip */
  TfrcTime closed_at;           /* newest restart; TFRC_TIME_NONE = none */
  TfrcDuration hold;            /* of the newest trip */
  uint32_t tripped_ssrc;        /* of the newest trip; 0 = all */
  uint64_t trips;
} RtpCircuitBreaker;

/* `group`: the receivers are many and do not send RTCP; RFC 8083 is for
 * unicast, and of it only the silence of all receivers is looked for. */
void rtp_circuit_breaker_init (RtpCircuitBreaker * self, bool group);

/* A packet leaves. */
void rtp_circuit_breaker_on_sent (RtpCircuitBreaker * self, uint32_t ssrc,
    uint32_t timestamp, uint32_t size, TfrcTime now);

/* Feedback that only somebody sends who got a recent packet.  Without a report
 * block it counts for section 4.1 alone (section 5), and it is evidence after
 * a timeout. */
void rtp_circuit_breaker_on_feedback (RtpCircuitBreaker * self, TfrcTime now);

/* A report block about one of our SSRCs; `rtt` is a new sample of Tr, 0 if
 * there is none. */
void rtp_circuit_breaker_on_report (RtpCircuitBreaker * self,
    const RtpReportBlock * block, TfrcDuration rtt, TfrcTime now);

/* When the silence has lasted too long; TFRC_TIME_NONE while it does not
 * run. */
TfrcTime rtp_circuit_breaker_next_deadline (const RtpCircuitBreaker * self);
void rtp_circuit_breaker_on_deadline (RtpCircuitBreaker * self, TfrcTime now);

/* 0 while closed, and in a group, where who sends less hears of joiners
 * later; else when the next probe may leave. */
TfrcTime rtp_circuit_breaker_next_send_at (const RtpCircuitBreaker * self);

/* Static: "closed", "rtcp-timeout", "media-timeout", "congestion". */
const char *rtp_circuit_breaker_state_get_name (RtpCircuitBreakerState state);

/* CB_INTERVAL of section 4.3, in reports.  `decision_interval` is G Tf,
 * `report_interval` Tdr > 0. */
unsigned rtp_circuit_breaker_get_interval (TfrcDuration decision_interval,
    TfrcDuration rtt, TfrcDuration report_interval, TfrcDuration own_interval);

/* MEDIA_TIMEOUT of section 4.2, in reports. */
unsigned rtp_circuit_breaker_get_media_timeout (TfrcDuration frame_interval,
    TfrcDuration rtt, TfrcDuration report_interval);

/* X of section 4.3, the simple equation with b = 1; INFINITY where p or R is
 * 0. */
TfrcRate rtp_circuit_breaker_get_rate (double packet_size, TfrcDuration rtt,
    double fraction_lost);
