/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reports of arrivals for senders that are none of ours: congestion control feedback
 * (RFC 8888), or transport-wide feedback; whether, which, and when.
 *
 * No clock, no locks: the owner has both. */
#pragma once

#include <gst/rtp/rtp.h>

#include "common/feedback.h"
#include "receive/settings.h"
#include "tfrc/arrival-log.h"

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
} TfrcArrivalReports;

/* `settings` outlive this. */
void tfrc_arrival_reports_start (TfrcArrivalReports *self,
    const TfrcReceiveSettings *settings);
void tfrc_arrival_reports_clear (TfrcArrivalReports *self);

/* Takes the settings that may change at any time. */
void tfrc_arrival_reports_update (TfrcArrivalReports *self);

/* Forgets the arrivals. */
void tfrc_arrival_reports_forget (TfrcArrivalReports *self);

/* What caps of the packets say ("extmap-N", "rtcp-fb-..."); NULL = nothing. */
void tfrc_arrival_reports_set_caps (TfrcArrivalReports *self,
    const GstCaps *caps);

/* What is reported: never AUTO.  `stamped`: packets of the flow have stamps of ours. */
GstRtpTfrcFeedback
tfrc_arrival_reports_get_format (const TfrcArrivalReports *self,
    gboolean stamped);

/* A packet that is to be reported.  `ecn`: 0 where that is not known. */
void tfrc_arrival_reports_on_packet (TfrcArrivalReports *self,
    GstRTPBuffer *rtp, guint size, guint8 ecn, GstRtpTfrcFeedback format,
    TfrcTime now);

/* TFRC_TIME_NONE: nothing to report.  At or before now: call
 * tfrc_arrival_reports_poll until it returns NULL. */
TfrcTime tfrc_arrival_reports_next_deadline (const TfrcArrivalReports *self);
GstBuffer *tfrc_arrival_reports_poll (TfrcArrivalReports *self,
    GstRtpTfrcFeedback format, TfrcTime now);
