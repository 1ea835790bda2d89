/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sender of a multicast group: the TFMCC sender (RFC 4654), the receivers that report
 * to it, and the messages that an application gets about both.  No lock, no clock: the
 * pacer's lock is held, and `now` is the system clock's time. */
#pragma once

#include <gst/gst.h>

#include "base/units.h"
#include "base/trace.h"
#include "checks/reception-reports.h"
#include "checks/tfmcc-reports.h"
#include "send/extension-writer.h"
#include "tfmcc/packet.h"

/* The receivers that report to the sender of a group: which of them are too slow for the
 * group, and which ones the application has excluded. */

/* The receivers that reported most recently; in a large group few report. */
#define TFMCC_REPORTERS_MAX 32
#define TFMCC_EXCLUDED_MAX 64
/* Room for "[IPv6%scope]:port" or "IPv4:port". */
#define TFMCC_ADDRESS_SIZE 80
/* Room for the longest IPv6 address. */
#define TFMCC_HOST_SIZE 46

typedef struct
{
  guint32 ssrc;
  gchar address[TFMCC_ADDRESS_SIZE]; /* "" = not known */
  TfrcRate rate;                     /* X_r of its newest report [bytes/s] */
  TfrcDuration rtt;                  /* its RTT, by that report */
  /* p, by that report; 0 = the report has none */
  gdouble loss_event_rate;
  TfrcTime reported_at;
  /* since when it is too slow, moved forward by the time that it was fast enough;
   * TFRC_TIME_NONE = it can receive the least rate of the group */
  TfrcTime slow_since;
  gboolean posted;  /* was reported as slow to the application */
  gboolean rr_only; /* sends RTCP reception reports only (RFC 3550), ... */
  gboolean limits;  /* ... and the group's rate follows them, too */
} TfmccReporter;

typedef struct
{
  TfmccReporter reporters[TFMCC_REPORTERS_MAX]; /* newest report first */
  guint n_reporters;
  TfmccReporter gone; /* a slow receiver that announced to leave */
  /* IP addresses, or "#" and an SSRC in hexadecimal */
  gchar excluded[TFMCC_EXCLUDED_MAX][TFMCC_HOST_SIZE];
  guint n_excluded;
  guint64 reports_excluded; /* reports of excluded receivers, dropped */
} TfmccReporters;

/* A report came from `address` (NULL = not known) and was accepted.  `loss_event_rate`:
 * p, or 0; `least_rate` [bytes/s]: a receiver that can receive less is too slow. */
void tfmcc_reporters_on_report (TfmccReporters *self, const TfmccReport *report,
    gdouble loss_event_rate, TfrcDuration rtt, const gchar *address,
    TfrcRate least_rate, TfrcTime now);

/* RTT of that receiver; 0 = not known. */
TfrcDuration tfmcc_reporters_get_rtt (const TfmccReporters *self, guint32 ssrc);

/* The largest p that was reported in the last 10 s; 0 if it is below one in a thousand. */
gdouble tfmcc_reporters_get_loss_event_rate (const TfmccReporters *self,
    TfrcTime now);

/* The `n` report blocks of one packet of regular RTCP, while `rate` is sent [bytes/s].
 * They are ignored if that receiver sends TFMCC reports, too.  Else the receiver is too
 * slow where it loses a twentieth of the packets.  TRUE: the receiver sends no other
 * reports, and is one of the first eight of that kind, which the group's rate follows. */
gboolean tfmcc_reporters_on_blocks (TfmccReporters *self,
    const RtpReportBlock *blocks, guint n, const gchar *address, TfrcRate rate,
    TfrcTime now);

/* A BYE in regular RTCP.  A receiver that sends TFMCC reports announces in one of them
 * that it leaves. */
void tfmcc_reporters_on_bye (TfmccReporters *self, guint32 ssrc);

/* A receiver that has been too slow for 10 s, each once.  NULL: no other. */
const TfmccReporter *tfmcc_reporters_poll_slow (TfmccReporters *self);

/* Excludes the receiver with that SSRC or, unless `address` is NULL, all at that IP
 * address, of which a port is ignored.  FALSE: the list is full, or it is no IP address. */
gboolean tfmcc_reporters_exclude (TfmccReporters *self, guint32 ssrc,
    const gchar *address);

