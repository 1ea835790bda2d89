/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packages feedback, reports and PLI. */

#include "receive/report.h"

#include "receive/nacks.h"
#include "tfrc-wire-ccfb.h"
#include "tfrc-wire-delay.h"
#include "tfrc-wire-rtcp.h"
#include "tfrc-wire-feedback.h"
#include "tfrc-wire-twcc.h"

/* For a path of 1280 bytes (RFC 8200 section 5); more are told in another report. */
#define ARRIVALS_MAX 1200

static gsize
write_prefix (const TfrcReportFormat *format, guint8 *data, gsize size)
{
  if (format->reduced_size)
    return 0;
  return tfrc_wire_write_prefix (data, size, format->ssrc, format->cname);
}

static guint
get_wire_size (const TfrcReportFormat *format, guint size)
{
  guint8 data[TFRC_WIRE_PREFIX_MAX];

  return TFRC_REPORT_UDP_IPV4_SIZE + size
      + (guint) write_prefix (format, data, sizeof (data));
}

GstBuffer *
tfrc_report_new_feedback (const TfrcReportFormat *format,
    const TfrcFeedback *feedback, const TfrcEcnSummary *ecn, gsize n_ecn)
{
  guint8 data[TFRC_WIRE_PREFIX_MAX + TFRC_WIRE_FEEDBACK_SIZE
      + TFRC_WIRE_DELAY_SIZE + TFRC_WIRE_ECN_MAX];
  gsize size = write_prefix (format, data, TFRC_WIRE_PREFIX_MAX);

  tfrc_wire_write_feedback (data + size, feedback, format->ssrc);
  size += TFRC_WIRE_FEEDBACK_SIZE;
  if (feedback->has_delay) {
    TfrcDelayReport delay = feedback->delay;

    delay.ends_padding = true; /* receive/gstrtptfrcreceive.c */
    tfrc_wire_write_delay (data + size, &delay, format->ssrc);
    size += TFRC_WIRE_DELAY_SIZE;
  }
  size += tfrc_wire_write_ecn (data + size, ecn, n_ecn, format->ssrc);
  return gst_buffer_new_memdup (data, size);
}

GstBuffer *
tfrc_report_new_member_report (const TfrcReportFormat *format,
    const TfmccReport *report, const TfmccDiagnostics *diagnostics)
{
  guint8 data[TFRC_WIRE_PREFIX_MAX + TFMCC_WIRE_REPORT_MAX];
  gsize prefix_size = write_prefix (format, data, TFRC_WIRE_PREFIX_MAX);
  gsize size = tfmcc_wire_write_report (data + prefix_size, report,
      diagnostics);

  return gst_buffer_new_memdup (data, prefix_size + size);
}

GstBuffer *
tfrc_report_new_arrivals (const TfrcReportFormat *format,
    GstRtpTfrcFeedback feedback_format, const TfrcArrivalReport *report,
    guint32 media_ssrc, const TfrcReportedPacket *packets, gsize n,
    gsize *n_written)
{
  guint8 data[TFRC_WIRE_PREFIX_MAX + ARRIVALS_MAX];
  gsize size = write_prefix (format, data, TFRC_WIRE_PREFIX_MAX);

  if (feedback_format == GST_RTP_TFRC_FEEDBACK_CCFB)
    size += tfrc_wire_write_ccfb (data + size, ARRIVALS_MAX, report, packets, n,
        n_written);
  else
    size += tfrc_wire_write_twcc (data + size, ARRIVALS_MAX, report, media_ssrc,
        packets, n, n_written);
  return gst_buffer_new_memdup (data, size);
}

GstBuffer *
tfrc_report_new_pli (const TfrcReportFormat *format, guint32 media_ssrc)
{
  guint8 data[TFRC_WIRE_PREFIX_MAX + TFRC_WIRE_PLI_SIZE];
  gsize prefix_size = write_prefix (format, data, TFRC_WIRE_PREFIX_MAX);

  tfrc_wire_write_pli (data + prefix_size, format->ssrc, media_ssrc);
  return gst_buffer_new_memdup (data, prefix_size + TFRC_WIRE_PLI_SIZE);
}

GstBuffer *
tfrc_report_new_nack (const TfrcReportFormat *format, guint32 media_ssrc,
    const guint16 *seqs, guint n)
{
  guint8 data[TFRC_WIRE_PREFIX_MAX + TFRC_WIRE_NACK_SIZE (TFRC_NACKS_MAX)];
  gsize size = write_prefix (format, data, TFRC_WIRE_PREFIX_MAX);

  size += tfrc_wire_write_nack (data + size, format->ssrc, media_ssrc, seqs, n);
  return gst_buffer_new_memdup (data, size);
}

guint
tfrc_report_get_wire_size (const TfrcReportFormat *format)
{
  return get_wire_size (format, TFRC_WIRE_FEEDBACK_SIZE + TFRC_WIRE_DELAY_SIZE);
}

guint
tfrc_report_get_member_wire_size (const TfrcReportFormat *format)
{
  return get_wire_size (format, TFMCC_WIRE_REPORT_MAX);
}
