/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "receive/reception.h"

#include <gst/net/net.h>

#include "common/repair-types.h"
#include "common/rtp.h"
#include "common/stats.h"
#include "net/ecn.h"
#include "net/session.h"
#include "tfrc-wire-packet-feedback.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_receive_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_receive_debug

/* Intervals at which a GstRtpJitterBuffer asks for a missing packet again: in RTTs of
 * retransmissions, and before there was one. */
#define LAST_RTTS 2
#define RETRY_TIME (50 * TFRC_MILLISECOND)

/* How long the sender needs to send a key frame: a frame interval, encoding, and pacing. */
#define KEY_FRAME_TIME (100 * TFRC_MILLISECOND)

/* a=rtcp-fb:<pt> transport-cc and ack ccfb, as GStreamer maps SDP to caps. */
#define TWCC_FIELD "rtcp-fb-transport-cc"
#define CCFB_FIELD "rtcp-fb-ack-ccfb"

/* Packets in one report of packet feedback; more are in another report. */
#define MAX_PACKETS TFRC_ARRIVAL_LOG_LENGTH

static TfrcMedia
media_from_caps (const GstCaps *caps)
{
  TfrcMedia media = { FALSE, FALSE, FALSE, NULL };
  const GstStructure *structure;
  const gchar *kind, *encoding_name;

  if (!caps || gst_caps_get_size (caps) == 0)
    return media;
  structure = gst_caps_get_structure (caps, 0);
  kind = gst_structure_get_string (structure, "media");
  encoding_name = gst_structure_get_string (structure, "encoding-name");
  media.known = TRUE;
  media.encoding_name = g_intern_string (encoding_name);
  media.rtx = tfrc_rtx_is_caps (structure, NULL);
  if (media.rtx || tfrc_fec_is_caps (structure))
    return media;
  media.video = kind ? g_str_equal (kind, "video")
                     : tfrc_key_frame_is_known (encoding_name);
  return media;
}

static TfrcArrivalLogConfig
get_log_config (const TfrcReceiveSettings *self)
{
  TfrcArrivalLogConfig config = tfrc_arrival_log_config_default ();

  config.interval = self->feedback_interval * TFRC_MILLISECOND;
  config.share = self->feedback_share;
  return config;
}

static void
packet_feedback_forget (TfrcPacketFeedbackLog *self)
{
  if (self->log)
    tfrc_arrival_log_forget (self->log);
}

/* Reads "extmap-N" and "rtcp-fb-..." of caps. */
static void
packet_feedback_set_caps (TfrcPacketFeedbackLog *self, const GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);
  guint id = tfrc_extmap_find_id (structure, TFRC_WIRE_TWCC_URI);

  if (id != 0)
    self->transport_id = id;
  self->wants_twcc |= gst_structure_has_field (structure, TWCC_FIELD);
  self->wants_ccfb |= gst_structure_has_field (structure, CCFB_FIELD);
}

/* The format of reports, never AUTO.  `has_extension`: packets have our header
 * extension. */
static GstRtpTfrcFeedback
packet_feedback_get_format (const TfrcPacketFeedbackLog *self,
    gboolean has_extension)
{
  GstRtpTfrcFeedback wanted = self->settings->feedback;

  if (wanted != GST_RTP_TFRC_FEEDBACK_AUTO)
    return wanted;
  if (has_extension)
    return GST_RTP_TFRC_FEEDBACK_TFRC;
  if (self->wants_ccfb)
    return GST_RTP_TFRC_FEEDBACK_CCFB;
  return self->wants_twcc && self->transport_id != 0
      ? GST_RTP_TFRC_FEEDBACK_TWCC
      : GST_RTP_TFRC_FEEDBACK_TFRC;
}

/* Transport-wide numbers and those of SSRCs must not be mixed in the log. */
static void
set_format (TfrcPacketFeedbackLog *self, GstRtpTfrcFeedback format)
{
  if (self->format != format)
    packet_feedback_forget (self);
  self->format = format;
}

