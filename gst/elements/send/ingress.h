/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The way of packets from a sink pad to the pacer: tells streams and frames apart,
 * recognises key frames, makes room for the header extension, queues packets at the
 * pacer, and tells the encoder control their sizes.  Called by the streaming threads of
 * the sink pads; the lock admits one after the other. */
#pragma once

#include "send/extension-writer.h"
#include "send/pacer.h"

/* What bounds the MTU of RTP packets: the user; what the system says about the path, which
 * may change at any time; and which packets are lost there. */
typedef enum
{
  TFRC_MTU_OF_USER,
  TFRC_MTU_BY_SYSTEM,
  TFRC_MTU_BY_LOSSES,
  TFRC_MTU_N_BOUNDS
} TfrcMtuBound;

typedef struct
{
  GstElement *element; /* posts the warnings */
  TfrcSendPacer *pacer;
  /* whether packets that are due are accepted, else they are dropped; NULL = accept all */
  gboolean (*admits) (gpointer gate);
  gpointer gate;

  /* guards all fields below, and which streams the pacer has (send/pacer.h) */
  GMutex lock;
  TfrcExtensionWriter extension_writer;
  /* newest, common to all streams; NULL = none yet */
  GstCaps *caps;
  guint mtu_bounds[TFRC_MTU_N_BOUNDS]; /* [bytes]; G_MAXUINT = none */
  guint mtu;                           /* the least of these */
  guint64 packets_invalid;             /* not RTP, dropped */
  guint64 packets_without_extension;   /* no room for it, sent */
  guint64 packets_oversize;            /* above the MTU, sent */
  /* About the newest packet that is no retransmission; in the statistics under the names
   * that payloaders have in theirs, which RTSP servers read. */
  guint16 seq;
  guint32 timestamp;
  GstClockTime running_time;
  /* running time of the packet last compared with the clock; or NONE */
  GstClockTime compared_at;
  gboolean warned_early; /* the warning of early packets was posted */
} TfrcSendIngress;

/* `element` and `pacer` are not referenced, and must outlive it. */
void tfrc_send_ingress_init (TfrcSendIngress *self, GstElement *element,
    TfrcSendPacer *pacer);
void tfrc_send_ingress_clear (TfrcSendIngress *self);

/* Starts a new flow: forgets caps, extension id and counters.  `extensions` FALSE:
 * packets get no header extension.  `mtu`: of RTP packets [bytes]. */
void tfrc_send_ingress_start (TfrcSendIngress *self, GstTfrcMode mode,
    gboolean extensions, guint mtu);

/* Sets the MTU of payloaders upstream of the pad, so that packets with header extension
 * fit.  `raises`: also one that is less than need be.  If that is too much for another
 * sender behind the payloader, that one lowers it when the first larger packet comes in.
 * Caps have that effect, too, but raise nothing, and only after the first packets were
 * made. */
void tfrc_send_ingress_limit_mtu (TfrcSendIngress *self, GstPad *pad,
    gboolean raises);

/* Sets a bound, and payloaders upstream of the pad if it changes the MTU. */
void tfrc_send_ingress_bound_mtu (TfrcSendIngress *self, TfrcMtuBound bound,
    guint mtu, GstPad *pad);

/* Caps came in at a sink pad: queues caps for the source pad.  `shared`: there are
 * streams of other pads, so those caps only name the header extensions.  `extension_id`:
 * value of the property, 0 = any.  Returns what pushing the packets before gave. */
GstFlowReturn tfrc_send_ingress_set_caps (TfrcSendIngress *self,
    TfrcSendInput *input, const GstCaps *caps, gboolean shared,
    guint extension_id);

/* Takes ownership of packets from a sink pad and queues them; waits as
 * tfrc_send_pacer_wait_for_room does.  Returns what pushing the packets before gave. */
GstFlowReturn tfrc_send_ingress_push (TfrcSendIngress *self,
    TfrcSendInput *input, GstBuffer *buffer);
GstFlowReturn tfrc_send_ingress_push_list (TfrcSendIngress *self,
    TfrcSendInput *input, GstBufferList *list);

/* The pad was removed: its streams no longer belong to it. */
void tfrc_send_ingress_forget_input (TfrcSendIngress *self,
    TfrcSendInput *input);

/* Payload type in the caps; 0 = they have none, as with several streams. */
guint tfrc_send_ingress_get_payload_type (TfrcSendIngress *self);

void tfrc_send_ingress_set_stats (TfrcSendIngress *self, GstStructure *stats);
