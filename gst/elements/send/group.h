/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender of a group: that of TFMCC (RFC 4654), who reports to it, and what an
 * application hears of both.  No lock, no clock. */
#pragma once

#include <gst/gst.h>

#include "base/units.h"
#include "base/trace.h"
#include "checks/reception-reports.h"
#include "checks/tfmcc-reports.h"
#include "send/extension-writer.h"
#include "tfmcc/packet.h"

/* Who reports to the sender of a group, who of them is too slow for it, and whom an
 * application does not want to hear.  No lock. */

/* The newest; of a large group few report. */
#define TFMCC_REPORTERS_MAX 32
#define TFMCC_EXCLUDED_MAX 64
/* "[IPv6%scope]:port", or an IPv4 address. */
#define TFMCC_ADDRESS_SIZE 80
/* The longest IPv6 address. */
#define TFMCC_HOST_SIZE 46

typedef struct
{
  guint32 ssrc;
  gchar address[TFMCC_ADDRESS_SIZE]; /* "": not known */
  TfrcRate rate;                     /* X_r of its newest report [bytes/s] */
  TfrcDuration rtt;                  /* by it */
  gdouble loss_event_rate;           /* by it; 0: it says none */
  TfrcTime reported_at;
  TfrcTime
      slow_since;  /* less what was made up for; TFRC_TIME_NONE: it takes the
                        * least that is sent */
  gboolean posted; /* that it is slow */
  gboolean plain;  /* reports by RTCP alone (RFC 3550), ... */
  gboolean limits; /* ... and the rate goes by it */
} TfmccReporter;

typedef struct
{
  guint32 ssrc;
  gchar host[TFMCC_HOST_SIZE]; /* "": it is the SSRC */
} TfmccExcluded;

typedef struct
{
  TfmccReporter reporters[TFMCC_REPORTERS_MAX]; /* the newest first */
  guint n_reporters;
  TfmccReporter gone; /* was slow, and said that it leaves */
  TfmccExcluded excluded[TFMCC_EXCLUDED_MAX];
  guint n_excluded;
  guint64 reports_excluded; /* of these, dropped */
} TfmccReporters;

/* What "tfmcc-slow-receiver" tells. */
typedef struct
{
  guint32 ssrc;
  gchar address[TFMCC_ADDRESS_SIZE];
  TfrcRate rate, least_rate; /* [bytes/s] */
  TfrcDuration slow_for;
  gboolean plain;
} TfmccSlowReceiver;

/* A report that was believed, from `address` (NULL: not known), with p or 0; nobody is
 * served with less than `least_rate` [bytes/s]. */
void tfmcc_reporters_on_report (TfmccReporters *self, const TfmccReport *report,
    gdouble loss_event_rate, TfrcDuration rtt, const gchar *address,
    TfrcRate least_rate, TfrcTime now);

/* The largest p of who reported in the last 10 s; 0: nobody lost one packet in a
 * thousand. */
gdouble tfmcc_reporters_get_loss_event_rate (const TfmccReporters *self,
    TfrcTime now);

/* The `n` blocks of one packet of regular RTCP, while `rate` is sent [bytes/s]: of
 * who reports otherwise they say nothing, and who has no other reports is slow where
 * it loses a twentieth.  TRUE: it is one of the first eight of those that have none
 * and are there, by which the rate goes. */
gboolean tfmcc_reporters_on_blocks (TfmccReporters *self,
    const RtpReportBlock *blocks, guint n, const gchar *address, TfrcRate rate,
    TfrcTime now);

/* Of regular RTCP: members that report otherwise say in a report that they leave. */
void tfmcc_reporters_on_bye (TfmccReporters *self, guint32 ssrc);

/* A receiver that has been too slow for 10 s, once; FALSE: none more. */
gboolean tfmcc_reporters_poll_slow (TfmccReporters *self, TfrcRate least_rate,
    TfmccSlowReceiver *slow, TfrcTime now);

/* That SSRC, or whoever is at that address with a port or without, unless it is NULL.
 * FALSE: there are too many already, or it is no IP address. */
gboolean tfmcc_reporters_exclude (TfmccReporters *self, guint32 ssrc,
    const gchar *address);

/* FALSE: it is not excluded. */
gboolean tfmcc_reporters_admit (TfmccReporters *self, guint32 ssrc,
    const gchar *address);

/* `address`: whence it comes, NULL = not known. */
gboolean tfmcc_reporters_is_excluded (const TfmccReporters *self, guint32 ssrc,
    const gchar *address);

void tfmcc_reporters_set_stats (const TfmccReporters *self, GstStructure *stats,
    TfrcTime now);

/* A flow to a group: TFMCC's sender, the rate that an encoder may follow, and
 * what an application hears of the limiting receiver (CLR).  No lock.  Rates
 * are bytes/s. */

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
  TfmccReportCheck check; /* in front of it */
  TfmccReporters reporters;
  TfrcReceptionReports plain; /* of those that report by RTCP alone */
  gboolean heeds_plain;       /* X goes by them, too; default FALSE */
  TfmccClrNews news[TFMCC_SEND_FLOW_MAX_NEWS]; /* oldest first */
  guint n_news;
  guint32 posted_ssrc; /* the CLR of the newest news; 0 = none */
} TfmccSendFlow;

void tfmcc_send_flow_init (TfmccSendFlow *self,
    const TfmccSenderConfig *config);

/* A packet of `size` bytes leaves.  `backlog`: more is waiting. */
void tfmcc_send_flow_charge (TfmccSendFlow *self, guint size, gboolean backlog,
    TfrcExtensionBytes *extension, TfrcTime now);

/* With p or 0; `address`: whence it came, NULL = not known.  TFRC_STALE: nobody listens to it. */
TfrcResult tfmcc_send_flow_on_report (TfmccSendFlow *self,
    const TfmccReport *report, gdouble loss_event_rate, const gchar *address,
    TfrcTime now);

/* Listens no longer to whom tfmcc_reporters_exclude () names, until
 * tfmcc_reporters_admit (). */
gboolean tfmcc_send_flow_exclude (TfmccSendFlow *self, guint32 ssrc,
    const gchar *address, TfrcTime now);

/* Rounds and timeouts; also lets X rise, so call it before the pace is read. */
void tfmcc_send_flow_on_deadline (TfmccSendFlow *self, TfrcTime now);

/* The `n` blocks of one member's regular RTCP: see tfmcc_reporters_on_blocks; `ntp`:
 * the middle 32 bits (RFC 3550 section 4) of now, where `packets` says what left.  TRUE: the rate
 * goes by it alone, as nobody reports as TFMCC has it. */
gboolean tfmcc_send_flow_on_blocks (TfmccSendFlow *self,
    const RtpReportBlock *blocks, guint n, const gchar *address,
    const TfrcSenderBased *packets, guint32 ntp, TfrcTime now);

/* Who has this SSRC is gone. */
void tfmcc_send_flow_on_bye (TfmccSendFlow *self, guint32 ssrc);

/* "tfmcc-clr", the next change of the CLR, which is to be posted; NULL: none. */
GstStructure *tfmcc_send_flow_poll_news (TfmccSendFlow *self);

/* What of TFRC's samples has a meaning here; the rest is 0. */
void tfmcc_send_flow_get_trace (const TfmccSendFlow *self, TfrcTrace *trace,
    TfrcTime now);

/* Sets the fields that only TFMCC has. */
void tfmcc_send_flow_set_stats (const TfmccSendFlow *self, GstStructure *stats,
    TfrcTime now);
