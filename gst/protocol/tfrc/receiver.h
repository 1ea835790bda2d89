/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The receiver of RFC 5348 section 6: passes packets to the loss detector and its
 * losses to the loss history, measures X_recv, and decides when to report.
 *
 * Call one of tfrc_receiver_on_packet, tfrc_receiver_on_deadline and
 * tfrc_receiver_remove_stream, then tfrc_receiver_poll_feedback until it returns
 * false, then read tfrc_receiver_next_deadline.  A `now` before an earlier one is
 * taken as that. */
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

  /* Our deviations; 0 or false gives RFC 5348 (docs/rules.md). */

  /* D12: losses during an outage are placed at its start; default true. */
  bool detect_outages;
  /* D16: least time between reports of the timer, whatever RTT the sender claims;
   * default 1 ms, the granularity of timers (t_gran of section 8.3). */
  TfrcDuration min_feedback_interval;
  bool adaptive_reordering; /* D19: TfrcReordering; default true */
  /* D63: largest X_recv of the last seconds only; default true. */
  bool recent_maximum;
  /* D65: the sender's, for the first loss interval; default CUBIC. */
  TfrcTcp tcp;
  /* D66: if R is long and four packets have arrived, report after a part of R;
   * default true. */
  bool fast_return;
} TfrcReceiverConfig;

/* Shared with TFMCC. */
typedef struct
{
  uint64_t packets; /* accepted */
  uint64_t bytes;
  uint64_t packets_lost;   /* declared lost and not received since */
  uint64_t packets_marked; /* ECN-CE */
  uint64_t packets_duplicate;
  uint64_t packets_late; /* arrived after they were declared lost */
  /* Dropped, as the sequence number was too far off. */
  uint64_t packets_unproven;
  uint64_t packets_without_extension; /* without our header extension */
  uint64_t loss_events;
  uint64_t feedback; /* TFRC: reports made; TFMCC counts `reports` */
  uint64_t sender_restarts;
  uint64_t stream_resets; /* an SSRC jumped to other sequence numbers */

  uint64_t rounds; /* TFMCC only, like all below: feedback rounds that began */
  uint64_t reports;
  /* Feedback timers cancelled by the sender's suppression rate. */
  uint64_t reports_suppressed;
  uint64_t echoes;      /* of our reports, by the sender */
  uint64_t clr_periods; /* times this receiver became the CLR */
} TfrcReceiverCounters;

/* Adds what these have counted since they were initialised. */
void tfrc_receiver_counters_add (TfrcReceiverCounters *self,
    const TfrcLossHistory *history, const TfrcLossDetector *detector);

/* Counts a packet with such an arrival as refused, and returns why. */
TfrcResult tfrc_receiver_counters_refuse (TfrcReceiverCounters *self,
    TfrcArrival arrival);

/* Fills the trace columns that count packets. */
void tfrc_receiver_counters_get_trace (const TfrcReceiverCounters *self,
    TfrcTrace *trace);

#define TFRC_RECENT_LOSSES 32

typedef struct
{
  uint32_t ssrc;
  uint32_t count;
  uint16_t seq; /* sequence number of the first packet */
} TfrcLoss;

/* What a report needs of the newest packet with an extension. */
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

  TfrcTime now;           /* latest `now` */
  TfrcDuration rtt;       /* R_m, of the newest packet; 0 = not known */
  TfrcDuration timer_rtt; /* R_{m-1}: R when the timer was started */
  TfrcTime timer_at;      /* feedback timer; TFRC_TIME_NONE: stopped */
  bool idle;              /* the last expiry sent nothing */
  bool has_echo;
  TfrcEcho echo;
  /* a packet with an extension arrived since the last report */
  bool unreported;
  double loss_event_rate; /* p as last calculated (p_prev) */
  bool feedback_due;
  uint64_t n_losses;
  TfrcLoss losses[TFRC_RECENT_LOSSES]; /* ring of the newest losses */
} TfrcReceiver;

TfrcReceiverConfig tfrc_receiver_config_default (void);

/* Values out of range are clamped. */
void tfrc_receiver_init (TfrcReceiver *self, const TfrcReceiverConfig *config);

/* The sender uses TFRC-SP (small_packets), so the receiver does from now on. */
void tfrc_receiver_set_small_packets (TfrcReceiver *self);

/* Resets the state as if the sender had restarted; counters are kept. */
void tfrc_receiver_forget (TfrcReceiver *self);

/* A data packet has arrived.  Anything but TFRC_OK is counted and has no other
 * effect: TFRC_DUPLICATE, TFRC_STALE (older than everything that is kept),
 * TFRC_INVALID (sequence number too far off; if the next packet continues there,
 * the stream is reset). */
TfrcResult tfrc_receiver_on_packet (TfrcReceiver *self,
    const TfrcDataPacket *packet, TfrcTime now);

/* Expiry of the feedback timer, or the time at which a hole becomes lost;
 * TFRC_TIME_NONE before the first packet with an RTT, and while the flow is idle. */
TfrcTime tfrc_receiver_next_deadline (const TfrcReceiver *self);
void tfrc_receiver_on_deadline (TfrcReceiver *self, TfrcTime now);

/* The same for a caller that would have to wake up for it: leaves out an expiry
 * that would only find the flow idle, since the next packet finds that out too. */
TfrcTime tfrc_receiver_next_wakeup (const TfrcReceiver *self);

/* Gets the report that is due, made at `now`, without one-way delays.  Returns
 * false if none is due. */
bool tfrc_receiver_poll_feedback (TfrcReceiver *self, TfrcFeedback *feedback,
    TfrcTime now);

/* The SSRC has left (BYE): its missing packets are declared lost. */
void tfrc_receiver_remove_stream (TfrcReceiver *self, uint32_t ssrc);

TfrcReceiverCounters tfrc_receiver_get_counters (const TfrcReceiver *self);

/* Fills the columns of TFRC_TRACE_RECEIVER and leaves the others alone. */
void tfrc_receiver_get_trace (const TfrcReceiver *self, TfrcTrace *trace,
    TfrcTime now);
