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
 * Sections are those of RFC 8083.  Symbols: Td is the deterministic interval
 * of RTCP (RFC 3550 section 6.3.1), Tdr the receiver's, Tr the RTT, Tf the
 * interval of frames, G the frames that are coded at one rate: 1, since TFRC
 * decides once per RTT, and Tr stands beside G Tf where that matters. */
#pragma once

#include "base/units.h"
#include "rtp/report-block.h"

/* Td, by its floor: reports of two members never need more of the bandwidth. */
#define RTP_CIRCUIT_BREAKER_TD (5 * TFRC_SECOND)

/* Reports that come faster count as one: a flood of them must not do the work
 * of half a minute, and the intervals have a place below. */
#define RTP_CIRCUIT_BREAKER_MIN_REPORT_INTERVAL (500 * TFRC_MILLISECOND)

/* Largest CB_INTERVAL: 15 s of the shortest intervals. */
#define RTP_CIRCUIT_BREAKER_MAX_INTERVALS 30

/* Tf is "the largest inter-frame interval used in the last 10 seconds", kept by
 * the second; who is silent for longer pauses. */
#define RTP_CIRCUIT_BREAKER_FRAME_SECONDS 10

/* From one report to the next. */
typedef struct
{
  TfrcDuration duration;
  TfrcDuration lost_time; /* fraction lost times duration */
  uint64_t packets;       /* sent */
  uint64_t bytes;
} RtpCircuitBreakerInterval;

/* One SSRC: the packets and frames that leave, the report blocks that come back,
 * and what the two of them say of the path together.  Nothing of it decides what
 * follows. */
typedef struct
{
  uint32_t ssrc;
  TfrcTime sent_at;   /* newest packet */
  bool framed;        /* what follows is known */
  uint32_t timestamp; /* RTP, of the newest frame */
  TfrcTime frame_at;  /* its first packet */
  TfrcDuration frame_intervals[RTP_CIRCUIT_BREAKER_FRAME_SECONDS];
  uint64_t frame_second; /* [s] of the newest there */

  bool reported; /* what follows is known */
  uint32_t reporter_ssrc;
  uint32_t highest_seq;
  int32_t cumulative_lost;
  TfrcTime block_at;              /* newest report block */
  TfrcTime interval_at;           /* where `open` begins */
  bool progressed;                /* since then, this stream or another */
  RtpCircuitBreakerInterval open; /* no duration yet */
  TfrcDuration report_interval;   /* Tdr, as measured; 0 = not known */
  unsigned stalled;               /* reports in a row without progress */
  unsigned media_timeout;         /* MEDIA_TIMEOUT, 0 = not known */
  unsigned interval;              /* CB_INTERVAL, 0 = not known */

  RtpCircuitBreakerInterval intervals[RTP_CIRCUIT_BREAKER_MAX_INTERVALS];
  unsigned n_intervals;
  unsigned next_interval; /* where the next one goes */
} RtpCircuitBreakerStream;

/* A packet leaves. */
void rtp_circuit_breaker_stream_on_sent (RtpCircuitBreakerStream *self,
    uint32_t timestamp, uint32_t size, TfrcTime now);

/* Whether the block can be compared with one before it, of the same reporter.
 * If not it is where comparing begins. */
bool rtp_circuit_breaker_stream_is_known (RtpCircuitBreakerStream *self,
    const RtpReportBlock *block, TfrcTime now);

/* Takes a block that can be compared.  True: its highest sequence number is
 * larger than that of the block before.
 *
 * The fraction lost is of the time since the receiver's report before, which may
 * have been lost: where the cumulative number grows it says more. */
bool rtp_circuit_breaker_stream_on_block (RtpCircuitBreakerStream *self,
    const RtpReportBlock *block, TfrcTime now);

/* Ends the interval, unless the report came too soon: false, judge nothing. */
bool rtp_circuit_breaker_stream_end_interval (RtpCircuitBreakerStream *self,
    TfrcDuration rtt, TfrcTime now);

/* What was told of the time before says nothing of the time after. */
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
