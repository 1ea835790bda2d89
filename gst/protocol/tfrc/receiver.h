/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver of RFC 5348 section 6: hands packets to the loss detector, its
 * losses to the history, and says when to report what.
 *
 * One call in (tfrc_receiver_on_packet, tfrc_receiver_on_deadline or
 * tfrc_receiver_remove_stream), then tfrc_receiver_poll_feedback until it has
 * none, then read tfrc_receiver_next_deadline.  Time never runs back: a `now`
 * before an earlier one is taken as that. */
#pragma once

#include "tfrc/equation.h"
#include "tfrc/loss-detector.h"
#include "tfrc/loss-intervals.h"
#include "tfrc/packet.h"
#include "tfrc/byte-log.h"
#include "tfrc/pacer.h"
#include "base/trace.h"

typedef struct
{
  uint32_t history_length;   /* n, 2 to 256; default 8 */
  bool history_discounting;  /* RFC 5348 section 5.5; default true */
  double discount_threshold; /* (0, 1]; default 0.25 */
  bool small_packets;        /* TFRC-SP, RFC 4828; default false */

  /* Ours; 0 or false: as RFC 5348 has it (docs/rules.md). */

  /* D12: losses over an outage are placed at its beginning; default true. */
  bool detect_outages;
  /* D16: reports by the timer are at least this far apart, whatever RTT a sender
   * claims; default 1 ms, the granularity of timers (t_gran of section 8.3). */
  TfrcDuration min_feedback_interval;
  bool adaptive_reordering; /* D19: TfrcReordering; default true */
  bool recent_maximum; /* D63: the largest X_recv is forgotten; default true */
  TfrcTcp tcp; /* D65: the sender's, for the first interval; default CUBIC */
  /* D66: where four packets have come, part of a long R is time enough for a report;
   * default true. */
  bool fast_return;
} TfrcReceiverConfig;

/* Of TFMCC, too. */
typedef struct
{
  uint64_t packets; /* accepted */
  uint64_t bytes;
  uint64_t packets_lost;   /* declared lost and not repaired */
  uint64_t packets_marked; /* ECN-CE */
  uint64_t packets_duplicate;
  uint64_t packets_late;     /* arrived after they were declared lost */
  uint64_t packets_unproven; /* sequence number too far off, dropped */
  uint64_t packets_without_extension; /* without our header extension */
  uint64_t loss_events;
  uint64_t feedback; /* TFRC: reports handed out, as `reports` */
  uint64_t sender_restarts;
  uint64_t stream_resets; /* an SSRC jumped to other sequence numbers */

  uint64_t rounds; /* TFMCC, as all below: feedback rounds seen to begin */
  uint64_t reports;
  uint64_t reports_suppressed; /* timers cancelled by the sender's rate */
  uint64_t echoes;             /* of our reports */
  uint64_t clr_periods;        /* times we became the CLR */
} TfrcReceiverCounters;

/* A packet that is refused. */
TfrcResult tfrc_receiver_counters_refuse (TfrcReceiverCounters *self,
    TfrcArrival arrival);

/* Fills the columns of the packets. */
void tfrc_receiver_counters_get_trace (const TfrcReceiverCounters *self,
    TfrcTrace *trace);

#define TFRC_RECENT_LOSSES 32

typedef struct
{
  uint32_t ssrc;
  uint32_t count;
  uint16_t seq; /* of the first */
} TfrcLoss;

/* What the newest packet with an extension leaves for the report. */
typedef struct
{
  uint32_t ssrc;
  uint32_t send_time_us; /* t_recvdata */
  TfrcTime arrived_at;
} TfrcEcho;

typedef struct
{
  TfrcReceiverConfig config;
  TfrcLossDetector detector;
  TfrcLossHistory history;
  TfrcReceiveRate receive_rate;
  TfrcSegmentSize segment_size;
  TfrcReceiverCounters counters;

  TfrcTime now;           /* the newest `now`: time never runs back */
  TfrcDuration rtt;       /* R_m, of the newest packet; 0 = not known */
  TfrcDuration timer_rtt; /* R_{m-1}: R when the timer was started */
  TfrcTime timer_at;      /* feedback timer; TFRC_TIME_NONE: stopped */
  bool idle;              /* the last expiry sent nothing */
  bool has_echo;
  TfrcEcho echo;
  bool news;              /* a packet with an extension since the last report */
  double loss_event_rate; /* p as last calculated (p_prev) */
  bool feedback_due;
  uint64_t stream_resets_before; /* in front of the last restart */
  uint64_t loss_events_before;
  uint64_t n_losses;
  TfrcLoss losses[TFRC_RECENT_LOSSES]; /* a ring: the newest of them */
} TfrcReceiver;

TfrcReceiverConfig tfrc_receiver_config_default (void);

/* Values out of range are clamped. */
void tfrc_receiver_init (TfrcReceiver *self, const TfrcReceiverConfig *config);

/* The sender has small_packets, too: so has the receiver from now on. */
void tfrc_receiver_set_small_packets (TfrcReceiver *self);

/* Forgets the flow as if its sender had restarted; counters go on. */
void tfrc_receiver_forget (TfrcReceiver *self);

/* A data packet at its arrival.  Anything but TFRC_OK is counted and has no
 * other effect: TFRC_DUPLICATE, TFRC_STALE (older than all that is
 * remembered), TFRC_INVALID (too far from its stream; if the next packet
 * continues from there, the stream was reset). */
TfrcResult tfrc_receiver_on_packet (TfrcReceiver *self,
    const TfrcDataPacket *packet, TfrcTime now);

/* The feedback timer, or a hole that time alone makes lost; TFRC_TIME_NONE
 * before the first packet with an RTT, and while the flow is idle. */
TfrcTime tfrc_receiver_next_deadline (const TfrcReceiver *self);
void tfrc_receiver_on_deadline (TfrcReceiver *self, TfrcTime now);

/* The same for a caller that has to wake up for it: without the expiry that
 * would only find the flow idle, which the next packet finds out too. */
TfrcTime tfrc_receiver_next_wakeup (const TfrcReceiver *self);

/* The report that is due, made for `now`, without delays; false when none is. */
bool tfrc_receiver_poll_feedback (TfrcReceiver *self, TfrcFeedback *feedback,
    TfrcTime now);

/* The SSRC has left (BYE): its holes are no longer waited for. */
void tfrc_receiver_remove_stream (TfrcReceiver *self, uint32_t ssrc);

TfrcReceiverCounters tfrc_receiver_get_counters (const TfrcReceiver *self);

/* Fills the columns of TFRC_TRACE_RECEIVER and leaves the others alone. */
void tfrc_receiver_get_trace (const TfrcReceiver *self, TfrcTrace *trace,
    TfrcTime now);