/* Logs a packet for a report.  `ecn`: 0 = not known. */
static void
packet_feedback_on_packet (TfrcPacketFeedbackLog *self,
    const TfrcRtpPacket *packet, guint size, guint8 ecn,
    GstRtpTfrcFeedback format, TfrcTime now)
{
  guint32 ssrc = packet->header.ssrc;
  guint16 seq = packet->header.seq;
  guint number_size;

  set_format (self, format);
  if (format == GST_RTP_TFRC_FEEDBACK_TWCC) {
    const guint8 *number = tfrc_header_extension_find (&packet->extension,
        self->transport_id, &number_size);

    if (!number || number_size != sizeof (seq))
      return;
    /* It may be at an odd address. */
    seq = (guint16) (number[0] << 8 | number[1]);
    self->media_ssrc = ssrc;
    ssrc = 0;
  }
  if (!self->log) {
    TfrcArrivalLogConfig config = get_log_config (self->settings);

    self->log = g_new (TfrcArrivalLog, 1);
    tfrc_arrival_log_init (self->log, &config);
  }
  tfrc_arrival_log_on_packet (self->log, ssrc, seq, size, ecn, now);
}

/* TFRC_TIME_NONE: nothing to report.  When the deadline is reached, call
 * packet_feedback_poll until it returns 0. */
static TfrcTime
packet_feedback_next_deadline (const TfrcPacketFeedbackLog *self)
{
  return self->log ? tfrc_arrival_log_next_deadline (self->log)
                   : TFRC_TIME_NONE;
}

/* Returns the size of the report. */
static gsize
packet_feedback_poll (TfrcPacketFeedbackLog *self, GstRtpTfrcFeedback format,
    guint8 *data, TfrcTime now)
{
  const TfrcReportFormat *report_format = &self->settings->report;
  TfrcReportedPacket packets[MAX_PACKETS];
  TfrcPacketReport report = {
    .reporter_ssrc = report_format->ssrc,
    .count = self->count,
    .clock = now + self->settings->timestamp_offset_us * TFRC_MICROSECOND,
  };
  gsize size, n, n_written;

  set_format (self, format);
  if (packet_feedback_next_deadline (self) > now)
    return 0;
  n = tfrc_arrival_log_peek (self->log, packets, MAX_PACKETS, now);
  size = format == GST_RTP_TFRC_FEEDBACK_CCFB
      ? tfrc_wire_write_ccfb (data, TFRC_REPORT_MAX, &report, packets, n,
            &n_written)
      : tfrc_wire_write_twcc (data, TFRC_REPORT_MAX, &report, self->media_ssrc,
            packets, n, &n_written);
  self->count++;
  tfrc_arrival_log_on_reported (self->log, packets, n_written,
      tfrc_report_get_wire_size (report_format, (guint) size), now);
  return size;
}

void
tfrc_reception_clear (TfrcReception *self)
{
  tfrc_source_address_clear (&self->source);
  g_clear_pointer (&self->packet_feedback.log, g_free);
}

void
tfrc_reception_update (TfrcReception *self, const TfrcReceiveSettings *settings)
{
  tfrc_extension_reader_set_id (&self->extensions, settings->extension_id);
  tfrc_receive_flow_update (&self->flow, settings);
  if (self->packet_feedback.log)
    self->packet_feedback.log->config = get_log_config (settings);
  self->requests_key_frames = settings->key_frame_requests;
}

void
tfrc_reception_restart (TfrcReception *self)
{
  GST_INFO_OBJECT (self->owner, "event=restart");
  tfrc_receive_flow_forget (&self->flow);
  packet_feedback_forget (&self->packet_feedback);
  memset (self->key_requests.streams, 0, sizeof (self->key_requests.streams));
  tfrc_nacks_forget (&self->nacks);
}

/* AUTO counts as TFRC, until there is an extension. */
static void
set_mode (TfrcReception *self, GstTfrcMode mode)
{
  if (self->flow.mode == mode)
    return;
  GST_INFO_OBJECT (self->owner, "event=mode mode=%s",
      mode == GST_TFRC_MODE_TFMCC ? "tfmcc" : "tfrc");
  if (self->flow.mode != GST_TFRC_MODE_AUTO)
    tfrc_reception_restart (self);
  self->flow.mode = mode;
  self->lost = tfrc_receive_flow_get_lost (&self->flow);
}

