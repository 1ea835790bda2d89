/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From RTP packets to reports. */

#include "receive/meter.h"

#include <string.h>

#include <gst/net/net.h>
#include <gst/rtp/rtp.h>

#include "net/ecn.h"
#include "common/extmap.h"
#include "common/feedback.h"
#include "common/key-frame.h"
#include "common/repair-types.h"
#include "common/stats.h"
#include "receive/key-requests.h"
#include "receive/report.h"
#include "receive/source-address.h"
#include "receive/stamp-reader.h"
#include "net/packet.h"
#include "tfrc-wire-twcc.h"
#include "tfrc/arrival-log.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_receive_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_receive_debug

/* Until the sender's encoder has made a key frame: a frame interval, the
 * encoding of one, and its place in the pacer. */
#define KEY_FRAME_TIME (100 * TFRC_MILLISECOND)

/* a=rtcp-fb:<pt> transport-cc and ack ccfb, as GStreamer maps SDP to caps. */
#define TWCC_FIELD "rtcp-fb-transport-cc"
#define CCFB_FIELD "rtcp-fb-ack-ccfb"

/* Packets in a report of arrivals; more go into another one. */
#define MAX_PACKETS TFRC_ARRIVAL_LOG_LENGTH

#define ONE_BYTE_MAX_ID 14 /* RFC 8285 section 4.2 */

#define PAYLOAD_TYPES 128

/* What a payload type stands for: as the caps of the flow say, or those that
 * somebody gives for it. */
typedef struct
{
  gboolean known; /* asked for, whatever the answer was */
  gboolean video;
  gboolean rtx;               /* what it stands for is in other packets */
  const gchar *encoding_name; /* interned; NULL = not known */
} Media;

typedef struct
{
  Media types[PAYLOAD_TYPES];
  Media any; /* of caps that name no payload type */
} PayloadTypes;

/* Reports of arrivals for senders that are none of ours: congestion control
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
} ArrivalReports;

struct _TfrcMeter
{
  GstElement *owner;
  TfrcReceiveFlow flow;
  ArrivalReports arrivals;
  TfrcStampReader stamps;
  PayloadTypes payload_types;
  gboolean asks; /* for key frames; FALSE: never */
  TfrcKeyRequests key_requests;
  gboolean asks_again; /* for what is lost */
  gboolean answered;   /* the sender is known to answer that */
  gboolean corrects;   /* without asking */
  TfrcNacks nacks;
  guint64 lost; /* packets of the flow, when key_requests heard of them */
  TfrcSourceAddress source;
  TfrcEcnCount ecn; /* of packets whose ECN bits were read */

  gboolean sender_changed;

  gboolean foreign_warned;
  guint64 packets_malformed;
  guint64 packets_foreign;  /* from elsewhere than the sender */
  guint64 packets_unproven; /* before there is one */
  guint64 rtcp_malformed;
  guint64 sr_requests_removed;
};

