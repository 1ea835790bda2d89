/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures the flow: what a packet tells goes to the protocol that the flow speaks, to
 * the key frame requests and to the source address; reports, requests and news for
 * the application come out.  No clock, no locks: the element has both. */
#pragma once

#include "receive/extension-reader.h"
#include "receive/feedback.h"
#include "receive/flow.h"
#include "receive/settings.h"
#include "receive/source-address.h"
#include "rtp/ecn.h"
#include "tfrc/arrival-log.h"

#define TFRC_PAYLOAD_TYPES 128

/* What a payload type stands for: as the caps of the flow say, or those that
 * somebody gives for it. */
typedef struct
{
  gboolean known; /* asked for, whatever the answer was */
  gboolean video;
  gboolean rtx;               /* what it stands for is in other packets */
  const gchar *encoding_name; /* interned; NULL = not known */
} TfrcMedia;

typedef struct
{
  TfrcMedia types[TFRC_PAYLOAD_TYPES];
  TfrcMedia any; /* of caps that name no payload type */
} TfrcPayloadTypes;

/* Packet feedback for senders that are none of ours: congestion control
 * feedback (RFC 8888), or transport-wide feedback; whether, which, and when. */
typedef struct
{
  const TfrcReceiveSettings *settings; /* not ours, for SSRC and CNAME */
  TfrcArrivalLog *log;                 /* NULL while there was no use for it */
  GstRtpTfrcFeedback format;           /* whose numbers the log has */
  guint transport_id; /* of the extension of transport-wide numbers; 0 = none */
  gboolean wants_ccfb; /* by the caps */
  gboolean wants_twcc; /* the same */
  guint32 media_ssrc;  /* of the newest packet */
  guint8 count;        /* reports, wraps */
} TfrcPacketFeedbackLog;

typedef struct
{
  GstElement *owner;
  TfrcReceiveFlow flow;
  TfrcPacketFeedbackLog packet_feedback;
  TfrcExtensionReader extensions;
  TfrcPayloadTypes payload_types;
  gboolean asks; /* for key frames; FALSE: never */
  TfrcKeyRequests key_requests;
  gboolean asks_again; /* for what is lost */
  gboolean answered;   /* the sender is known to answer that */
  gboolean corrects;   /* without asking */
  TfrcNacks nacks;
  guint64 lost; /* packets of the flow, when key_requests heard of them */
  TfrcSourceAddress source;
  TfrcEcnCount ecn; /* of packets whose ECN bits were read */

  gboolean sender_changed; /* until somebody looks */
  gboolean foreign_warned;
  guint64 packets_malformed;
  guint64 packets_foreign;  /* from elsewhere than the sender */
  guint64 packets_unproven; /* before there is one */
  guint64 rtcp_malformed;
  guint64 sr_requests_removed;
} TfrcReception;

/* Frees what it owns. */
void tfrc_reception_clear (TfrcReception *self);

/* Takes the settings that may change at any time. */
void tfrc_reception_update (TfrcReception *self,
    const TfrcReceiveSettings *settings);

/* Forgets the flow but neither the counters nor the caps: what comes next has
 * nothing to do with what came before. */
void tfrc_reception_restart (TfrcReception *self);

/* Begins anew with these settings. */
void tfrc_reception_start (TfrcReception *self,
    const TfrcReceiveSettings *settings);

/* Of the sink pad: takes what they say of its flow; NULL: nothing. */
void tfrc_reception_set_caps (TfrcReception *self, const GstCaps *caps);

/* Whether RTCP, from whichever port, may go on, without SR requests: it can be read,
 * and all whom it names are the sender. */
gboolean tfrc_reception_admits_rtcp (TfrcReception *self, GstBuffer *buffer,
    TfrcWireCompound *compound);

/* The SSRC has left. */
void tfrc_reception_remove_stream (TfrcReception *self, guint32 ssrc,
    TfrcTime now);

/* RTCP between RTP: takes the buffer and gives it back, or a copy without what
 * an rtpsession must not see, or NULL. */
GstBuffer *tfrc_reception_on_rtcp (TfrcReception *self, GstBuffer *buffer,
    TfrcTime now);

/* Judges a packet that arrived `now`; `rtp` is `buffer`, mapped.  Neither FOREIGN nor
 * UNPROVEN ones may go on, and nothing is to be learnt from them. */
TfrcAdmission tfrc_reception_admit (TfrcReception *self, GstBuffer *buffer,
    GstRTPBuffer *rtp, TfrcTime now);

/* Measures a packet that was admitted, and arrived `now`.  TFRC_FOREIGN, INVALID,
 * DUPLICATE and STALE ones are counted and have no other effect.
 *
 * *moved becomes TRUE: the source address is another one.  *ends: the packet has told all that it
 * has to tell. */
TfrcResult tfrc_reception_on_packet (TfrcReception *self, GstBuffer *buffer,
    GstRTPBuffer *rtp, TfrcAdmission admission, gboolean *moved, gboolean *ends,
    TfrcTime now);

/* A packet is lost for good.  Without repair its loss was asked for when it was known,
 * unless there was repair by then or it is not known yet. */
void tfrc_reception_on_hole (TfrcReception *self, guint32 ssrc, guint16 seq,
    TfrcTime now);

/* A packet is missing that is of use for another `time_left`.  Returns how long
 * the sender's answer takes; 0: not known, or nobody is asked or answers.  *hold: for so
 * long it may only be overtaken. */
TfrcDuration tfrc_reception_want_packet (TfrcReception *self, guint32 ssrc,
    guint16 seq, TfrcDuration time_left, TfrcDuration *hold, TfrcTime now);

/* At or before now: call tfrc_reception_poll, and send what it gives, until it returns
 * FALSE. */
TfrcTime tfrc_reception_next_deadline (const TfrcReception *self);

/* What is to be sent, or told to the application, `now`; FALSE: nothing. */
gboolean tfrc_reception_poll (TfrcReception *self, TfrcReceiveOutput *output,
    TfrcTime now);

/* Sets the fields of the reception. */
void tfrc_reception_get_stats (const TfrcReception *self, GstStructure *stats,
    TfrcTime now);

/* What a payload type stands for; NULL: the same as those of the flow. */
void tfrc_reception_learn_payload_type (TfrcReception *self, guint8 type,
    const GstCaps *caps);
void tfrc_reception_forget_payload_types (TfrcReception *self);