static void
use_caps (TfrcReception *self, const GstCaps *caps)
{
  if (caps && gst_caps_get_size (caps) > 0) {
    tfrc_extension_reader_add_caps (&self->extensions, caps);
    packet_feedback_set_caps (&self->packet_feedback, caps);
    tfrc_receive_flow_set_caps (&self->flow, caps);
  }
  if (tfrc_extension_reader_get_mode (&self->extensions) != GST_TFRC_MODE_AUTO)
    set_mode (self, tfrc_extension_reader_get_mode (&self->extensions));
}

void
tfrc_reception_set_caps (TfrcReception *self, const GstCaps *caps)
{
  TfrcMedia media = media_from_caps (caps);
  gint type;

  memset (self->extensions.caps_ids, 0, sizeof (self->extensions.caps_ids));
  memset (&self->payload_types, 0, sizeof (self->payload_types));
  if (media.known
      && gst_structure_get_int (gst_caps_get_structure (caps, 0), "payload",
          &type)
      && type >= 0 && type < TFRC_PAYLOAD_TYPES)
    self->payload_types.types[type] = media;
  else
    self->payload_types.any = media;
  use_caps (self, caps);
}

void
tfrc_reception_forget_payload_types (TfrcReception *self)
{
  memset (self->payload_types.types, 0, sizeof (self->payload_types.types));
}

void
tfrc_reception_learn_payload_type (TfrcReception *self, guint8 type,
    const GstCaps *caps)
{
  TfrcMedia *media = &self->payload_types.types[type];

  *media = caps ? media_from_caps (caps) : self->payload_types.any;
  media->known = TRUE;
  use_caps (self, caps);
  GST_INFO_OBJECT (self->owner, "payload_type=%u encoding_name=%s video=%d",
      type, GST_STR_NULL (media->encoding_name), media->video);
}

void
tfrc_reception_start (TfrcReception *self, const TfrcReceiveSettings *settings)
{
  tfrc_reception_clear (self);
  *self = (TfrcReception) { .owner = self->owner,
    .requests_packets = self->requests_packets,
    .sender_retransmits = self->sender_retransmits,
    .uses_parity = self->uses_parity };
  tfrc_receive_flow_init (&self->flow, self->owner, settings);
  self->packet_feedback.settings = settings;
  tfrc_key_requests_init (&self->key_requests,
      self->flow.group.receiver.config.seed);
  tfrc_extension_reader_init (&self->extensions, self->owner, settings->mode);
  tfrc_nacks_init (&self->nacks);
  tfrc_reception_set_caps (self, NULL);
  tfrc_reception_update (self, settings);
}

gboolean
tfrc_reception_admits_rtcp (TfrcReception *self, GstBuffer *buffer,
    TfrcWireCompound *compound)
{
  if (!tfrc_packet_read_compound (buffer, compound)) {
    self->rtcp_malformed++;
    return FALSE;
  }
  if (!tfrc_source_address_accepts_rtcp (&self->source, buffer, compound)) {
    self->packets_foreign++;
    return FALSE;
  }
  if (compound->n_harmful > 0 && self->sr_requests_removed == 0)
    GST_WARNING_OBJECT (self->owner, "event=sr-request-filtered (said once)");
  self->sr_requests_removed += compound->n_harmful;
  return TRUE;
}

/* Whether lost packets may be repaired, by any means. */
static gboolean
is_repaired (const TfrcReception *self)
{
  return self->uses_parity
      || (self->requests_packets
          && (self->sender_retransmits || self->nacks.recovered > 0));
}

/* Requests key frames for losses that are not repaired. */
static void
note_losses (TfrcReception *self, TfrcTime now)
{
  guint64 lost = tfrc_receive_flow_get_lost (&self->flow);

  if (lost > self->lost && !is_repaired (self))
    tfrc_key_requests_on_loss (&self->key_requests, now);
  self->lost = lost;
}

