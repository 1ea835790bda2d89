/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TFMCC receiver: measures its losses and its RTT, calculates the rate that it
 * could take, and reports it to the sender when the feedback timer of the group
 * expires; as the current limiting receiver once per RTT.  RFC 4654 sections 4 and
 * 5, Widmer and Handley 2001 section 2.
 *
 * Call one of tfmcc_receiver_on_packet, _on_deadline and _leave, then
 * tfmcc_receiver_poll_report, then read tfmcc_receiver_next_deadline.  A `now`
 * before an earlier one is taken as that. */
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

/* RTT of a receiver: measured when the sender echoes one of its reports, and
 * adjusted by the one-way delay in between.  Widmer and Handley 2001 section 2.4,
 * RFC 4654 sections 4.3.2 and 4.3.3.
 *
 * Timestamps of both sides are microseconds from random offsets, and wrap.  Clocks
 * need not be right, only steady to 500 ppm. */
typedef struct
{
  double weight;       /* weight of a new sample; default 0.5 */
  double clr_weight;   /* the same for the CLR; default 0.1 */
  double delay_weight; /* weight of a one-way delay; default 0.05 */
} TfmccRttConfig;

typedef struct
{
  TfmccRttConfig config;
  TfrcDuration initial; /* R_max, or from synchronised clocks */
  bool synchronised;
  bool clock_drift;
  TfrcDuration measured;     /* R; 0 = not measured yet */
  TfrcDuration adjusted;     /* R' since the last measurement */
  uint32_t reverse_delay_us; /* D_r = ts_i - tr_r', with both offsets */
  uint32_t drift_at_us;      /* time up to which D_r is corrected for drift */
} TfmccRtt;

TfmccRttConfig tfmcc_rtt_config_default (void);
/* `clock_drift`: correct for clocks that drift by up to 500 ppm; false: RFC 4654. */
void tfmcc_rtt_init (TfmccRtt *self, const TfmccRttConfig *config,
    bool clock_drift);

/* Sets the RTT to use until there is a measurement. */
void tfmcc_rtt_set_initial (TfmccRtt *self, TfrcDuration rtt);

/* R_max of a data packet is the initial RTT unless the clocks are synchronised.
 * Returns true if that has changed tfmcc_rtt_get (). */
bool tfmcc_rtt_on_max_rtt (TfmccRtt *self, TfrcDuration max_rtt);

/* The same, and the RTT is our own: it does not follow R_max. */
void tfmcc_rtt_set_own (TfmccRtt *self, TfrcDuration rtt);

/* Sets the initial RTT from clocks of both sides that are synchronised within
 * `sender_error` and `receiver_error`: "2 (d + e_s + e_r)". */
void tfmcc_rtt_set_synchronised (TfmccRtt *self, TfrcDuration one_way_delay,
    TfrcDuration sender_error, TfrcDuration receiver_error);

/* A data packet sent at `send_time_us` has echoed our report; `now_us` is the
 * receiver's current timestamp. */
void tfmcc_rtt_on_echo (TfmccRtt *self, const TfmccEcho *echo,
    uint32_t send_time_us, uint32_t now_us);

/* A data packet has arrived; adjusts the RTT by its one-way delay. */
void tfmcc_rtt_on_packet (TfmccRtt *self, uint32_t send_time_us,
    uint32_t now_us);

bool tfmcc_rtt_is_measured (const TfmccRtt *self);

/* have_RTT: measured, or from synchronised clocks.  Otherwise the sender has to
 * correct rates, which were calculated with R_max. */
bool tfmcc_rtt_is_own (const TfmccRtt *self);

/* The best estimate: adjusted, measured or initial; never 0. */
TfrcDuration tfmcc_rtt_get (const TfmccRtt *self);

/* Receive rate over the last RTTs (RFC 4654 section 4.3.4).  `now` must not be
 * before the last packet. */
typedef struct
{
  TfrcTime first_at; /* arrival of the first packet; TFRC_TIME_NONE: none */
  TfrcByteLog log;
} TfmccArrivals;

void tfmcc_arrivals_init (TfmccArrivals *self);
void tfmcc_arrivals_add (TfmccArrivals *self, uint32_t size, TfrcDuration rtt,
    TfrcTime now);

/* Rate over the last `window`, or since the first packet, but at least over one RTT
 * [bytes/s]; 0 before the first packet. */
TfrcRate tfmcc_arrivals_get_rate (const TfmccArrivals *self,
    TfrcDuration window, TfrcDuration rtt, TfrcTime now);

/* Loss interval before the first loss event, from the `rate` received over the last
 * RTT in packets of `size` > 0 bytes: RFC 4654 section 5.6, D43. */
double tfmcc_arrivals_first_interval (TfrcRate rate, TfrcDuration rtt,
    double size);

#define TFMCC_DISCOUNT_THRESHOLD 0.5 /* RFC 4654 section 5.5 */
/* n, Widmer and Handley 2001 section 2.3; limited by TFRC_MAX_HISTORY. */
#define TFMCC_MIN_HISTORY 8
#define TFMCC_MAX_HISTORY 32
/* Lower bound of all rates: one packet in this time, RFC 4654 section 4.4. */
#define TFMCC_MAX_PACKET_INTERVAL (8 * TFRC_SECOND)

