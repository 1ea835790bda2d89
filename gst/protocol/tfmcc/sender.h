/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The TFMCC sender, RFC 4654 section 3: follows the current limiting receiver of a
 * group, and bounds the amount of feedback.  Its memory does not depend on the size
 * of the group.  Not implemented: RFC 4654's separate control messages, and
 * multicast feedback.
 *
 * Call one of tfmcc_sender_on_sent, _on_report and _on_deadline, then read
 * tfmcc_sender_next_deadline and tfmcc_sender_next_send_at again. */
#pragma once

#include "tfmcc/clr.h"
#include "tfmcc/round.h"
#include "tfrc/pacer.h"
#include "tfrc/packet.h"

/* X, which falls at once and rises to its target along a slope: sections 3.3 and
 * 3.6. */
typedef struct
{
  TfrcRate base;   /* rate at `since` [bytes/s] */
  TfrcRate target; /* upper bound [bytes/s] */
  double slope;    /* [bytes/s per s] */
  TfrcTime since;  /* when the rise begins */
} TfmccAllowedRate;

TfrcRate tfmcc_allowed_rate_get (const TfmccAllowedRate *self, TfrcTime now);

/* Sets the rate from now on, without a rise. */
void tfmcc_allowed_rate_set (TfmccAllowedRate *self, TfrcRate rate,
    TfrcTime now);

/* Moves to `target`: at once if it is lower, otherwise with `slope`, beginning at
 * `start`, which is now or later. */
void tfmcc_allowed_rate_approach (TfmccAllowedRate *self, TfrcRate target,
    double slope, TfrcTime start, TfrcTime now);

/* Which report the next data packet echoes, so that its receiver can measure its
 * RTT.  There may be more reports than packets; section 3.5 gives the order.
 * Reports beyond the limit are not echoed. */
#define TFMCC_MAX_ECHOES 16

/* In order of priority. */
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
  TfrcTime received_at;    /* start of the hold time ts_d */
  uint8_t round;           /* round that the report was about */
  TfrcRate rate;           /* X_r */
} TfmccPendingEcho;

typedef struct
{
  TfmccPendingEcho pending[TFMCC_MAX_ECHOES];
  uint32_t n_pending;
  bool has_clr;
  TfmccPendingEcho clr; /* the CLR's newest report */
  bool clr_owed;        /* it has not been echoed in this round */
  uint64_t dropped;     /* reports for which there was no place */
} TfmccEchoes;

/* Adds a report to be echoed; replaces an earlier one of the same receiver.
 * `round` is the current one. */
void tfmcc_echoes_add (TfmccEchoes *self, const TfmccReport *report,
    TfmccEchoClass priority, uint8_t round, TfrcTime now);

/* Sets the newest report of the CLR, which is echoed if there is no other. */
void tfmcc_echoes_set_clr (TfmccEchoes *self, const TfmccReport *report,
    TfrcTime now);

/* Gets the echo for the packet that is sent now; returns false if there is none.
 * `clr_is_due`: the round will end soon, so the CLR must be echoed. */
bool tfmcc_echoes_next (TfmccEchoes *self, bool clr_is_due, uint8_t round,
    TfmccEcho *echo, TfrcTime now);

typedef struct
{
  uint32_t max_segment_size; /* s before any packet is sent; default 1200 */
  TfrcRate min_rate;         /* lower bound of X; default 0 */
  TfrcRate max_rate;         /* upper bound of X; default INFINITY */
  /* X at the start, if higher than RFC 4654's; default 0. */
  TfrcRate start_rate;
  TfrcDuration max_credit; /* of the pacer, see tfrc/pacer.h; default 10 ms */
  TfmccRoundConfig round;
  uint32_t timestamp_offset_us; /* random offset of send_time_us */
  /* Our deviations, docs/rules.md; default true, false gives RFC 4654. */
  bool rise_by_time; /* X rises with time, however many reports arrive */
  /* X rises by max_segment_size if packets are smaller. */
  bool rise_by_max_segment;
  /* If data-limited and without a loss, these do not lower X. */
  bool data_limited_reports;
  /* After a pause X is no less than at the start. */
  bool restart_at_packet_per_rtt;
  /* Timeouts count RTTs of at least TFMCC_MIN_CLR_INTERVAL. */
  bool spaced_clr_reports;
  bool clr_timeout_by_packets; /* silence of the CLR starts with a packet */
  bool bound_unused_rate;      /* X rises to at most twice what is sent */
  /* Silence of all halves X no earlier than after 2 T. */
  bool halve_after_round;
  /* The lowest recent report replaces a CLR that is gone. */
  bool known_successor;
} TfmccSenderConfig;

