/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One congestion-controlled flow at its receiver: the receivers of TFRC and of TFMCC, of
 * which that of the packets' protocol is used.  Both exist, as the protocol is not known
 * before the first header extension; until then it is TFRC.
 *
 * No clock, no lock: the owner has both.  Logs as the owner. */
#pragma once

#include <gst/gst.h>

#include "common/properties.h"
#include "checks/tfmcc-packets.h"
#include "checks/tfrc-receiver.h"
#include "receive/settings.h"
#include "receive/extension-reader.h"
#include "tfmcc-wire.h"

/* How many rounds an echo counts. */
#define TFMCC_ECHOED_RECEIVERS_ROUNDS 16
/* More are not counted. */
#define TFMCC_ECHOED_RECEIVERS_MAX 64

typedef struct
{
  guint32 ssrc;
  guint64 round; /* of the newest echo of its report */
} TfmccEchoedReceiver;

/* The receivers of a group that are overheard: those whose reports the sender echoed to
 * all recently.  In each round some report, however large the group is, and in a large
 * one always others (RFC 4654 section 4.5).  So few SSRCs over many rounds mean a small
 * group. */
typedef struct
{
  TfmccEchoedReceiver receivers[TFMCC_ECHOED_RECEIVERS_MAX];
  guint n_receivers; /* if full, the oldest is replaced */
  guint64 round;     /* counts rounds seen to begin; 0 = no packet yet */
  guint8 wire_round; /* the sender's number of it */
} TfmccEchoedReceivers;

/* Messages to the application of a group's receiver. */
typedef enum
{
  TFMCC_MESSAGE_NONE,
  TFMCC_MESSAGE_COLLISION, /* another member has our SSRC */
  TFMCC_MESSAGE_HOPELESS,  /* the group is too fast (TfmccLeaveCheck) */
  TFMCC_MESSAGE_LEAVING,   /* the receiver leaves; the sender was informed */
} TfmccMessage;

/* A receiver of a TFMCC group: passes packets to the protocol, and gives out its reports
 * and messages. */
typedef struct
{
  GstElement *owner; /* not referenced */
  TfmccReceiver receiver;
  TfmccPacketCheck check; /* filters packets to it */
  TfmccLeaveCheck leave_check;
  gboolean auto_leave;
  TfmccEchoedReceivers echoed;
  gboolean collided; /* to be posted, from collision_at on */
  TfrcTime collision_at;
  gboolean hopeless; /* to be posted */
  gboolean leaving;  /* to be posted after the report */
} TfmccReceiveFlow;

typedef struct
{
  GstElement *owner; /* not referenced */
  GstTfrcMode mode;  /* present protocol; AUTO = not known yet */
  /* Of TFRC, also while the protocol is not known. */
  TfrcCheckedReceiver checked;
  /* the last feedback was caused by the timer, not by a packet */
  gboolean steady;
  gboolean pending; /* feedback waits for tfrc_receive_flow_poll */
  TfrcFeedback feedback;
  TfrcTime feedback_at; /* when `feedback` was made */
  /* of feedback while no packets arrive; TFRC_TIME_NONE = never */
  TfrcTime keepalive_at;
  TfmccReceiveFlow group; /* of TFMCC */
  /* part of the flow's bytes for reports; 0 = no limit */
  gdouble feedback_share;
  /* size of TFRC feedback with UDP and IP headers [bytes] */
  guint feedback_size;
  /* size of a TFMCC report, likewise [bytes] */
  guint report_size;
  guint64 bytes_reported;      /* received up to the newest report */
  guint64 feedback_over_share; /* reports above feedback_share */
} TfrcReceiveFlow;

/* A packet was accepted; packets come in the order of sending, or nearly so. */
void tfmcc_echoed_receivers_on_extension (TfmccEchoedReceivers *self,
    const TfmccExtension *extension);

/* The number of receivers overheard in the last TFMCC_ECHOED_RECEIVERS_ROUNDS rounds; 0
 * until `least` rounds have ended. */
guint tfmcc_echoed_receivers_count (const TfmccEchoedReceivers *self,
    guint least);

gboolean tfmcc_echoed_receivers_knows (const TfmccEchoedReceivers *self,
    guint32 ssrc);

/* To be posted to the application. */
typedef struct
{
  TfmccMessage kind;
  guint32 ssrc; /* our own */
  /* with TFMCC_MESSAGE_HOPELESS: means of the rate that could be received ... */
  TfrcRate rate;
  TfrcRate sending_rate; /* ... and of the one that was sent */
  gboolean leaves;       /* the receiver leaves for that reason */
} TfrcReceiveMessage;

typedef struct
{
  TfrcReceiveMessage message; /* NONE: the report of the mode, to be sent */
  TfrcFeedback feedback;
  TfmccReport report;
  TfmccDiagnostics diagnostics; /* with the report */
} TfrcReceiveOutput;

/* `owner` is not referenced, and must outlive the flow. */
void tfrc_receive_flow_init (TfrcReceiveFlow *self, GstElement *owner,
    const TfrcReceiveSettings *settings);

/* Applies those settings that may change at any time. */
void tfrc_receive_flow_update (TfrcReceiveFlow *self,
    const TfrcReceiveSettings *settings);

/* Reads from caps whether the sender has small-packets or tcp=reno. */
void tfrc_receive_flow_set_caps (TfrcReceiveFlow *self, const GstCaps *caps);

/* Forgets the flow, but not the mode nor the counters. */
void tfrc_receive_flow_forget (TfrcReceiveFlow *self);

/* A packet arrived at `now`.  `extension`: its header extension, of the present mode;
 * NULL = it has none. */
TfrcResult tfrc_receive_flow_on_packet (TfrcReceiveFlow *self,
    TfrcDataPacket *packet, const TfrcPacketExtension *extension, TfrcTime now);
void tfrc_receive_flow_remove_stream (TfrcReceiveFlow *self, guint32 ssrc,
    TfrcTime now);

/* Informs the sender of a group that this receiver leaves. */
void tfrc_receive_flow_leave (TfrcReceiveFlow *self, TfrcTime now);

/* When the deadline is reached, call tfrc_receive_flow_poll until it returns FALSE.  It
 * gives feedback, reports and messages. */
TfrcTime tfrc_receive_flow_next_deadline (const TfrcReceiveFlow *self);
gboolean tfrc_receive_flow_poll (TfrcReceiveFlow *self,
    TfrcReceiveOutput *output, TfrcTime now);

/* Whether `ssrc` is known to be that of the sender or a receiver of the group. */
gboolean tfmcc_receive_flow_knows_ssrc (const TfmccReceiveFlow *self,
    guint32 ssrc);

/* How long a sender must be silent before another one may replace it. */
TfrcDuration tfrc_receive_flow_get_sender_timeout (const TfrcReceiveFlow *self);

/* How long an answer of the sender takes (the RTT).  0 = not known yet, or packets must
 * not be requested, as the group is not known to be small: 8 receivers, or 32 with parity
 * (`uses_parity`), which corrects most losses. */
TfrcDuration tfrc_receive_flow_get_repair_time (const TfrcReceiveFlow *self,
    gboolean uses_parity);

/* Number of packets declared lost. */
guint64 tfrc_receive_flow_get_lost (const TfrcReceiveFlow *self);

/* Sets the protocols' fields of the statistics. */
void tfrc_receive_flow_get_stats (const TfrcReceiveFlow *self,
    GstStructure *stats, TfrcTime now);