static Media
media_from_caps (const GstCaps *caps)
{
  Media media = { FALSE, FALSE, FALSE, NULL };
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

/* Forgets all, and takes what the caps of the flow say; NULL: nothing. */
static void
payload_types_set_caps (PayloadTypes *self, const GstCaps *caps)
{
  Media media = media_from_caps (caps);
  gint type;

  memset (self, 0, sizeof (*self));
  if (media.known
      && gst_structure_get_int (gst_caps_get_structure (caps, 0), "payload",
          &type)
      && type >= 0 && type < PAYLOAD_TYPES)
    self->types[type] = media;
  else
    self->any = media;
}

/* Forgets the arrivals. */
static void
arrivals_forget (ArrivalReports *self)
{
  if (self->log)
    tfrc_arrival_log_forget (self->log);
}

/* What caps of the packets say ("extmap-N", "rtcp-fb-..."); NULL = nothing. */
static void
arrivals_set_caps (ArrivalReports *self, const GstCaps *caps)
{
  const GstStructure *structure;
  guint id;

  if (!caps || gst_caps_get_size (caps) == 0)
    return;
  structure = gst_caps_get_structure (caps, 0);
  id = tfrc_extmap_find_id (structure, TFRC_WIRE_TWCC_URI);
  if (id != 0)
    self->transport_id = id;
  self->wants_twcc |= gst_structure_has_field (structure, TWCC_FIELD);
  self->wants_ccfb |= gst_structure_has_field (structure, CCFB_FIELD);
}

/* What is reported: never AUTO.  `stamped`: packets of the flow have stamps of ours. */
static GstRtpTfrcFeedback
arrivals_get_format (const ArrivalReports *self, gboolean stamped)
{
  GstRtpTfrcFeedback wanted = self->settings->feedback;

  if (wanted != GST_RTP_TFRC_FEEDBACK_AUTO)
    return wanted;
  if (stamped)
    return GST_RTP_TFRC_FEEDBACK_TFRC;
  if (self->wants_ccfb)
    return GST_RTP_TFRC_FEEDBACK_CCFB;
  return self->wants_twcc && self->transport_id != 0
      ? GST_RTP_TFRC_FEEDBACK_TWCC
      : GST_RTP_TFRC_FEEDBACK_TFRC;
}

/* A number of the transport is none of an SSRC. */
static void
set_format (ArrivalReports *self, GstRtpTfrcFeedback format)
{
  if (self->format != format)
    arrivals_forget (self);
  self->format = format;
}

/* FALSE: it has none. */
static gboolean
read_transport_number (const ArrivalReports *self, GstRTPBuffer *rtp,
    guint16 *number)
{
  guint8 id = (guint8) self->transport_id, bits;
  gboolean found = FALSE;
  gpointer data;
  const guint8 *bytes;
  guint size;

  if (id > 0 && id <= ONE_BYTE_MAX_ID)
    found = gst_rtp_buffer_get_extension_onebyte_header (rtp, id, 0, &data,
        &size);
  if (id > 0 && !found)
    found = gst_rtp_buffer_get_extension_twobytes_header (rtp, &bits, id, 0,
        &data, &size);
  if (!found || size != sizeof (*number))
    return FALSE;
  bytes = data; /* of any alignment */
  *number = (guint16) (bytes[0] << 8 | bytes[1]);
  return TRUE;
}

/* A packet that is to be reported.  `ecn`: 0 where that is not known. */
static void
arrivals_on_packet (ArrivalReports *self, GstRTPBuffer *rtp, guint size,
    guint8 ecn, GstRtpTfrcFeedback format, TfrcTime now)
{
  guint32 ssrc = gst_rtp_buffer_get_ssrc (rtp);
  guint16 seq = gst_rtp_buffer_get_seq (rtp);

  set_format (self, format);
  if (format == GST_RTP_TFRC_FEEDBACK_TWCC) {
    if (!read_transport_number (self, rtp, &seq))
      return;
    self->media_ssrc = ssrc;
    ssrc = 0;
  }
  if (!self->log) {
    TfrcArrivalLogConfig config =
        tfrc_receive_settings_get_log_config (self->settings);

    self->log = g_new (TfrcArrivalLog, 1);
    tfrc_arrival_log_init (self->log, &config);
  }
  tfrc_arrival_log_on_packet (self->log, ssrc, seq, size, ecn, now);
}

/* TFRC_TIME_NONE: nothing to report.  At or before now: call
 * arrivals_poll until it returns NULL. */
static TfrcTime
arrivals_next_deadline (const ArrivalReports *self)
{
  return self->log ? tfrc_arrival_log_next_deadline (self->log)
                   : TFRC_TIME_NONE;
}

static GstBuffer *
arrivals_poll (ArrivalReports *self, GstRtpTfrcFeedback format, TfrcTime now)
{
  const TfrcReportFormat *report_format = &self->settings->report;
  TfrcReportedPacket packets[MAX_PACKETS];
  TfrcArrivalReport report = {
    .reporter_ssrc = report_format->ssrc,
    .count = self->count,
    .clock = now + self->settings->timestamp_offset_us * TFRC_MICROSECOND,
  };
  GstBuffer *buffer;
  gsize n, n_written;

  set_format (self, format);
  if (arrivals_next_deadline (self) > now)
    return NULL;
  n = tfrc_arrival_log_peek (self->log, packets, MAX_PACKETS, now);
  buffer = tfrc_report_new_arrivals (report_format, format, &report,
      self->media_ssrc, packets, n, &n_written);
  self->count++;
  tfrc_arrival_log_on_reported (self->log, packets, n_written,
      TFRC_REPORT_UDP_IPV4_SIZE + (guint) gst_buffer_get_size (buffer), now);
  return buffer;
}

TfrcMeter *
tfrc_meter_new (GstElement *owner, const TfrcReceiveSettings *settings)
{
  TfrcMeter *self = g_new0 (TfrcMeter, 1);

  self->owner = owner;
  tfrc_meter_start (self, settings);
  return self;
}

void
tfrc_meter_free (TfrcMeter *self)
{
  tfrc_source_address_clear (&self->source);
  g_clear_pointer (&self->arrivals.log, g_free);
  g_free (self);
}

void
tfrc_meter_start (TfrcMeter *self, const TfrcReceiveSettings *settings)
{
  tfrc_source_address_clear (&self->source);
  g_clear_pointer (&self->arrivals.log, g_free);
  *self = (TfrcMeter) { .owner = self->owner,
    .asks_again = self->asks_again,
    .answered = self->answered,
    .corrects = self->corrects };
  tfrc_receive_flow_init (&self->flow, self->owner, settings);
  self->arrivals.settings = settings;
  tfrc_key_requests_init (&self->key_requests,
      self->flow.group.receiver.config.seed);
  tfrc_stamp_reader_init (&self->stamps, self->owner, settings->mode);
  tfrc_ecn_count_init (&self->ecn);
  tfrc_nacks_init (&self->nacks);
  tfrc_meter_set_caps (self, NULL);
  tfrc_meter_update (self, settings);
}

void
tfrc_meter_update (TfrcMeter *self, const TfrcReceiveSettings *settings)
{
  tfrc_stamp_reader_set_id (&self->stamps, settings->extension_id);
  tfrc_receive_flow_update (&self->flow, settings);
  if (self->arrivals.log)
    self->arrivals.log->config =
        tfrc_receive_settings_get_log_config (settings);
  self->asks = settings->key_frame_requests;
}

void
tfrc_meter_restart (TfrcMeter *self)
{
  GST_INFO_OBJECT (self->owner, "event=restart");
  tfrc_receive_flow_forget (&self->flow);
  arrivals_forget (&self->arrivals);
  tfrc_key_requests_forget (&self->key_requests);
  tfrc_nacks_forget (&self->nacks);
}

/* TFRC is assumed until there is a stamp. */
static void
set_mode (TfrcMeter *self, GstTfrcMode mode)
{
  if (self->flow.mode == mode)
    return;
  GST_INFO_OBJECT (self->owner, "event=mode mode=%s",
      mode == GST_TFRC_MODE_TFMCC ? "tfmcc" : "tfrc");
  if (self->flow.mode != GST_TFRC_MODE_AUTO)
    tfrc_meter_restart (self);
  self->flow.mode = mode;
  self->lost = tfrc_receive_flow_get_lost (&self->flow);
}

static void
use_caps (TfrcMeter *self, const GstCaps *caps)
{
  tfrc_stamp_reader_add_caps (&self->stamps, caps);
  arrivals_set_caps (&self->arrivals, caps);
  tfrc_receive_flow_set_caps (&self->flow, caps);
  if (tfrc_stamp_reader_get_mode (&self->stamps) != GST_TFRC_MODE_AUTO)
    set_mode (self, tfrc_stamp_reader_get_mode (&self->stamps));
}

void
tfrc_meter_set_caps (TfrcMeter *self, const GstCaps *caps)
{
  tfrc_stamp_reader_set_caps (&self->stamps, caps);
  payload_types_set_caps (&self->payload_types, caps);
  use_caps (self, caps);
}

gboolean
tfrc_meter_needs_payload_caps (const TfrcMeter *self, guint8 type)
{
  return !self->payload_types.types[type % PAYLOAD_TYPES].known;
}

void
tfrc_meter_set_payload_caps (TfrcMeter *self, guint8 type, const GstCaps *caps)
{
  Media *media;

  g_return_if_fail (type < PAYLOAD_TYPES);

  media = &self->payload_types.types[type];
  *media = caps ? media_from_caps (caps) : self->payload_types.any;
  media->known = TRUE;
  use_caps (self, caps);
  GST_INFO_OBJECT (self->owner, "payload_type=%u encoding_name=%s video=%d",
      type, GST_STR_NULL (media->encoding_name), media->video);
}

void
tfrc_meter_clear_payload_caps (TfrcMeter *self)
{
  memset (self->payload_types.types, 0, sizeof (self->payload_types.types));
}

/* Anybody can send packets: only those of the sender count, until it has been
 * silent. */
static gboolean
is_foreign (const TfrcMeter *self, GSocketAddress *address, TfrcTime now)
{
  return !tfrc_source_address_accepts (&self->source, address,
      tfrc_receive_flow_get_sender_timeout (&self->flow), now);
}

gboolean
tfrc_meter_admits_rtcp (TfrcMeter *self, GstBuffer *buffer,
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

GstBuffer *
tfrc_meter_on_rtcp (TfrcMeter *self, GstBuffer *buffer, TfrcTime now)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  TfrcWireCompound compound;

  if (!tfrc_meter_admits_rtcp (self, buffer, &compound)) {
    gst_buffer_unref (buffer);
    return NULL;
  }
  if (compound.byes != 0 && meta && is_foreign (self, meta->addr, now)) {
    self->packets_foreign++;
    compound.byes = 0;
  }
  for (gsize i = 0; i < compound.n_ssrcs; i++)
    if (compound.byes >> i & 1)
      tfrc_meter_remove_stream (self, compound.ssrcs[i], now);
  buffer = tfrc_packet_remove_harmful (buffer, &compound);
  if (buffer && !tfrc_packet_begins_as_rtcp (buffer)) {
    self->rtcp_malformed++;
    gst_clear_buffer (&buffer);
  }
  return buffer;
}

static void
warn_of_foreign (TfrcMeter *self, GstRTPBuffer *rtp)
{
  if (!self->foreign_warned)
    GST_WARNING_OBJECT (self->owner,
        "event=foreign-packet ssrc=%08x seq=%u: "
        "not of the sender that is heard (said once)",
        gst_rtp_buffer_get_ssrc (rtp), gst_rtp_buffer_get_seq (rtp));
  self->foreign_warned = TRUE;
}

/* The first sender that proves itself, or the next.  What was made of others is not
 * its. */
static void
change_sender (TfrcMeter *self, GSocketAddress *address)
{
  gboolean had_sender = self->source.sender != NULL;
  guint n_others = tfrc_source_address_prove (&self->source, address);

  self->sender_changed |= had_sender || n_others > 0;
  if (n_others == 0 || self->flow.mode == GST_TFRC_MODE_TFMCC)
    return;
  GST_INFO_OBJECT (self->owner, "event=proven others=%u", n_others);
  tfrc_receive_flow_forget (&self->flow);
  arrivals_forget (&self->arrivals);
  tfrc_nacks_forget (&self->nacks);
  tfrc_stamp_reader_forget (&self->stamps);
  self->flow.mode = tfrc_stamp_reader_get_mode (&self->stamps);
}

TfrcAdmission
tfrc_meter_admit (TfrcMeter *self, GstBuffer *buffer, GstRTPBuffer *rtp,
    TfrcTime now)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  TfrcAdmission admission;

  if (!meta)
    return TFRC_ADMISSION_SENDER;
  admission = tfrc_source_address_admit (&self->source,
      gst_rtp_buffer_get_ssrc (rtp), gst_rtp_buffer_get_seq (rtp), meta->addr,
      tfrc_receive_flow_get_sender_timeout (&self->flow), now);
  if (admission == TFRC_ADMISSION_UNPROVEN)
    self->packets_unproven++;
  if (admission == TFRC_ADMISSION_FOREIGN) {
    self->packets_foreign++;
    warn_of_foreign (self, rtp);
  }
  /* In a group a stamp belongs to the proof. */
  if (admission == TFRC_ADMISSION_PROVES
      && self->flow.mode != GST_TFRC_MODE_TFMCC)
    change_sender (self, meta->addr);
  return admission;
}