void
tfrc_reception_remove_stream (TfrcReception *self, guint32 ssrc, TfrcTime now)
{
  GST_INFO_OBJECT (self->owner, "event=stream-removed ssrc=%08x", ssrc);
  tfrc_receive_flow_remove_stream (&self->flow, ssrc, now);
  tfrc_key_requests_remove_stream (&self->key_requests, ssrc);
  tfrc_source_address_remove (&self->source, ssrc);
  tfrc_ecn_count_remove_stream (&self->ecn, ssrc);
  note_losses (self, now);
}

GstBuffer *
tfrc_reception_on_rtcp (TfrcReception *self, GstBuffer *buffer, TfrcTime now)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  TfrcWireCompound compound;

  if (!tfrc_reception_admits_rtcp (self, buffer, &compound)) {
    gst_buffer_unref (buffer);
    return NULL;
  }
  /* A BYE only counts from the sender's address, unless the sender has been silent, as
   * anybody can send one. */
  if (compound.byes != 0 && meta
      && !tfrc_source_address_accepts (&self->source, meta->addr,
          tfrc_receive_flow_get_sender_timeout (&self->flow), now)) {
    self->packets_foreign++;
    compound.byes = 0;
  }
  for (gsize i = 0; i < compound.n_ssrcs; i++)
    if (compound.byes >> i & 1)
      tfrc_reception_remove_stream (self, compound.ssrcs[i], now);
  buffer = tfrc_packet_remove_harmful (buffer, &compound);
  if (buffer && !tfrc_packet_begins_as_rtcp (buffer)) {
    self->rtcp_malformed++;
    gst_clear_buffer (&buffer);
  }
  return buffer;
}

static void
warn_of_foreign (TfrcReception *self, const TfrcRtpPacket *packet)
{
  if (!self->foreign_warned)
    GST_WARNING_OBJECT (self->owner,
        "event=foreign-packet ssrc=%08x seq=%u: "
        "not of the sender that is heard (said once)",
        packet->header.ssrc, packet->header.seq);
  self->foreign_warned = TRUE;
}

/* A sender has proven itself, the first or another one.  What was learnt from packets of
 * others before is discarded. */
static void
take_sender (TfrcReception *self, GSocketAddress *address)
{
  gboolean had_sender = self->source.sender != NULL;
  guint n_others = tfrc_source_address_prove (&self->source, address);

  self->sender_changed |= had_sender || n_others > 0;
  if (n_others == 0 || self->flow.mode == GST_TFRC_MODE_TFMCC)
    return;
  GST_INFO_OBJECT (self->owner, "event=proven others=%u", n_others);
  tfrc_receive_flow_forget (&self->flow);
  packet_feedback_forget (&self->packet_feedback);
  tfrc_nacks_forget (&self->nacks);
  tfrc_extension_reader_forget (&self->extensions);
  self->flow.mode = tfrc_extension_reader_get_mode (&self->extensions);
}

TfrcAdmission
tfrc_reception_admit (TfrcReception *self, GstBuffer *buffer,
    const TfrcRtpPacket *packet, TfrcTime now)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  TfrcAdmission admission;

  if (!meta)
    return TFRC_ADMISSION_SENDER;
  admission = tfrc_source_address_admit (&self->source, packet->header.ssrc,
      packet->header.seq, meta->addr,
      tfrc_receive_flow_get_sender_timeout (&self->flow), now);
  if (admission == TFRC_ADMISSION_UNPROVEN)
    self->packets_unproven++;
  if (admission == TFRC_ADMISSION_FOREIGN) {
    self->packets_foreign++;
    warn_of_foreign (self, packet);
  }
  /* In a group a valid extension is needed, too. */
  if (admission == TFRC_ADMISSION_PROVES
      && self->flow.mode != GST_TFRC_MODE_TFMCC)
    take_sender (self, meta->addr);
  return admission;
}

/* FALSE: there is none. */
static gboolean
read_extension (TfrcReception *self, const TfrcRtpPacket *packet,
    TfrcAdmission admission, TfrcPacketExtension *extension, TfrcTime now)
{
  TfrcExtensionResult result;

  if ((admission == TFRC_ADMISSION_TRIAL && self->source.sender)
      || (self->flow.mode == GST_TFRC_MODE_TFRC
          && !tfrc_checked_receiver_accepts_stream (&self->flow.checked,
              packet->header.ssrc, now)))
    return tfrc_extension_reader_peek (&self->extensions, packet, extension)
        == TFRC_EXTENSION_FOUND;
  result = tfrc_extension_reader_read (&self->extensions, packet, extension,
      now);
  if (result == TFRC_EXTENSION_REJECTED) {
    tfrc_reception_restart (self);
    self->flow.mode = tfrc_extension_reader_get_mode (&self->extensions);
  }
  return result == TFRC_EXTENSION_FOUND;
}

