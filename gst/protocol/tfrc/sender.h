/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender of RFC 5348 section 4: the allowed rate X, the nofeedback timer
 * and the schedule of packets.  Reports are believed here; what is checked of them
 * is in front of it (checks/tfrc-sender.h).
 *
 *   WAITING ------- first feedback -------> SLOW_START <--- p = 0 ---- EQUATION
 *      (no RTT: one packet per second)   (or EQUATION)  ---- p > 0 --->
 *                                             |  ^                     |  ^
 *                             nofeedback timer|  |feedback             |  |
 *                                             v  |                     v  |
 *                                            SILENT <-------------------- +
 *
 * p goes back to 0 when the packet of the only loss came after all, and when
 * the receiver or its history is another one.  Then it is slow start again,
 * from the present X and within recv_limit.
 *
 * One call in (tfrc_sender_on_sent, _on_feedback or _on_deadline), then read
 * tfrc_sender_next_deadline and tfrc_sender_next_send_at anew.  A `now` is not
 * before that of the call before. */
#pragma once

#include "tfrc/equation.h"
#include "tfrc/pacer.h"
#include "tfrc/packet.h"
#include "base/trace.h"
#include "base/units.h"

/* Round-trip time at the sender: R, the square-root mean that damps
 * oscillations (RFC 5348 sections 4.3 and 4.5), and the t_RTO of the equation
 * in the modes of Rhee and Xu (2005, 2007). */
typedef enum
{
  TFRC_RTO_RFC5348, /* 4 R, RFC 5348 section 3.1 */
  TFRC_RTO_TCP,     /* RFC 6298: max (floor, SRTT + 4 RTTVAR) */
  TFRC_RTO_SCALED,  /* that divided by a constant c, ToN 2007 */
} TfrcRtoMode;

typedef struct
{
  TfrcRtoMode mode;   /* default TFRC_RTO_RFC5348 */
  double scale;       /* c of TFRC_RTO_SCALED, >= 1; default 3 */
  TfrcDuration floor; /* of RFC 6298; default 1 s */
} TfrcRtoConfig;

typedef struct
{
  TfrcRtoConfig config;
  TfrcDuration rtt;    /* R; 0 = no sample yet */
  TfrcDuration sample; /* R_sample, the newest */
  TfrcTime sampled_at; /* when it came, for the sender */
  double sqrt_mean;    /* R_sqmean [sqrt (s)] */
  double srtt;         /* SRTT of RFC 6298 [s] */
  double rttvar;       /* RTTVAR of RFC 6298 [s] */
} TfrcRtt;

void tfrc_rtt_init (TfrcRtt *self, const TfrcRtoConfig *config);

/* Takes R_sample > 0, that stands for n of them: R = 0.9 R + 0.1 R_sample (q = 0.9) for
 * each; n > 0 need not be whole. */
void tfrc_rtt_on_samples (TfrcRtt *self, TfrcDuration sample, double n);

/* What R would be with that sample. */
TfrcDuration tfrc_rtt_get_smoothed (const TfrcRtt *self, TfrcDuration sample);

/* Whether there was a sample. */
bool tfrc_rtt_is_known (const TfrcRtt *self);

/* t_RTO of the equation; only when an RTT is known. */
TfrcDuration tfrc_rtt_get_rto (const TfrcRtt *self);

/* R_sqmean / sqrt (R_sample), the factor from X to X_inst; 1 when no RTT is
 * known. */
double tfrc_rtt_get_damping (const TfrcRtt *self);

/* X_recv_set, what the receiver took lately, RFC 5348 section 4.3. */

#define TFRC_RECEIVE_SET_SIZE 3 /* N, RFC 5348 section 8.2.2 */

typedef struct
{
  TfrcRate rate[TFRC_RECEIVE_SET_SIZE]; /* newest first; may be INFINITY */
  TfrcTime at[TFRC_RECEIVE_SET_SIZE];
  uint32_t length;
} TfrcReceiveSet;

/* "Update X_recv_set": add, and forget what is older than two RTTs. */
void tfrc_receive_set_update (TfrcReceiveSet *self, TfrcRate receive_rate,
    TfrcDuration rtt, TfrcTime now);

/* "Maximize X_recv_set": add, forget Infinity, keep only the largest. */
void tfrc_receive_set_maximize (TfrcReceiveSet *self, TfrcRate receive_rate,
    TfrcTime now);

/* RFC 5348 section 4.3, step 4: data-limited, with a new loss event. */
void tfrc_receive_set_halve (TfrcReceiveSet *self);

/* Only `rate` remains: Infinity at first (RFC 5348 section 4.2), and by section 4.4. */
void tfrc_receive_set_reset (TfrcReceiveSet *self, TfrcRate rate, TfrcTime now);