/* FALSE: none. */
static gboolean
read_stamp (TfrcMeter *self, GstRTPBuffer *rtp, TfrcAdmission admission,
    TfrcExtensionStamp *stamp, TfrcTime now)
{
  TfrcExtensionResult result;

  if ((admission == TFRC_ADMISSION_TRIAL && self->source.sender)
      || !tfrc_receive_flow_accepts_stamp (&self->flow,
          gst_rtp_buffer_get_ssrc (rtp), now))
    return tfrc_stamp_reader_peek (&self->stamps, rtp, stamp)
        == TFRC_EXTENSION_STAMP;
  result = tfrc_stamp_reader_read (&self->stamps, rtp, stamp, now);
  if (result == TFRC_EXTENSION_REJECTED) {
    tfrc_meter_restart (self);
    self->flow.mode = tfrc_stamp_reader_get_mode (&self->stamps);
  }
  return result == TFRC_EXTENSION_STAMP;
}

/* In a group others may ask for the same key frame; as the current limiting
 * receiver there is only this one. */
static void
spread_key_requests (TfrcMeter *self)
{
  const TfmccReceiver *receiver = &self->flow.group.receiver;
  const TfmccStamp *stamp = tfmcc_receiver_get_stamp (receiver);
  TfrcDuration answer_time = 0;

  if (self->flow.mode == GST_TFRC_MODE_TFMCC && !receiver->clr_role.is_clr)
    answer_time = (stamp ? stamp->max_rtt : TFMCC_INITIAL_RTT) + KEY_FRAME_TIME;
  tfrc_key_requests_set_group (&self->key_requests, answer_time,
      receiver->config.suppression.group_size);
}

