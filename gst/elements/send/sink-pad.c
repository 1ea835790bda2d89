/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/sink-pad.h"

#include <gst/rtp/rtp.h>

#include "common/locks.h"
#include "common/pads.h"
#include "common/repair-types.h"
#include "common/rtp.h"
#include "common/stats.h"
#include "encoder/upstream.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_send_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_send_debug

enum
{
  PROP_PAD_PRIORITY = 1,
};

G_DEFINE_TYPE (GstRtpTfrcSendPad, gst_rtp_tfrc_send_pad, GST_TYPE_PAD);

static void
gst_rtp_tfrc_send_pad_set_property (GObject *object, guint id,
    const GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_AUTO_LOCK (object, locker);
  GST_RTP_TFRC_SEND_PAD (object)->priority = g_value_get_enum (value);
}

static void
gst_rtp_tfrc_send_pad_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GST_OBJECT_AUTO_LOCK (object, locker);
  g_value_set_enum (value, GST_RTP_TFRC_SEND_PAD (object)->priority);
}

static void
gst_rtp_tfrc_send_pad_finalize (GObject *object)
{
  TfrcSendInput *input = &GST_RTP_TFRC_SEND_PAD (object)->input;

  g_clear_pointer (&input->encoder, tfrc_encoder_free);
  gst_clear_event (&input->segment);
  G_OBJECT_CLASS (gst_rtp_tfrc_send_pad_parent_class)->finalize (object);
}

static void
gst_rtp_tfrc_send_pad_class_init (GstRtpTfrcSendPadClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->set_property = gst_rtp_tfrc_send_pad_set_property;
  object_class->get_property = gst_rtp_tfrc_send_pad_get_property;
  object_class->finalize = gst_rtp_tfrc_send_pad_finalize;
  tfrc_priority_install (object_class, PROP_PAD_PRIORITY);
}

static void
gst_rtp_tfrc_send_pad_init (GstRtpTfrcSendPad *self)
{
  self->input.pad = GST_PAD (self);
}

static gboolean
is_requested (GstPad *pad)
{
  return GST_PAD_TEMPLATE_PRESENCE (GST_PAD_PAD_TEMPLATE (pad))
      == GST_PAD_REQUEST;
}

static gboolean
query_sink (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstCaps *caps, *allowed;

  switch (GST_QUERY_TYPE (query)) {
    case GST_QUERY_CAPS:
      /* Payloaders must not add our header extension. */
      if (!gst_pad_query_default (pad, parent, query))
        return FALSE;
      gst_query_parse_caps_result (query, &caps);
      caps = tfrc_extension_writer_strip_caps (gst_caps_copy (caps));
      /* An rtpsession offers one SSRC, but each stream needs its own. */
      for (guint i = 0; is_requested (pad) && i < gst_caps_get_size (caps); i++)
        gst_structure_remove_field (gst_caps_get_structure (caps, i), "ssrc");
      gst_query_set_caps_result (query, caps);
      gst_caps_unref (caps);
      return TRUE;
    case GST_QUERY_ACCEPT_CAPS:
      gst_query_parse_accept_caps (query, &caps);
      allowed = gst_pad_query_caps (pad, NULL);
      gst_query_set_accept_caps_result (query,
          gst_caps_can_intersect (caps, allowed));
      gst_caps_unref (allowed);
      return TRUE;
    default:
      /* Serialized queries would have to wait for the queue; no allocation is proposed. */
      if (GST_QUERY_IS_SERIALIZED (query))
        return FALSE;
      return gst_pad_query_default (pad, parent, query);
  }
}

GstPad *
tfrc_send_pad_new (GstPadTemplate *template, const gchar *name, GstPad *src)
{
  GstPad *pad = g_object_new (GST_TYPE_RTP_TFRC_SEND_PAD, "name", name,
      "direction", GST_PAD_SINK, "template", template, NULL);

  gst_pad_set_element_private (pad, src);
  gst_pad_set_iterate_internal_links_function (pad, tfrc_pads_iterate_partner);
  GST_PAD_SET_PROXY_CAPS (pad);
  gst_pad_set_query_function (pad, query_sink);
  return pad;
}