/* In a group other receivers may request the same key frame, so requests are delayed at
 * random.  Not as the CLR, of which there is one, nor in a small group. */
static void
spread_key_requests (TfrcReception *self)
{
  const TfmccReceiver *receiver = &self->flow.group.receiver;
  const TfmccExtension *extension = tfmcc_receiver_get_extension (receiver);
  bool at_once = self->flow.mode != GST_TFRC_MODE_TFMCC
      || receiver->clr_role.is_clr
      || tfrc_receive_flow_get_repair_time (&self->flow, FALSE) > 0;

  self->key_requests.answer_time = at_once
      ? 0
      : (extension ? extension->max_rtt : TFMCC_INITIAL_RTT) + KEY_FRAME_TIME;
  self->key_requests.group_size = receiver->config.suppression.group_size;
}

static GstRtpTfrcFeedback
get_feedback_format (const TfrcReception *self)
{
  if (self->flow.mode == GST_TFRC_MODE_TFMCC)
    return GST_RTP_TFRC_FEEDBACK_TFRC;
  return packet_feedback_get_format (&self->packet_feedback,
      tfrc_extension_reader_get_id (&self->extensions) != 0);
}

static void
report_packet (TfrcReception *self, const TfrcRtpPacket *packet, guint size,
    TfrcEcnCodepoint ecn, TfrcTime now)
{
  GstRtpTfrcFeedback format = get_feedback_format (self);

  if (format == GST_RTP_TFRC_FEEDBACK_CCFB
      || format == GST_RTP_TFRC_FEEDBACK_TWCC)
    packet_feedback_on_packet (&self->packet_feedback, packet, size, ecn,
        format, now);
}

/* An RTX packet (RFC 4588 section 4): its payload begins with the original sequence
 * number. */
static void
follow_repair (TfrcReception *self, TfrcKeyRequestPacket *packet, TfrcTime now)
{
  if (packet->payload_size < TFRC_RTX_HEADER_SIZE)
    return;
  packet->seq = GST_READ_UINT16_BE (packet->payload);
  packet->ssrc = tfrc_nacks_on_repair (&self->nacks, packet->seq, now);
  packet->payload += TFRC_RTX_HEADER_SIZE;
  packet->payload_size -= TFRC_RTX_HEADER_SIZE;
  if (packet->ssrc != 0)
    tfrc_key_requests_on_repair (&self->key_requests, packet, now);
}

static void
follow_key_frames (TfrcReception *self, const TfrcRtpPacket *rtp, TfrcTime now)
{
  const TfrcMedia *media = &self->payload_types.types[rtp->header.payload_type];
  TfrcKeyRequestPacket packet = {
    .ssrc = rtp->header.ssrc,
    .seq = rtp->header.seq,
    .timestamp = rtp->header.timestamp,
    .marker = rtp->header.marker,
    .encoding_name = media->encoding_name,
    .payload = rtp->payload,
    .payload_size = rtp->payload_size,
  };

  if (media->rtx)
    follow_repair (self, &packet, now);
  else if (media->video)
    tfrc_key_requests_on_packet (&self->key_requests, &packet, now);
}

/* A padding packet of a sender's probe (TfrcProbing): its only CSRC is the stream that it
 * belongs to, and it consists of padding. */
static gboolean
is_probe (const TfrcRtpPacket *packet)
{
  const guint size = packet->payload_size;

  return packet->padded && size > 0 && packet->header.n_csrcs == 1
      && packet->payload[size - 1] == size;
}