static void
count_ecn (TfrcMeter *self, const TfrcDataPacket *packet, TfrcEcnCodepoint ecn,
    TfrcResult result)
{
  if (result != TFRC_INVALID && result != TFRC_FOREIGN)
    tfrc_ecn_count_on_packet (&self->ecn, packet->ssrc, packet->seq, ecn,
        result == TFRC_DUPLICATE);
}

static GstRtpTfrcFeedback
get_feedback_format (const TfrcMeter *self)
{
  if (self->flow.mode == GST_TFRC_MODE_TFMCC)
    return GST_RTP_TFRC_FEEDBACK_TFRC;
  return arrivals_get_format (&self->arrivals,
      tfrc_stamp_reader_get_id (&self->stamps) != 0);
}

static void
report_arrival (TfrcMeter *self, GstRTPBuffer *rtp, guint size,
    TfrcEcnCodepoint ecn, TfrcTime now)
{
  GstRtpTfrcFeedback format = get_feedback_format (self);

  if (format == GST_RTP_TFRC_FEEDBACK_CCFB
      || format == GST_RTP_TFRC_FEEDBACK_TWCC)
    arrivals_on_packet (&self->arrivals, rtp, size, ecn, format, now);
}

/* An RTX packet (RFC 4588 section 4): the original's sequence number is in front
 * of its payload. */