GList *
tfrc_send_pads_list (GstElement *element)
{
  GList *pads = NULL;

  GST_OBJECT_LOCK (element);
  for (GList *walk = element->sinkpads; walk; walk = walk->next)
    if (GST_IS_RTP_TFRC_SEND_PAD (walk->data))
      pads = g_list_prepend (pads, gst_object_ref (walk->data));
  GST_OBJECT_UNLOCK (element);
  return g_list_reverse (pads);
}

static TfrcEncoder *
get_encoder (gpointer pad)
{
  return GST_RTP_TFRC_SEND_PAD (pad)->input.encoder;
}

/* Numbers of sink pads that are requested or in use. */
typedef struct
{
  guint all;
  guint eos;
  guint sending;
  guint flushing;
} PadCount;

static PadCount
count_pads (GstElement *element)
{
  PadCount n = { 0 };

  for (GList *walk = element->sinkpads; walk; walk = walk->next) {
    GstRtpTfrcSendPad *pad = walk->data;

    if (!GST_IS_RTP_TFRC_SEND_PAD (pad)
        || (!is_requested (walk->data) && !pad->started))
      continue;
    n.all++;
    n.eos += pad->eos;
    n.sending += pad->started && !pad->eos && !pad->flushing;
    n.flushing += pad->flushing;
  }
  return n;
}

guint
tfrc_send_pads_count (GstElement *element)
{
  return count_pads (element).all;
}

gboolean
tfrc_send_pads_are_at_eos (GstElement *element)
{
  PadCount n = count_pads (element);

  return n.all > 0 && n.eos == n.all;
}

gboolean
tfrc_send_pads_are_flushing (GstElement *element)
{
  PadCount n = count_pads (element);

  return n.flushing > 0 && n.sending == 0;
}

void
tfrc_send_pads_update_encoders (GstElement *element, TfrcTime now)
{
  g_autolist (GstPad) pads = tfrc_send_pads_list (element);

  for (GList *walk = pads; walk; walk = walk->next) {
    const TfrcEncoderFlow *flow =
        &GST_RTP_TFRC_SEND_PAD (walk->data)->input.flow;

    /* A new pad has no `flow` yet. */
    if (flow->overhead > 0)
      tfrc_encoder_update (get_encoder (walk->data), flow, now);
  }
}

static gboolean
has_encoder (GstElement *element, GstRtpTfrcSendPad *pad)
{
  GST_OBJECT_AUTO_LOCK (element, locker);
  return pad->encoder != NULL;
}

static guint
get_weight (GstRtpTfrcSendPad *pad)
{
  GstTfrcPriority priority;

  g_object_get (pad, "priority", &priority, NULL);
  return tfrc_priority_get_video_weight (priority);
}

void
tfrc_send_pads_configure_encoders (GstElement *element,
    const TfrcEncoderSettings *settings)
{
  g_autolist (GstPad) pads = tfrc_send_pads_list (element);
  guint weights = 0;

  for (GList *walk = pads; walk; walk = walk->next)
    weights += has_encoder (element, walk->data) ? get_weight (walk->data) : 0;
  for (GList *walk = pads; walk; walk = walk->next) {
    TfrcEncoderSettings own = *settings;
    guint weight = get_weight (walk->data);
    guint sum = has_encoder (element, walk->data) ? weights : weights + weight;

    /* A pad without encoder has the part that it would get.  When one is found, all are
     * configured again. */
    sum = MAX (sum, weight);
    own.min_bitrate = gst_util_uint64_scale_int (own.min_bitrate, weight, sum);
    own.start_bitrate = gst_util_uint64_scale_int (own.start_bitrate, weight,
        sum);
    tfrc_encoder_configure (get_encoder (walk->data), &own);
  }
}

