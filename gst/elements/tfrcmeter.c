/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From RTP packets to reports. */

#include "tfrcmeter.h"

#include <gst/net/net.h>
#include <gst/rtp/rtp.h>

#include "tfrc-receiver.h"
#include "tfrcextensionid.h"
#include "tfrckeyrequests.h"
#include "tfrcpayloadtypes.h"
#include "tfrcrtcpfilter.h"
#include "tfrcsourceaddress.h"
#include "tfrcstats.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_receive_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_receive_debug

#define MAX_BYES 31             /* in a packet, RFC 3550 section 6.6 */

struct _TfrcMeter
{
  GstElement *owner;
  TfrcReceiver receiver;
  TfrcExtensionId extension_id;
  TfrcKeyRequests key_requests;
  TfrcSourceAddress source;
  gboolean key_frame_requests;
  TfrcPayloadTypes payload_types;
  TfrcReceiverCounters seen;    /* of the receiver, when last looked */

  gboolean pending;             /* a report waits for tfrc_meter_poll */
  TfrcFeedback feedback;
  TfrcTime feedback_at;         /* when it was made */

  guint64 feedback_replaced;    /* by a newer report before it was sent */
  gboolean warned_of_unstamped;
  guint64 packets_malformed;
  guint64 extensions_malformed;
  guint64 extensions_rejected;
  guint64 sr_requests_removed;
};

static gboolean measure (TfrcMeter *self, GstBuffer *buffer,
    GstRTPBuffer *rtp, TfrcTime now);
static void read_stamp (TfrcMeter *self, GstRTPBuffer *rtp,
    TfrcDataPacket *packet, TfrcTime now);
static void track_key_frames (TfrcMeter *self, GstRTPBuffer *rtp,
    const TfrcDataPacket *packet, TfrcTime now);
static void drain (TfrcMeter *self, TfrcTime now);

TfrcMeter *
tfrc_meter_new (GstElement *owner)
{
  TfrcMeter *self = g_new0 (TfrcMeter, 1);
  TfrcReceiverConfig config = tfrc_receiver_config_default ();

  self->owner = owner;
  tfrc_receiver_init (&self->receiver, &config);
  tfrc_extension_id_init (&self->extension_id);
  tfrc_key_requests_init (&self->key_requests);
  tfrc_source_address_init (&self->source);
  return self;
}

void
tfrc_meter_free (TfrcMeter *self)
{
  tfrc_source_address_clear (&self->source);
  g_free (self);
}

void
tfrc_meter_start (TfrcMeter *self, const TfrcReceiveSettings *settings)
{
  TfrcReceiverConfig config =
      tfrc_receive_settings_get_receiver_config (settings);

  tfrc_receiver_init (&self->receiver, &config);
  tfrc_extension_id_init (&self->extension_id);
  tfrc_key_requests_init (&self->key_requests);
  tfrc_source_address_clear (&self->source);
  tfrc_meter_set_caps (self, NULL);
  self->pending = FALSE;
  self->seen = tfrc_receiver_get_counters (&self->receiver);
  self->feedback_replaced = 0;
  self->warned_of_unstamped = FALSE;
  self->packets_malformed = 0;
  self->extensions_malformed = 0;
  self->extensions_rejected = 0;
  self->sr_requests_removed = 0;
  tfrc_meter_update (self, settings);
}

void
tfrc_meter_update (TfrcMeter *self, const TfrcReceiveSettings *settings)
{
  tfrc_extension_id_set_configured (&self->extension_id,
      settings->extension_id);
  self->key_frame_requests = settings->key_frame_requests;
}

void
tfrc_meter_restart (TfrcMeter *self)
{
  GST_INFO_OBJECT (self->owner, "event=restart");
  tfrc_receiver_forget (&self->receiver);
  tfrc_key_requests_forget (&self->key_requests);
  self->pending = FALSE;
}

void
tfrc_meter_set_caps (TfrcMeter *self, const GstCaps *caps)
{
  tfrc_extension_id_set_caps (&self->extension_id, caps);
  tfrc_payload_types_set_caps (&self->payload_types, caps);
}

gboolean
tfrc_meter_needs_payload_caps (const TfrcMeter *self, guint8 type)
{
  return !tfrc_payload_types_get (&self->payload_types, type)->known;
}

void
tfrc_meter_set_payload_caps (TfrcMeter *self, guint8 type, const GstCaps *caps)
{
  const TfrcMedia *media;

  tfrc_payload_types_set (&self->payload_types, type, caps);
  media = tfrc_payload_types_get (&self->payload_types, type);
  GST_INFO_OBJECT (self->owner, "payload_type=%u encoding_name=%s video=%d",
      type, GST_STR_NULL (media->encoding_name), media->video);
}