static void
follow_repair (TfrcMeter *self, TfrcKeyRequestPacket *packet, TfrcTime now)
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
follow_key_frames (TfrcMeter *self, GstRTPBuffer *rtp, TfrcTime now)
{
  guint8 type = gst_rtp_buffer_get_payload_type (rtp);
  const Media *media = &self->payload_types.types[type];
  TfrcKeyRequestPacket packet;

  if (!media->video && !media->rtx)
    return;
  packet.ssrc = gst_rtp_buffer_get_ssrc (rtp);
  packet.seq = gst_rtp_buffer_get_seq (rtp);
  packet.timestamp = gst_rtp_buffer_get_timestamp (rtp);
  packet.marker = gst_rtp_buffer_get_marker (rtp);
  packet.encoding_name = media->encoding_name;
  packet.payload_size = gst_rtp_buffer_get_payload_len (rtp);
  packet.payload = packet.payload_size > 0
      ? gst_rtp_buffer_get_payload (rtp)
      : NULL;
  if (media->rtx)
    follow_repair (self, &packet, now);
  else
    tfrc_key_requests_on_packet (&self->key_requests, &packet, now);
}

/* By whichever means. */
static gboolean
is_repaired (const TfrcMeter *self)
{
  return self->corrects
      || (self->asks_again && (self->answered || self->nacks.recovered > 0));
}