TfrcResult
tfrc_reception_on_packet (TfrcReception *self, GstBuffer *buffer,
    const TfrcRtpPacket *rtp, TfrcAdmission admission, gboolean *moved,
    gboolean *ends, TfrcTime now)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  TfrcDataPacket packet = {
    .ssrc = rtp->header.ssrc,
    .seq = rtp->header.seq,
    .size = (guint32) gst_buffer_get_size (buffer),
  };
  TfrcPacketExtension extension;
  TfrcEcnCodepoint ecn;
  gboolean has_extension, ecn_read;
  TfrcResult result;

  has_extension = read_extension (self, rtp, admission, &extension, now);
  if (has_extension)
    set_mode (self, extension.mode);
  *ends = has_extension && extension.mode == GST_TFRC_MODE_TFRC
      && is_probe (rtp);
  ecn_read = tfrc_ecn_message_of_buffer (buffer, &ecn);
  /* RFC 9331: CE of ECT(1) packets is no congestion mark as in RFC 3168. */
  packet.congestion_marked = ecn_read && ecn == TFRC_ECN_CE
      && !self->ecn.is_l4s;
  result = tfrc_receive_flow_on_packet (&self->flow, &packet,
      has_extension ? &extension : NULL, now);
  GST_LOG_OBJECT (self->owner,
      "ssrc=%08x seq=%u size_bytes=%u extension=%d result=%d", packet.ssrc,
      packet.seq, packet.size, has_extension, result);
  if (result == TFRC_FOREIGN)
    warn_of_foreign (self, rtp);
  else if (meta)
    tfrc_source_address_keep (&self->source, packet.ssrc, meta->addr, now);
  if (result != TFRC_INVALID && result != TFRC_FOREIGN) {
    if (ecn_read)
      tfrc_ecn_count_on_packet (&self->ecn, packet.ssrc, packet.seq, ecn,
          result == TFRC_DUPLICATE);
    report_packet (self, rtp, packet.size, ecn_read ? ecn : TFRC_ECN_NOT_ECT,
        now);
  }
  if (result != TFRC_OK)
    return result;

  tfrc_nacks_on_packet (&self->nacks, packet.ssrc, packet.seq, now);
  spread_key_requests (self);
  if (*ends) {
    /* Packets missing before a padding packet were padding, too. */
    self->lost = tfrc_receive_flow_get_lost (&self->flow);
  } else {
    follow_key_frames (self, rtp, now);
    note_losses (self, now);
  }
  if (!meta)
    return TFRC_OK;
  if (admission == TFRC_ADMISSION_PROVES
      && self->flow.mode == GST_TFRC_MODE_TFMCC
      && tfrc_receive_flow_get_sender_timeout (&self->flow) > 0)
    take_sender (self, meta->addr);
  *moved |= tfrc_source_address_on_packet (&self->source, packet.ssrc,
      meta->addr, now);
  return TFRC_OK;
}

void
tfrc_reception_on_unrepaired (TfrcReception *self, guint32 ssrc, guint16 seq,
    TfrcTime now)
{
  if (is_repaired (self)
      || tfrc_key_requests_have_gap (&self->key_requests, ssrc))
    tfrc_key_requests_on_unrepaired (&self->key_requests, ssrc, seq, now);
}

/* In a group of more than eight receivers, whether to wait for parity: until an answer
 * can just arrive in time.  The jitter buffer asks for the packet again and again until
 * then. */
static gboolean
waits_for_parity (const TfrcReception *self, TfrcDuration rtt,
    TfrcDuration time_left)
{
  return self->uses_parity && self->flow.mode == GST_TFRC_MODE_TFMCC
      && tfrc_receive_flow_get_repair_time (&self->flow, FALSE) == 0
      && time_left > LAST_RTTS * rtt + RETRY_TIME;
}