void
tfrc_meter_clear_payload_caps (TfrcMeter *self)
{
  tfrc_payload_types_clear (&self->payload_types);
}

GstBuffer *
tfrc_meter_on_rtcp (TfrcMeter *self, GstBuffer *buffer, TfrcTime now)
{
  guint32 ssrcs[MAX_BYES];
  guint i, n_byes, n_removed;

  n_byes = tfrc_rtcp_read_byes (buffer, ssrcs, MAX_BYES);
  for (i = 0; i < n_byes; i++)
    tfrc_meter_remove_stream (self, ssrcs[i], now);

  buffer = tfrc_rtcp_filter_sr_requests (buffer, &n_removed);
  if (n_removed > 0 && self->sr_requests_removed == 0)
    GST_WARNING_OBJECT (self->owner, "event=sr-request-filtered (said once)");
  self->sr_requests_removed += n_removed;
  return buffer;
}

gboolean
tfrc_meter_on_rtp (TfrcMeter *self, GstBuffer *buffer, TfrcTime now)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gboolean moved;

  if (!gst_rtp_buffer_map (buffer,
          GST_MAP_READ | GST_RTP_BUFFER_MAP_FLAG_SKIP_PADDING, &rtp)) {
    tfrc_meter_on_malformed (self, gst_buffer_get_size (buffer));
    return FALSE;
  }
  moved = measure (self, buffer, &rtp, now);
  gst_rtp_buffer_unmap (&rtp);
  return moved;
}

void
tfrc_meter_on_malformed (TfrcMeter *self, gsize size)
{
  if (self->packets_malformed++ == 0)
    GST_WARNING_OBJECT (self->owner, "event=malformed-rtp size_bytes=%"
        G_GSIZE_FORMAT " (said once)", size);
}

void
tfrc_meter_remove_stream (TfrcMeter *self, guint32 ssrc, TfrcTime now)
{
  GST_INFO_OBJECT (self->owner, "event=stream-removed ssrc=%08x", ssrc);
  tfrc_receiver_remove_stream (&self->receiver, ssrc);
  tfrc_key_requests_remove_stream (&self->key_requests, ssrc);
  drain (self, now);
}

void
tfrc_meter_want_key_frame (TfrcMeter *self, guint32 ssrc, TfrcTime now)
{
  tfrc_key_requests_want (&self->key_requests, ssrc, now);
}

TfrcTime
tfrc_meter_next_deadline (const TfrcMeter *self)
{
  TfrcTime deadline = tfrc_receiver_next_wakeup (&self->receiver);

  if (self->pending)
    return 0;
  if (self->key_frame_requests)
    deadline = tfrc_time_min (deadline,
        tfrc_key_requests_next_deadline (&self->key_requests));
  return deadline;
}

gboolean
tfrc_meter_poll (TfrcMeter *self, TfrcMeterOutput *output, TfrcTime now)
{
  if (tfrc_receiver_next_deadline (&self->receiver) <= now) {
    tfrc_receiver_on_deadline (&self->receiver, now);
    drain (self, now);
  }
  if (self->pending) {
    self->pending = FALSE;
    output->key_frame_request = FALSE;
    output->feedback = self->feedback;
    output->media_ssrc = self->feedback.media_ssrc;
    /* The echo was held until now. */
    output->feedback.echo_delay += tfrc_time_since (self->feedback_at, now);
    return TRUE;
  }
  output->key_frame_request = TRUE;
  return self->key_frame_requests
      && tfrc_key_requests_poll (&self->key_requests, &output->media_ssrc, now);
}

GSocketAddress *
tfrc_meter_get_source_address (const TfrcMeter *self)
{
  return self->source.address;
}

void
tfrc_meter_get_stats (const TfrcMeter *self, GstStructure *stats, TfrcTime now)
{
  TfrcTrace trace = { 0 };

  tfrc_receiver_get_trace (&self->receiver, &trace, now);
  tfrc_stats_set_trace (stats, &trace, TFRC_TRACE_RECEIVER);
  gst_structure_set (stats,
      "feedback-replaced", G_TYPE_UINT64, self->feedback_replaced,
      "packets-malformed", G_TYPE_UINT64, self->packets_malformed,
      "extensions-malformed", G_TYPE_UINT64, self->extensions_malformed,
      "extensions-rejected", G_TYPE_UINT64, self->extensions_rejected,
      "extension-id", G_TYPE_UINT, tfrc_extension_id_get (&self->extension_id),
      "sr-requests-filtered", G_TYPE_UINT64, self->sr_requests_removed,
      "key-frames", G_TYPE_UINT64, self->key_requests.key_frames,
      "key-frame-requests", G_TYPE_UINT64, self->key_requests.requests, NULL);
}

