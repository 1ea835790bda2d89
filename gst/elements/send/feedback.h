/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What receivers send: RTCP and events are read here.  With it the address that reports come
 * from, the watch that says what is wrong while no report is accepted, and the circuit
 * breakers of RFC 8083.
 *
 * No lock, no clock: the pacer has both. */
#pragma once

#include <gio/gio.h>
#include <gst/gst.h>

#include "base/units.h"
#include "common/alarm.h"
#include "rtp/circuit-breaker.h"
#include "rtp/ecn.h"
#include "send/flow.h"
#include "send/parity.h"
#include "send/queue.h"
#include "send/repair.h"

/* The receiver's address, learnt from the source addresses of its reports.
 *
 * The receiver has moved when two reports in a row from the same other address prove that
 * their sender gets the newest packets, and no report has come from the old address for a
 * while.  So an attacker who wants to redirect the stream must see the packets and
 * silence the receiver, and break SRTP where that is on.  A report that proves nothing
 * resets the count of its address.  Only one other address is remembered, however many
 * report. */

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

/* The feedback watch: notices when no report that the protocol accepts comes back, and
 * what comes instead.  Without reports next to nothing is sent, and the user has to be
 * told why.
 *
 * Missing reports are stated after TFRC_FEEDBACK_WATCH_SENDING_TIME of sending.  Time in
 * which nothing is sent does not count, so an idle or paused sender gets no warning.  A
 * state that lasts is posted once, again after a minute, and then after twice as long
 * each time. */

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

/* Packets leave again, after a pause or on a new path: forgets earlier signs. */
void tfrc_feedback_watch_resume (TfrcFeedbackWatch *self);

/* Packets were sent at `now`.  `round_time`: how long correct receivers may be silent,
 * where that is longer than usual; 0 = as usual. */
void tfrc_feedback_watch_on_sent (TfrcFeedbackWatch *self, gboolean group,
    TfrcDuration round_time, TfrcTime now);

/* Returns TRUE once for each message that is due `now`, and sets `message`. */
gboolean tfrc_feedback_watch_poll_message (TfrcFeedbackWatch *self,
    TfrcFeedbackWatch *message, TfrcTime now);

/* Posts an element warning, or an info message where reports are accepted again or a
 * group has no receiver.  Its details have "feedback-state" (string).  Call it without
 * locks. */
void tfrc_feedback_watch_post (const TfrcFeedbackWatch *self,
    GstElement *element);

/* The circuit breakers of RFC 8083 in the sender: which incoming RTCP counts, whether
 * they are enabled, and the messages about them. */

typedef struct
{
  RtpCircuitBreaker breaker;
  gboolean enabled; /* FALSE: stays closed */
  RtpCircuitBreakerState posted;
  guint32 posted_ssrc;
  TfrcTime posted_at; /* of the trip that was posted */
} TfrcSendCircuitBreaker;

/* A change of either resets the breaker to closed.  `group`: the flow is TFMCC. */
void tfrc_send_circuit_breaker_configure (TfrcSendCircuitBreaker *self,
    gboolean enabled, gboolean group);

/* An RTP packet of `size` bytes leaves at `now`; `timestamp`: RTP, of its frame. */
void tfrc_send_circuit_breaker_on_sent (TfrcSendCircuitBreaker *self,
    guint32 ssrc, guint32 timestamp, guint size, TfrcTime now);

/* 0 (at once) while a message waits to be polled. */
TfrcTime
tfrc_send_circuit_breaker_next_deadline (const TfrcSendCircuitBreaker *self);

/* Returns "rtp-circuit-breaker" to be posted, once per change; NULL = none.  The caller
 * owns it. */
GstStructure *
tfrc_send_circuit_breaker_poll_message (TfrcSendCircuitBreaker *self,
    TfrcTime now);

#define TFRC_SEND_MAX_MESSAGES 4

/* What the application is to be told, without the lock. */
typedef struct
{
  GstStructure *items[TFRC_SEND_MAX_MESSAGES]; /* to be posted, owned */
  guint n;
  gboolean ect_changed; /* notify the property */
} TfrcSendMessages;

/* `message`: NULL = none. */
void tfrc_send_messages_add (TfrcSendMessages *self, GstStructure *message);

/* A client of a multiudpsink, which gets packets since `at`. */
typedef struct
{
  GInetAddress *address; /* owned; NULL = none */
  guint port;            /* its RTP port */
  TfrcTime at;
} TfrcSendClient;

#define TFRC_SEND_CLIENTS 64

