/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What comes back to the sender: the filter for incoming RTCP, the watch that says what
 * is wrong while no report is accepted, the address that reports come from, and the
 * circuit breakers of RFC 8083. */
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

/* The receiver's address, learnt from the source addresses of its reports.
 *
 * The receiver has moved when two reports in a row from the same other address prove that
 * their sender gets the newest packets, and no report has come from the old address for a
 * while.  So an attacker who wants to redirect the stream must see the packets and
 * silence the receiver, and break SRTP where that is on.  A report that proves nothing
 * resets the count of its address.  Only one other address is remembered, however many
 * report.
 *
 * No lock, no clock: the caller provides both. */

/* A move needs at least this long a silence of the old address, so two moves are at least
 * that far apart, too.  Four RTTs where that is longer. */
#define TFRC_RECEIVER_ADDRESS_TIMEOUT (500 * TFRC_MILLISECOND)

typedef struct
{
  GSocketAddress *address;   /* owned; NULL = not known yet */
  GSocketAddress *candidate; /* owned; NULL = none */
  guint proofs;              /* consecutive proofs from the candidate */
  TfrcTime reported_at;      /* newest report from there, or the move there */
  guint64 moves;
  guint64 elsewhere; /* reports from other addresses */
} TfrcReceiverAddress;

typedef enum
{
  TFRC_RECEIVER_PROVES_NOTHING,
  TFRC_RECEIVER_WAITS, /* has the newest packet reported, none since */
  TFRC_RECEIVER_GETS_PACKETS,
} TfrcReceiverProof;

/* A report came from `from`.  Returns TRUE if the receiver has moved there.  Until
 * `address` is known, the first report that proves TFRC_RECEIVER_GETS_PACKETS sets it.
 * `rtt`: R, 0 = not known. */
gboolean tfrc_receiver_address_on_report (TfrcReceiverAddress *self,
    GSocketAddress *from, TfrcReceiverProof proof, TfrcDuration rtt,
    TfrcTime now);

/* Packets are sent to `to` from now on (NULL: not known).  If that is not `address`, it is
 * forgotten and learnt anew from the next report. */
void tfrc_receiver_address_set (TfrcReceiverAddress *self, GSocketAddress *to);

/* The filter for incoming RTCP: takes out the packets that are for this sender, and lets
 * the rest of the compound packet go on to the rtpsession.
 *
 * Taken out are feedback of TFRC and the delay reports that follow it, or reports of
 * TFMCC; requests for key frames (PLI, FIR) and ECN summaries (XR) that name only our
 * SSRCs; and every SR request, because one that names a local SSRC blocks an rtpsession
 * of GStreamer 1.22 for good.  Report blocks about our SSRCs are read, but passed on.  So
 * is packet feedback (send/packet-feedback.h), malformed or not, as an rtpsession reads
 * it, too; only transport-wide feedback about packets that are not remembered is taken
 * out. */

/* Feedback, reports, key frame requests and report blocks that are read from one compound
 * packet; a correct receiver sends one of each. */
#define TFRC_FEEDBACK_FILTER_MAX 8

/* NACK entries that are read from one compound packet; each is for up to 17 packets. */
#define TFRC_FEEDBACK_FILTER_NACKS 32

/* Packets of packet feedback in one compound packet: a receiver may send one per SSRC. */
#define TFRC_FEEDBACK_FILTER_SPANS 64

typedef struct
{
  guint32 media_ssrc;
  TfrcNackEntry entry;
} TfrcFeedbackFilterNack;

/* What is counted, for the statistics. */
typedef enum
{
  /* wrong length or version; taken out, but for packet feedback */
  TFRC_FEEDBACK_MALFORMED,
  /* about other SSRCs; passed on, but for transport-wide feedback */
  TFRC_FEEDBACK_FOREIGN,
  /* no room in the arrays; taken out, but for packet feedback */
  TFRC_FEEDBACK_EXCESS,
  TFRC_FEEDBACK_SR_REQUESTS, /* taken out */
  /* 1: not RTCP that may be passed on (tfrc_wire_read_compound); nothing else is set
   * then */
  TFRC_FEEDBACK_RTCP_MALFORMED,
  TFRC_FEEDBACK_KEY_REQUESTS, /* counted by the caller, with upstream events */
  TFRC_FEEDBACK_N_COUNTS
} TfrcFeedbackCount;