static gboolean
measure (TfrcMeter *self, GstBuffer *buffer, GstRTPBuffer *rtp, TfrcTime now)
{
  TfrcDataPacket packet = {
    .ssrc = gst_rtp_buffer_get_ssrc (rtp),
    .seq = gst_rtp_buffer_get_seq (rtp),
    .size = (guint32) gst_buffer_get_size (buffer),
  };
  GstNetAddressMeta *meta;
  TfrcResult result;

  read_stamp (self, rtp, &packet, now);
  result = tfrc_receiver_on_packet (&self->receiver, &packet, now);
  GST_LOG_OBJECT (self->owner, "ssrc=%08x seq=%u size_bytes=%u stamped=%d "
      "send_time_us=%u rtt_ns=%" G_GUINT64_FORMAT " result=%d", packet.ssrc,
      packet.seq, packet.size, packet.stamped, packet.stamp.send_time_us,
      packet.stamp.rtt, result);
  if (result != TFRC_OK)
    return FALSE;

  track_key_frames (self, rtp, &packet, now);
  drain (self, now);
  meta = gst_buffer_get_net_address_meta (buffer);
  return meta && tfrc_source_address_on_packet (&self->source, packet.ssrc,
      meta->addr, now);
}

static void
read_stamp (TfrcMeter *self, GstRTPBuffer *rtp, TfrcDataPacket *packet,
    TfrcTime now)
{
  switch (tfrc_extension_id_read (&self->extension_id, rtp, &packet->stamp,
          now)) {
    case TFRC_EXTENSION_STAMP:
      packet->stamped = true;
      break;
    case TFRC_EXTENSION_MALFORMED:
      if (self->extensions_malformed++ == 0)
        GST_WARNING_OBJECT (self->owner, "event=malformed-extension id=%u "
            "ssrc=%08x seq=%u (said once)",
            tfrc_extension_id_get (&self->extension_id), packet->ssrc,
            packet->seq);
      break;
    case TFRC_EXTENSION_REJECTED:
      if (self->extensions_rejected++ == 0)
        GST_WARNING_OBJECT (self->owner, "event=foreign-extension ssrc=%08x "
            "seq=%u (said once)", packet->ssrc, packet->seq);
      tfrc_meter_restart (self);
      break;
    case TFRC_EXTENSION_NONE:
      if (!self->warned_of_unstamped)
        GST_WARNING_OBJECT (self->owner, "event=no-extension ssrc=%08x seq=%u: "
            "no feedback on such packets (said once)", packet->ssrc,
            packet->seq);
      self->warned_of_unstamped = TRUE;
      break;
  }
}

static void
track_key_frames (TfrcMeter *self, GstRTPBuffer *rtp,
    const TfrcDataPacket *packet, TfrcTime now)
{
  const TfrcMedia *media = tfrc_payload_types_get (&self->payload_types,
      gst_rtp_buffer_get_payload_type (rtp));
  TfrcKeyRequestPacket key_packet;

  if (!media->video)
    return;
  key_packet.ssrc = packet->ssrc;
  key_packet.seq = packet->seq;
  key_packet.timestamp = gst_rtp_buffer_get_timestamp (rtp);
  key_packet.marker = gst_rtp_buffer_get_marker (rtp);
  key_packet.encoding_name = media->encoding_name;
  key_packet.payload_size = gst_rtp_buffer_get_payload_len (rtp);
  key_packet.payload =
      key_packet.payload_size > 0 ? gst_rtp_buffer_get_payload (rtp) : NULL;
  tfrc_key_requests_on_packet (&self->key_requests, &key_packet, now);
}

/* Takes what the core reports; a newer report replaces one not yet sent. */
static void
drain (TfrcMeter *self, TfrcTime now)
{
  TfrcReceiverCounters counters;

  if (!tfrc_receiver_poll_feedback (&self->receiver, &self->feedback, now))
    return;
  self->feedback_replaced += self->pending ? 1 : 0;
  self->pending = TRUE;
  self->feedback_at = now;

  counters = tfrc_receiver_get_counters (&self->receiver);
  if (counters.packets_lost > self->seen.packets_lost)
    tfrc_key_requests_on_loss (&self->key_requests, now);
  if (counters.sender_restarts != self->seen.sender_restarts)
    GST_INFO_OBJECT (self->owner, "event=sender-restart ssrc=%08x",
        self->feedback.media_ssrc);
  if (counters.stream_resets != self->seen.stream_resets)
    GST_INFO_OBJECT (self->owner, "event=stream-reset ssrc=%08x",
        self->feedback.media_ssrc);
  if (counters.loss_events != self->seen.loss_events)
    GST_DEBUG_OBJECT (self->owner, "event=loss packets_lost=%" G_GUINT64_FORMAT
        " loss_events=%" G_GUINT64_FORMAT, counters.packets_lost,
        counters.loss_events);
  self->seen = counters;
}
