/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From RTP packets to reports. */

#include "tfrcmeter.h"

#include <gst/net/net.h>
#include <gst/rtp/rtp.h>

#include "tfrcecnmessage.h"
#include "tfrcextensionid.h"
#include "tfrckeyrequests.h"
#include "tfrcmembers.h"
#include "tfrcpayloadtypes.h"
#include "tfrcpeer.h"
#include "tfrcrtcpfilter.h"
#include "tfrcsourceaddress.h"
#include "tfrcstats.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_receive_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_receive_debug

#define MAX_BYES 31             /* in a packet, RFC 3550 section 6.6 */

/* How long a sender is silent before another may take its place. */
#define SILENT_MAX_RTTS 2
#define MIN_SILENCE TFRC_SECOND

/* Until the sender's encoder has made a key frame: a frame interval, the
 * encoding of one, and its place in the pacer. */
#define KEY_FRAME_TIME (100 * TFRC_MILLISECOND)

struct _TfrcMeter
{
  GstElement *owner;
  GstTfrcMode mode;             /* spoken now; AUTO: not known yet */
  TfrcPeer peer;                /* of TFRC, and while it is not known */
  TfmccMember member;           /* of TFMCC */
  TfrcExtensionId extension_id;
  TfrcKeyRequests key_requests;
  TfrcSourceAddress source;
  gboolean key_frame_requests;
  TfrcPayloadTypes payload_types;
  TfrcEcnCount ecn;             /* of packets whose ECN bits were read */
  guint64 lost;                 /* packets, when last looked */

  gboolean warned_of_unstamped;
  gboolean warned_of_foreign;
  guint64 packets_malformed;
  guint64 packets_foreign;      /* from elsewhere than the sender */
  guint64 extensions_malformed;
  guint64 extensions_rejected;
  guint64 sr_requests_removed;
};

static gboolean refuse (TfrcMeter *self, GstBuffer *buffer,
    GstRTPBuffer *rtp, TfrcTime now);
static void tell_foreign (TfrcMeter *self, GstRTPBuffer *rtp);
static TfrcResult measure (TfrcMeter *self, GstBuffer *buffer,
    GstRTPBuffer *rtp, gboolean *moved, TfrcTime now);
static TfrcResult on_packet (TfrcMeter *self, TfrcDataPacket *packet,
    const TfrcExtensionStamp *stamp, TfrcTime now);
static gboolean is_foreign (const TfrcMeter *self, GSocketAddress *address,
    TfrcTime now);
static gboolean read_stamp (TfrcMeter *self, GstRTPBuffer *rtp,
    TfrcExtensionStamp *stamp, TfrcTime now);
static void set_mode (TfrcMeter *self, GstTfrcMode mode);
static void spread_key_requests (TfrcMeter *self);
static void track_key_frames (TfrcMeter *self, GstRTPBuffer *rtp,
    const TfrcDataPacket *packet, TfrcTime now);
static void count_ecn (TfrcMeter *self, const TfrcDataPacket *packet,
    TfrcEcnCodepoint ecn, TfrcResult result);
static guint64 get_lost (const TfrcMeter *self);
static void look_for_losses (TfrcMeter *self, TfrcTime now);

TfrcMeter *
tfrc_meter_new (GstElement *owner)
{
  TfrcMeter *self = g_new0 (TfrcMeter, 1);
  TfrcReceiverConfig peer = tfrc_receiver_config_default ();
  TfmccReceiverConfig member = tfmcc_receiver_config_default ();

  self->owner = owner;
  tfrc_peer_init (&self->peer, owner, &peer);
  tfmcc_member_init (&self->member, owner, &member);
  tfrc_extension_id_init (&self->extension_id);
  tfrc_key_requests_init (&self->key_requests, 0);
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
  TfrcReceiverConfig peer =
      tfrc_receive_settings_get_receiver_config (settings);
  TfmccReceiverConfig member =
      tfrc_receive_settings_get_member_config (settings);
  TfrcReportFormat format = tfrc_receive_settings_get_report_format (settings);

  tfrc_peer_init (&self->peer, self->owner, &peer);
  tfmcc_member_init (&self->member, self->owner, &member);
  tfmcc_member_set_report_share (&self->member, settings->feedback_share,
      tfrc_report_get_member_wire_size (&format));
  tfrc_extension_id_init (&self->extension_id);
  tfrc_key_requests_init (&self->key_requests, member.seed);
  tfrc_source_address_clear (&self->source);
  tfrc_ecn_count_init (&self->ecn);
  self->mode = GST_TFRC_MODE_AUTO;
  tfrc_extension_id_set_mode (&self->extension_id, settings->mode);
  tfrc_meter_set_caps (self, NULL);
  self->lost = 0;
  self->warned_of_unstamped = FALSE;
  self->warned_of_foreign = FALSE;
  self->packets_malformed = 0;
  self->packets_foreign = 0;
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
  tfmcc_member_set_ssrc (&self->member, settings->rtcp_ssrc);
  tfmcc_member_set_patience (&self->member,
      settings->member.leave_timeout * TFRC_MILLISECOND,
      settings->member.auto_leave);
  self->key_frame_requests = settings->key_frame_requests;
}

