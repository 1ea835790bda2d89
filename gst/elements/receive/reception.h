/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The reception of a flow: passes each packet to the flow's protocol, the key frame
 * requests and the check of the source address; and gives out reports, requests and
 * messages to the application.  No clock, no lock: the element has both. */
#pragma once

#include "receive/extension-reader.h"
#include "receive/feedback.h"
#include "receive/flow.h"
#include "receive/settings.h"
#include "receive/source-address.h"
#include "rtp/ecn.h"
#include "tfrc/arrival-log.h"

#define TFRC_PAYLOAD_TYPES 128

/* What a payload type is: by the flow's caps, or by those that the application gives for
 * it. */
typedef struct
{
  gboolean known; /* was looked up, whatever the result */
  gboolean video;
  gboolean rtx;               /* RTX: of packets of another stream */
  const gchar *encoding_name; /* interned; NULL = not known */
} TfrcMedia;

typedef struct
{
  TfrcMedia types[TFRC_PAYLOAD_TYPES];
  TfrcMedia any; /* by caps without payload type */
} TfrcPayloadTypes;

/* Packet feedback for other senders: congestion control feedback (RFC 8888), or
 * transport-wide feedback; whether, which and when. */
typedef struct
{
  const TfrcReceiveSettings *settings; /* not owned; has SSRC and CNAME */
  TfrcArrivalLog *log;                 /* owned; NULL = not needed so far */
  GstRtpTfrcFeedback format;           /* whose sequence numbers the log has */
  /* id of the extension with transport-wide sequence numbers; 0 = none */
  guint transport_id;
  gboolean wants_ccfb; /* requested in caps */
  gboolean wants_twcc; /* requested in caps */
  guint32 media_ssrc;  /* of the newest packet */
  guint8 count;        /* of reports, wraps around */
} TfrcPacketFeedbackLog;

typedef struct
{
  GstElement *owner;
  TfrcReceiveFlow flow;
  TfrcPacketFeedbackLog packet_feedback;
  TfrcExtensionReader extensions;
  TfrcPayloadTypes payload_types;
  gboolean requests_key_frames;
  TfrcKeyRequests key_requests;
  gboolean requests_packets; /* that are missing */
  /* the sender is known to retransmit them */
  gboolean sender_retransmits;
  gboolean uses_parity; /* corrects losses without requests */
  TfrcNacks nacks;
  /* packets of the flow lost, when key_requests was last informed */
  guint64 lost;
  TfrcSourceAddress source;
  TfrcEcnCount ecn; /* of packets with known ECN bits */

  gboolean sender_changed; /* reset by the reader */
  gboolean foreign_warned;
  guint64 packets_malformed;
  guint64 packets_foreign;  /* from other addresses than the sender's */
  guint64 packets_unproven; /* before a sender is known */
  guint64 rtcp_malformed;
  guint64 sr_requests_removed;
} TfrcReception;

/* Frees what the object owns. */
void tfrc_reception_clear (TfrcReception *self);

/* Applies those settings that may change at any time. */
void tfrc_reception_update (TfrcReception *self,
    const TfrcReceiveSettings *settings);

/* Forgets the flow, but not the counters nor the caps: later packets do not continue
 * earlier ones. */
void tfrc_reception_restart (TfrcReception *self);

/* Starts anew with these settings. */
void tfrc_reception_start (TfrcReception *self,
    const TfrcReceiveSettings *settings);

/* Caps of the sink pad: reads what they say about its flow; NULL = nothing. */
void tfrc_reception_set_caps (TfrcReception *self, const GstCaps *caps);

/* Whether RTCP, of any port, may be passed on, without SR requests: it is well-formed,
 * and all SSRCs in it are the sender's. */
gboolean tfrc_reception_admits_rtcp (TfrcReception *self, GstBuffer *buffer,
    TfrcWireCompound *compound);

/* The stream has left. */
void tfrc_reception_remove_stream (TfrcReception *self, guint32 ssrc,
    TfrcTime now);

/* RTCP came in between RTP.  Takes ownership of the buffer, and returns it, or a copy
 * without what an rtpsession must not get, or NULL. */
GstBuffer *tfrc_reception_on_rtcp (TfrcReception *self, GstBuffer *buffer,
    TfrcTime now);

/* Checks the source of a packet that arrived at `now`; `rtp` is `buffer`, read.
 * FOREIGN and UNPROVEN packets must not be passed on, nor measured. */
TfrcAdmission tfrc_reception_admit (TfrcReception *self, GstBuffer *buffer,
    const TfrcRtpPacket *rtp, TfrcTime now);

/* Measures an admitted packet that arrived at `now`.  TFRC_FOREIGN, INVALID, DUPLICATE
 * and STALE ones are counted, and have no other effect.
 *
 * *moved is set to TRUE if the source address has changed.  *ends: the packet need not be
 * passed on, as a probe's padding. */
TfrcResult tfrc_reception_on_packet (TfrcReception *self, GstBuffer *buffer,
    const TfrcRtpPacket *rtp, TfrcAdmission admission, gboolean *moved,
    gboolean *ends, TfrcTime now);

/* A packet is lost for good: requests a key frame, unless that was done when the loss was
 * detected, as there was no repair then. */
void tfrc_reception_on_unrepaired (TfrcReception *self, guint32 ssrc,
    guint16 seq, TfrcTime now);

/* A packet is missing, and useful for another `time_left`, which grows to what an answer
 * needs if that is no more than `longest`.  Returns how long the sender's answer takes;
 * 0 = not known, or it is not requested or answered.  *hold: how long it may still arrive
 * by reordering. */
TfrcDuration tfrc_reception_on_missing (TfrcReception *self, guint32 ssrc,
    guint16 seq, TfrcDuration *time_left, TfrcDuration longest,
    TfrcDuration *hold, TfrcTime now);

/* When the deadline is reached, call tfrc_reception_poll until it gives nothing. */
TfrcTime tfrc_reception_next_deadline (const TfrcReception *self);

/* Returns a report or request to be sent `now`; NULL: none, but maybe *message. */
GstBuffer *tfrc_reception_poll (TfrcReception *self,
    TfrcReceiveMessage *message, TfrcTime now);

/* Sets the fields of the statistics. */
void tfrc_reception_get_stats (const TfrcReception *self, GstStructure *stats,
    TfrcTime now);

/* Sets the caps of a payload type; NULL = as those of the flow. */
void tfrc_reception_learn_payload_type (TfrcReception *self, guint8 type,
    const GstCaps *caps);
void tfrc_reception_forget_payload_types (TfrcReception *self);