/* Takes back tfmcc_reporters_exclude ().  FALSE: it was not excluded. */
gboolean tfmcc_reporters_admit (TfmccReporters *self, guint32 ssrc,
    const gchar *address);

/* `address`: source address of the report, NULL = not known. */
gboolean tfmcc_reporters_is_excluded (const TfmccReporters *self, guint32 ssrc,
    const gchar *address);

void tfmcc_reporters_set_stats (const TfmccReporters *self, GstStructure *stats,
    TfrcTime now);

/* A flow to a group: the TFMCC sender, and the messages about its current limiting
 * receiver (CLR).  Rates are in bytes/s. */

/* Changes of the CLR that wait to be posted.  When there are more, the newest replaces
 * the one before it, and names that one's previous CLR as its own. */
#define TFMCC_SEND_FLOW_MAX_MESSAGES 8

typedef struct
{
  guint32 ssrc;          /* 0 = none */
  guint32 previous_ssrc; /* 0 = none */
  TfrcRate rate;         /* of `ssrc`; X if there is none */
  /* of `ssrc`; 0 = there is none */
  TfrcDuration rtt;
  const gchar *reason; /* static string; see "tfmcc-clr" in the docs */
} TfmccClrMessage;

typedef struct
{
  TfmccSender sender;
  TfmccReportCheck check; /* filters the reports to it */
  TfmccReporters reporters;
  /* of receivers that send reception reports only */
  TfrcReceptionReports reception;
  gboolean follows_rr; /* X follows `reception`, too; default FALSE */
  TfmccClrMessage messages[TFMCC_SEND_FLOW_MAX_MESSAGES]; /* oldest first */
  guint n_messages;
  guint32 posted_ssrc; /* CLR of the newest message; 0 = none */
} TfmccSendFlow;

void tfmcc_send_flow_init (TfmccSendFlow *self,
    const TfmccSenderConfig *config);

/* A packet of `size` bytes leaves at `now`; sets `extension` to the header extension that
 * it needs.  `backlog`: more packets wait. */
void tfmcc_send_flow_charge (TfmccSendFlow *self, guint size, gboolean backlog,
    TfrcExtensionBytes *extension, TfrcTime now);

/* A report came from `address` (NULL = not known).  `loss_event_rate`: p, or 0.
 * TFRC_STALE: the receiver is excluded, or the report was refused as stale. */
TfrcResult tfmcc_send_flow_on_report (TfmccSendFlow *self,
    const TfmccReport *report, gdouble loss_event_rate, const gchar *address,
    TfrcTime now);

/* Excludes a receiver as tfmcc_reporters_exclude () does, and chooses another CLR if it
 * was that.  tfmcc_reporters_admit () takes it back. */
gboolean tfmcc_send_flow_exclude (TfmccSendFlow *self, guint32 ssrc,
    const gchar *address, TfrcTime now);

/* Ends rounds and runs timeouts.  Also raises X, so call it before reading the pacing
 * rate. */
void tfmcc_send_flow_on_deadline (TfmccSendFlow *self, TfrcTime now);

/* The `n` report blocks of one member's regular RTCP: see tfmcc_reporters_on_blocks.
 * `packets`: the log of packets sent; `ntp`: the present time as the middle 32 bits of an
 * NTP timestamp (RFC 3550 section 4).  TRUE: the rate follows such reports alone, as
 * nobody sends TFMCC reports. */
gboolean tfmcc_send_flow_on_blocks (TfmccSendFlow *self,
    const RtpReportBlock *blocks, guint n, const gchar *address,
    const TfrcSenderBased *packets, guint32 ntp, TfrcTime now);

void tfmcc_send_flow_on_bye (TfmccSendFlow *self, guint32 ssrc);

/* Return "tfmcc-clr" for the next change of the CLR, and "tfmcc-slow-receiver" for the
 * next slow receiver, to be posted; NULL = none.  The caller owns it. */
GstStructure *tfmcc_send_flow_poll_clr_message (TfmccSendFlow *self);
GstStructure *tfmcc_send_flow_poll_slow_message (TfmccSendFlow *self,
    TfrcTime now);

/* Sets those fields of TFRC's trace that have a meaning in TFMCC; the others are 0. */
void tfmcc_send_flow_get_trace (const TfmccSendFlow *self, TfrcTrace *trace,
    TfrcTime now);

void tfmcc_send_flow_set_stats (const TfmccSendFlow *self, GstStructure *stats,
    TfrcTime now);
