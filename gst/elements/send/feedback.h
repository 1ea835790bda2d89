/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What comes back to the sender: what of RTCP is for us, what is wrong while no report
 * comes, and the circuit breakers. */
#pragma once

#include <gst/gst.h>
#include <gio/gio.h>

#include "checks/reception-reports.h"
#include "tfmcc/packet.h"
#include "rtp/ecn.h"
#include "rtp/report-block.h"
#include "tfrc/packet.h"
#include "send/packet-feedback.h"
#include "tfrc-wire.h"
#include "rtp/circuit-breaker.h"
#include "base/units.h"

/* Where the receiver is, by where its reports come from.
 *
 * It has moved when two reports in a row from one other address prove that who sent
 * them gets the newest packets, and none has come from where it was for a while: to
 * move it away one must see the packets and silence the receiver, besides SRTP where
 * that is on.  A report that proves nothing makes its address begin anew.  One other
 * address is remembered, however many report.  No lock, no clock. */

/* Least time between two moves, and least silence before one. */
#define TFRC_RECEIVER_ADDRESS_TIMEOUT (500 * TFRC_MILLISECOND)

typedef struct
{
  GSocketAddress *home;      /* owned; NULL = not known yet */
  GSocketAddress *candidate; /* owned; NULL = none */
  guint proofs;              /* from there */
  TfrcTime heard_at;         /* newest report from home, or the move there */
  guint64 moves;
  guint64 elsewhere; /* reports from other addresses */
} TfrcReceiverAddress;

typedef enum
{
  TFRC_RECEIVER_PROVES_NOTHING,
  TFRC_RECEIVER_WAITS, /* has the newest packet that was reported, and no other */
  TFRC_RECEIVER_GETS_PACKETS,
} TfrcReceiverProof;

/* A report came.  TRUE: the receiver is there from now on.  `rtt`: R, 0 = not known. */
gboolean tfrc_receiver_address_on_report (TfrcReceiverAddress *self,
    GSocketAddress *from, TfrcReceiverProof proof, TfrcDuration rtt,
    TfrcTime now);

/* Packets go there from now on: unless that is home, who reports first is it.  NULL: not
 * known. */
void tfrc_receiver_address_set (TfrcReceiverAddress *self, GSocketAddress *to);

/* Incoming RTCP at the sender: takes out what is for us and lets the rest of
 * the compound packet go on to the rtpsession.
 *
 * For us are feedback of TFRC with the delays behind it, or reports of TFMCC, and
 * requests for key frames (PLI, FIR), and ECN summaries (XR), that name one of our SSRCs, and every SR
 * request, because one that names a local SSRC blocks an rtpsession of GStreamer
 * 1.22 for good.  Report blocks about our SSRCs are read, and stay where they
 * are; and so does packet feedback, which an rtpsession has a use for, if it can
 * be read (send/packet-feedback.h). */

/* Of one compound packet; a correct receiver sends one of each. */
#define TFRC_FEEDBACK_FILTER_MAX 8

/* Entries of NACKs in one compound packet, 17 packets each. */
#define TFRC_FEEDBACK_FILTER_NACKS 32

/* Packets of it: a receiver may have one for each SSRC. */
#define TFRC_FEEDBACK_FILTER_SPANS 64

typedef struct
{
  guint32 media_ssrc;
  TfrcNackEntry entry;
} TfrcFeedbackFilterNack;

typedef struct
{
  TfrcFeedback feedback[TFRC_FEEDBACK_FILTER_MAX]; /* TFRC */
  guint n_feedback;
  TfmccReport reports[TFRC_FEEDBACK_FILTER_MAX]; /* TFMCC */
  gdouble report_p[TFRC_FEEDBACK_FILTER_MAX];    /* by it; 0: it says none */
  guint n_reports;
  guint32 key_requests[TFRC_FEEDBACK_FILTER_MAX]; /* SSRCs */
  guint n_key_requests;
  TfrcFeedbackSpan spans[TFRC_FEEDBACK_FILTER_SPANS]; /* passed on */
  guint n_spans;
  TfrcFeedbackFilterNack nacks[TFRC_FEEDBACK_FILTER_NACKS];
  guint n_nacks;
  RtpReportBlock blocks[TFRC_FEEDBACK_FILTER_MAX]; /* passed on too */
  guint n_blocks;
  gboolean heard; /* anything of it names one of our SSRCs */
  TfrcEcnSummary ecn[TFRC_ECN_MAX_STREAMS]; /* of the last XR */
  guint n_ecn;
  guint feedback_malformed;  /* of another length or version: taken out */
  guint feedback_foreign;    /* for another SSRC: passed on */
  guint feedback_excess;     /* found no place here: taken out */
  guint feedback_other_mode; /* about ours, of the other protocol: passed on */
  guint sr_requests;         /* taken out */
  guint rtcp_malformed;      /* 1: no RTCP that may go on, see
                              * tfrc_wire_read_compound, and nothing else is set */
  guint n_packets;           /* of RTCP, of whatever kind */
  guint32 ssrc;              /* of who sent them */
  guint32 byes[TFRC_WIRE_COMPOUND_SSRCS]; /* who say that they are gone */
  guint n_byes;
} TfrcFeedbackFilterResult;

