/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A receiver of TFMCC: measures its own losses and its RTT, calculates the rate
 * that it could take, and reports it to the sender when the group's feedback
 * timers say so; once per RTT as the current limiting receiver.  RFC 4654
 * sections 4 and 5, Widmer and Handley 2001 section 2.
 * One call in (tfmcc_receiver_on_packet, _on_deadline or _leave), then
 * tfmcc_receiver_poll_report, then read tfmcc_receiver_next_deadline.  Time
 * never runs back: a `now` before an earlier one is taken as that. */
#pragma once

#include "base/trace.h"
#include "tfmcc/clr.h"
#include "tfmcc/overload.h"
#include "tfmcc/queue-bound.h"
#include "tfmcc/round.h"
#include "tfrc/byte-log.h"
#include "tfrc/loss-detector.h"
#include "tfrc/loss-intervals.h"
#include "tfrc/packet.h"
#include "tfrc/receiver.h"
#include "tfrc/pacer.h"
#include "tfmcc/packet.h"

/* The RTT of a receiver: measured when the sender echoes one of its reports,
 * followed by the one-way delay in between.  Widmer and Handley 2001 section
 * 2.4, RFC 4654 sections 4.3.2 and 4.3.3.
 *
 * Both sides' timestamps are microseconds from random offsets and wrap; no
 * clock needs to be right, only steady to 500 ppm. */
typedef struct
{
  double weight;       /* of a new sample; default 0.5 */
  double clr_weight;   /* of one of the CLR; default 0.1 */
  double delay_weight; /* of a one-way delay; default 0.05 */
} TfmccRttConfig;

typedef struct
{
  TfmccRttConfig config;
  TfrcDuration initial; /* R_max, or by synchronised clocks */
  bool synchronised;
  bool clock_drift;
  TfrcDuration measured;     /* R; 0 = not measured yet */
  TfrcDuration adjusted;     /* R' since the last measurement */
  uint32_t reverse_delay_us; /* D_r = ts_i - tr_r', with both offsets */
  uint32_t drift_at_us;      /* until when D_r allows for drift */
} TfmccRtt;

TfmccRttConfig tfmcc_rtt_config_default (void);
/* `clock_drift`: the clocks may drift by 500 ppm; false: RFC 4654. */
void tfmcc_rtt_init (TfmccRtt *self, const TfmccRttConfig *config,
    bool clock_drift);

/* What to use until there is a measurement. */
void tfmcc_rtt_set_initial (TfmccRtt *self, TfrcDuration rtt);

/* R_max of a data packet: the initial RTT unless the clocks are synchronised.
 * True if that changed what tfmcc_rtt_get () gives. */
bool tfmcc_rtt_on_max_rtt (TfmccRtt *self, TfrcDuration max_rtt);

/* The same where the clocks of both sides are synchronised, to within
 * `sender_error` and `receiver_error`: "2 (d + e_s + e_r)". */
void tfmcc_rtt_set_synchronised (TfmccRtt *self, TfrcDuration one_way_delay,
    TfrcDuration sender_error, TfrcDuration receiver_error);

/* Our report came back in a data packet that was sent at `send_time_us`;
 * `now_us` is the receiver's timestamp of now. */
void tfmcc_rtt_on_echo (TfmccRtt *self, const TfmccEcho *echo,
    uint32_t send_time_us, uint32_t now_us);

/* Any later data packet. */
void tfmcc_rtt_on_packet (TfmccRtt *self, uint32_t send_time_us,
    uint32_t now_us);

bool tfmcc_rtt_is_measured (const TfmccRtt *self);

/* have_RTT: measured, or by synchronised clocks.  What was calculated with R_max
 * instead has to be corrected by the sender. */
bool tfmcc_rtt_is_own (const TfmccRtt *self);

/* The best there is: adjusted, measured or initial; never 0. */
TfrcDuration tfmcc_rtt_get (const TfmccRtt *self);

/* How much arrives: the receive rate over the last RTTs (RFC 4654 section 4.3.4).
 * The present is an argument and not before the last packet. */
typedef struct
{
  TfrcTime first_at; /* of the first packet; TFRC_TIME_NONE: none */
  TfrcByteLog log;
} TfmccArrivals;

void tfmcc_arrivals_init (TfmccArrivals *self);
void tfmcc_arrivals_add (TfmccArrivals *self, uint32_t size, TfrcDuration rtt,
    TfrcTime now);

/* What arrived within the last `window`, or since the first packet, which is at
 * least taken as one RTT [bytes/s]; 0 before it. */
TfrcRate tfmcc_arrivals_get_rate (const TfmccArrivals *self,
    TfrcDuration window, TfrcDuration rtt, TfrcTime now);

/* The loss interval in front of the first loss event, for `rate` received over
 * the last RTT in packets of `size` > 0 bytes: RFC 4654 section 5.6, D43. */
double tfmcc_arrivals_first_interval (TfrcRate rate, TfrcDuration rtt,
    double size);

#define TFMCC_DISCOUNT_THRESHOLD 0.5 /* RFC 4654 section 5.5 */
/* n, Widmer and Handley 2001 section 2.3; less where less is compiled in. */
#define TFMCC_MIN_HISTORY 8
#define TFMCC_MAX_HISTORY 32
/* No rate is lower: one packet in this time, RFC 4654 section 4.4. */
#define TFMCC_MAX_PACKET_INTERVAL (8 * TFRC_SECOND)

