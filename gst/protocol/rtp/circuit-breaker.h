/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTP circuit breakers, RFC 8083.  If the feedback says that packets do not arrive,
 * or that nothing else has bounded the rate, the sender has to cease.
 *
 *   CLOSED --- no report for 15 s (section 4.1) ---------> RTCP_TIMEOUT
 *          --- reports without progress (section 4.2) ---> MEDIA_TIMEOUT
 *          --- 10 times TCP's rate (section 4.3) --------> REDUCED
 *          <-- less over the next CB_INTERVAL reports ---- REDUCED
 *   REDUCED, or half a minute after it --- 10 times TCP's rate --> CONGESTION
 *          <-- evidence that packets arrive (section 4.5) --- any timeout,
 *                                                             CONGESTION
 *
 * REDUCED is the alternative that section 4.3 allows to senders that can adapt: a
 * tenth of the rate first, which may resolve the congestion.
 *
 * Media usability (section 4.4) is left to the application.  This code does not
 * hold packets back: the caller asks rtp_circuit_breaker_next_send_at and keeps to
 * rate_limit.
 *
 * Sections are those of RFC 8083.  Symbols: Td is the deterministic RTCP interval
 * (RFC 3550 section 6.3.1), Tdr that of the receiver, Tr the RTT, Tf the
 * inter-frame interval, G the number of frames coded at one rate.  G is 1, since
 * TFRC decides once per RTT, and where that matters the RFC takes the larger of G
 * Tf and Tr. */
#pragma once

#include "base/units.h"
#include "rtp/report-block.h"

/* Td at its minimum: for two members RTCP never needs a longer interval. */
#define RTP_CIRCUIT_BREAKER_TD (5 * TFRC_SECOND)

/* Reports closer together than this count as one.  A flood of reports must not trip
 * the breaker faster than it may, and the intervals must fit into the array below. */
#define RTP_CIRCUIT_BREAKER_MIN_REPORT_INTERVAL (500 * TFRC_MILLISECOND)

/* Largest CB_INTERVAL: 15 s of the shortest intervals. */
#define RTP_CIRCUIT_BREAKER_MAX_INTERVALS 30

/* Tf is "the largest inter-frame interval used in the last 10 seconds".  One
 * maximum is kept per second; a longer interval is a pause and does not count. */
#define RTP_CIRCUIT_BREAKER_FRAME_SECONDS 10

/* From one report to the next. */
typedef struct
{
  TfrcDuration duration;
  TfrcDuration lost_time; /* fraction lost times duration */
  uint64_t packets;       /* sent */
  uint64_t bytes;
} RtpCircuitBreakerInterval;

/* One SSRC: the packets and frames sent, the report blocks received, and what both
 * say about the path together.  Decisions are made by RtpCircuitBreaker. */
typedef struct
{
  uint32_t ssrc;
  TfrcTime sent_at;   /* when the newest packet was sent */
  bool framed;        /* the next two fields are set */
  uint32_t timestamp; /* RTP timestamp of the newest frame */
  TfrcTime frame_at;  /* when its first packet was sent */
  TfrcDuration frame_intervals[RTP_CIRCUIT_BREAKER_FRAME_SECONDS];
  uint64_t frame_second; /* second [s] of the newest entry of frame_intervals */

  bool reported; /* the fields up to block_at are set */
  uint32_t reporter_ssrc;
  uint32_t highest_seq;
  int32_t cumulative_lost;
  TfrcTime block_at;    /* arrival of the newest report block */
  TfrcTime interval_at; /* when `open` began */
  bool progressed;      /* progress since then, of this stream or another */
  RtpCircuitBreakerInterval open; /* current interval, duration not yet set */
  TfrcDuration report_interval;   /* Tdr, as measured; 0 = not known */
  unsigned stalled;               /* reports in a row that showed no progress */
  unsigned media_timeout;         /* MEDIA_TIMEOUT, 0 = not known */
  unsigned interval;              /* CB_INTERVAL, 0 = not known */

  RtpCircuitBreakerInterval intervals[RTP_CIRCUIT_BREAKER_MAX_INTERVALS];
  unsigned n_intervals;
  unsigned next_interval; /* index of the next one */
} RtpCircuitBreakerStream;

