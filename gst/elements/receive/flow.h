/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One congestion-controlled flow at its receiver: that of TFRC or that of TFMCC,
 * whichever the packets turn out to speak.  Both are here, as nobody knows
 * before the first extension; until then it is TFRC.
 *
 * No clock, no locks: the owner has both.  Its log lines are the owner's. */
#pragma once

#include <gst/gst.h>

#include "common/properties.h"
#include "checks/tfmcc-packets.h"
#include "checks/tfrc-receiver.h"
#include "receive/feedback.h"
#include "receive/settings.h"
#include "receive/extension-reader.h"
#include "rtp/ecn.h"
#include "tfmcc-wire.h"

/* How far back "lately" is. */
#define TFMCC_ECHOED_RECEIVERS_ROUNDS 16
/* More are not told apart. */
#define TFMCC_ECHOED_RECEIVERS_MAX 64

typedef struct
{
  guint32 ssrc;
  guint64 round; /* of the newest echo to it */
} TfmccEchoedReceiver;

/* Which receivers of a group are overheard: those whose reports the sender has
 * echoed to everybody lately.  Each round some report, whatever the group's
 * size, and in a large one always others (RFC 4654 section 4.5): few names over
 * many rounds are a small group. */
typedef struct
{
  TfmccEchoedReceiver receivers[TFMCC_ECHOED_RECEIVERS_MAX];
  guint n_receivers; /* the oldest one is replaced */
  guint64 round;     /* that we have seen begin; 0 = no packet yet */
  guint8 wire_round; /* as the sender numbers it */
} TfmccEchoedReceivers;

/* What the application of a group's receiver is to hear. */
typedef enum
{
  TFMCC_NEWS_NONE,
  TFMCC_NEWS_COLLISION, /* our SSRC is somebody else's too */
  TFMCC_NEWS_HOPELESS,  /* the group is too fast, TfmccLeaveCheck */
  TFMCC_NEWS_LEAVING,   /* so we leave it, and have said so */
} TfmccNews;

/* One of the receivers of a TFMCC group: what arrives goes to the core, what
 * the core has to say to the sender and to the application comes out. */
typedef struct
{
  GstElement *owner; /* not referenced */
  TfmccReceiver receiver;
  TfmccPacketCheck check;    /* in front of it */
  uint64_t collisions_seen;  /* of the check, when last logged */
  TfrcReceiverCounters seen; /* of the receiver, when last logged */
  TfmccLeaveCheck leave_check;
  gboolean auto_leave;
  TfmccEchoedReceivers echoed;
  gboolean collided; /* to be told, from collision_at on */
  TfrcTime collision_at;
  gboolean hopeless; /* to be told */
  gboolean leaving;  /* to be told, after the report */
} TfmccReceiveFlow;

typedef struct
{
  GstElement *owner; /* not referenced */
  GstTfrcMode mode;  /* spoken now; AUTO: not known yet */
  /* Of TFRC, and while it is not known. */
  TfrcCheckedReceiver checked;
  TfrcReceiverCounters seen; /* of the receiver, when last logged */
  gboolean steady;           /* the timer, and no packet, made the last one */
  gboolean pending;          /* feedback waits for tfrc_receive_flow_poll */
  TfrcFeedback feedback;
  TfrcTime feedback_at;        /* when it was made */
  TfrcTime call_at;            /* while nothing comes; TFRC_TIME_NONE: never */
  TfmccReceiveFlow group;      /* of TFMCC */
  gdouble feedback_share;      /* of the flow, for reports; 0 = no limit */
  guint feedback_size;         /* one report on the wire [bytes] ... */
  guint report_size;           /* ... of TFRC, and of TFMCC */
  guint64 bytes_reported;      /* received before the newest report */
  guint64 feedback_over_share; /* reports */
} TfrcReceiveFlow;

/* An accepted packet, in the order of sending or nearly so. */
void tfmcc_echoed_receivers_on_extension (TfmccEchoedReceivers *self,
    const TfmccExtension *extension);

/* In the last TFMCC_ECHOED_RECEIVERS_ROUNDS rounds; 0 while fewer than `least` are
 * over. */