typedef struct
{
  uint32_t ssrc;                /* r, this receiver's SSRC */
  uint32_t history_length;      /* n, TFMCC_MIN_HISTORY to _MAX; default 8 */
  uint32_t timestamp_offset_us; /* random offset of report_time_us */
  bool history_discounting;     /* RFC 4654 section 5.5; default true */
  bool adaptive_reordering;     /* TfrcReordering; default true */
  /* The next seven are our deviations, docs/rules.md; default true, false gives RFC
   * 4654. */
  bool frames_window;     /* X_recv over at least 250 ms */
  bool pause_ends_window; /* and only until the next packet was due */
  bool newest_max_rtt; /* R is R_max of the newest packet, not of the first */
  bool clock_drift;    /* R' returns to R, see TfmccRtt */
  /* Those of the CLR are TFMCC_MIN_CLR_INTERVAL apart. */
  bool spaced_clr_reports;
  bool start_delay;          /* T is shorter in slow start */
  bool restart_rtt;          /* R and R_max outlive a restart of the sender */
  TfrcDuration delay_target; /* target of queue-bound.h; default 0: off */
  double discount_threshold; /* (0, 1]; default 0.5 */
  double slow_start_factor;  /* d, >= 1; default 2 */
  TfmccRttConfig rtt;
  TfmccSuppressionConfig suppression;
  uint64_t seed; /* of the feedback timer's random numbers */
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
  /* Least delay of a packet in this round, with both clock offsets. */
  uint32_t least_delay_us;
  uint32_t grown_us; /* delay of the newest packet, minus that */
  TfmccOverload overload;
  TfrcRate overload_rate; /* rate to be reported; INFINITY: none */
  TfrcReceiverCounters counters;

  TfrcTime now;       /* latest `now` */
  TfrcTime newest_at; /* tr_i: arrival of the newest packet with an extension */
  TfmccExtension newest;    /* extension of that packet */
  TfrcTime data_limited_at; /* newest arrival with application_limited set */
  uint32_t media_ssrc;      /* media SSRC of the newest packet */
  uint32_t first_sent_us; /* send timestamp of the first packet in `arrivals` */
  TfrcRate first_event_rate; /* X_recv from which l_0 was calculated */
  TfrcDuration put_off;      /* how long the feedback timer waits for X_recv */
  TfrcDuration max_rtt_before; /* R_max of the sender before; 0: not known */
  bool has_loss;               /* have_loss */
  bool reported_in_round;
  bool leaving;
  bool report_due;
} TfmccReceiver;

TfmccReceiverConfig tfmcc_receiver_config_default (void);

/* Values out of range are clamped. */
void tfmcc_receiver_init (TfmccReceiver *self,
    const TfmccReceiverConfig *config);

/* Resets the state for another sender; counters are kept. */
void tfmcc_receiver_forget (TfmccReceiver *self);

/* The same for one that has taken the place of the sender before: if that was heard
 * within a minute, R and R_max are likely what they were, though R is no more than
 * the R_max that it announces. */
void tfmcc_receiver_on_restart (TfmccReceiver *self, TfrcDuration max_rtt,
    TfrcTime now);

/* Changes the SSRC, as another receiver has the old one too.  Measurements are
 * kept; to the sender this is a new receiver. */
void tfmcc_receiver_set_ssrc (TfmccReceiver *self, uint32_t ssrc);

/* A data packet has arrived; `extension` is NULL if it has none.  Packets that are
 * refused are counted and have no other effect. */
TfrcResult tfmcc_receiver_on_packet (TfmccReceiver *self,
    const TfrcDataPacket *packet, const TfmccExtension *extension,
    TfrcTime now);

TfrcTime tfmcc_receiver_next_deadline (const TfmccReceiver *self);
void tfmcc_receiver_on_deadline (TfmccReceiver *self, TfrcTime now);

/* A stream of the flow has left (BYE): its missing packets are declared lost. */
void tfmcc_receiver_remove_stream (TfmccReceiver *self, uint32_t ssrc,
    TfrcTime now);

/* The receiver is about to leave.  The sender is told if this receiver is the CLR,
 * or may become it. */
void tfmcc_receiver_leave (TfmccReceiver *self, TfrcTime now);

/* Gets the report that is due, made at `now`.  Returns false if none is due. */
bool tfmcc_receiver_poll_report (TfmccReceiver *self, TfmccReport *report,
    TfrcTime now);

/* X_r: rate that this receiver could take [bytes/s]; 0 before any packet. */
TfrcRate tfmcc_receiver_get_rate (const TfmccReceiver *self);

/* Rate of the sender over the last one to two R_max [bytes/s]; 0 while not known. */
TfrcRate tfmcc_receiver_get_sending_rate (const TfmccReceiver *self);

/* p; 0 before the first loss event. */
double tfmcc_receiver_get_loss_event_rate (const TfmccReceiver *self);

/* Extension of the newest packet; NULL before the first. */
const TfmccExtension *tfmcc_receiver_get_extension (const TfmccReceiver *self);

TfrcReceiverCounters tfmcc_receiver_get_counters (const TfmccReceiver *self);

/* Fills those trace columns of TFRC_TRACE_RECEIVER that TFMCC has, and no others;
 * the RTT is 0 until it is measured. */
void tfmcc_receiver_get_trace (const TfmccReceiver *self, TfrcTrace *trace,
    TfrcTime now);