static gboolean
feeds_another (GstElement *element, GstPad *sinkpad, GstElement *encoder)
{
  g_autolist (GstPad) pads = tfrc_send_pads_list (element);
  gboolean feeds = FALSE;

  for (GList *walk = pads; walk; walk = walk->next) {
    g_autoptr (GstElement) nearest = tfrc_encoder_find_upstream (walk->data);

    feeds |= walk->data != sinkpad && nearest == encoder;
  }
  return feeds;
}

gboolean
tfrc_send_pad_claim_encoder (GstPad *sinkpad, GstElement *encoder,
    gboolean nearest, GstElement *owner, gboolean *changed)
{
  GstRtpTfrcSendPad *pad = GST_RTP_TFRC_SEND_PAD (sinkpad);
  gboolean granted = encoder != NULL;

  if (granted && !nearest)
    granted = !tfrc_pads_is_media (sinkpad, "audio")
        && !feeds_another (owner, sinkpad, encoder);
  GST_OBJECT_LOCK (owner);
  for (GList *walk = owner->sinkpads; walk && encoder; walk = walk->next) {
    GstRtpTfrcSendPad *other = walk->data;

    if (GST_IS_RTP_TFRC_SEND_PAD (other) && other != pad
        && other->encoder == encoder)
      granted = FALSE;
  }
  *changed = pad->encoder != (granted ? encoder : NULL);
  pad->encoder = granted ? encoder : NULL;
  GST_OBJECT_UNLOCK (owner);
  return granted || encoder == NULL;
}

void
tfrc_send_pads_foreach_linked (GstElement *element,
    void (*call) (TfrcEncoder *encoder, GstPad *pad))
{
  g_autolist (GstPad) pads = tfrc_send_pads_list (element);

  for (GList *walk = pads; walk; walk = walk->next)
    if (gst_pad_is_linked (walk->data))
      call (get_encoder (walk->data), walk->data);
}

void
tfrc_send_ingress_init (TfrcSendIngress *self, GstElement *element,
    TfrcSendPacer *pacer)
{
  self->element = element;
  self->pacer = pacer;
  g_mutex_init (&self->lock);
  tfrc_extension_writer_init (&self->extension_writer, GST_TFRC_MODE_TFRC,
      TRUE);
}

void
tfrc_send_ingress_clear (TfrcSendIngress *self)
{
  gst_clear_caps (&self->caps);
  g_mutex_clear (&self->lock);
}

/* Packets on their way to the pacer. */
typedef struct
{
  TfrcQueueItem items[TFRC_SEND_MAX_BURST];
  guint n;
  GstFlowReturn ret; /* of the last push */
  TfrcSendInput *input;
  TfrcSendPushed pushed;
  gboolean oversize; /* one is above the MTU */

  /* Warnings, posted after the lock is released. */
  /* the extension id that receivers may have been told, if ours is another now; 0 = none */
  guint announced_id;
  /* the first packet without header extension is among them */
  gboolean without_extension;
  gboolean invalid; /* a buffer that is no RTP packet was the first one */
} Batch;

void
tfrc_send_ingress_start (TfrcSendIngress *self, GstTfrcMode mode,
    gboolean extensions, guint mtu)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  gst_clear_caps (&self->caps);
  tfrc_extension_writer_init (&self->extension_writer, mode, extensions);
  self->mtu = self->mtu_bounds[TFRC_MTU_OF_USER] = mtu;
  self->mtu_bounds[TFRC_MTU_BY_SYSTEM] = G_MAXUINT;
  self->mtu_bounds[TFRC_MTU_BY_LOSSES] = G_MAXUINT;
  self->packets_invalid = 0;
  self->packets_without_extension = 0;
  self->packets_oversize = 0;
  self->seq = 0;
  self->timestamp = 0;
  self->running_time = GST_CLOCK_TIME_NONE;
  self->compared_at = GST_CLOCK_TIME_NONE;
  self->warned_early = FALSE;
}

void
tfrc_send_ingress_limit_mtu (TfrcSendIngress *self, GstPad *pad,
    gboolean raises)
{
  guint mtu;

  g_mutex_lock (&self->lock);
  mtu = self->mtu
      - tfrc_extension_writer_get_max_overhead (&self->extension_writer);
  g_mutex_unlock (&self->lock);
  tfrc_upstream_set_mtu (pad, mtu, raises);
}