void
tfrc_meter_restart (TfrcMeter *self)
{
  GST_INFO_OBJECT (self->owner, "event=restart");
  tfrc_peer_forget (&self->peer);
  tfmcc_member_forget (&self->member);
  tfrc_key_requests_forget (&self->key_requests);
}

void
tfrc_meter_set_caps (TfrcMeter *self, const GstCaps *caps)
{
  tfrc_extension_id_set_caps (&self->extension_id, caps);
  tfrc_payload_types_set_caps (&self->payload_types, caps);
  if (tfrc_extension_id_get_mode (&self->extension_id) != GST_TFRC_MODE_AUTO)
    set_mode (self, tfrc_extension_id_get_mode (&self->extension_id));
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
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  guint32 ssrcs[MAX_BYES];
  guint i, n_byes, n_removed;

  if (!tfrc_meter_believes_rtcp (self, buffer)) {
    self->packets_foreign++;
    gst_buffer_unref (buffer);
    return NULL;
  }
  n_byes = tfrc_rtcp_read_byes (buffer, ssrcs, MAX_BYES);
  if (n_byes > 0 && meta && is_foreign (self, meta->addr, now)) {
    self->packets_foreign++;
    n_byes = 0;
  }
  for (i = 0; i < n_byes; i++)
    tfrc_meter_remove_stream (self, ssrcs[i], now);

  buffer = tfrc_rtcp_filter_sr_requests (buffer, &n_removed);
  if (n_removed > 0 && self->sr_requests_removed == 0)
    GST_WARNING_OBJECT (self->owner, "event=sr-request-filtered (said once)");
  self->sr_requests_removed += n_removed;
  return buffer;
}

gboolean
tfrc_meter_on_rtp (TfrcMeter *self, GstBuffer *buffer, gboolean *moved,
    TfrcTime now)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gboolean passes = TRUE;

  if (!gst_rtp_buffer_map (buffer,
          GST_MAP_READ | GST_RTP_BUFFER_MAP_FLAG_SKIP_PADDING, &rtp)) {
    tfrc_meter_on_malformed (self, gst_buffer_get_size (buffer));
    return TRUE;
  }
  if (refuse (self, buffer, &rtp, now))
    passes = tfrc_source_address_knows (&self->source,
        gst_rtp_buffer_get_ssrc (&rtp));
  else
    passes = measure (self, buffer, &rtp, moved, now) != TFRC_FOREIGN;
  gst_rtp_buffer_unmap (&rtp);
  return passes;
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
  tfrc_peer_remove_stream (&self->peer, ssrc, now);
  tfmcc_member_remove_stream (&self->member, ssrc, now);
  tfrc_key_requests_remove_stream (&self->key_requests, ssrc);
  tfrc_source_address_remove (&self->source, ssrc);
  tfrc_ecn_count_remove_stream (&self->ecn, ssrc);
  look_for_losses (self, now);
}

void
tfrc_meter_leave (TfrcMeter *self, TfrcTime now)
{
  if (self->mode == GST_TFRC_MODE_TFMCC)
    tfmcc_member_leave (&self->member, now);
}

void
tfrc_meter_want_key_frame (TfrcMeter *self, guint32 ssrc, TfrcTime now)
{
  tfrc_key_requests_want (&self->key_requests, ssrc, now);
}

