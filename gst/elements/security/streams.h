/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The SSRCs that srtpdec hears: the key of each, whether it is authentic, and
 * which roll-over counter it has, or is tried with.
 *
 * The receivers of a group report from an SSRC each, and a member can make up
 * more: of those the ones heard of last are remembered.  A report replayed after
 * its SSRC was forgotten authenticates again; that it is old shows in it.
 *
 * No locks: the owner has one. */
#pragma once

#include <gst/gst.h>

typedef struct
{
  guint32 ssrc;
  GstBuffer *key;     /* NULL = there was none */
  gboolean authentic; /* a packet has authenticated: key is right */
  guint32 roc;        /* on trial, or that of the stream */
  guint32 next_roc;   /* to try after 0 */
  gboolean proven;    /* an RTP packet has authenticated: so is roc */
  guint64 used;       /* authentic packets of all at its newest one */
} TfrcSrtpStream;

typedef struct
{
  GHashTable *table; /* SSRC -> TfrcSrtpStream */
  guint n_unknown;   /* of them: not authentic */
  guint64 n_packets; /* authentic ones, of all */
} TfrcSrtpStreams;

void tfrc_srtp_streams_init (TfrcSrtpStreams *self);
void tfrc_srtp_streams_clear (TfrcSrtpStreams *self);

/* NULL: it is not known. */
TfrcSrtpStream *tfrc_srtp_streams_find (const TfrcSrtpStreams *self,
    guint32 ssrc);

/* The SSRC, new if it is not known.  The SSRCs (guint32) that make room for it
 * are appended to `forgotten`; srtpdec is to forget them too. */
TfrcSrtpStream *tfrc_srtp_streams_find_or_add (TfrcSrtpStreams *self,
    guint32 ssrc, GArray *forgotten);

/* A packet has authenticated.  TRUE: it is the first one of its SSRC. */
gboolean tfrc_srtp_streams_on_authentic (TfrcSrtpStreams *self, guint32 ssrc,
    gboolean rtcp);

/* The roll-over counters of an SSRC that is not proven: 0, and then on from
 * where the last trial ended. */
void tfrc_srtp_stream_begin_trial (TfrcSrtpStream *self);
void tfrc_srtp_stream_try_next (TfrcSrtpStream *self);
