/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What comes in: tells streams and frames apart, says which packets begin a key frame,
 * makes room for the extension, and hands packets to the pacer and their sizes to the
 * encoder control.  For the streaming threads of the sink pads: one after the other. */
#pragma once

#include "send/extension-writer.h"
#include "send/pacer.h"

typedef struct
{
  GstElement *element; /* posts */
  TfrcSendPacer *pacer;
  gboolean (*admits) (gpointer gate); /* what is due; FALSE: drop; NULL: all */
  gpointer gate;

  GMutex lock; /* guards all below, and the pacer's streams: send/pacer.h */
  TfrcExtensionWriter extension_writer;
  GstCaps *caps;           /* newest, of all streams; NULL = none yet */
  guint mtu;               /* [bytes] */
  guint64 packets_invalid; /* no RTP: dropped */
  guint64 packets_without_extension; /* had no place for it: passed */
  guint64 packets_oversize;          /* above the MTU: passed */
  /* Of the newest packet that repeats none, as payloaders tell: RTSP servers ask. */
  guint16 seq;
  guint32 timestamp;
  GstClockTime running_time;
  GstClockTime compared_at; /* with the clock, the last time; or NONE */
  gboolean warned_early;    /* that it is not due yet */
} TfrcSendIngress;

/* `element` and `pacer` outlive it. */
void tfrc_send_ingress_init (TfrcSendIngress *self, GstElement *element,
    TfrcSendPacer *pacer);
void tfrc_send_ingress_clear (TfrcSendIngress *self);

/* A new flow: forgets caps, id and counters.  FALSE `extensions`: packets get none.
 * `mtu` of RTP packets [bytes]. */
void tfrc_send_ingress_start (TfrcSendIngress *self, GstTfrcMode mode,
    gboolean extensions, guint mtu);

/* Sets payloaders upstream of a pad to fit.  Caps do that too, but come with the
 * first packets, which are made by then. */
void tfrc_send_ingress_limit_mtu (TfrcSendIngress *self, GstPad *pad);

/* The same, where packets turn out to have to be that small. */
void tfrc_send_ingress_lower_mtu (TfrcSendIngress *self, guint mtu,
    GstPad *pad);

/* Caps of a sink pad; sends those of the source pad.  `shared`: others have streams,
 * too; then these caps name the header extensions alone.  `extension_id`: that of the
 * property, 0 = any.  What the source pad gave for what is queued. */
GstFlowReturn tfrc_send_ingress_set_caps (TfrcSendIngress *self,
    TfrcSendInput *input, const GstCaps *caps, gboolean shared,
    guint extension_id);

/* Packets of a sink pad: takes them, and waits where too many are queued before
 * PLAYING.  What the source pad gave for the ones before. */
GstFlowReturn tfrc_send_ingress_push (TfrcSendIngress *self,
    TfrcSendInput *input, GstBuffer *buffer);
GstFlowReturn tfrc_send_ingress_push_list (TfrcSendIngress *self,
    TfrcSendInput *input, GstBufferList *list);

/* The pad has gone, and its streams. */
void tfrc_send_ingress_forget_input (TfrcSendIngress *self,
    TfrcSendInput *input);

/* Of the caps, where all packets are of one stream; 0: they name none. */
guint tfrc_send_ingress_get_payload_type (TfrcSendIngress *self);

/* Sets the fields of the counters; from any thread. */
void tfrc_send_ingress_set_stats (TfrcSendIngress *self, GstStructure *stats);