/* The largest; INFINITY before the receiver's rate counts. */
TfrcRate tfrc_receive_set_max (const TfrcReceiveSet *self);

/* Was the sender data-limited over the whole interval that a report covers?
 * RFC 5348 section 8.2.1: it was not, if it was limited by its rate at any
 * instant of (t_old, t_new].
 *
 * The RFC remembers two such instants, the first since t_new and the first
 * since the newest report.  That is enough for one report per RTT.  A report of
 * a loss comes at once and may echo a packet just behind the last echo; both
 * instants then lie outside its interval and a greedy sender would pass for a
 * data-limited one.  So the instants of the last RTTs are kept, those close
 * together as one span, which gives the exact answer for any interval that is
 * longer than a span. */

#define TFRC_DATA_LIMIT_SPANS 128

typedef struct
{
  TfrcTime first_at; /* instants at which the rate was the limit */
  TfrcTime last_at;
} TfrcRateLimitedSpan;

/* Begins as zero. */
typedef struct
{
  TfrcRateLimitedSpan spans[TFRC_DATA_LIMIT_SPANS];
  uint32_t head; /* index of the newest span */
  uint32_t length;
} TfrcDataLimit;

/* The sender has sent all that it may and holds more.  Instants within
 * `resolution` share a span. */
void tfrc_data_limit_on_rate_limited (TfrcDataLimit *self,
    TfrcDuration resolution, TfrcTime now);

/* True: the sender was limited by its data during all of (echo - rtt, echo]. */
bool tfrc_data_limit_covers (const TfrcDataLimit *self, TfrcTime echo,
    TfrcDuration rtt);

typedef struct
{
  uint32_t max_segment_size; /* MSS of W_init [bytes]; default 1200 */
  TfrcRate max_rate;         /* X is never above; default INFINITY */
  TfrcDuration granularity;  /* t_gran of the caller; default 1 ms */
  TfrcDuration max_credit;   /* saved send time; default 10 ms */
  bool oscillation_damping;  /* RFC 5348 section 4.5; default true */
  bool self_clocking;        /* Bansal et al. 2001 section 4.1; default false */
  double self_clocking_factor; /* C, >= 1; default 1.1 */
  TfrcRtoConfig rto;
  double rate_scale;      /* of the equation's rate, ToN 2007; default 1 */
  double packets_per_ack; /* b; default 1 */
  uint32_t timestamp_offset_us; /* random, of send_time_us */
  bool small_packets;           /* TFRC-SP, RFC 4828; default false */

  /* Ours; 0 or false: as RFC 5348 has it (docs/rules.md). */

  /* D2: while no feedback comes, at least one packet in this time; default 3 s,
   * by RFC 8085 section 3.1, instead of 64 s. */
  TfrcDuration probe_interval;
  /* D4: least nofeedback timer once there is an RTT, as TCP's RTO has a minimum;
   * default 20 ms.  However short R is, reports may be 2 ms apart, one of them may
   * get lost, and the timers of both sides are rarely 4 ms late each. */
  TfrcDuration min_nofeedback_interval;
  /* D66: behind a fade R follows the path at once, and what a source made of little
   * is no limit; default true. */
  bool fast_return;
  /* D62: X before the first report, and behind it unless that tells of losses
   * [bytes/s]; default 0: one packet per second, and initial_rate. */
  TfrcRate start_rate;
  /* D65, D71: whose rate X is, and whether s is its largest packet; default CUBIC */
  TfrcTcp tcp;
} TfrcSenderConfig;

/* A receiver's report, as the sender believes it. */
typedef struct
{
  TfrcTime echo;           /* t_recvdata: when the packet was sent */
  TfrcDuration rtt_sample; /* R_sample, > 0 */
  TfrcRate receive_rate;   /* X_recv, >= 0, finite */
  double loss_event_rate;  /* p in [0, 1] */
  bool receiver_started;   /* it said X_recv = 0, as a receiver's first does */
  TfrcDuration interval; /* that it covers, where it is longer than R; else 0 */
} TfrcReport;

typedef enum
{
  TFRC_SENDER_WAITING,
  TFRC_SENDER_SLOW_START,
  TFRC_SENDER_EQUATION,
  TFRC_SENDER_NO_FEEDBACK,
} TfrcSenderState;

typedef struct
{
  uint64_t packets; /* sent */
  uint64_t bytes;
  uint64_t feedback; /* reports */
  uint64_t feedback_data_limited;
  uint64_t loss_reports;        /* with a new loss event */
  uint64_t nofeedback_expiries; /* but those of an idle flow at its floor */
} TfrcSenderCounters;