TfrcDuration
tfrc_reception_on_missing (TfrcReception *self, guint32 ssrc, guint16 seq,
    TfrcDuration *time_left, TfrcDuration longest, TfrcDuration *hold,
    TfrcTime now)
{
  TfrcDuration rtt = tfrc_receive_flow_get_repair_time (&self->flow,
      self->uses_parity);
  gboolean unicast = self->flow.mode != GST_TFRC_MODE_TFMCC;
  gboolean answers = tfrc_nacks_expect_answers (&self->nacks);
  gboolean asked;

  *hold = 0;
  if (tfrc_nacks_has_arrived (&self->nacks, ssrc, seq)
      || waits_for_parity (self, rtt, *time_left))
    return 0;
  asked = (rtt > 0 || (unicast && self->sender_retransmits))
      && !tfrc_key_requests_replace (&self->key_requests, ssrc, seq)
      && tfrc_nacks_on_missing (&self->nacks, ssrc, seq, time_left,
          answers ? longest : 0, rtt, now);
  *hold = tfrc_nacks_get_hold (&self->nacks);
  if (!asked && !self->uses_parity && is_repaired (self))
    tfrc_reception_on_unrepaired (self, ssrc, seq, now);
  return answers ? rtt : 0;
}

TfrcTime
tfrc_reception_next_deadline (const TfrcReception *self)
{
  TfrcTime deadline = tfrc_receive_flow_next_deadline (&self->flow);

  deadline = tfrc_time_min (deadline,
      packet_feedback_next_deadline (&self->packet_feedback));
  deadline = tfrc_time_min (deadline, self->nacks.due_at);
  if (self->requests_key_frames)
    deadline = tfrc_time_min (deadline,
        tfrc_key_requests_next_deadline (&self->key_requests));
  return tfrc_time_max (deadline,
      tfrc_source_address_next_report_at (&self->source));
}

/* TFRC feedback, followed by its delay report and by an XR packet if there is ECN. */
static gsize
write_feedback (TfrcReception *self, guint8 *data, TfrcFeedback *feedback,
    TfrcTime now)
{
  guint32 ssrc = self->packet_feedback.settings->report.ssrc;
  TfrcEcnSummary ecn[TFRC_ECN_MAX_STREAMS];
  gsize size = TFRC_WIRE_FEEDBACK_SIZE;

  GST_DEBUG_OBJECT (self->owner,
      "event=feedback ssrc=%08x echo_us=%u "
      "echo_delay_ns=%" G_GUINT64_FORMAT " receive_rate_bytes_s=%.0f "
      "loss_event_rate=%.6f",
      feedback->media_ssrc, feedback->echo_time_us, feedback->echo_delay,
      feedback->receive_rate, feedback->loss_event_rate);
  tfrc_wire_write_feedback (data, feedback, ssrc);
  if (feedback->has_delay) {
    feedback->delay.ends_padding = true; /* see tfrc_reception_on_packet */
    tfrc_wire_write_delay (data + size, &feedback->delay, ssrc);
    size += TFRC_WIRE_DELAY_SIZE;
  }
  return size
      + tfrc_wire_write_ecn (data + size, ecn,
          tfrc_ecn_count_poll (&self->ecn, ecn, now), ssrc);
}

/* TFRC feedback, or a TFMCC report.  Returns its size. */
static gsize
write_report (TfrcReception *self, guint8 *data, TfrcReceiveMessage *message,
    TfrcTime now)
{
  TfrcReceiveOutput output;
  const TfmccReport *report = &output.report;

  while (tfrc_receive_flow_poll (&self->flow, &output, now)) {
    *message = output.message;
    if (message->kind != TFMCC_MESSAGE_NONE)
      return 0;
    if (self->flow.mode == GST_TFRC_MODE_TFMCC) {
      GST_DEBUG_OBJECT (self->owner,
          "event=report ssrc=%08x media_ssrc=%08x "
          "round=%u rate_bytes_s=%.0f has_rtt=%d has_loss=%d leaving=%d",
          report->ssrc, report->media_ssrc, report->round, report->rate,
          report->has_rtt, report->has_loss, report->leaving);
      return tfmcc_wire_write_report (data, report, &output.diagnostics);
    }
    if (get_feedback_format (self) == GST_RTP_TFRC_FEEDBACK_TFRC)
      return write_feedback (self, data, &output.feedback, now);
  }
  return 0;
}

