/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RTCP packets that rtptfrcreceive makes, as buffers: alone (reduced size, RFC
 * 5506) or behind an empty RR and an SDES (RFC 3550 section 6.1). */
#pragma once

#include <gst/gst.h>

#include "tfmcc-wire.h"
#include "common/enums.h"
#include "rtp/ecn.h"
#include "tfrc/packet.h"

/* On the wire around a report [bytes]. */
#define TFRC_REPORT_UDP_IPV4_SIZE 28

typedef struct
{
  gboolean reduced_size;
  guint32 ssrc; /* of the reporter */
  gchar *cname; /* owned, never NULL */
} TfrcReportFormat;

/* Its delays come behind it, and with `n_ecn` > 0 an XR packet with these. */
GstBuffer *tfrc_report_new_feedback (const TfrcReportFormat *format,
    const TfrcFeedback *feedback, const TfrcEcnSummary *ecn, gsize n_ecn);

/* The report's own SSRC is the reporter's. */
GstBuffer *tfrc_report_new_member_report (const TfrcReportFormat *format,
    const TfmccReport *report, const TfmccDiagnostics *diagnostics);

/* Arrivals, as CCFB or TWCC: the first *n_written of `packets`, those of a few hundred
 * numbers. */
GstBuffer *tfrc_report_new_arrivals (const TfrcReportFormat *format,
    GstRtpTfrcFeedback feedback_format, const TfrcArrivalReport *report,
    guint32 media_ssrc, const TfrcReportedPacket *packets, gsize n,
    gsize *n_written);

/* Picture loss indication for the stream `media_ssrc`. */
GstBuffer *tfrc_report_new_pli (const TfrcReportFormat *format,
    guint32 media_ssrc);

/* NACK for the stream `media_ssrc`. */
GstBuffer *tfrc_report_new_nack (const TfrcReportFormat *format,
    guint32 media_ssrc, const guint16 *seqs, guint n);

/* Sizes of a feedback packet with delays and of a member's report on the wire, UDP and IPv4
 * included [bytes]. */
guint tfrc_report_get_wire_size (const TfrcReportFormat *format);
guint tfrc_report_get_member_wire_size (const TfrcReportFormat *format);