void
tfrc_send_ingress_bound_mtu (TfrcSendIngress *self, TfrcMtuBound bound,
    guint mtu, GstPad *pad)
{
  guint before;

  g_mutex_lock (&self->lock);
  before = self->mtu;
  self->mtu_bounds[bound] = mtu;
  mtu = self->mtu = MIN (self->mtu_bounds[TFRC_MTU_OF_USER],
      MIN (self->mtu_bounds[TFRC_MTU_BY_SYSTEM],
          self->mtu_bounds[TFRC_MTU_BY_LOSSES]));
  g_mutex_unlock (&self->lock);
  if (mtu != before)
    tfrc_send_ingress_limit_mtu (self, pad, mtu > before);
}

static void
warn_of_no_extension (GstElement *element, gboolean has_caps, guint id)
{
  const gchar *text =
      "Packets are sent without the header extension that the receiver needs";
  const gchar *debug = "more are counted in packets-not-stamped";

  if (!has_caps)
    GST_ELEMENT_WARNING (element, STREAM, FORMAT,
        ("%s: they came without caps; set caps application/x-rtp.", text),
        ("%s", debug));
  else
    GST_ELEMENT_WARNING (element, STREAM, FORMAT,
        ("%s: they have a header extension that is not of RFC 8285, or has"
         " no room for one with id %u.",
            text, id),
        ("%s", debug));
}

/* A live source whose packets are more than EARLY (and its latency) ahead of the clock is
 * not live. */
#define EARLY GST_SECOND
#define LONGEST_WAIT (3600 * GST_SECOND)
/* A live source that has to wait for longer than this has wrong timestamps. */
#define FAR (5 * GST_SECOND)

/* With the lock held.  TRUE, once: packets come more than EARLY before their running
 * time, so nothing synchronises the source.  Compares once per second of running time. */
static gboolean
comes_early (TfrcSendIngress *self, const TfrcSendInput *input)
{
  GstClockTime now;

  if (self->warned_early || self->running_time == GST_CLOCK_TIME_NONE
      || (self->compared_at != GST_CLOCK_TIME_NONE
          && self->running_time < self->compared_at + EARLY)
      || GST_STATE (self->element) != GST_STATE_PLAYING)
    return FALSE;
  self->compared_at = self->running_time;
  now = gst_element_get_current_running_time (self->element);
  self->warned_early = now != GST_CLOCK_TIME_NONE
      && self->running_time > now + EARLY + input->latency
      && self->running_time - now <= LONGEST_WAIT;
  return self->warned_early;
}

/* With the lock held, which it releases. */
static GstFlowReturn
batch_finish (TfrcSendIngress *self, const Batch *batch)
{
  gboolean has_caps = self->caps != NULL;
  gboolean early = comes_early (self, batch->input);
  guint id = self->extension_writer.id;

  g_mutex_unlock (&self->lock);
  /* Another sender, or another thread of this one, may have raised the payloader's. */
  if (batch->oversize)
    tfrc_send_ingress_limit_mtu (self, batch->input->pad, FALSE);
  if (early)
    GST_ELEMENT_WARNING (self->element, STREAM, FAILED,
        ("Packets come more than a second before their time, and those "
         "above the rate are dropped: set sync=true, or put a clocksync "
         "upstream."),
        (NULL));
  if (batch->pushed.encoded_bytes > 0)
    tfrc_encoder_on_output (batch->input->encoder, batch->pushed.encoded_bytes,
        batch->pushed.now);
  if (batch->announced_id != 0)
    GST_ELEMENT_WARNING (self->element, STREAM, FORMAT,
        ("Header extension id %u is that of another extension, or caps give "
         "ours another id: ours now has id %u.  Receivers that were given "
         "the id, by sdp or extension-id, need the new one.",
            batch->announced_id, id),
        (NULL));
  if (batch->without_extension)
    warn_of_no_extension (self->element, has_caps, id);
  if (batch->invalid)
    GST_ELEMENT_WARNING (self->element, STREAM, FORMAT,
        ("Buffers that are no RTP packets are dropped: put a payloader before "
         "this element."),
        ("more are counted in packets-invalid"));
  return batch->ret;
}