typedef struct
{
  TfrcFeedback feedback[TFRC_FEEDBACK_FILTER_MAX]; /* of TFRC */
  guint n_feedback;
  TfmccReport reports[TFRC_FEEDBACK_FILTER_MAX]; /* of TFMCC */
  /* p of each report; 0 = it has none */
  gdouble report_p[TFRC_FEEDBACK_FILTER_MAX];
  guint n_reports;
  guint32 key_requests[TFRC_FEEDBACK_FILTER_MAX]; /* media SSRCs */
  guint n_key_requests;
  /* packet feedback; passed on */
  TfrcFeedbackSpan spans[TFRC_FEEDBACK_FILTER_SPANS];
  guint n_spans;
  TfrcFeedbackFilterNack nacks[TFRC_FEEDBACK_FILTER_NACKS];
  guint n_nacks;
  RtpReportBlock blocks[TFRC_FEEDBACK_FILTER_MAX]; /* passed on, too */
  guint n_blocks;
  gboolean about_us; /* some packet names one of our SSRCs */
  TfrcEcnSummary ecn[TFRC_ECN_MAX_STREAMS]; /* of the last XR packet */
  guint n_ecn;
  guint counts[TFRC_FEEDBACK_N_COUNTS];
  /* reports about our SSRCs, but of the other protocol; passed on */
  guint other_mode;
  guint n_packets;                        /* RTCP packets of any kind */
  guint32 ssrc;                           /* of the first packet's sender */
  guint32 byes[TFRC_WIRE_COMPOUND_SSRCS]; /* SSRCs that sent BYE */
  guint n_byes;
} TfrcFeedbackFilterResult;

typedef gboolean (*TfrcFeedbackFilterIsOurs) (guint32 ssrc, gpointer user_data);

/* Reads one compound packet.  `group`: looks for reports of TFMCC, else for feedback of
 * TFRC.  `repairs`: reads NACKs, which are passed on otherwise.  `n_numbered`: how many
 * packets with a transport-wide sequence number have been sent.  `map`: of the buffer,
 * for reading; `spans` in the result point into it.  `is_ours` (with `user_data`) tells
 * our SSRCs.
 *
 * Returns a new buffer with what is passed on, with the flag TFRC_MEMBERS_ABOUT_US if
 * result->about_us, or NULL if that is nothing.  It shares the
 * memory of `buffer`, of which the caller keeps its reference. */
GstBuffer *tfrc_feedback_filter (GstBuffer *buffer, const GstMapInfo *map,
    gboolean group, gboolean repairs, guint64 n_numbered,
    TfrcFeedbackFilterResult *result, TfrcFeedbackFilterIsOurs is_ours,
    gpointer user_data);

void tfrc_feedback_filter_set_stats (const guint64 *counts,
    GstStructure *stats);

/* The feedback watch: notices when no report that the protocol accepts comes back, and
 * what comes instead.  Without reports next to nothing is sent, and the user has to be
 * told why.
 *
 * Missing reports are stated after TFRC_FEEDBACK_WATCH_SENDING_TIME of sending.  Time in
 * which nothing is sent does not count, so an idle or paused sender gets no warning.  A
 * state that lasts is posted once, again after a minute, and then after twice as long
 * each time.
 *
 * No lock, no clock: the caller provides both. */

/* A receiver's rtpsession sends its first regular RTCP after 3.1 s at most
 * (RFC 3550 section 6.3.1). */
#define TFRC_FEEDBACK_WATCH_SENDING_TIME (4 * TFRC_SECOND)

typedef enum
{
  TFRC_FEEDBACK_WATCH_WAITING, /* too early to tell */
  TFRC_FEEDBACK_WATCH_WORKING, /* reports are accepted */
  TFRC_FEEDBACK_WATCH_SILENT,  /* no RTCP at all */
  /* RTCP, but no report that could be followed */
  TFRC_FEEDBACK_WATCH_RTCP_ONLY,
  /* Reports come back, but are refused: */
  TFRC_FEEDBACK_WATCH_OTHER_MODE, /* TFMCC at a sender of TFRC, or vice versa */
  TFRC_FEEDBACK_WATCH_MALFORMED,
  TFRC_FEEDBACK_WATCH_FOREIGN, /* about SSRCs that this sender does not send */
  /* older than earlier ones, replayed, or too many */
  TFRC_FEEDBACK_WATCH_STALE,
  TFRC_FEEDBACK_WATCH_INVALID, /* they do not match packets that were sent */
  TFRC_FEEDBACK_WATCH_N_STATES
} TfrcFeedbackWatchState;