/* What was lost may have been packets of a picture. */
static void
note_losses (TfrcMeter *self, TfrcTime now)
{
  guint64 lost = tfrc_receive_flow_get_lost (&self->flow);

  if (lost > self->lost && !is_repaired (self))
    tfrc_key_requests_on_loss (&self->key_requests, now);
  self->lost = lost;
}

/* Of a sender that looks whether more arrives (guard/probing.h): beside the stream
 * that the CSRC names, and padding to its last byte. */
static gboolean
is_probe (GstRTPBuffer *rtp)
{
  guint size = gst_rtp_buffer_get_payload_len (rtp);

  return gst_rtp_buffer_get_padding (rtp) && size > 0
      && gst_rtp_buffer_get_csrc_count (rtp) == 1
      && ((const guint8 *) gst_rtp_buffer_get_payload (rtp))[size - 1] == size;
}

/* *moved: the source address is another one.  *ends: the packet has told all that it
 * has to tell. */
static TfrcResult
measure (TfrcMeter *self, GstBuffer *buffer, GstRTPBuffer *rtp,
    TfrcAdmission admission, gboolean *moved, gboolean *ends, TfrcTime now)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  TfrcDataPacket packet = {
    .ssrc = gst_rtp_buffer_get_ssrc (rtp),
    .seq = gst_rtp_buffer_get_seq (rtp),
    .size = (guint32) gst_buffer_get_size (buffer),
  };
  TfrcExtensionStamp stamp;
  TfrcEcnCodepoint ecn;
  gboolean stamped, ecn_read;
  TfrcResult result;

  stamped = read_stamp (self, rtp, admission, &stamp, now);
  if (stamped)
    set_mode (self, stamp.mode);
  *ends = stamped && stamp.mode == GST_TFRC_MODE_TFRC && is_probe (rtp);
  ecn_read = tfrc_ecn_message_of_buffer (buffer, &ecn);
  packet.congestion_marked = ecn_read && ecn == TFRC_ECN_CE;
  result = tfrc_receive_flow_on_packet (&self->flow, &packet,
      stamped ? &stamp : NULL, now);
  if (ecn_read)
    count_ecn (self, &packet, ecn, result);
  GST_LOG_OBJECT (self->owner,
      "ssrc=%08x seq=%u size_bytes=%u stamped=%d "
      "result=%d",
      packet.ssrc, packet.seq, packet.size, stamped, result);
  if (result == TFRC_FOREIGN)
    warn_of_foreign (self, rtp);
  else if (meta)
    tfrc_source_address_keep (&self->source, packet.ssrc, meta->addr, now);
  if (result != TFRC_INVALID && result != TFRC_FOREIGN)
    report_arrival (self, rtp, packet.size, ecn_read ? ecn : TFRC_ECN_NOT_ECT,
        now);
  if (result != TFRC_OK)
    return result;

  spread_key_requests (self);
  if (*ends) {
    /* What is missing in front of it was of no picture. */
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
    change_sender (self, meta->addr);
  *moved |= tfrc_source_address_on_packet (&self->source, packet.ssrc,
      meta->addr, now);
  return TFRC_OK;
}

gboolean
tfrc_meter_on_rtp (TfrcMeter *self, GstBuffer *buffer, GstRTPBuffer *rtp,
    TfrcAdmission admission, gboolean *moved, TfrcTime now)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (buffer);
  gboolean ends;
  TfrcResult result = measure (self, buffer, rtp, admission, moved, &ends, now);

  if (meta)
    tfrc_source_address_on_bytes (&self->source, meta->addr,
        gst_buffer_get_size (buffer));
  return !ends && (result != TFRC_FOREIGN || admission == TFRC_ADMISSION_TRIAL);
}