/* `announced_id`: the id that receivers may have been told; 0 = none. */
static void
announce_id (TfrcSendIngress *self, Batch *batch, guint old_id,
    guint announced_id)
{
  guint id = self->extension_writer.id;

  if (id == old_id)
    return;
  GST_INFO_OBJECT (self->element, "extension_id=%u", id);
  if (id != announced_id)
    batch->announced_id = announced_id;
}

/* With the lock held. */
static void
read_ids (TfrcSendIngress *self, const GPtrArray *caps)
{
  for (guint i = 0; i < caps->len; i++)
    tfrc_extension_writer_read_caps (&self->extension_writer,
        g_ptr_array_index (caps, i));
}

static gboolean
add_extension (GQuark field, const GValue *value, gpointer caps)
{
  if (tfrc_extmap_parse_id (g_quark_to_string (field)) != 0)
    gst_caps_set_value (caps, g_quark_to_string (field), value);
  return TRUE;
}

/* Caps that are true of all streams: the header extensions only. */
static GstCaps *
join_caps (const GstCaps *old, const GstCaps *caps)
{
  GstCaps *joined = gst_caps_new_empty_simple ("application/x-rtp");

  if (old != NULL)
    gst_structure_foreach (gst_caps_get_structure (old, 0), add_extension,
        joined);
  gst_structure_foreach (gst_caps_get_structure (caps, 0), add_extension,
      joined);
  return joined;
}

GstFlowReturn
tfrc_send_ingress_set_caps (TfrcSendIngress *self, TfrcSendInput *input,
    const GstCaps *caps, gboolean shared, guint extension_id)
{
  g_autoptr (GPtrArray) all = tfrc_upstream_find_caps (input->pad);
  Batch batch = { .input = input };
  g_autoptr (GstCaps) sent = NULL;
  guint old_id;

  tfrc_send_ingress_limit_mtu (self, input->pad, FALSE);
  g_mutex_lock (&self->lock);
  old_id = self->extension_writer.id;
  sent = shared ? join_caps (self->caps, caps) : gst_caps_copy (caps);
  gst_caps_replace (&self->caps, sent);
  sent = gst_caps_make_writable (sent);
  /* Our sequence numbers continue when upstream's restart. */
  if (tfrc_send_pacer_set_stream_caps (self->pacer, input, caps))
    gst_structure_remove_field (gst_caps_get_structure (sent, 0),
        "seqnum-base");
  read_ids (self, all);
  tfrc_extension_writer_read_caps (&self->extension_writer, caps);
  sent = tfrc_extension_writer_set_caps (&self->extension_writer, sent,
      extension_id);
  announce_id (self, &batch, old_id,
      self->extension_writer.in_use ? old_id : extension_id);
  batch.ret = tfrc_send_pacer_push_event (self->pacer, input,
      gst_event_new_caps (sent));
  return batch_finish (self, &batch);
}

/* Replaces the original sequence number in an RTX packet from upstream by the one with
 * which the packet was sent.  Returns the SSRC of its stream; 0 = not known. */
static guint32
renumber_rtx (TfrcSendIngress *self, GstBuffer *buffer, guint payload_offset)
{
  guint8 bytes[TFRC_RTX_HEADER_SIZE];
  guint16 original, seq;
  guint32 ssrc;

  gst_buffer_extract (buffer, payload_offset, bytes, sizeof bytes);
  original = seq = GST_READ_UINT16_BE (bytes);
  ssrc = tfrc_send_pacer_renumber_rtx (self->pacer, &seq);
  if (seq != original) {
    GST_WRITE_UINT16_BE (bytes, seq);
    gst_buffer_fill (buffer, payload_offset, bytes, sizeof bytes);
  }
  return ssrc;
}

