/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A flow to a group: TFMCC's sender, the rate that an encoder may follow, and
 * what an application hears of the limiting receiver (CLR).  No lock.  Rates
 * are bytes/s. */
#pragma once

#include <gst/gst.h>

#include "guard/report-guard.h"
#include "base/trace.h"
#include "send/group-reporters.h"
#include "send/stamper.h"

/* Changes of the CLR that wait to be told.  Of more the newest one stands for
 * the rest: it names the one that was told before as the previous one. */
#define TFMCC_SEND_FLOW_MAX_NEWS 8

typedef struct
{
  guint32 ssrc;          /* 0 = none */
  guint32 previous_ssrc; /* 0 = none */
  TfrcRate rate;         /* of `ssrc`; without one X */
  TfrcDuration rtt;      /* of `ssrc`; 0 = none */
  const gchar *reason;   /* static; see the docs of "tfmcc-clr" */
} TfmccClrNews;

typedef struct
{
  TfmccSender sender;
  TfmccReportGuard guard; /* in front of it */
  TfmccReporters reporters;
  TfmccClrNews news[TFMCC_SEND_FLOW_MAX_NEWS]; /* oldest first */
  guint n_news;
  guint32 told_ssrc;       /* the CLR of the newest news; 0 = none */
  gdouble loss_event_rate; /* p of the CLRs, a mean over a second */
  TfrcTime lost_at; /* newest report that has one; TFRC_TIME_NONE = none */
} TfmccSendFlow;

void tfmcc_send_flow_init (TfmccSendFlow *self,
    const TfmccSenderConfig *config);

/* A packet of `size` bytes leaves.  `backlog`: more is waiting. */
void tfmcc_send_flow_charge (TfmccSendFlow *self, guint size, gboolean backlog,
    TfrcStampBytes *stamp, TfrcTime now);

/* `address`: whence it came; NULL = not known.  TFRC_STALE: nobody listens to it. */
TfrcResult tfmcc_send_flow_on_report (TfmccSendFlow *self,
    const TfmccReport *report, const gchar *address, TfrcTime now);

/* Listens to that receiver no longer, until tfmcc_reporters_admit ().  FALSE: too
 * many are excluded. */
gboolean tfmcc_send_flow_exclude (TfmccSendFlow *self, guint32 ssrc,
    TfrcTime now);

/* Of rounds and timeouts, and 0 while there are news. */
TfrcTime tfmcc_send_flow_next_deadline (const TfmccSendFlow *self);

/* Rounds and timeouts; also lets X rise, so call it before the pace is read. */
void tfmcc_send_flow_on_deadline (TfmccSendFlow *self, TfrcTime now);

/* There is a receiver that is followed. */
gboolean tfmcc_send_flow_has_receiver (const TfmccSendFlow *self);

/* The rate that an encoder may follow: X itself, from the start.  It rises along
 * a slope, and where it falls at once all that an encoder makes above it becomes
 * a queue; and the first report may be seconds away, while next to nothing
 * leaves. */
TfrcRate tfmcc_send_flow_get_encoder_rate (const TfmccSendFlow *self,
    TfrcTime now);

/* The next change of the CLR; FALSE: none. */
gboolean tfmcc_send_flow_poll_news (TfmccSendFlow *self, TfmccClrNews *news);

/* What of TFRC's samples has a meaning here; the rest is 0. */
void tfmcc_send_flow_get_trace (const TfmccSendFlow *self, TfrcTrace *trace,
    TfrcTime now);

/* Sets the fields that only TFMCC has. */
void tfmcc_send_flow_set_stats (const TfmccSendFlow *self, GstStructure *stats,
    TfrcTime now);
