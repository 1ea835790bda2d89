/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender of TFMCC, RFC 4654 section 3: follows the current limiting
 * receiver of a group, and keeps the group's feedback in bounds.  What it holds
 * does not depend on the size of the group.  Not here: RFC 4654's separate
 * control messages, and multicast feedback.
 * One call in (tfmcc_sender_on_sent, _on_report or _on_deadline), then read
 * tfmcc_sender_next_deadline and tfmcc_sender_next_send_at anew. */
#pragma once

#include "tfmcc/clr.h"
#include "tfmcc/round.h"
#include "tfrc/pacer.h"
#include "tfrc/packet.h"

/* X, which falls at once and rises along a slope to its target: sections 3.3 and
 * 3.6. */
typedef struct
{
  TfrcRate base;   /* at `since` [bytes/s] */
  TfrcRate target; /* never exceeded */
  double slope;    /* [bytes/s per s] */
  TfrcTime since;  /* flat until then */
} TfmccAllowedRate;

TfrcRate tfmcc_allowed_rate_get (const TfmccAllowedRate *self, TfrcTime now);

/* `rate` from now on, without a rise. */
void tfmcc_allowed_rate_set (TfmccAllowedRate *self, TfrcRate rate,
    TfrcTime now);

/* Towards `target`: at once if it is lower; with `slope` if it is higher,
 * beginning at `start`, which is now or later. */
void tfmcc_allowed_rate_approach (TfmccAllowedRate *self, TfrcRate target,
    double slope, TfrcTime start, TfrcTime now);

/* Whose report the next data packet echoes, so that its receiver can measure
 * its RTT.  More reports than packets may come; who goes first is section 3.5's
 * order.  Bounded: what finds no place is not echoed. */
#define TFMCC_MAX_ECHOES 16

/* In the order in which they are echoed. */
typedef enum
{
  TFMCC_ECHO_NEW_CLR, /* or the CLR while it has no RTT */
  TFMCC_ECHO_NO_RTT,
  TFMCC_ECHO_OTHER,
} TfmccEchoClass;

typedef struct
{
  TfmccEchoClass priority;
  uint32_t ssrc;
  uint32_t report_time_us; /* tr_r */
  TfrcTime received_at;    /* ts_d is counted from here */
  uint8_t round;           /* that it answered */
  TfrcRate rate;           /* X_r */
} TfmccPendingEcho;

typedef struct
{
  TfmccPendingEcho pending[TFMCC_MAX_ECHOES];
  uint32_t n_pending;
  bool has_clr;
  TfmccPendingEcho clr; /* the CLR's newest report */
  bool clr_owed;        /* not echoed in this round yet */
  uint64_t dropped;     /* reports that found no place */
} TfmccEchoes;

/* A report to be echoed; replaces an earlier one of the same receiver.
 * `round` is the present one. */
void tfmcc_echoes_add (TfmccEchoes *self, const TfmccReport *report,
    TfmccEchoClass priority, uint8_t round, TfrcTime now);

/* The newest report of the CLR: echoed whenever there is nothing else. */
void tfmcc_echoes_set_clr (TfmccEchoes *self, const TfmccReport *report,
    TfrcTime now);

/* What the packet that is sent now echoes; false: nothing.  `clr_is_due`: the
 * round will soon be over. */
bool tfmcc_echoes_next (TfmccEchoes *self, bool clr_is_due, uint8_t round,
    TfmccEcho *echo, TfrcTime now);

typedef struct
{
  uint32_t max_segment_size; /* s until packets are sent; default 1200 */
  TfrcRate min_rate;         /* X is never below; default 0 */
  TfrcRate max_rate;         /* nor above; default INFINITY */
  TfrcRate start_rate;       /* X begins with so much at least; default 0 */
  TfrcDuration max_credit;   /* of the pacer; default 10 ms */
  TfmccRoundConfig round;
  uint32_t timestamp_offset_us; /* random, of send_time_us */
  /* Ours, docs/rules.md; default true, false: RFC 4654. */
  bool rise_by_time;              /* by R_max, however many reports come */
  bool rise_by_max_segment;       /* where packets are smaller */
  bool data_limited_reports;      /* without loss these do not lower X */
  bool restart_at_packet_per_rtt; /* after a pause X is no less */
  bool spaced_clr_reports;        /* timeouts count TFMCC_MIN_CLR_INTERVAL */
  bool clr_timeout_by_packets;    /* its silence begins with a packet */
  bool bound_unused_rate;         /* X rises to twice what is sent */
  bool halve_after_round; /* for silence of all no earlier than after 2 T */
  bool known_successor;   /* of a CLR that has gone: who last reported least */
} TfmccSenderConfig;