/* Also with an empty batch, to learn what pushing from the source pad gave. */
static void
batch_push (Batch *batch, TfrcSendIngress *self)
{
  batch->ret = tfrc_send_pacer_push (self->pacer, batch->items, batch->n,
      &batch->pushed);
  batch->n = 0;
}

/* The caps with that SSRC, or else those of the pad; NULL = none. */
static GstCaps *
choose_caps (const GPtrArray *found, guint32 ssrc, GstPad *pad)
{
  guint32 other;

  for (guint i = 0; i < found->len; i++) {
    GstCaps *caps = g_ptr_array_index (found, i);

    if (gst_structure_get_uint (gst_caps_get_structure (caps, 0), "ssrc",
            &other)
        && other == ssrc)
      return gst_caps_ref (caps);
  }
  return gst_pad_get_current_caps (pad);
}

/* Finds or adds the stream.  A new one may replace any other, so the batch is queued
 * first; the lock is released meanwhile to look upstream for caps.  There are no caps for
 * RTX (RFC 4588) from upstream. */
static TfrcSendStream *
find_stream (TfrcSendIngress *self, guint32 ssrc, gboolean is_rtx, Batch *batch)
{
  TfrcSendInput *input = batch->input;
  TfrcSendStream *stream = tfrc_send_pacer_find_stream (self->pacer, input,
      ssrc);
  g_autoptr (GPtrArray) found = NULL;
  g_autoptr (GstCaps) caps = NULL;

  if (stream != NULL)
    return stream;

  batch_push (batch, self);
  g_mutex_unlock (&self->lock);
  found = tfrc_upstream_find_caps (input->pad);
  g_mutex_lock (&self->lock);
  caps = is_rtx ? gst_caps_new_simple ("application/x-rtp", "encoding-name",
            G_TYPE_STRING, "rtx", NULL)
                      : choose_caps (found, ssrc, input->pad);
  read_ids (self, found);
  tfrc_send_pacer_add_stream (self->pacer, input, ssrc, caps);
  stream = tfrc_send_pacer_find_stream (self->pacer, input, ssrc);
  GST_INFO_OBJECT (input->pad, "new stream: ssrc=%08x media=%s encoding=%s",
      ssrc, stream->video ? "video" : "other",
      GST_STR_NULL (stream->encoding_name));
  return stream;
}

static void
prepare_extension (TfrcSendIngress *self, GstBuffer *buffer,
    TfrcQueueItem *item, Batch *batch)
{
  guint old_id = self->extension_writer.id;
  guint announced_id = self->extension_writer.in_use
      ? old_id
      : self->extension_writer.configured;
  g_autoptr (GstCaps) caps = NULL;

  item->extension_offset =
      tfrc_extension_writer_prepare (&self->extension_writer, buffer);
  item->extension_room = self->extension_writer.room;
  if (self->extension_writer.id == old_id)
    return;
  announce_id (self, batch, old_id, announced_id);
  if (self->caps == NULL)
    return;
  /* Packets with the old id are queued before the caps that name the new one. */
  batch_push (batch, self);
  caps = gst_caps_copy (self->caps);
  gst_structure_remove_field (gst_caps_get_structure (caps, 0), "seqnum-base");
  caps = tfrc_extension_writer_set_caps (&self->extension_writer, caps,
      self->extension_writer.configured);
  tfrc_send_pacer_push_event (self->pacer, batch->input,
      gst_event_new_caps (caps));
}

static void
check_packet (TfrcSendIngress *self, const TfrcQueueItem *item, Batch *batch)
{
  if (item->extension_room > 0 && item->extension_offset == 0)
    batch->without_extension |= self->packets_without_extension++ == 0;
  if (item->size <= self->mtu)
    return;
  batch->oversize = TRUE;
  if (self->packets_oversize++ == 0)
    GST_WARNING_OBJECT (batch->input->pad,
        "a packet is above the mtu: size=%u mtu=%u; more are only counted",
        item->size, self->mtu);
}

