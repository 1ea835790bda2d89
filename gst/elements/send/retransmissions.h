/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets that the receiver asks for again, by the numbers under which they left,
 * where an rtprtxsend in front of us repeats them, which knows them by the numbers
 * that they had before something was dropped (RFC 4588 section 4: the original
 * sequence number, OSN). */
#pragma once

#include <gst/gst.h>

#include "base/time.h"

G_BEGIN_DECLS

/* More are not asked for within a round trip. */
#define TFRC_RETRANSMISSIONS_MAX 256

typedef struct
{
  guint32 ssrc;     /* of the packet, not of its repetition */
  guint16 left;     /* its number as the receiver knows it */
  guint16 original; /* as upstream does */
  TfrcTime asked_at;
} TfrcRetransmission;

typedef struct
{
  TfrcRetransmission items[TFRC_RETRANSMISSIONS_MAX]; /* a ring */
  guint64 asked;                                      /* of those in all */
  guint64 early; /* requests that were not noted */
} TfrcRetransmissions;

void tfrc_retransmissions_init (TfrcRetransmissions *self);

/* Notes a request.  FALSE: the packet was asked for less than `interval` before,
 * and what answers that is on its way. */
gboolean tfrc_retransmissions_on_request (TfrcRetransmissions *self,
    const TfrcRetransmission *request, TfrcDuration interval);

/* The request that a repetition of this original number answers, the newest; NULL:
 * none. */
const TfrcRetransmission *
tfrc_retransmissions_find (const TfrcRetransmissions *self, guint16 original);

/* Sets the fields of the counters. */
void tfrc_retransmissions_set_stats (const TfrcRetransmissions *self,
    GstStructure *stats);

G_END_DECLS