typedef struct
{
  uint64_t packets; /* sent */
  uint64_t bytes;
  uint64_t reports;     /* accepted */
  uint64_t reports_clr; /* of these, the CLR's */
  uint64_t reports_without_rtt;
  uint64_t reports_invalid;     /* echo or round never sent, no rate */
  uint64_t reports_below_floor; /* of one packet in 8 s, taken as that */
  uint64_t leaves;
  uint64_t rounds;
  uint64_t clr_changes;
  uint64_t clr_timeouts; /* given up after 10 RTTs, without a leave */
  uint64_t starvations;  /* halvings since nobody answered */
} TfmccSenderCounters;

typedef struct
{
  TfmccSenderConfig config;
  TfmccAllowedRate rate; /* X */
  TfrcRate limit;        /* of who reports otherwise; INFINITY: nobody */
  bool heard; /* somebody reports; else X is the limit, where there is one */
  TfmccRound round;
  TfmccClrChoice clr;
  TfmccClrChange clr_change; /* by the newest report */
  TfmccEchoes echoes;
  TfrcPacer pacer;
  TfrcSegmentSize segment_size;
  TfmccSendingRate sending_rate; /* as receivers see it */
  TfmccSendingRate used_rate;    /* of bytes, over UNUSED_TIME */
  TfmccSenderCounters counters;

  TfrcTime now; /* the newest `now`: time never runs back */
  bool slow_start;
  TfrcRate slow_start_minimum;  /* of X_r in this round; INFINITY: none */
  TfrcRate slow_start_clr_rate; /* the CLR's newest of it, or INFINITY */
  TfrcRate resume_rate;         /* X' before a pause, or INFINITY */
  TfrcRate rate_before; /* X when the CLR took over by a lower rate, or 0 */
  TfrcTime before_at;   /* when it was that */
  bool returning;       /* to that, since it has gone */
  bool application_limited;
  bool few_receivers;       /* as whoever knows them says */
  TfrcTime data_limited_at; /* newest packet behind which nothing waited */
  TfrcTime started_at;      /* first packet, or TFRC_TIME_NONE */
  TfrcTime sent_at;         /* newest packet */
  TfrcTime heard_at;        /* newest report, halving or pause */
} TfmccSender;

TfmccSenderConfig tfmcc_sender_config_default (void);

/* Values out of range are clamped.  Nothing runs before the first packet. */
void tfmcc_sender_init (TfmccSender *self, const TfmccSenderConfig *config);

/* When the next packet may leave; at or before now: now. */
TfrcTime tfmcc_sender_next_send_at (const TfmccSender *self);

/* A packet of `size` > 0 bytes leaves now; gives what to write into it.
 * `backlog`: more is waiting, so the rate and not the data is the limit. */
TfmccExtension tfmcc_sender_on_sent (TfmccSender *self, uint32_t size,
    bool backlog, TfrcTime now);

/* R_r of a report that comes now, RFC 4654 section 3.2.  0: it answers nothing
 * that was sent. */
TfrcDuration tfmcc_sender_measure_rtt (const TfmccSender *self,
    const TfmccReport *report, TfrcTime now);

/* TFRC_INVALID: it answers nothing that was sent. */
TfrcResult tfmcc_sender_on_report (TfmccSender *self, const TfmccReport *report,
    TfrcTime now);

/* Nothing is heard of that receiver any more: if it is the CLR there is none, as after
 * its timeout. */
void tfmcc_sender_forget (TfmccSender *self, uint32_t ssrc, TfrcTime now);

/* Rounds and timeouts; TFRC_TIME_NONE before the first packet. */
TfrcTime tfmcc_sender_next_deadline (const TfmccSender *self);
void tfmcc_sender_on_deadline (TfmccSender *self, TfrcTime now);

/* Lower bound of X from now on [bytes/s]; the upper one is never below it. */
void tfmcc_sender_set_min_rate (TfmccSender *self, TfrcRate min_rate);

/* What others than receivers of TFMCC can take [bytes/s]: X is no more, at once; INFINITY:
 * there are none. */
void tfmcc_sender_set_limit (TfmccSender *self, TfrcRate limit);

/* X [bytes/s]. */
TfrcRate tfmcc_sender_get_rate (const TfmccSender *self, TfrcTime now);

/* The CLR, or NULL. */
const TfmccLimiter *tfmcc_sender_get_clr (const TfmccSender *self);

TfmccSenderCounters tfmcc_sender_get_counters (const TfmccSender *self);