guint tfmcc_echoed_receivers_count (const TfmccEchoedReceivers *self,
    guint least);

gboolean tfmcc_echoed_receivers_knows (const TfmccEchoedReceivers *self,
    guint32 ssrc);

typedef enum
{
  TFRC_RECEIVE_FEEDBACK,          /* of TFRC, to be sent */
  TFRC_RECEIVE_REPORT,            /* of TFMCC, to be sent */
  TFRC_RECEIVE_PACKET_FEEDBACK,   /* in a format of others, to be sent */
  TFRC_RECEIVE_KEY_FRAME_REQUEST, /* to be sent */
  TFRC_RECEIVE_NACK,              /* to be sent */
  TFRC_RECEIVE_NEWS,              /* to be told */
} TfrcReceiveOutputKind;

typedef struct
{
  TfrcReceiveOutputKind kind;
  guint32 ssrc;                    /* of the stream; in news, ours */
  guint16 missing[TFRC_NACKS_MAX]; /* packets of the stream */
  guint n_missing;
  TfmccNews news;
  TfrcRate rate;         /* with news of hopelessness: means of what */
  TfrcRate sending_rate; /* could be taken, and was sent */
  gboolean leaves;       /* and whether the group is left for that */
  TfrcFeedback feedback;
  TfrcEcnSummary ecn[TFRC_ECN_MAX_STREAMS]; /* with the feedback */
  gsize n_ecn;
  TfmccReport report;
  TfmccDiagnostics diagnostics; /* with the report */
  GstBuffer *packet_feedback;   /* the report of them, owned */
} TfrcReceiveOutput;

/* For `owner`, which is not referenced and outlives this. */
void tfrc_receive_flow_init (TfrcReceiveFlow *self, GstElement *owner,
    const TfrcReceiveSettings *settings);

/* Takes the settings that may change at any time. */
void tfrc_receive_flow_update (TfrcReceiveFlow *self,
    const TfrcReceiveSettings *settings);

/* Learns from them whether the sender has small-packets, or tcp=reno. */
void tfrc_receive_flow_set_caps (TfrcReceiveFlow *self, const GstCaps *caps);

/* Forgets the flow but neither the mode nor the counters. */
void tfrc_receive_flow_forget (TfrcReceiveFlow *self);

/* `extension`: that of the packet, or NULL; it is of the mode spoken. */
TfrcResult tfrc_receive_flow_on_packet (TfrcReceiveFlow *self,
    TfrcDataPacket *packet, const TfrcPacketExtension *extension, TfrcTime now);
void tfrc_receive_flow_remove_stream (TfrcReceiveFlow *self, guint32 ssrc,
    TfrcTime now);

/* Says goodbye to the sender of a group. */
void tfrc_receive_flow_leave (TfrcReceiveFlow *self, TfrcTime now);

/* At or before now: call tfrc_receive_flow_poll until it returns FALSE.  It
 * gives feedback without `ecn`, reports and news. */
TfrcTime tfrc_receive_flow_next_deadline (const TfrcReceiveFlow *self);
gboolean tfrc_receive_flow_poll (TfrcReceiveFlow *self,
    TfrcReceiveOutput *output, TfrcTime now);

/* Whether `ssrc` is somebody's in the group, as far as we have heard. */
gboolean tfmcc_receive_flow_knows_ssrc (const TfmccReceiveFlow *self,
    guint32 ssrc);

/* How long a sender is silent before another may take its place. */
TfrcDuration tfrc_receive_flow_get_sender_timeout (const TfrcReceiveFlow *self);

/* How long an answer of the sender takes; 0: not known yet, or it is not to be asked,
 * since the group is not known to be small: of 8 receivers, or of 32 where parity
 * `corrects` most of what they miss. */
TfrcDuration tfrc_receive_flow_get_repair_time (const TfrcReceiveFlow *self,
    gboolean corrects);

/* Packets declared lost. */
guint64 tfrc_receive_flow_get_lost (const TfrcReceiveFlow *self);

/* Sets the fields of the protocols. */
void tfrc_receive_flow_get_stats (const TfrcReceiveFlow *self,
    GstStructure *stats, TfrcTime now);
