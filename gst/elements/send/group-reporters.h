/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Who reports to the sender of a group, who of them is too slow for it, and whom an
 * application does not want to hear.  No lock. */
#pragma once

#include <gst/gst.h>

#include "base/time.h"
#include "tfmcc/packet.h"

/* The newest; of a large group few report. */
#define TFMCC_REPORTERS_MAX 32
#define TFMCC_EXCLUDED_MAX 64
/* "[IPv6%scope]:port", or an IPv4 address. */
#define TFMCC_ADDRESS_SIZE 80

typedef struct
{
  guint32 ssrc;
  gchar address[TFMCC_ADDRESS_SIZE]; /* "": not known */
  TfrcRate rate;                     /* X_r of its newest report [bytes/s] */
  TfrcDuration rtt;                  /* by it */
  TfrcTime reported_at;
  TfrcTime slow_since; /* TFRC_TIME_NONE: it takes the least that is sent */
  gboolean told;       /* that it is slow */
} TfmccReporter;

typedef struct
{
  TfmccReporter reporters[TFMCC_REPORTERS_MAX]; /* the newest first */
  guint n_reporters;
  guint32 excluded[TFMCC_EXCLUDED_MAX];
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
} TfmccSlowReceiver;

/* A report that was believed, from `address` (NULL: not known); nobody is served with
 * less than `least_rate` [bytes/s]. */
void tfmcc_reporters_on_report (TfmccReporters *self, const TfmccReport *report,
    TfrcDuration rtt, const gchar *address, TfrcRate least_rate, TfrcTime now);

/* A receiver that has been too slow for 10 s, once; FALSE: none more. */
gboolean tfmcc_reporters_poll_slow (TfmccReporters *self, TfrcRate least_rate,
    TfmccSlowReceiver *slow, TfrcTime now);

/* FALSE: there are too many already. */
gboolean tfmcc_reporters_exclude (TfmccReporters *self, guint32 ssrc);

/* FALSE: it is not excluded. */
gboolean tfmcc_reporters_admit (TfmccReporters *self, guint32 ssrc);

gboolean tfmcc_reporters_is_excluded (const TfmccReporters *self, guint32 ssrc);

void tfmcc_reporters_set_stats (const TfmccReporters *self, GstStructure *stats,
    TfrcTime now);