/* Takes ownership of the buffer.  The batch has room for it. */
static void
batch_add (Batch *batch, TfrcSendIngress *self, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  TfrcSendStream *stream;
  TfrcQueueItem item;
  gboolean is_rtx;
  guint payload_offset;

  buffer = gst_buffer_make_writable (buffer);
  if (!gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp)) {
    batch->invalid |= self->packets_invalid++ == 0;
    gst_buffer_unref (buffer);
    return;
  }

  is_rtx = GST_BUFFER_FLAG_IS_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION);
  payload_offset = gst_rtp_buffer_get_header_len (&rtp);
  stream = find_stream (self, gst_rtp_buffer_get_ssrc (&rtp), is_rtx, batch);
  item = (TfrcQueueItem) {
    .stream = stream,
    .seq = gst_rtp_buffer_get_seq (&rtp),
    .timestamp = gst_rtp_buffer_get_timestamp (&rtp),
    .ends_frame = gst_rtp_buffer_get_marker (&rtp),
    .droppable = GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_DROPPABLE),
    .payload_size = gst_rtp_buffer_get_payload_len (&rtp),
    .payload_type = gst_rtp_buffer_get_payload_type (&rtp),
    .transport_numbered =
        tfrc_extension_writer_is_transport_numbered (&self->extension_writer,
            &rtp),
  };
  if (stream->knows_key_frames)
    item.key = tfrc_key_frame_starts (stream->encoding_name,
        gst_rtp_buffer_get_payload (&rtp), item.payload_size);
  gst_rtp_buffer_unmap (&rtp);
  if (is_rtx && item.payload_size >= TFRC_RTX_HEADER_SIZE)
    item.repaired_ssrc = renumber_rtx (self, buffer, payload_offset);
  if (!is_rtx) {
    self->seq = item.seq;
    self->timestamp = item.timestamp;
  }

  prepare_extension (self, buffer, &item, batch);
  item.object = GST_MINI_OBJECT_CAST (buffer);
  item.size = (guint) gst_buffer_get_size (buffer);
  check_packet (self, &item, batch);
  batch->items[batch->n++] = item;
}

static void
warn_of_wait (GstElement *element, GstClockTime wait)
{
  GST_ELEMENT_WARNING (element, STREAM, FAILED,
      ("Packets of a live source come %" G_GUINT64_FORMAT
       " s before their time, and wait for it: their timestamps are to count "
       "from the start of the pipeline, as with do-timestamp=true, or set "
       "sync=false.",
          wait / GST_SECOND),
      (NULL));
}

/* How long until that running time, also before the base time; 0: it is not known. */
static GstClockTime
get_time_until (GstElement *element, GstClockTime due)
{
  g_autoptr (GstClock) clock = gst_element_get_clock (element);
  GstClockTime at = due + gst_element_get_base_time (element), now;

  if (due == GST_CLOCK_TIME_NONE || clock == NULL || at < due)
    return 0;
  now = gst_clock_get_time (clock);
  return at > now ? at - now : 0;
}

/* Waits for the running time of a packet, as a sink does.  A live source whose packets
 * come early is treated as not live from then on.  A time too far in the future is not
 * one of this pipeline, and is not waited for.  TRUE: the wait was ended by something
 * else. */
static gboolean
wait_for_time (TfrcSendIngress *self, TfrcSendInput *input, GstClockTime due)
{
  GstClockTime wait;

  do {
    wait = get_time_until (self->element, due);
    if (wait == 0 || wait > LONGEST_WAIT)
      return FALSE;
    if (input->live && wait > FAR + input->latency)
      warn_of_wait (self->element, wait);
    input->live &= wait <= EARLY + input->latency;
    if (input->live)
      return FALSE;
  } while (tfrc_send_pacer_wait_for_time (self->pacer, input, wait));
  return TRUE;
}

/* Waits for room and for the running time of the first packet (`pts`), then takes the
 * lock and initialises the batch, but for its items.  FALSE: the pad flushes or packets
 * are not accepted; the lock is not held. */