/* A packet of `size` bytes with that RTP timestamp is sent. */
void rtp_circuit_breaker_stream_on_sent (RtpCircuitBreakerStream *self,
    uint32_t timestamp, uint32_t size, TfrcTime now);

/* Whether there is an earlier block of the same reporter to compare this one with.
 * If not, this block is the first of a new series. */
bool rtp_circuit_breaker_stream_is_known (RtpCircuitBreakerStream *self,
    const RtpReportBlock *block, TfrcTime now);

/* Takes a block that can be compared with the one before.  Returns true if its
 * highest sequence number is larger, which is progress.
 *
 * The fraction lost covers the time since the receiver's previous report, which may
 * have been lost; the cumulative number of losses is used where it grows. */
bool rtp_circuit_breaker_stream_on_block (RtpCircuitBreakerStream *self,
    const RtpReportBlock *block, TfrcTime now);

/* Ends the current interval.  Returns false, and nothing is to be judged, if the
 * report came within RTP_CIRCUIT_BREAKER_MIN_REPORT_INTERVAL. */
bool rtp_circuit_breaker_stream_end_interval (RtpCircuitBreakerStream *self,
    TfrcDuration rtt, TfrcTime now);

/* Drops all intervals, after a trip, a restart or a change of the reporter: old
 * reports do not describe what follows. */
void rtp_circuit_breaker_stream_forget (RtpCircuitBreakerStream *self,
    TfrcTime now);

/* CB_INTERVAL of section 4.3, in reports.  `decision_interval` is G Tf,
 * `report_interval` Tdr > 0, `own_interval` Td. */
unsigned rtp_circuit_breaker_get_interval (TfrcDuration decision_interval,
    TfrcDuration rtt, TfrcDuration report_interval, TfrcDuration own_interval);

/* MEDIA_TIMEOUT of section 4.2, in reports. */
unsigned rtp_circuit_breaker_get_media_timeout (TfrcDuration frame_interval,
    TfrcDuration rtt, TfrcDuration report_interval);

/* X of section 4.3, the simple equation with b = 1; INFINITY where p or R is
 * 0. */
TfrcRate rtp_circuit_breaker_get_rate (double packet_size, TfrcDuration rtt,
    double fraction_lost);

/* Section 4.1: "at least three times its deterministic RTCP reporting interval",
 * whose minimum is Tmin = 5 s. */
#define RTP_CIRCUIT_BREAKER_TIMEOUT (3 * RTP_CIRCUIT_BREAKER_TD)

/* Once tripped, one packet may be sent per this interval.  Without such probes
 * there would be nothing to report, and never any evidence for a restart.  RFC 8085
 * section 3.1 allows the same to a sender that gets no feedback at all. */
#define RTP_CIRCUIT_BREAKER_PROBE_INTERVAL (3 * TFRC_SECOND)

/* Section 4.5 requires a limit on how often a flow restarts after congestion.  It
 * ceases for at least CONGESTION_HOLD, whatever evidence there is, and for twice as
 * long as before (MAX_HOLD at most) if it trips again within STABLE_TIME of the
 * restart.
 *
 * Section 4.3 requires a flow to cease if it trips again over the next CB_INTERVAL
 * reports at the reduced rate.  A flow that returns to ten times TCP's rate after
 * that trips within the longest CB_INTERVAL, 15 s.  So it ceases, too, if it trips
 * within twice that, REDUCTION_TIME. */
#define RTP_CIRCUIT_BREAKER_REDUCTION_TIME (30 * TFRC_SECOND)
#define RTP_CIRCUIT_BREAKER_CONGESTION_HOLD (15 * TFRC_SECOND)
#define RTP_CIRCUIT_BREAKER_STABLE_TIME (60 * TFRC_SECOND)
#define RTP_CIRCUIT_BREAKER_MAX_HOLD (240 * TFRC_SECOND)