typedef struct
{
  uint32_t ssrc;                /* r, the receiver's own */
  uint32_t history_length;      /* n, TFMCC_MIN_HISTORY to _MAX; default 8 */
  uint32_t timestamp_offset_us; /* random, of report_time_us */
  bool history_discounting;     /* RFC 4654 section 5.5; default true */
  bool adaptive_reordering;     /* TfrcReordering; default true */
  /* The next six are ours, docs/rules.md; default true, false: RFC 4654. */
  bool frames_window;      /* X_recv over 250 ms at least */
  bool pause_ends_window;  /* and until the next packet was due */
  bool newest_max_rtt;     /* R is R_max of the newest packet, not the first */
  bool clock_drift;        /* R' returns to R */
  bool spaced_clr_reports; /* the CLR's are TFMCC_MIN_CLR_INTERVAL apart */
  bool start_delay;        /* T is shorter in slow start */
  TfrcDuration delay_target; /* of queue-bound.h; default 0: no bound */
  double discount_threshold; /* (0, 1]; default 0.5 */
  double slow_start_factor;  /* d, >= 1; default 2 */
  TfmccRttConfig rtt;
  TfmccSuppressionConfig suppression;
  uint64_t seed; /* of the feedback timer */
} TfmccReceiverConfig;

typedef struct
{
  TfmccReceiverConfig config;
  TfrcLossDetector detector;
  TfrcLossHistory history;
  TfmccArrivals arrivals;
  TfrcSegmentSize segment_size;
  double loss_event_rate; /* p at the newest loss */
  TfmccRtt rtt;
  TfmccSendingRate sending_rate;
  TfmccSuppression suppression;
  TfmccClrRole clr_role;
  TfmccQueueBound queue_bound;
  uint32_t least_delay_us; /* of a packet of this round, with both offsets */
  uint32_t grown_us;       /* the delay of the newest is more by this */
  TfmccOverload overload;
  TfrcRate overload_rate; /* to be reported; INFINITY: none */
  TfrcReceiverCounters counters;
  uint64_t loss_events_before; /* the flow was forgotten */
  uint64_t stream_resets_before;

  TfrcTime now;       /* the newest `now`: time never runs back */
  TfrcTime newest_at; /* tr_i: arrival of the newest packet with an extension */
  TfmccExtension newest;     /* that extension */
  TfrcTime data_limited_at;  /* of the newest with application_limited */
  uint32_t media_ssrc;       /* and whose it is */
  uint32_t first_sent_us;    /* send time of the first packet of `arrivals` */
  TfrcRate first_event_rate; /* X_recv that l_0 was calculated with */
  TfrcDuration put_off;      /* by it the feedback timer waits for X_recv */
  bool has_loss;             /* have_loss */
  bool reported_in_round;
  bool leaving;
  bool report_due;
} TfmccReceiver;

TfmccReceiverConfig tfmcc_receiver_config_default (void);

/* Values out of range are clamped. */
void tfmcc_receiver_init (TfmccReceiver *self,
    const TfmccReceiverConfig *config);

/* Another sender: forgets all but the counters. */
void tfmcc_receiver_forget (TfmccReceiver *self);

/* Another SSRC, since the former one was another receiver's too: what was
 * measured stays, and the sender learns of us anew. */
void tfmcc_receiver_set_ssrc (TfmccReceiver *self, uint32_t ssrc);

/* A data packet at its arrival; `extension` is NULL if it has none.  What is
 * refused has no effect but on counters. */
TfrcResult tfmcc_receiver_on_packet (TfmccReceiver *self,
    const TfrcDataPacket *packet, const TfmccExtension *extension,
    TfrcTime now);

TfrcTime tfmcc_receiver_next_deadline (const TfmccReceiver *self);
void tfmcc_receiver_on_deadline (TfmccReceiver *self, TfrcTime now);

/* A stream of the flow has left (BYE): its holes are no longer waited for. */
void tfmcc_receiver_remove_stream (TfmccReceiver *self, uint32_t ssrc,
    TfrcTime now);

/* The receiver is about to leave: the sender must hear of it if it follows
 * us, or is about to. */
void tfmcc_receiver_leave (TfmccReceiver *self, TfrcTime now);

/* The report that is due, made for `now`; false when none is. */
bool tfmcc_receiver_poll_report (TfmccReceiver *self, TfmccReport *report,
    TfrcTime now);

/* X_r: what this receiver could take now [bytes/s]; 0 before any packet. */
TfrcRate tfmcc_receiver_get_rate (const TfmccReceiver *self);

/* How fast the sender sends, over one to two R_max [bytes/s]; 0 while not
 * known. */
TfrcRate tfmcc_receiver_get_sending_rate (const TfmccReceiver *self);

/* p, 0 before the first loss event. */
double tfmcc_receiver_get_loss_event_rate (const TfmccReceiver *self);

/* What the newest packet said; NULL before the first. */
const TfmccExtension *tfmcc_receiver_get_extension (const TfmccReceiver *self);

TfrcReceiverCounters tfmcc_receiver_get_counters (const TfmccReceiver *self);

/* Fills the columns of TFRC_TRACE_RECEIVER that TFMCC has, and leaves the
 * others alone; the RTT is 0 while it is not measured. */
void tfmcc_receiver_get_trace (const TfmccReceiver *self, TfrcTrace *trace,
    TfrcTime now);