GstBuffer *
tfrc_meter_hide_move (const TfrcMeter *self, GstBuffer *buffer)
{
  return tfrc_source_address_hide_move (&self->source, buffer);
}

void
tfrc_meter_on_malformed (TfrcMeter *self, gsize size)
{
  if (self->packets_malformed++ == 0)
    GST_WARNING_OBJECT (self->owner,
        "event=malformed-rtp size_bytes=%" G_GSIZE_FORMAT " (said once)", size);
}

gboolean
tfrc_meter_poll_gone (TfrcMeter *self, guint32 *ssrc, TfrcTime now)
{
  if (!tfrc_source_address_poll_gone (&self->source, ssrc))
    return FALSE;
  tfrc_meter_remove_stream (self, *ssrc, now);
  return TRUE;
}

gboolean
tfrc_meter_take_sender_change (TfrcMeter *self)
{
  gboolean changed = self->sender_changed;

  self->sender_changed = FALSE;
  return changed;
}

void
tfrc_meter_remove_stream (TfrcMeter *self, guint32 ssrc, TfrcTime now)
{
  GST_INFO_OBJECT (self->owner, "event=stream-removed ssrc=%08x", ssrc);
  tfrc_receive_flow_remove_stream (&self->flow, ssrc, now);
  tfrc_key_requests_remove_stream (&self->key_requests, ssrc);
  tfrc_source_address_remove (&self->source, ssrc);
  tfrc_ecn_count_remove_stream (&self->ecn, ssrc);
  note_losses (self, now);
}

void
tfrc_meter_leave (TfrcMeter *self, TfrcTime now)
{
  tfrc_receive_flow_leave (&self->flow, now);
}

void
tfrc_meter_want_key_frame (TfrcMeter *self, guint32 ssrc, TfrcTime now)
{
  tfrc_key_requests_want (&self->key_requests, ssrc, now);
}

void
tfrc_meter_set_repairs (TfrcMeter *self, gboolean asks, gboolean answered,
    gboolean corrects)
{
  self->asks_again = asks;
  self->answered = answered;
  self->corrects = corrects;
}

TfrcDuration
tfrc_meter_want_packet (TfrcMeter *self, guint32 ssrc, guint16 seq,
    TfrcDuration time_left, TfrcTime now)
{
  /* In a group all would ask for the same.  Stamps tell the RTT. */
  gboolean unicast = self->flow.mode != GST_TFRC_MODE_TFMCC;
  TfrcDuration rtt = unicast ? self->flow.unicast.guarded.receiver.rtt : 0;
  gboolean asked = unicast && (self->answered || rtt > 0)
      && !tfrc_key_requests_replace (&self->key_requests, ssrc, seq)
      && tfrc_nacks_want (&self->nacks, ssrc, seq, time_left, rtt, now);

  if (!asked && !self->corrects)
    tfrc_meter_on_hole (self, ssrc, seq, now);
  return tfrc_nacks_expect_answers (&self->nacks) ? rtt : 0;
}

void
tfrc_meter_on_hole (TfrcMeter *self, guint32 ssrc, guint16 seq, TfrcTime now)
{
  if (!is_repaired (self))
    return;
  tfrc_key_requests_on_hole (&self->key_requests, ssrc, seq, now);
}

TfrcTime
tfrc_meter_next_deadline (const TfrcMeter *self)
{
  TfrcTime deadline = tfrc_receive_flow_next_deadline (&self->flow);

  deadline = tfrc_time_min (deadline, arrivals_next_deadline (&self->arrivals));
  deadline = tfrc_time_min (deadline, tfrc_nacks_next_deadline (&self->nacks));
  if (self->asks)
    deadline = tfrc_time_min (deadline,
        tfrc_key_requests_next_deadline (&self->key_requests));
  return tfrc_time_max (deadline,
      tfrc_source_address_next_report_at (&self->source));
}