typedef enum
{
  RTP_CIRCUIT_BREAKER_CLOSED,  /* no limit */
  RTP_CIRCUIT_BREAKER_REDUCED, /* a tenth of the rate; what follows has ceased */
  RTP_CIRCUIT_BREAKER_RTCP_TIMEOUT,
  RTP_CIRCUIT_BREAKER_MEDIA_TIMEOUT,
  RTP_CIRCUIT_BREAKER_CONGESTION,
} RtpCircuitBreakerState;

typedef struct
{
  bool group; /* only section 4.1 applies */
  RtpCircuitBreakerState state;
  /* Streams that sections 4.2 and 4.3 are applied to; 4.1 applies to the whole
   * flow. */
  RtpCircuitBreakerStream streams[TFRC_MAX_STREAMS];
  uint32_t n_streams;
  TfrcDuration rtt; /* Tr; 0 = not known */
  TfrcTime sent_at; /* when the newest packet was sent */
  /* Packets sent since then are unanswered; TFRC_TIME_NONE: none are. */
  TfrcTime unanswered_since;
  TfrcTime tripped_at;   /* of the newest trip */
  uint32_t tripped_ssrc; /* stream of the newest trip; 0 = all */
  TfrcRate rate_limit;   /* for all streams together; INFINITY unless REDUCED */
  TfrcDuration hold; /* how long the newest trip by congestion lasts at least */
  TfrcTime lossy_at; /* newest report of a loss since that trip */
  /* End of REDUCED or CONGESTION; TFRC_TIME_NONE = never. */
  TfrcTime cleared_at;
  bool ceased; /* it was the end of CONGESTION */
  uint64_t trips;
} RtpCircuitBreaker;

/* `group`: the receivers are many and send no RTCP reports.  RFC 8083 is for
 * unicast, so only the silence of all receivers is watched. */
void rtp_circuit_breaker_init (RtpCircuitBreaker *self, bool group);

/* A packet of `size` bytes with that RTP timestamp is sent. */
void rtp_circuit_breaker_on_sent (RtpCircuitBreaker *self, uint32_t ssrc,
    uint32_t timestamp, uint32_t size, TfrcTime now);

/* RTCP about one of our SSRCs arrived.  Without a report block it counts for
 * section 4.1 only (section 5). */
void rtp_circuit_breaker_on_rtcp (RtpCircuitBreaker *self, TfrcTime now);

/* Like rtp_circuit_breaker_on_rtcp, for RTCP that is only sent by a receiver that
 * got a recent packet: after a timeout it is evidence for a restart. */
void rtp_circuit_breaker_on_feedback (RtpCircuitBreaker *self, TfrcTime now);

/* A report block about one of our SSRCs arrived; `rtt` is a new sample of Tr, or 0. */
void rtp_circuit_breaker_on_report (RtpCircuitBreaker *self,
    const RtpReportBlock *block, TfrcDuration rtt, TfrcTime now);

/* When the silence becomes a timeout (section 4.1); TFRC_TIME_NONE if nothing is
 * unanswered or the breaker has tripped. */
TfrcTime rtp_circuit_breaker_next_deadline (const RtpCircuitBreaker *self);
void rtp_circuit_breaker_on_deadline (RtpCircuitBreaker *self, TfrcTime now);

/* When the next packet may be sent: 0 while CLOSED or REDUCED, else the time of the
 * next probe.  Always 0 in a group, where a lower rate would delay the reports of
 * new receivers. */
TfrcTime rtp_circuit_breaker_next_send_at (const RtpCircuitBreaker *self);

/* Else the flow has ceased, except for probes. */
bool rtp_circuit_breaker_state_allows_sending (RtpCircuitBreakerState state);

/* A static string: "closed", "reduced", "rtcp-timeout", "media-timeout",
 * "congestion". */
const char *rtp_circuit_breaker_state_get_name (RtpCircuitBreakerState state);