typedef struct
{
  uint64_t packets; /* sent */
  uint64_t bytes;
  uint64_t reports;     /* accepted */
  uint64_t reports_clr; /* those of the CLR */
  uint64_t reports_without_rtt;
  uint64_t reports_invalid; /* echo or round never sent, or no rate */
  /* Rate below one packet per 8 s, taken as that. */
  uint64_t reports_below_floor;
  uint64_t leaves;
  uint64_t rounds;
  uint64_t clr_changes;
  uint64_t clr_timeouts; /* CLRs given up after 10 RTTs, without a leave */
  uint64_t starvations;  /* times X was halved as nobody reported */
} TfmccSenderCounters;

typedef struct
{
  TfmccSenderConfig config;
  TfmccAllowedRate rate; /* X */
  /* Limit for members that report by other means; INFINITY: none. */
  TfrcRate limit;
  /* a receiver reports by TFMCC; otherwise X is `limit`, if any */
  bool has_receiver;
  TfmccRound round;
  TfmccClrChoice clr;
  TfmccClrChange clr_change; /* by the newest report */
  TfmccEchoes echoes;
  TfrcPacer pacer;
  TfrcSegmentSize segment_size;
  TfmccSendingRate sending_rate; /* packet rate as receivers measure it */
  TfmccSendingRate used_rate;    /* byte rate, over UNUSED_TIME */
  TfmccSenderCounters counters;

  TfrcTime now; /* latest `now` */
  bool slow_start;
  TfrcRate slow_start_minimum; /* lowest X_r in this round; INFINITY: none */
  /* The CLR's newest X_r in this round, or INFINITY. */
  TfrcRate slow_start_clr_rate;
  TfrcRate resume_rate; /* X' before a pause, or INFINITY */
  /* X when a lower rate made another receiver the CLR, or 0. */
  TfrcRate rate_before;
  TfrcTime before_at; /* when that was */
  bool returning;     /* X returns to that, as the CLR has gone */
  bool application_limited;
  bool few_receivers;       /* set by the owner, see checks/tfmcc-reports.h */
  TfrcTime data_limited_at; /* newest packet with nothing waiting behind it */
  TfrcTime started_at; /* when the first packet was sent, or TFRC_TIME_NONE */
  TfrcTime sent_at;    /* when the newest packet was sent */
  /* Newest report, halving, pause or time at the limit: without a report X is halved an
   * interval later. */
  TfrcTime interval_began_at;
} TfmccSender;

TfmccSenderConfig tfmcc_sender_config_default (void);

/* Values out of range are clamped.  No timer runs before the first packet. */
void tfmcc_sender_init (TfmccSender *self, const TfmccSenderConfig *config);

/* When the next packet may be sent; in the past if it may be sent now. */
TfrcTime tfmcc_sender_next_send_at (const TfmccSender *self);

/* A packet of `size` > 0 bytes is sent now; returns what to write into it.
 * `backlog`: more packets are waiting, so the sender is limited by its rate and not
 * by its data. */
TfmccExtension tfmcc_sender_on_sent (TfmccSender *self, uint32_t size,
    bool backlog, TfrcTime now);

/* R_r of a report that arrives now, RFC 4654 section 3.2; 0 if the report answers
 * no packet that was sent. */
TfrcDuration tfmcc_sender_measure_rtt (const TfmccSender *self,
    const TfmccReport *report, TfrcTime now);

/* A report has arrived.  Returns TFRC_INVALID if it answers no packet that was
 * sent. */
TfrcResult tfmcc_sender_on_report (TfmccSender *self, const TfmccReport *report,
    TfrcTime now);

/* That receiver is no longer heard: if it is the CLR there is none, as after its
 * timeout. */
void tfmcc_sender_forget (TfmccSender *self, uint32_t ssrc, TfrcTime now);

/* When a round or a timeout ends; TFRC_TIME_NONE before the first packet. */
TfrcTime tfmcc_sender_next_deadline (const TfmccSender *self);
void tfmcc_sender_on_deadline (TfmccSender *self, TfrcTime now);

/* Sets the lower bound of X [bytes/s]; raises the upper bound if necessary. */
void tfmcc_sender_set_min_rate (TfmccSender *self, TfrcRate min_rate);

/* Sets what members that report by other means can take [bytes/s], which bounds X
 * at once; INFINITY: there are none. */
void tfmcc_sender_set_limit (TfmccSender *self, TfrcRate limit);

/* X [bytes/s]. */
TfrcRate tfmcc_sender_get_rate (const TfmccSender *self, TfrcTime now);

/* The CLR, or NULL. */
const TfmccLimiter *tfmcc_sender_get_clr (const TfmccSender *self);

TfmccSenderCounters tfmcc_sender_get_counters (const TfmccSender *self);
