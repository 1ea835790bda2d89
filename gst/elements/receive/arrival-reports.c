/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "receive/arrival-reports.h"

#include "common/extmap.h"
#include "receive/report.h"
#include "tfrc-wire-twcc.h"

/* a=rtcp-fb:<pt> transport-cc and ack ccfb, as GStreamer maps SDP to caps. */
#define TWCC_FIELD "rtcp-fb-transport-cc"
#define CCFB_FIELD "rtcp-fb-ack-ccfb"

/* Packets in a report; more go into another one. */
#define MAX_PACKETS TFRC_ARRIVAL_LOG_LENGTH

#define ONE_BYTE_MAX_ID 14 /* RFC 8285 section 4.2 */

void
tfrc_arrival_reports_start (TfrcArrivalReports *self,
    const TfrcReceiveSettings *settings)
{
  tfrc_arrival_reports_clear (self);
  *self = (TfrcArrivalReports) { .settings = settings };
}

void
tfrc_arrival_reports_clear (TfrcArrivalReports *self)
{
  g_clear_pointer (&self->log, g_free);
}

void
tfrc_arrival_reports_update (TfrcArrivalReports *self)
{
  if (self->log)
    self->log->config = tfrc_receive_settings_get_log_config (self->settings);
}

void
tfrc_arrival_reports_forget (TfrcArrivalReports *self)
{
  if (self->log)
    tfrc_arrival_log_forget (self->log);
}

void
tfrc_arrival_reports_set_caps (TfrcArrivalReports *self, const GstCaps *caps)
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

GstRtpTfrcFeedback
tfrc_arrival_reports_get_format (const TfrcArrivalReports *self,
    gboolean stamped)
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
set_format (TfrcArrivalReports *self, GstRtpTfrcFeedback format)
{
  if (self->format != format)
    tfrc_arrival_reports_forget (self);
  self->format = format;
}

/* FALSE: it has none. */
static gboolean
read_transport_number (const TfrcArrivalReports *self, GstRTPBuffer *rtp,
    guint16 *number)
{
  guint8 id = (guint8) self->transport_id, bits;
  gboolean found = FALSE;
  gpointer data;
  guint size;

  if (id > 0 && id <= ONE_BYTE_MAX_ID)
    found = gst_rtp_buffer_get_extension_onebyte_header (rtp, id, 0, &data,
        &size);
  if (id > 0 && !found)
    found = gst_rtp_buffer_get_extension_twobytes_header (rtp, &bits, id, 0,
        &data, &size);
  if (!found || size != sizeof (*number))
    return FALSE;
  *number = GST_READ_UINT16_BE (data);
  return TRUE;
}

void
tfrc_arrival_reports_on_packet (TfrcArrivalReports *self, GstRTPBuffer *rtp,
    guint size, guint8 ecn, GstRtpTfrcFeedback format, TfrcTime now)
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

TfrcTime
tfrc_arrival_reports_next_deadline (const TfrcArrivalReports *self)
{
  return self->log ? tfrc_arrival_log_next_deadline (self->log)
                   : TFRC_TIME_NONE;
}

GstBuffer *
tfrc_arrival_reports_poll (TfrcArrivalReports *self, GstRtpTfrcFeedback format,
    TfrcTime now)
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
  if (tfrc_arrival_reports_next_deadline (self) > now)
    return NULL;
  n = tfrc_arrival_log_peek (self->log, packets, MAX_PACKETS, now);
  buffer = tfrc_report_new_arrivals (report_format, format, &report,
      self->media_ssrc, packets, n, &n_written);
  self->count++;
  tfrc_arrival_log_on_reported (self->log, packets, n_written,
      TFRC_REPORT_UDP_IPV4_SIZE + (guint) gst_buffer_get_size (buffer), now);
  return buffer;
}