/* Packet feedback, a NACK or PLI.  Returns its size. */
static gsize
write_other (TfrcReception *self, guint8 *data, TfrcTime now)
{
  guint32 own_ssrc = self->packet_feedback.settings->report.ssrc;
  guint16 missing[TFRC_NACKS_MAX];
  guint n_missing;
  guint32 ssrc;
  gsize size = packet_feedback_poll (&self->packet_feedback,
      get_feedback_format (self), data, now);

  if (size > 0) {
    GST_LOG_OBJECT (self->owner,
        "event=packet-feedback size_bytes=%" G_GSIZE_FORMAT, size);
    return size;
  }
  n_missing = tfrc_nacks_poll (&self->nacks, &ssrc, missing, now);
  if (n_missing > 0) {
    GST_DEBUG_OBJECT (self->owner, "event=nack ssrc=%08x seq=%u packets=%u",
        ssrc, missing[0], n_missing);
    return tfrc_wire_write_nack (data, own_ssrc, ssrc, missing, n_missing);
  }
  if (!self->requests_key_frames
      || !tfrc_key_requests_poll (&self->key_requests, &ssrc, now))
    return 0;
  GST_DEBUG_OBJECT (self->owner, "event=key-frame-request ssrc=%08x", ssrc);
  tfrc_wire_write_pli (data, own_ssrc, ssrc);
  return TFRC_WIRE_PLI_SIZE;
}

GstBuffer *
tfrc_reception_poll (TfrcReception *self, TfrcReceiveMessage *message,
    TfrcTime now)
{
  const gboolean paid = now
      >= tfrc_source_address_next_report_at (&self->source);
  guint8 data[TFRC_REPORT_PACKET_MAX];
  const gsize prefix =
      tfrc_report_begin (&self->packet_feedback.settings->report, data);
  GstBuffer *buffer;
  gsize size = 0;

  message->kind = TFMCC_MESSAGE_NONE;
  if (paid)
    size = write_report (self, data + prefix, message, now);
  note_losses (self, now);
  if (paid && size == 0 && message->kind == TFMCC_MESSAGE_NONE)
    size = write_other (self, data + prefix, now);
  if (size == 0)
    return NULL;
  buffer = gst_buffer_new_memdup (data, prefix + size);
  if (self->source.address)
    gst_buffer_add_net_address_meta (buffer, self->source.address);
  tfrc_source_address_on_report (&self->source, prefix + size, now);
  return buffer;
}

void
tfrc_reception_get_stats (const TfrcReception *self, GstStructure *stats,
    TfrcTime now)
{
  const TfrcReceiveFlow *flow = &self->flow;

  tfrc_receive_flow_get_stats (flow, stats, now);
  tfrc_stats_set (stats, "feedback-format",
      tfrc_feedback_get_name (get_feedback_format (self)));
  tfrc_stats_set (stats, "packets-foreign",
      self->packets_foreign + flow->group.check.counters.packets_foreign
          + flow->checked.packets_foreign);
  tfrc_stats_set (stats, "packets-unproven", self->packets_unproven);
  tfrc_stats_set (stats, "streams-evicted", self->source.evicted);
  tfrc_stats_set (stats, "packets-malformed", self->packets_malformed);
  tfrc_stats_set (stats, "rtcp-malformed", self->rtcp_malformed);
  tfrc_stats_set (stats, "extensions-malformed", self->extensions.malformed);
  tfrc_stats_set (stats, "extension-id",
      tfrc_extension_reader_get_id (&self->extensions));
  tfrc_stats_set (stats, "sr-requests-filtered", self->sr_requests_removed);
  tfrc_stats_set (stats, "ecn-not-ect", self->ecn.received[TFRC_ECN_NOT_ECT]);
  tfrc_stats_set (stats, "ecn-ect-0", self->ecn.received[TFRC_ECN_ECT_0]);
  tfrc_stats_set (stats, "ecn-ect-1", self->ecn.received[TFRC_ECN_ECT_1]);
  tfrc_stats_set (stats, "ecn-ce", self->ecn.received[TFRC_ECN_CE]);
  tfrc_stats_set (stats, "key-frames", self->key_requests.key_frames);
  tfrc_stats_set (stats, "key-frame-requests", self->key_requests.requests);
  tfrc_stats_set (stats, "retransmissions-asked", self->nacks.asked);
  tfrc_stats_set (stats, "retransmissions-recovered", self->nacks.recovered);
}