/* What is counted of incoming RTCP, for the statistics. */
typedef enum
{
  /* wrong length or version; taken out, but for packet feedback */
  TFRC_RTCP_FEEDBACK_MALFORMED,
  /* about other SSRCs; passed on, but for transport-wide feedback */
  TFRC_RTCP_FEEDBACK_FOREIGN,
  /* no room in the arrays; taken out, but for packet feedback */
  TFRC_RTCP_FEEDBACK_EXCESS,
  TFRC_RTCP_SR_REQUESTS, /* taken out */
  /* not RTCP that may be passed on (tfrc_wire_read_compound) */
  TFRC_RTCP_MALFORMED,
  TFRC_RTCP_KEY_REQUESTS, /* with upstream events */
  TFRC_RTCP_N_COUNTS
} TfrcRtcpCount;

/* What receivers send is read here, and given to the parts of the sender that it is for;
 * those are the pacer's. */
typedef struct
{
  TfrcSendFlow *flow;
  TfrcQueue *queue;
  const TfrcStopwatch *stopwatch; /* the queue's time */
  TfrcRetransmitter *retransmitter;
  const TfrcFecEncoder *fec;
  const TfrcPadding *padding;

  TfrcReceiverAddress receiver;
  TfrcSendCircuitBreaker circuit_breaker;
  TfrcFeedbackWatch watch;
  /* whether packets may be sent as ECT (RFC 6679 section 7), and what of it the
   * application knows */
  TfrcEcnCheck ecn;
  TfrcEcnState ecn_announced;
  TfrcEcnCodepoint ect_announced;
  TfrcUpstreamRequests upstream_requests;
  guint64 counts[TFRC_RTCP_N_COUNTS];
  TfrcTime twcc_in_rtcp_at;                  /* newest; TFRC_TIME_NONE = none */
  TfrcSendClient clients[TFRC_SEND_CLIENTS]; /* a ring */
  guint n_clients;
  gboolean key_frame_on_loss;
  gboolean tcp; /* RTCP may come in TCP */
} TfrcSendFeedback;

/* Forgets all of the run before, but for clients and ECN. */
void tfrc_send_feedback_reset (TfrcSendFeedback *self);
void tfrc_send_feedback_clear (TfrcSendFeedback *self);

/* ECN is tested anew, on a new path. */
void tfrc_send_feedback_start_ecn (TfrcSendFeedback *self,
    TfrcEcnCodepoint ect);

/* Packets go to `to` (NULL = not known), on another path. */
void tfrc_send_feedback_begin_path (TfrcSendFeedback *self, GSocketAddress *to);

/* Reads incoming RTCP, mapped by `map`.  Returns what is passed on to the rtpsession (see
 * tfrc_send_pacer_push_rtcp), which shares the memory of `buffer`.
 *
 * Taken out are feedback of TFRC and the delay reports that follow it, or reports of
 * TFMCC; requests for key frames (PLI, FIR) and ECN summaries (XR) that name only our
 * SSRCs; NACKs, if we retransmit; and every SR request, because one that names a local SSRC
 * blocks an rtpsession of GStreamer 1.22 for good.  Report blocks about our SSRCs are read,
 * but passed on.  So is packet feedback (send/packet-feedback.h), malformed or not, as an
 * rtpsession reads it, too; only transport-wide feedback about packets that are not
 * remembered is taken out. */
GstBuffer *tfrc_send_feedback_on_rtcp (TfrcSendFeedback *self,
    GstBuffer *buffer, const GstMapInfo *map, gboolean overheard,
    TfrcSendMessages *messages, TfrcTime now);

/* Transport-wide feedback came as an event.  It is ignored where it comes in RTCP, too. */
TfrcResult tfrc_send_feedback_on_event (TfrcSendFeedback *self,
    TfrcPacketFeedbackReader *reader, TfrcTime now);

/* See tfrc_send_pacer_ask_key_frame. */
gboolean tfrc_send_feedback_ask_key_frame (TfrcSendFeedback *self,
    const guint32 *ssrc, TfrcTime now);

/* See tfrc_send_pacer_add_client. */
void tfrc_send_feedback_add_client (TfrcSendFeedback *self, const gchar *host,
    gint port, TfrcTime now);

/* Announces a change of the state of `ecn`, if there was one. */
void tfrc_send_feedback_announce_ecn (TfrcSendFeedback *self,
    TfrcSendMessages *messages);

void tfrc_send_feedback_set_stats (const TfrcSendFeedback *self,
    GstStructure *stats);
