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
  guint32 first_roc;  /* of this trial */
  guint32 next_roc;   /* to try after it */
  gboolean proven; /* an RTP packet has authenticated in this run: so is roc */
  guint64 used;    /* authentic packets of all at its newest one */
  gint64 highest[2];     /* authentic index, of RTP and of RTCP; -1 = none */
  gint64 floor[2];       /* what is not above was sent in an earlier run */
  GstClockTime good_at;  /* newest authentic packet of the run, or NONE */
  GstClockTime asked_at; /* for another key in the run, or NONE */
  gboolean given;        /* srtpdec has the key, and this counter: ... */
  guint32 given_roc;
  gboolean counted; /* an RTP packet has authenticated since: srtpdec counts */
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
 * are appended to `forgotten` where srtpdec has them: it is to forget them. */
TfrcSrtpStream *tfrc_srtp_streams_find_or_add (TfrcSrtpStreams *self,
    guint32 ssrc, GArray *forgotten);

/* A packet with that index has authenticated.  TRUE: it is the first one of its
 * SSRC with its key. */
gboolean tfrc_srtp_streams_on_authentic (TfrcSrtpStreams *self, guint32 ssrc,
    gboolean rtcp, gint64 index, GstClockTime now);

/* srtpdec has forgotten all: what has been sent so far comes from an earlier
 * run, however long ago that was. */
void tfrc_srtp_streams_begin_run (TfrcSrtpStreams *self);
/* The same for one of them. */
void tfrc_srtp_stream_begin_run (TfrcSrtpStream *self);

/* Whether a packet that did not authenticate is reason to ask for the key again:
 * of an SSRC that is known and has been silent for a second, once a second. */
gboolean tfrc_srtp_stream_wants_key (TfrcSrtpStream *self, GstClockTime now);

/* The answer.  With another key nothing is known of the stream; with the same
 * one the roll-over counter is to be found again. */
void tfrc_srtp_streams_renew_key (TfrcSrtpStreams *self, TfrcSrtpStream *stream,
    GstBuffer *key);

/* The index that is closest to the highest one (RFC 3711 section 3.3.1). */
gint64 tfrc_srtp_stream_guess_index (const TfrcSrtpStream *self, guint16 seq);

/* Whether srtpdec would take another index for that of a packet. */
gboolean tfrc_srtp_stream_misleads (const TfrcSrtpStream *self, gint64 index);

/* The roll-over counters of an SSRC that is not proven: the first that a packet
 * of this run can have, and then on from where the last trial ended. */
void tfrc_srtp_stream_begin_trial (TfrcSrtpStream *self, guint16 seq);
void tfrc_srtp_stream_try_next (TfrcSrtpStream *self);

/* Whether two keys are the same; NULL is none. */
gboolean tfrc_srtp_keys_equal (GstBuffer *one, GstBuffer *other);
