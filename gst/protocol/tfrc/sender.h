/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender of RFC 5348 section 4: the allowed rate X, the nofeedback timer and
 * the schedule of packets.  Reports are trusted here; they are checked before
 * (checks/tfrc-sender.h).
 *
 *   WAITING ------- first feedback -------> SLOW_START <--- p = 0 ---- EQUATION
 *      (no RTT: one packet per second)   (or EQUATION)  ---- p > 0 --->
 *                                             |  ^                     |  ^
 *                             nofeedback timer|  |feedback             |  |
 *                                             v  |                     v  |
 *                                          NO_FEEDBACK <------------------+
 *
 * p returns to 0 if the packet of the only loss arrives after all, or if the
 * receiver or its history is a new one.  Slow start then continues from the current
 * X, within recv_limit.
 *
 * Call one of tfrc_sender_on_sent, _on_feedback and _on_deadline, then read
 * tfrc_sender_next_deadline and tfrc_sender_next_send_at again.  `now` must not run
 * backwards. */
#pragma once

#include "tfrc/equation.h"
#include "tfrc/pacer.h"
#include "tfrc/packet.h"
#include "base/trace.h"
#include "base/units.h"

/* Round-trip time at the sender: R, the square-root mean for oscillation damping
 * (RFC 5348 sections 4.3 and 4.5), and t_RTO of the equation, optionally as in Rhee
 * and Xu (2005, 2007). */
typedef enum
{
  TFRC_RTO_RFC5348, /* 4 R, RFC 5348 section 3.1 */
  TFRC_RTO_TCP,     /* RFC 6298: max (floor, SRTT + 4 RTTVAR) */
  TFRC_RTO_SCALED,  /* RFC 6298's divided by a constant c, ToN 2007 */
} TfrcRtoMode;

typedef struct
{
  TfrcRtoMode mode;   /* default TFRC_RTO_RFC5348 */
  double scale;       /* c of TFRC_RTO_SCALED, >= 1; default 3 */
  TfrcDuration floor; /* lower bound of RFC 6298's; default 1 s */
} TfrcRtoConfig;

typedef struct
{
  TfrcRtoConfig config;
  TfrcDuration rtt;    /* R; 0 = no sample yet */
  TfrcDuration sample; /* R_sample, the newest */
  TfrcTime sampled_at; /* when it arrived; set by the sender */
  double sqrt_mean;    /* R_sqmean [sqrt (s)] */
  double srtt;         /* SRTT of RFC 6298 [s] */
  double rttvar;       /* RTTVAR of RFC 6298 [s] */
} TfrcRtt;

void tfrc_rtt_init (TfrcRtt *self, const TfrcRtoConfig *config);

/* Adds a sample R_sample > 0 that stands for n samples: R = 0.9 R + 0.1 R_sample (q
 * = 0.9) for each of them; n > 0 may be fractional. */
void tfrc_rtt_on_samples (TfrcRtt *self, TfrcDuration sample, double n);

/* The R that would result from that sample. */
TfrcDuration tfrc_rtt_get_smoothed (const TfrcRtt *self, TfrcDuration sample);

/* Whether there has been a sample. */
bool tfrc_rtt_is_known (const TfrcRtt *self);

/* t_RTO of the equation; an RTT must be known. */
TfrcDuration tfrc_rtt_get_rto (const TfrcRtt *self);

/* R_sqmean / sqrt (R_sample), the factor from X to X_inst; 1 if no RTT is known. */
double tfrc_rtt_get_damping (const TfrcRtt *self);

/* X_recv_set, the recent receive rates, RFC 5348 section 4.3. */

#define TFRC_RECEIVE_SET_SIZE 3 /* N, RFC 5348 section 8.2.2 */

typedef struct
{
  TfrcRate rate[TFRC_RECEIVE_SET_SIZE]; /* newest first; may be INFINITY */
  TfrcTime at[TFRC_RECEIVE_SET_SIZE];
  uint32_t length;
} TfrcReceiveSet;

/* "Update X_recv_set": adds a rate and drops those older than two RTTs. */
void tfrc_receive_set_update (TfrcReceiveSet *self, TfrcRate receive_rate,
    TfrcDuration rtt, TfrcTime now);

/* "Maximize X_recv_set": adds a rate, drops Infinity, and keeps only the largest. */
void tfrc_receive_set_maximize (TfrcReceiveSet *self, TfrcRate receive_rate,
    TfrcTime now);

/* RFC 5348 section 4.3, step 4: new loss event in a data-limited interval. */
void tfrc_receive_set_halve (TfrcReceiveSet *self);

