/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets that the receiver asks for again, by the numbers under which they left,
 * where an rtprtxsend in front of us repeats them, which knows them by the numbers
 * that they had before something was dropped (RFC 4588 section 4: the original
 * sequence number, OSN). */
#pragma once

#include <gst/gst.h>

#include "base/time.h"

/* More are not asked for within a round trip. */
#define TFRC_UPSTREAM_REQUESTS_MAX 256

typedef struct
{
  guint32 ssrc;     /* of the packet, not of its repetition */
  guint16 left;     /* its number as the receiver knows it */
  guint16 original; /* as upstream does */
  TfrcTime asked_at;
} TfrcUpstreamRequest;

typedef struct
{
  TfrcUpstreamRequest items[TFRC_UPSTREAM_REQUESTS_MAX]; /* a ring */
  guint64 asked;                                         /* of those in all */
  guint64 early; /* requests that were not noted */
} TfrcUpstreamRequests;

/* Notes a request.  FALSE: the packet was asked for less than `interval` before,
 * and what answers that is on its way. */
gboolean tfrc_upstream_requests_on_request (TfrcUpstreamRequests *self,
    const TfrcUpstreamRequest *request, TfrcDuration interval);

/* The request that a repetition of this original number answers, the newest; NULL:
 * none. */
const TfrcUpstreamRequest *
tfrc_upstream_requests_find (const TfrcUpstreamRequests *self,
    guint16 original);

/* Sets the fields of the counters. */
void tfrc_upstream_requests_set_stats (const TfrcUpstreamRequests *self,
    GstStructure *stats);