TfrcTime
tfrc_meter_next_deadline (const TfrcMeter *self)
{
  TfrcTime deadline = self->mode == GST_TFRC_MODE_TFMCC
      ? tfmcc_member_next_deadline (&self->member)
      : tfrc_peer_next_deadline (&self->peer);

  if (self->key_frame_requests)
    deadline = tfrc_time_min (deadline,
        tfrc_key_requests_next_deadline (&self->key_requests));
  return deadline;
}

static gboolean
poll_report (TfrcMeter *self, TfrcMeterOutput *output, TfrcTime now)
{
  if (self->mode != GST_TFRC_MODE_TFMCC) {
    output->kind = TFRC_METER_FEEDBACK;
    if (!tfrc_peer_poll (&self->peer, &output->feedback, now))
      return FALSE;
    output->n_ecn = tfrc_ecn_count_poll (&self->ecn, output->ecn, now);
    return TRUE;
  }
  output->kind = TFRC_METER_NEWS;
  output->ssrc = self->member.receiver.config.ssrc;
  output->rate = self->member.patience.rate;
  output->sending_rate = self->member.patience.sending_rate;
  output->leaves = self->member.receiver.leaving;
  output->news = tfmcc_member_poll_news (&self->member, now);
  if (output->news != TFMCC_NEWS_NONE)
    return TRUE;
  output->kind = TFRC_METER_REPORT;
  return tfmcc_member_poll_report (&self->member, &output->report,
      &output->diagnostics, now);
}

gboolean
tfrc_meter_poll (TfrcMeter *self, TfrcMeterOutput *output, TfrcTime now)
{
  gboolean reports = poll_report (self, output, now);

  look_for_losses (self, now);
  if (reports)
    return TRUE;
  output->kind = TFRC_METER_KEY_FRAME_REQUEST;
  return self->key_frame_requests
      && tfrc_key_requests_poll (&self->key_requests, &output->ssrc, now);
}

gboolean
tfrc_meter_believes_rtcp (const TfrcMeter *self, GstBuffer *buffer)
{
  guint32 ssrcs[TFRC_MEMBERS_MAX_SSRCS];
  guint n_ssrcs, i;

  /* Who has no addresses brings no strangers. */
  if (!gst_buffer_get_net_address_meta (buffer))
    return TRUE;
  n_ssrcs = tfrc_members_read_ssrcs (buffer, ssrcs);
  for (i = 0; i < n_ssrcs; i++)
    if (!tfrc_source_address_knows (&self->source, ssrcs[i]))
      return FALSE;
  return TRUE;
}

GSocketAddress *
tfrc_meter_get_source_address (const TfrcMeter *self)
{
  return self->source.address;
}

gboolean
tfrc_meter_knows_ssrc (const TfrcMeter *self, guint32 ssrc)
{
  return tfmcc_member_knows_ssrc (&self->member, ssrc);
}

void
tfrc_meter_get_stats (const TfrcMeter *self, GstStructure *stats, TfrcTime now)
{
  TfrcTrace trace = { 0 };

  if (self->mode == GST_TFRC_MODE_TFMCC) {
    tfmcc_receiver_get_trace (&self->member.receiver, &trace, now);
    trace.feedback_over_share = self->member.reports_over_share;
  } else {
    tfrc_receiver_get_trace (&self->peer.receiver, &trace, now);
  }
  tfrc_stats_set_trace (stats, &trace, TFRC_TRACE_RECEIVER);
  tfmcc_member_get_stats (&self->member, stats);
  gst_structure_set (stats,
      "mode", G_TYPE_STRING, self->mode == GST_TFRC_MODE_TFMCC ? "tfmcc"
      : "tfrc",
      "packets-foreign", G_TYPE_UINT64, self->packets_foreign +
      self->member.receiver.counters.packets_foreign +
      self->peer.receiver.counters.packets_foreign,
      "feedback-replaced", G_TYPE_UINT64, self->peer.feedback_replaced,
      "packets-malformed", G_TYPE_UINT64, self->packets_malformed,
      "extensions-malformed", G_TYPE_UINT64, self->extensions_malformed,
      "extensions-rejected", G_TYPE_UINT64, self->extensions_rejected,
      "extension-id", G_TYPE_UINT, tfrc_extension_id_get (&self->extension_id),
      "sr-requests-filtered", G_TYPE_UINT64, self->sr_requests_removed,
      "ecn-not-ect", G_TYPE_UINT64, self->ecn.received[TFRC_ECN_NOT_ECT],
      "ecn-ect-0", G_TYPE_UINT64, self->ecn.received[TFRC_ECN_ECT_0],
      "ecn-ect-1", G_TYPE_UINT64, self->ecn.received[TFRC_ECN_ECT_1],
      "ecn-ce", G_TYPE_UINT64, self->ecn.received[TFRC_ECN_CE],
      "key-frames", G_TYPE_UINT64, self->key_requests.key_frames,
      "key-frame-requests", G_TYPE_UINT64, self->key_requests.requests, NULL);
}