static gboolean
batch_begin (Batch *batch, TfrcSendIngress *self, TfrcSendInput *input,
    GstClockTime pts)
{
  GstClockTime due;

  batch->input = input;
  while (tfrc_send_pacer_wait_for_room (self->pacer, input, pts, &due)
      && wait_for_time (self, input, due))
    continue;
  batch->ret = GST_PAD_IS_FLUSHING (input->pad)
      ? GST_FLOW_FLUSHING
      : GST_FLOW_OK;
  if (batch->ret != GST_FLOW_OK || (self->admits && !self->admits (self->gate)))
    return FALSE;
  g_mutex_lock (&self->lock);
  batch->n = 0;
  batch->pushed = (TfrcSendPushed) { .running_time = self->running_time };
  batch->announced_id = 0;
  batch->without_extension = batch->oversize = batch->invalid = FALSE;
  return TRUE;
}

void
tfrc_send_ingress_set_stats (TfrcSendIngress *self, GstStructure *stats)
{
  const GstStructure *caps;
  gint clock_rate = 0;
  guint first = 0;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  if (self->caps != NULL) {
    caps = gst_caps_get_structure (self->caps, 0);
    gst_structure_get_int (caps, "clock-rate", &clock_rate);
    gst_structure_get_uint (caps, "seqnum-offset", &first);
  }
  tfrc_stats_set (stats, "clock-rate", (guint) clock_rate);
  tfrc_stats_set (stats, "seqnum-offset", first);
  tfrc_stats_set (stats, "seqnum", (guint) self->seq);
  tfrc_stats_set (stats, "timestamp", (guint) self->timestamp);
  tfrc_stats_set (stats, "running-time", (guint64) self->running_time);
  tfrc_stats_set (stats, "packets-invalid", self->packets_invalid);
  tfrc_stats_set (stats, "packets-not-stamped",
      self->packets_without_extension);
  tfrc_stats_set (stats, "packets-oversize", self->packets_oversize);
}

/* Takes ownership of the buffers. */
static GstFlowReturn
push (TfrcSendIngress *self, TfrcSendInput *input, GstBuffer **buffers, guint n)
{
  Batch batch;

  if (!batch_begin (&batch, self, input,
          n > 0 ? GST_BUFFER_PTS (buffers[0]) : GST_CLOCK_TIME_NONE)) {
    for (guint i = 0; i < n; i++)
      gst_buffer_unref (buffers[i]);
    return batch.ret;
  }
  for (guint i = 0; i < n; i++) {
    if (batch.n == TFRC_SEND_MAX_BURST)
      batch_push (&batch, self);
    if (batch.ret == GST_FLOW_OK)
      batch_add (&batch, self, buffers[i]);
    else
      gst_buffer_unref (buffers[i]);
  }
  batch_push (&batch, self);
  self->running_time = batch.pushed.running_time;
  return batch_finish (self, &batch);
}

GstFlowReturn
tfrc_send_ingress_push (TfrcSendIngress *self, TfrcSendInput *input,
    GstBuffer *buffer)
{
  return push (self, input, &buffer, 1);
}

GstFlowReturn
tfrc_send_ingress_push_list (TfrcSendIngress *self, TfrcSendInput *input,
    GstBufferList *list)
{
  const guint n = gst_buffer_list_length (list);
  g_autofree GstBuffer **buffers = g_new (GstBuffer *, n);

  for (guint i = 0; i < n; i++)
    buffers[i] = gst_buffer_ref (gst_buffer_list_get (list, i));
  /* Without the list, the buffers have a single reference and need no copy. */
  gst_buffer_list_unref (list);
  return push (self, input, buffers, n);
}

void
tfrc_send_ingress_forget_input (TfrcSendIngress *self, TfrcSendInput *input)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  tfrc_send_pacer_forget_input (self->pacer, input);
}

guint
tfrc_send_ingress_get_payload_type (TfrcSendIngress *self)
{
  gint payload_type = 0;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  if (self->caps != NULL)
    gst_structure_get_int (gst_caps_get_structure (self->caps, 0), "payload",
        &payload_type);
  return (guint) MAX (0, payload_type);
}