/* Keeps `rate` only: Infinity at the start (RFC 5348 section 4.2), later for
 * section 4.4. */
void tfrc_receive_set_reset (TfrcReceiveSet *self, TfrcRate rate, TfrcTime now);

/* The largest rate; INFINITY while the set contains that. */
TfrcRate tfrc_receive_set_max (const TfrcReceiveSet *self);

/* Whether the sender was data-limited over the whole interval covered by a report.
 * RFC 5348 section 8.2.1: it was not, if at any instant of (t_old, t_new] its rate
 * was the limit.
 *
 * The RFC keeps two such instants, the first since t_new and the first since the
 * newest report, which is enough for one report per RTT.  But a loss is reported at
 * once and may echo a packet directly after the previous echo.  Both instants may
 * then lie outside the interval, and a greedy sender would count as data-limited.
 * So all instants of the last RTTs are kept, with close ones merged into spans; the
 * answer is exact for intervals longer than a span. */

#define TFRC_DATA_LIMIT_SPANS 128

typedef struct
{
  /* First and last instant at which the rate was the limit. */
  TfrcTime first_at;
  TfrcTime last_at;
} TfrcRateLimitedSpan;

/* Starts zeroed. */
typedef struct
{
  TfrcRateLimitedSpan spans[TFRC_DATA_LIMIT_SPANS];
  uint32_t head; /* index of the newest span */
  uint32_t length;
} TfrcDataLimit;

/* The sender has sent all that the rate allows, and has more to send.  Instants
 * within `resolution` share a span. */
void tfrc_data_limit_on_rate_limited (TfrcDataLimit *self,
    TfrcDuration resolution, TfrcTime now);

/* Returns true if the sender was data-limited during all of (echo - rtt, echo]. */
bool tfrc_data_limit_covers (const TfrcDataLimit *self, TfrcTime echo,
    TfrcDuration rtt);

typedef struct
{
  uint32_t max_segment_size; /* MSS of W_init [bytes]; default 1200 */
  TfrcRate max_rate;         /* upper bound of X; default INFINITY */
  TfrcDuration granularity;  /* t_gran of the caller; default 1 ms */
  TfrcDuration max_credit;   /* saved send time, see pacer.h; default 10 ms */
  bool oscillation_damping;  /* RFC 5348 section 4.5; default true */
  bool self_clocking;        /* Bansal et al. 2001 section 4.1; default false */
  double self_clocking_factor; /* C, >= 1; default 1.1 */
  TfrcRtoConfig rto;
  double rate_scale;      /* of the equation's rate, ToN 2007; default 1 */
  double packets_per_ack; /* b; default 1 */
  uint32_t timestamp_offset_us; /* random offset of send_time_us */
  bool small_packets;           /* TFRC-SP, RFC 4828; default false */

  /* Our deviations; 0 or false gives RFC 5348 (docs/rules.md). */

  /* D2: without feedback at least one packet is sent per interval; default 3 s (RFC
   * 8085 section 3.1) instead of 64 s. */
  TfrcDuration probe_interval;
  /* D4: lower bound of the nofeedback timer once an RTT is known, like TCP's
   * minimum RTO; default 20 ms.  Even on short paths reports may be 2 ms apart, one
   * of them may be lost, and the timers of both sides may be late, though rarely by
   * 4 ms each. */
  TfrcDuration min_nofeedback_interval;
  /* D66: after a fade R follows the path at once, and unless losses are new the
   * X_recv of a data-limited interval does not limit X below initial_rate; default
   * true. */
  bool fast_return;
  /* D62: X before the first report, and after it unless that reports losses
   * [bytes/s]; default 0: one packet per second, then initial_rate. */
  TfrcRate start_rate;
  /* D65: the TCP whose rate X follows; unless it is Reno, s is the largest packet
   * (D1).  Default CUBIC. */
  TfrcTcp tcp;
} TfrcSenderConfig;