/* Another sender.  A stream of its own would take the place of ours in
 * tfrcsrc; under our SSRC it may be ours from another address.  A group does
 * not measure it there; that of one receiver may be behind a NAT that gave it
 * another one. */
static gboolean
refuse (TfrcMeter *self, GstBuffer *buffer, GstRTPBuffer *rtp, TfrcTime now)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);

  if (!meta || !is_foreign (self, meta->addr, now))
    return FALSE;
  if (self->mode != GST_TFRC_MODE_TFMCC
      && tfrc_source_address_knows (&self->source,
          gst_rtp_buffer_get_ssrc (rtp)))
    return FALSE;
  self->packets_foreign++;
  tell_foreign (self, rtp);
  return TRUE;
}

static void
tell_foreign (TfrcMeter *self, GstRTPBuffer *rtp)
{
  if (!self->warned_of_foreign)
    GST_WARNING_OBJECT (self->owner, "event=foreign-packet ssrc=%08x seq=%u: "
        "not of the sender that is heard (said once)",
        gst_rtp_buffer_get_ssrc (rtp), gst_rtp_buffer_get_seq (rtp));
  self->warned_of_foreign = TRUE;
}

/* *moved: the source address is another one. */
static TfrcResult
measure (TfrcMeter *self, GstBuffer *buffer, GstRTPBuffer *rtp, gboolean *moved,
    TfrcTime now)
{
  TfrcDataPacket packet = {
    .ssrc = gst_rtp_buffer_get_ssrc (rtp),
    .seq = gst_rtp_buffer_get_seq (rtp),
    .size = (guint32) gst_buffer_get_size (buffer),
  };
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  TfrcExtensionStamp stamp;
  TfrcEcnCodepoint ecn;
  gboolean stamped, ecn_read;
  TfrcResult result;

  stamped = read_stamp (self, rtp, &stamp, now);
  if (stamped)
    set_mode (self, stamp.mode);
  ecn_read = tfrc_ecn_message_of_buffer (buffer, &ecn);
  packet.congestion_marked = ecn_read && ecn == TFRC_ECN_CE;
  result = on_packet (self, &packet, stamped ? &stamp : NULL, now);
  if (ecn_read)
    count_ecn (self, &packet, ecn, result);
  GST_LOG_OBJECT (self->owner, "ssrc=%08x seq=%u size_bytes=%u stamped=%d "
      "result=%d", packet.ssrc, packet.seq, packet.size, stamped, result);
  if (result == TFRC_FOREIGN)
    tell_foreign (self, rtp);
  if (result != TFRC_OK)
    return result;

  spread_key_requests (self);
  track_key_frames (self, rtp, &packet, now);
  look_for_losses (self, now);
  *moved |= meta && tfrc_source_address_on_packet (&self->source, packet.ssrc,
      meta->addr, now);
  return TFRC_OK;
}

static TfrcResult
on_packet (TfrcMeter *self, TfrcDataPacket *packet,
    const TfrcExtensionStamp *stamp, TfrcTime now)
{
  if (self->mode == GST_TFRC_MODE_TFMCC)
    return tfmcc_member_on_packet (&self->member, packet,
        stamp ? &stamp->tfmcc : NULL, now);
  if (stamp) {
    packet->stamped = true;
    packet->stamp = stamp->tfrc;
  }
  return tfrc_peer_on_packet (&self->peer, packet, now);
}

/* Anybody can send packets: only those of the sender count, until it has been
 * silent for longer than it ever waits between two packets; in a group RFC 4654
 * section 3.2 has R_max above that. */