typedef struct
{
  TfrcSenderConfig config;
  TfrcSenderState state;
  TfrcDataLimit data_limit;
  TfrcPacer pacer;
  TfrcReceiveSet receive_set;
  TfrcRtt rtt;
  TfrcSegmentSize segment_size;
  TfrcSenderCounters counters;

  TfrcRate rate;            /* X */
  TfrcRate instant_rate;    /* X_inst */
  TfrcRate send_limit;      /* bounds the schedule and not X */
  TfrcRate equation_rate;   /* X_Bps; INFINITY while p is 0 */
  TfrcRate initial_rate;    /* W_init / R, also recover_rate */
  TfrcRate receive_limit;   /* recv_limit */
  TfrcRate receive_rate;    /* X_recv of the newest report */
  double loss_event_rate;   /* p of the newest report */
  TfrcTime last_doubled_at; /* tld */
  TfrcRate doubled_from;    /* X before that */
  TfrcTime reported_at;     /* the newest report */
  TfrcTime first_report_at;
  TfrcRtt rtt_before;         /* without those that came with it */
  TfrcTime loss_reported_at;  /* newest report of a loss event, or NONE */
  TfrcDuration loss_rtt;      /* R at loss events, their mean */
  TfrcDuration report_delay;  /* see tfrc_sender_set_report_delay () */
  TfrcTime nofeedback_at;     /* expiry of the nofeedback timer */
  bool sent_since_nofeedback; /* not idle since that timer was set */
  bool data_limited;          /* the newest report's interval */
} TfrcSender;

TfrcSenderConfig tfrc_sender_config_default (void);

/* Values out of range are clamped.  Nothing runs before the first packet. */
void tfrc_sender_init (TfrcSender *self, const TfrcSenderConfig *config);

/* When the next packet may leave; at or before now: now. */
TfrcTime tfrc_sender_next_send_at (const TfrcSender *self);

/* A packet of `size` > 0 bytes leaves now; gives what to write into it.
 * `backlog`: more is waiting, so the rate and not the data is the limit. */
TfrcExtension tfrc_sender_on_sent (TfrcSender *self, uint32_t size,
    bool backlog, TfrcTime now);

/* A report has come: RFC 5348 section 4.3, step 1 to 6. */
void tfrc_sender_on_feedback (TfrcSender *self, const TfrcReport *report,
    TfrcTime now);

/* The nofeedback timer; TFRC_TIME_NONE before the first packet, and while
 * there is nothing to send and nothing left to forget. */
TfrcTime tfrc_sender_next_deadline (const TfrcSender *self);
void tfrc_sender_on_deadline (TfrcSender *self, TfrcTime now);

/* One should have come before the timer expires: X as when it does, and the timer
 * begins anew. */
void tfrc_sender_on_missed_report (TfrcSender *self, TfrcTime now);

/* Upper bound of X from now on [bytes/s]; INFINITY = none. */
void tfrc_sender_set_max_rate (TfrcSender *self, TfrcRate max_rate);

/* See start_rate; before the first report only. */
void tfrc_sender_set_start_rate (TfrcSender *self, TfrcRate rate);

/* Upper bound of what is sent below X from now on [bytes/s]; INFINITY = none.
 * X and its rules do not know of it, but that the rate is what limits. */
void tfrc_sender_set_send_limit (TfrcSender *self, TfrcRate limit);

/* Feedback tells of packets only so long after their arrival (tfrc/sender-based.h);
 * 0, and so from the start: within R, as RFC 5348 section 6 has it.  Before there is
 * an RTT it counts with a start_rate alone. */
void tfrc_sender_set_report_delay (TfrcSender *self, TfrcDuration delay);

/* X or the bound of what is sent, whichever is less: what the encoder may
 * follow. */
TfrcRate tfrc_sender_get_send_rate (const TfrcSender *self);

/* X_inst, or the probing rate while no feedback comes: what paces packets. */
TfrcRate tfrc_sender_get_pacing_rate (const TfrcSender *self);

/* X_inst / X before the bounds of either: what RFC 5348 section 4.5 makes of the
 * newest RTT sample; 1 without oscillation damping. */
double tfrc_sender_get_damping (const TfrcSender *self);

/* The p at which X_Bps will be `rate` after a report with this R_sample and
 * interval. */
double tfrc_sender_get_loss_event_rate_for (const TfrcSender *self,
    TfrcRate rate, TfrcDuration rtt_sample, TfrcDuration interval);

/* Fills the columns of TFRC_TRACE_SENDER and leaves the others alone. */
void tfrc_sender_get_trace (const TfrcSender *self, TfrcTrace *trace,
    TfrcTime now);