/* A feedback report that has been checked. */
typedef struct
{
  TfrcTime echo;           /* t_recvdata: when the echoed packet was sent */
  TfrcDuration rtt_sample; /* R_sample, > 0 */
  TfrcRate receive_rate;   /* X_recv, >= 0, finite */
  double loss_event_rate;  /* p in [0, 1] */
  /* The report had X_recv = 0, as a receiver's first one. */
  bool receiver_started;
  TfrcDuration interval; /* time that it covers, if longer than R; else 0 */
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
  uint64_t feedback; /* reports received */
  uint64_t feedback_data_limited;
  uint64_t loss_reports;        /* with a new loss event */
  uint64_t nofeedback_expiries; /* without those of an idle flow at its floor */
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
  TfrcRate send_limit;      /* limits the schedule, but not X */
  TfrcRate equation_rate;   /* X_Bps; INFINITY while p is 0 */
  TfrcRate initial_rate;    /* W_init / R, also the recover_rate */
  TfrcRate receive_limit;   /* recv_limit */
  TfrcRate receive_rate;    /* X_recv of the newest report */
  double loss_event_rate;   /* p of the newest report */
  TfrcTime last_doubled_at; /* tld */
  TfrcRate doubled_from;    /* X before that doubling */
  TfrcTime reported_at;     /* when the newest report arrived */
  TfrcTime first_report_at;
  TfrcRtt rtt_before; /* R without the reports that arrived at reported_at */
  /* When the newest report of a loss event arrived, or TFRC_TIME_NONE. */
  TfrcTime loss_reported_at;
  TfrcDuration loss_rtt;      /* smoothed R at loss events */
  TfrcDuration report_delay;  /* see tfrc_sender_set_report_delay () */
  TfrcTime nofeedback_at;     /* expiry of the nofeedback timer */
  bool sent_since_nofeedback; /* not idle since the nofeedback timer was set */
  bool data_limited;          /* in the interval of the newest report */
} TfrcSender;

TfrcSenderConfig tfrc_sender_config_default (void);

/* Values out of range are clamped.  No timer runs before the first packet. */
void tfrc_sender_init (TfrcSender *self, const TfrcSenderConfig *config);

/* When the next packet may be sent; in the past if it may be sent now. */
TfrcTime tfrc_sender_next_send_at (const TfrcSender *self);

/* A packet of `size` > 0 bytes is sent now; returns what to write into it.
 * `backlog`: more packets are waiting, so the sender is limited by its rate and not
 * by its data. */
TfrcExtension tfrc_sender_on_sent (TfrcSender *self, uint32_t size,
    bool backlog, TfrcTime now);

/* A report has arrived: RFC 5348 section 4.3, steps 1 to 6. */
void tfrc_sender_on_feedback (TfrcSender *self, const TfrcReport *report,
    TfrcTime now);

/* When the nofeedback timer expires; TFRC_TIME_NONE before the first packet, and
 * while the flow is idle and an expiry would not change X. */
TfrcTime tfrc_sender_next_deadline (const TfrcSender *self);
void tfrc_sender_on_deadline (TfrcSender *self, TfrcTime now);

/* A report is overdue although the timer has not expired: reduces X as the timer
 * does, and restarts the timer. */
void tfrc_sender_on_missed_report (TfrcSender *self, TfrcTime now);

/* Sets the upper bound of X [bytes/s]; INFINITY = none. */
void tfrc_sender_set_max_rate (TfrcSender *self, TfrcRate max_rate);

/* Sets start_rate; only allowed before the first report. */
void tfrc_sender_set_start_rate (TfrcSender *self, TfrcRate rate);

/* Limits the sending rate below X [bytes/s]; INFINITY = no limit.  X and its rules
 * ignore the limit, except that the sender counts as limited by its rate. */
void tfrc_sender_set_send_limit (TfrcSender *self, TfrcRate limit);

/* Sets how long after their arrival packets are reported (tfrc/sender-based.h); the
 * nofeedback timer waits for four such delays. 0, the initial value: within R, as
 * in RFC 5348 section 6.  Before an RTT is known it has an effect only with a
 * start_rate. */
void tfrc_sender_set_report_delay (TfrcSender *self, TfrcDuration delay);

/* The lower of X and the send limit: what the encoder may produce [bytes/s]. */
TfrcRate tfrc_sender_get_send_rate (const TfrcSender *self);

/* The rate at which packets are paced [bytes/s]: X_inst, or without feedback at
 * least the probing rate. */
TfrcRate tfrc_sender_get_pacing_rate (const TfrcSender *self);

/* X_inst / X before either is bounded: the factor of RFC 5348 section 4.5 for the
 * newest RTT sample; 1 without oscillation damping. */
double tfrc_sender_get_damping (const TfrcSender *self);

/* The p at which X_Bps would be `rate` after a report with this R_sample and
 * interval. */
double tfrc_sender_get_loss_event_rate_for (const TfrcSender *self,
    TfrcRate rate, TfrcDuration rtt_sample, TfrcDuration interval);

/* Fills the trace columns of TFRC_TRACE_SENDER and no others. */
void tfrc_sender_get_trace (const TfrcSender *self, TfrcTrace *trace,
    TfrcTime now);