static gboolean
is_foreign (const TfrcMeter *self, GSocketAddress *address, TfrcTime now)
{
  const TfmccStamp *stamp = tfmcc_receiver_get_stamp (&self->member.receiver);
  TfrcDuration silence = MIN_SILENCE;

  if (self->mode == GST_TFRC_MODE_TFMCC) {
    if (!stamp)
      return FALSE;
    silence = tfrc_time_max (SILENT_MAX_RTTS * stamp->max_rtt, silence);
  }
  return !tfrc_source_address_is_free (&self->source, address, silence, now);
}

/* TFRC is assumed until there is a stamp. */
static void
set_mode (TfrcMeter *self, GstTfrcMode mode)
{
  if (self->mode == mode)
    return;
  GST_INFO_OBJECT (self->owner, "event=mode mode=%s",
      mode == GST_TFRC_MODE_TFMCC ? "tfmcc" : "tfrc");
  if (self->mode != GST_TFRC_MODE_AUTO)
    tfrc_meter_restart (self);
  self->mode = mode;
  self->lost = get_lost (self);
}

/* FALSE: none. */
static gboolean
read_stamp (TfrcMeter *self, GstRTPBuffer *rtp, TfrcExtensionStamp *stamp,
    TfrcTime now)
{
  guint32 ssrc = gst_rtp_buffer_get_ssrc (rtp);
  guint seq = gst_rtp_buffer_get_seq (rtp);

  if (self->mode == GST_TFRC_MODE_TFRC
      && !tfrc_peer_trusts (&self->peer, ssrc, now))
    return tfrc_extension_id_peek (&self->extension_id, rtp, stamp)
        == TFRC_EXTENSION_STAMP;
  switch (tfrc_extension_id_read (&self->extension_id, rtp, stamp, now)) {
    case TFRC_EXTENSION_STAMP:
      return TRUE;
    case TFRC_EXTENSION_MALFORMED:
      if (self->extensions_malformed++ == 0)
        GST_WARNING_OBJECT (self->owner, "event=malformed-extension id=%u "
            "ssrc=%08x seq=%u (said once)",
            tfrc_extension_id_get (&self->extension_id), ssrc, seq);
      break;
    case TFRC_EXTENSION_REJECTED:
      if (self->extensions_rejected++ == 0)
        GST_WARNING_OBJECT (self->owner, "event=foreign-extension ssrc=%08x "
            "seq=%u (said once)", ssrc, seq);
      tfrc_meter_restart (self);
      self->mode = tfrc_extension_id_get_mode (&self->extension_id);
      break;
    case TFRC_EXTENSION_NONE:
      if (!self->warned_of_unstamped)
        GST_WARNING_OBJECT (self->owner, "event=no-extension ssrc=%08x seq=%u: "
            "no feedback on such packets (said once)", ssrc, seq);
      self->warned_of_unstamped = TRUE;
      break;
  }
  return FALSE;
}

/* In a group others may ask for the same key frame; as the current limiting
 * receiver there is only this one. */
static void
spread_key_requests (TfrcMeter *self)
{
  const TfmccReceiver *receiver = &self->member.receiver;
  const TfmccStamp *stamp = tfmcc_receiver_get_stamp (receiver);
  TfrcDuration answer_time = 0;

  if (self->mode == GST_TFRC_MODE_TFMCC && !tfmcc_receiver_is_clr (receiver))
    answer_time = (stamp ? stamp->max_rtt : TFMCC_INITIAL_RTT) + KEY_FRAME_TIME;
  tfrc_key_requests_set_group (&self->key_requests, answer_time,
      receiver->config.suppression.group_size);
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

static void
count_ecn (TfrcMeter *self, const TfrcDataPacket *packet, TfrcEcnCodepoint ecn,
    TfrcResult result)
{
  if (result != TFRC_INVALID && result != TFRC_FOREIGN)
    tfrc_ecn_count_on_packet (&self->ecn, packet->ssrc, packet->seq, ecn,
        result == TFRC_DUPLICATE);
}

static guint64
get_lost (const TfrcMeter *self)
{
  return self->mode == GST_TFRC_MODE_TFMCC
      ? tfmcc_receiver_get_counters (&self->member.receiver).packets_lost
      : tfrc_receiver_get_counters (&self->peer.receiver).packets_lost;
}

static void
look_for_losses (TfrcMeter *self, TfrcTime now)
{
  guint64 lost = get_lost (self);

  if (lost > self->lost)
    tfrc_key_requests_on_loss (&self->key_requests, now);
  self->lost = lost;
}