/* Of all packets. */
typedef struct
{
  guint64 feedback_malformed;
  guint64 feedback_foreign;
  guint64 feedback_excess;
  guint64 rtcp_malformed;
  guint64 sr_requests;
  guint64 key_frame_requests; /* PLI, FIR; and the owner's upstream events */
} TfrcFeedbackFilterCounters;

typedef gboolean (*TfrcFeedbackFilterIsOurs) (guint32 ssrc, gpointer user_data);

/* Looks for what TFMCC (`group`), else TFRC, sends, and for NACKs if
 * `repairs`; else they are passed on.  `n_numbered` packets that were sent have a
 * number of the transport.
 * `map`: of the buffer, to read, to which `spans` point.  Returns a copy of
 * what is left of it, or NULL when nothing is.  Memory is shared, not copied. */
GstBuffer *tfrc_feedback_filter (GstBuffer *buffer, const GstMapInfo *map,
    gboolean group, gboolean repairs, guint64 n_numbered,
    TfrcFeedbackFilterResult *result, TfrcFeedbackFilterIsOurs is_ours,
    gpointer user_data);

void tfrc_feedback_filter_count (TfrcFeedbackFilterCounters *counters,
    const TfrcFeedbackFilterResult *result);
void tfrc_feedback_filter_set_stats (const TfrcFeedbackFilterCounters *counters,
    GstStructure *stats);

/* Looks whether reports come back that the protocol accepts, and if not, what
 * comes instead: without reports next to nothing is sent, and somebody has to
 * be told why.
 *
 * That reports are missing is stated after TFRC_FEEDBACK_WATCH_SENDING_TIME of
 * sending: time in which nothing leaves does not count, so an idle or paused
 * sender is no case.  Each state is told once as long as it lasts, then after a
 * minute, and after twice as long each time.  No lock, no clock. */

/* A receiver's rtpsession sends its first regular RTCP after 3.1 s at most
 * (RFC 3550 section 6.3.1). */
#define TFRC_FEEDBACK_WATCH_SENDING_TIME (4 * TFRC_SECOND)

typedef enum
{
  TFRC_FEEDBACK_WATCH_WAITING,   /* nothing is known yet */
  TFRC_FEEDBACK_WATCH_WORKING,   /* reports are accepted */
  TFRC_FEEDBACK_WATCH_SILENT,    /* nothing comes back */
  TFRC_FEEDBACK_WATCH_RTCP_ONLY, /* RTCP does, but no report */
  /* Reports come back and are refused. */
  TFRC_FEEDBACK_WATCH_OTHER_MODE, /* TFMCC's at a sender of TFRC, or vice versa */
  TFRC_FEEDBACK_WATCH_MALFORMED,
  TFRC_FEEDBACK_WATCH_FOREIGN, /* about SSRCs that are not sent from here */
  TFRC_FEEDBACK_WATCH_STALE,   /* older than others, replayed, or too many */
  TFRC_FEEDBACK_WATCH_INVALID, /* they answer nothing that was sent */
  TFRC_FEEDBACK_WATCH_N_STATES
} TfrcFeedbackWatchState;

/* What somebody is to be told. */
typedef struct
{
  TfrcFeedbackWatchState state; /* WORKING: what was told before is over */
  gboolean group;
  gboolean worked;         /* reports came before */
  TfrcDuration unanswered; /* since the first packet without an answer */
} TfrcFeedbackWatchNews;

