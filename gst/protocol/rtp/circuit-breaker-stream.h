/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One SSRC of a sender, as RFC 8083 looks at it: the packets and frames that
 * leave, the report blocks that come back, and what the two of them say of the
 * path together.
 *
 * Nothing here decides what follows from it: rtp/circuit-breaker.h does.
 *
 * Sections are those of RFC 8083.  Symbols: Td is the deterministic interval
 * of RTCP (RFC 3550 section 6.3.1), Tdr the receiver's, Tr the RTT, Tf the
 * interval of frames, G the frames that are coded at one rate: 1, since TFRC
 * decides once per RTT, and Tr stands beside G Tf where that matters. */
#pragma once

#include "base/rate.h"
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

void rtp_circuit_breaker_stream_init (RtpCircuitBreakerStream *self,
    uint32_t ssrc);

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

/* Section 4.2: so many reports in a row told of nothing new. */
bool rtp_circuit_breaker_stream_is_lost (const RtpCircuitBreakerStream *self);

/* Section 4.3: whether there are CB_INTERVAL intervals, and whether the rate was
 * more than ten times TCP's over the last of them. */
bool rtp_circuit_breaker_stream_is_judged (const RtpCircuitBreakerStream *self);
bool
rtp_circuit_breaker_stream_is_congested (const RtpCircuitBreakerStream *self,
    TfrcDuration rtt);

/* What was sent over these intervals, as far as they are there [bytes/s]. */
TfrcRate
rtp_circuit_breaker_stream_get_rate (const RtpCircuitBreakerStream *self);

/* CB_INTERVAL is for the next report. */
void rtp_circuit_breaker_stream_update_interval (RtpCircuitBreakerStream *self,
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