typedef struct
{
  gboolean group; /* TFMCC: a group without receivers is no error */
  TfrcFeedbackWatchState state;
  TfrcTime working_since;
  TfrcTime sent_at;          /* newest packet; TFRC_TIME_NONE = none */
  TfrcTime unanswered_since; /* first packet after the newest accepted report */
  TfrcDuration sending;      /* sending time since then */
  /* newest sign of each state */
  TfrcTime came_at[TFRC_FEEDBACK_WATCH_N_STATES];
  TfrcTime rtcp_since; /* since when RTCP comes without reports */

  gboolean due;    /* a message waits to be polled, at once */
  gboolean posted; /* a warning was posted since the newest accepted report */
  TfrcTime posted_at[TFRC_FEEDBACK_WATCH_N_STATES]; /* TFRC_TIME_NONE = never */
  TfrcDuration interval;   /* between two messages of one state */
  TfrcDuration unanswered; /* time unanswered when the message became due */
} TfrcFeedbackWatch;

/* A new flow. */
void tfrc_feedback_watch_start (TfrcFeedbackWatch *self);

/* Packets leave again, after a pause or on a new path: forgets earlier signs. */
void tfrc_feedback_watch_resume (TfrcFeedbackWatch *self);

/* Packets were sent at `now`.  `round_time`: how long correct receivers may be silent,
 * where that is longer than usual; 0 = as usual. */
void tfrc_feedback_watch_on_sent (TfrcFeedbackWatch *self, gboolean group,
    TfrcDuration round_time, TfrcTime now);

/* RTCP came in.  Its reports are given to tfrc_feedback_watch_on_report one by one, with
 * what the protocol made of them. */
void tfrc_feedback_watch_on_rtcp (TfrcFeedbackWatch *self,
    const TfrcFeedbackFilterResult *result, TfrcTime now);
void tfrc_feedback_watch_on_report (TfrcFeedbackWatch *self, TfrcResult result,
    TfrcTime now);

/* Returns TRUE once for each message that is due `now`, and sets `message`. */
gboolean tfrc_feedback_watch_poll_message (TfrcFeedbackWatch *self,
    TfrcFeedbackWatch *message, TfrcTime now);

/* Posts an element warning, or an info message where reports are accepted again or a
 * group has no receiver.  Its details have "feedback-state" (string).  Call it without
 * locks. */
void tfrc_feedback_watch_post (const TfrcFeedbackWatch *self,
    GstElement *element);

/* Sets "feedback-state". */
void tfrc_feedback_watch_set_stats (const TfrcFeedbackWatch *self,
    GstStructure *stats);

/* The circuit breakers of RFC 8083 in the sender: which incoming RTCP counts, whether
 * they are enabled, and the messages about them.  No lock: the pacer's is held. */

typedef struct
{
  RtpCircuitBreaker breaker;
  gboolean enabled; /* FALSE: stays closed */
  RtpCircuitBreakerState posted;
  guint32 posted_ssrc;
  TfrcTime posted_at; /* of the trip that was posted */
} TfrcSendCircuitBreaker;

/* A new flow. */
void tfrc_send_circuit_breaker_start (TfrcSendCircuitBreaker *self);

/* The path is a new one: closes the breaker, but keeps the counters. */
void tfrc_send_circuit_breaker_begin_path (TfrcSendCircuitBreaker *self);

/* A change of either resets the breaker to closed.  `group`: the flow is TFMCC. */
void tfrc_send_circuit_breaker_configure (TfrcSendCircuitBreaker *self,
    gboolean enabled, gboolean group);

/* TRUE: sending is not ceased.  Else only one packet per
 * RTP_CIRCUIT_BREAKER_PROBE_INTERVAL may leave. */
gboolean
tfrc_send_circuit_breaker_allows_sending (const TfrcSendCircuitBreaker *self);

/* An RTP packet of `size` bytes leaves at `now`; `timestamp`: RTP, of its frame. */
void tfrc_send_circuit_breaker_on_sent (TfrcSendCircuitBreaker *self,
    guint32 ssrc, guint32 timestamp, guint size, TfrcTime now);

/* RTCP came in: takes its report blocks, but not of receivers that `reception` no longer
 * counts (NULL = counts all).  `rtt`: 0 = not known. */
void tfrc_send_circuit_breaker_on_rtcp (TfrcSendCircuitBreaker *self,
    const TfrcFeedbackFilterResult *result,
    const TfrcReceptionReports *reception, TfrcDuration rtt, TfrcTime now);

/* 0 (at once) while a message waits to be polled. */
TfrcTime
tfrc_send_circuit_breaker_next_deadline (const TfrcSendCircuitBreaker *self);

/* Returns "rtp-circuit-breaker" to be posted, once per change; NULL = none.  The caller
 * owns it. */
GstStructure *
tfrc_send_circuit_breaker_poll_message (TfrcSendCircuitBreaker *self,
    TfrcTime now);

void tfrc_send_circuit_breaker_set_stats (const TfrcSendCircuitBreaker *self,
    GstStructure *stats);