typedef struct
{
  gboolean group; /* that nobody is there is no fault */
  TfrcFeedbackWatchState state;
  TfrcTime working_since;
  TfrcTime sent_at;          /* newest packet; TFRC_TIME_NONE = none */
  TfrcTime unanswered_since; /* first packet since the newest answer */
  TfrcDuration sending;      /* time of sending since then */
  TfrcTime came_at[TFRC_FEEDBACK_WATCH_N_STATES]; /* newest sign of a state */
  TfrcTime rtcp_since; /* other RTCP than reports has come alone */

  gboolean due;    /* there are news, to be polled at once */
  gboolean posted; /* that reports are missing, since the newest answer */
  TfrcTime posted_at[TFRC_FEEDBACK_WATCH_N_STATES]; /* TFRC_TIME_NONE = never */
  TfrcDuration interval;   /* between two tellings of one state */
  TfrcDuration unanswered; /* until the answer that is news */
} TfrcFeedbackWatch;

/* A new flow. */
void tfrc_feedback_watch_start (TfrcFeedbackWatch *self);

/* From now on packets leave again: what was before says nothing. */
void tfrc_feedback_watch_resume (TfrcFeedbackWatch *self);

/* Packets leave.  `round_time`: how long correct receivers may be silent, if it is
 * longer than usual. */
void tfrc_feedback_watch_on_sent (TfrcFeedbackWatch *self, gboolean group,
    TfrcDuration round_time, TfrcTime now);

/* RTCP came in; its reports go to tfrc_feedback_watch_on_report one by one. */
void tfrc_feedback_watch_on_rtcp (TfrcFeedbackWatch *self,
    const TfrcFeedbackFilterResult *result, TfrcTime now);
void tfrc_feedback_watch_on_report (TfrcFeedbackWatch *self, TfrcResult result,
    TfrcTime now);

/* What is to be told `now`, once; FALSE: nothing. */
gboolean tfrc_feedback_watch_poll_news (TfrcFeedbackWatch *self,
    TfrcFeedbackWatchNews *news, TfrcTime now);

/* Posts a warning; where all is well again, or a group has no receiver, an info
 * message.  "feedback-state" (string) is in its details. */
void tfrc_feedback_watch_news_post (const TfrcFeedbackWatchNews *self,
    GstElement *element);

/* Sets "feedback-state". */
void tfrc_feedback_watch_set_stats (const TfrcFeedbackWatch *self,
    GstStructure *stats);

/* The circuit breakers of RFC 8083 in the sender: which of what comes in
 * counts, whether they are wanted at all, and what an application hears of
 * them.  No lock. */

typedef struct
{
  RtpCircuitBreaker breaker;
  gboolean enabled; /* else it stays closed */
  RtpCircuitBreakerState posted;
  guint32 posted_ssrc;
  TfrcTime posted_at;  /* of the trip that was told */
  TfrcDuration ceased; /* of the trips that are over */
} TfrcSendCircuitBreaker;

/* A new flow. */
void tfrc_send_circuit_breaker_start (TfrcSendCircuitBreaker *self);

/* Closed again, as the path that tripped it is left; counters stay. */
void tfrc_send_circuit_breaker_begin_path (TfrcSendCircuitBreaker *self);

/* A change of either begins anew, closed.  `group`: the flow is TFMCC's. */
void tfrc_send_circuit_breaker_configure (TfrcSendCircuitBreaker *self,
    gboolean enabled, gboolean group);

/* More than probes may leave. */
gboolean
tfrc_send_circuit_breaker_lets_pass (const TfrcSendCircuitBreaker *self);

/* An RTP packet of `size` bytes, of a frame of this RTP timestamp, leaves `now`. */
void tfrc_send_circuit_breaker_on_sent (TfrcSendCircuitBreaker *self,
    guint32 ssrc, guint32 timestamp, guint size, TfrcTime now);

/* Whatever came in, the report blocks of it, but those of receivers that
 * `reception` lets go, if it is not NULL; `rtt` 0 = not known. */
void tfrc_send_circuit_breaker_on_rtcp (TfrcSendCircuitBreaker *self,
    const TfrcFeedbackFilterResult *result,
    const TfrcReceptionReports *reception, TfrcDuration rtt, TfrcTime now);

/* At once while there are news. */
TfrcTime
tfrc_send_circuit_breaker_next_deadline (const TfrcSendCircuitBreaker *self);

/* "rtp-circuit-breaker", which is to be posted `now`, once; NULL: nothing. */
GstStructure *tfrc_send_circuit_breaker_poll_news (TfrcSendCircuitBreaker *self,
    TfrcTime now);

void tfrc_send_circuit_breaker_set_stats (const TfrcSendCircuitBreaker *self,
    GstStructure *stats, TfrcTime now);
