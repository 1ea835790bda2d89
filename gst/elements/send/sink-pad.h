/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sink pads of rtptfrcsend: each has a priority, the state of its stream, and the
 * encoder that it controls; and what is done with the packets that come in. */
#pragma once

#include <gst/gst.h>

#include "base/units.h"
#include "encoder/encoder.h"
#include "send/extension-writer.h"
#include "send/pacer.h"

#define GST_TYPE_RTP_TFRC_SEND_PAD (gst_rtp_tfrc_send_pad_get_type ())
G_DECLARE_FINAL_TYPE (GstRtpTfrcSendPad, gst_rtp_tfrc_send_pad, GST,
    RTP_TFRC_SEND_PAD, GstPad)

/* A sink pad, with its priority and its state in the element. */
struct _GstRtpTfrcSendPad
{
  GstPad parent;

  GstTfrcPriority priority; /* object lock */
  TfrcSendInput input;      /* locked as the queue is */

  /* Guarded by the element's object lock; reset for each run. */
  gboolean started; /* an event came */
  gboolean eos;
  gboolean flushing; /* from FLUSH_START to FLUSH_STOP */
  /* the encoder that this pad controls, and no other; not referenced; NULL = none */
  gconstpointer encoder;
};

/* Makes a pad that has not been added yet; its packets are pushed from `src`. */
GstPad *tfrc_send_pad_new (GstPadTemplate *template, const gchar *name,
    GstPad *src);

/* The caller frees the list and unrefs the pads. */
GList *tfrc_send_pads_list (GstElement *element);

/* Of the pads that are requested or in use, with the element's object lock held: how many
 * there are; whether all are at EOS; whether some flush and no others send.  Pads that
 * have not started, or are at EOS, have nothing to flush. */
guint tfrc_send_pads_count (GstElement *element);
gboolean tfrc_send_pads_are_at_eos (GstElement *element);
gboolean tfrc_send_pads_are_flushing (GstElement *element);

/* Makes `encoder` (NULL = none) the one of this pad, or refuses (FALSE).  An encoder may
 * be upstream of several pads, but belongs to one; one set by the property `encoder` may
 * be upstream of none (`nearest` FALSE).  `changed`: the pad's encoder is another now. */
gboolean tfrc_send_pad_claim_encoder (GstPad *sinkpad, GstElement *encoder,
    gboolean nearest, GstElement *owner, gboolean *changed);

/* Calls tfrc_encoder_prepare, or tfrc_encoder_attach, for each linked pad; the other pads
 * will get caps before packets. */
void tfrc_send_pads_foreach_linked (GstElement *element,
    void (*call) (TfrcEncoder *encoder, GstPad *pad));

/* Gives each encoder its part, by weight, of min-bitrate and start-bitrate. */
void tfrc_send_pads_configure_encoders (GstElement *element,
    const TfrcEncoderSettings *settings);

/* Called by the thread that has set `flow` of each input. */
void tfrc_send_pads_update_encoders (GstElement *element, TfrcTime now);

/* The ingress: the way of packets from a sink pad to the pacer.  Tells streams and frames
 * apart, recognises key frames, makes room for the header extension, queues packets at the
 * pacer, and tells the encoder control their sizes.  Called by the streaming threads of the
 * sink pads; the lock admits one after the other. */

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