/* Feedback of TFRC, or what else the flow has to tell. */
static gboolean
poll_flow (TfrcMeter *self, TfrcReceiveOutput *output, TfrcTime now)
{
  while (tfrc_receive_flow_poll (&self->flow, output, now)) {
    if (output->kind != TFRC_RECEIVE_FEEDBACK)
      return TRUE;
    if (get_feedback_format (self) != GST_RTP_TFRC_FEEDBACK_TFRC)
      continue;
    output->n_ecn = tfrc_ecn_count_poll (&self->ecn, output->ecn, now);
    return TRUE;
  }
  return FALSE;
}

gboolean
tfrc_meter_poll (TfrcMeter *self, TfrcReceiveOutput *output, TfrcTime now)
{
  gboolean paid = now >= tfrc_source_address_next_report_at (&self->source);
  gboolean due = paid && poll_flow (self, output, now);

  note_losses (self, now);
  if (due || !paid)
    return due;
  output->arrivals = arrivals_poll (&self->arrivals, get_feedback_format (self),
      now);
  if (output->arrivals) {
    output->kind = TFRC_RECEIVE_ARRIVALS;
    return TRUE;
  }
  output->n_missing = tfrc_nacks_poll (&self->nacks, &output->ssrc,
      output->missing, now);
  if (output->n_missing > 0) {
    output->kind = TFRC_RECEIVE_NACK;
    return TRUE;
  }
  output->kind = TFRC_RECEIVE_KEY_FRAME_REQUEST;
  return self->asks
      && tfrc_key_requests_poll (&self->key_requests, &output->ssrc, now);
}

void
tfrc_meter_on_report (TfrcMeter *self, gsize size, TfrcTime now)
{
  tfrc_source_address_on_report (&self->source, size, now);
}

GSocketAddress *
tfrc_meter_get_source_address (const TfrcMeter *self)
{
  return self->source.address;
}

gboolean
tfrc_meter_has_stream (const TfrcMeter *self, guint32 ssrc)
{
  return tfrc_source_address_has_ssrc (&self->source, ssrc);
}

gboolean
tfrc_meter_knows_ssrc (const TfrcMeter *self, guint32 ssrc)
{
  return tfmcc_receive_flow_knows_ssrc (&self->flow.group, ssrc);
}

void
tfrc_meter_get_stats (const TfrcMeter *self, GstStructure *stats, TfrcTime now)
{
  const TfrcReceiveFlow *flow = &self->flow;

  tfrc_receive_flow_get_stats (flow, stats, now);
  tfrc_stats_set (stats, "feedback-format",
      tfrc_feedback_get_name (get_feedback_format (self)));
  tfrc_stats_set (stats, "packets-foreign",
      self->packets_foreign + flow->group.guard.counters.packets_foreign
          + flow->unicast.guarded.packets_foreign);
  tfrc_stats_set (stats, "packets-unproven", self->packets_unproven);
  tfrc_stats_set (stats, "streams-evicted", self->source.evicted);
  tfrc_stats_set (stats, "packets-malformed", self->packets_malformed);
  tfrc_stats_set (stats, "rtcp-malformed", self->rtcp_malformed);
  tfrc_stats_set (stats, "extensions-malformed", self->stamps.malformed);
  tfrc_stats_set (stats, "extensions-rejected", self->stamps.rejected);
  tfrc_stats_set (stats, "extension-id",
      tfrc_stamp_reader_get_id (&self->stamps));
  tfrc_stats_set (stats, "sr-requests-filtered", self->sr_requests_removed);
  tfrc_stats_set (stats, "ecn-not-ect", self->ecn.received[TFRC_ECN_NOT_ECT]);
  tfrc_stats_set (stats, "ecn-ect-0", self->ecn.received[TFRC_ECN_ECT_0]);
  tfrc_stats_set (stats, "ecn-ce", self->ecn.received[TFRC_ECN_CE]);
  tfrc_stats_set (stats, "key-frames", self->key_requests.key_frames);
  tfrc_stats_set (stats, "key-frame-requests", self->key_requests.requests);
  tfrc_stats_set (stats, "retransmissions-asked", self->nacks.asked);
  tfrc_stats_set (stats, "retransmissions-recovered", self->nacks.recovered);
  tfrc_stats_set (stats, "retransmissions-too-late", self->nacks.late);
}
