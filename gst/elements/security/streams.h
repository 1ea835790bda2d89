/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The streams that come in: of each SSRC its RTP and its RTCP, which have
 * indexes of their own (RFC 3711 section 3.2.1).  A stream is tried until a
 * packet authenticates, and then believed, by the context in which it did.
 *
 * The receivers of a group report from an SSRC each, and a member can make up
 * more: of those the ones heard of last are remembered.  A report replayed after
 * its SSRC was forgotten authenticates again; that it is old shows in it.
 *
 * No locks: the owner has one. */
#pragma once

#include "security/context.h"

/* What can be read of a packet that may be anybody's. */
typedef struct
{
  gboolean rtcp;
  guint32 ssrc;
  guint32 number; /* sequence number, or the index of SRTCP */
} TfrcSrtpHeader;

typedef struct
{
  gint64 id;                /* SSRC and whether RTCP */
  GstBuffer *key;           /* NULL = there was none */
  TfrcSrtpContext *context; /* NULL = none yet */
  gint64 highest;           /* authentic index, or -1 */
  gint64 floor;             /* what is not above came before this context */
  guint32 next_roc;         /* where the next trial goes on */
  GstClockTime good_at;     /* newest packet authentic by key, or NONE */
  GstClockTime asked_at;    /* for the key, or NONE */
} TfrcSrtpStream;

typedef struct
{
  GHashTable *table; /* id -> TfrcSrtpStream */
} TfrcSrtpStreams;

void tfrc_srtp_streams_init (TfrcSrtpStreams *self);
void tfrc_srtp_streams_clear (TfrcSrtpStreams *self);

/* NULL: it is not known. */
TfrcSrtpStream *tfrc_srtp_streams_find (const TfrcSrtpStreams *self,
    const TfrcSrtpHeader *header);

/* The stream, new if it is not known; others may have to go. */
TfrcSrtpStream *tfrc_srtp_streams_find_or_add (TfrcSrtpStreams *self,
    const TfrcSrtpHeader *header);

/* What is in a packet that its context lets pass, or NULL, as of the stream
 * NULL. */
GstBuffer *tfrc_srtp_stream_open (TfrcSrtpStream *self, GstBuffer *packet,
    const TfrcSrtpHeader *header, GstClockTime now);

/* Whether to try what its context does not let pass: nothing has authenticated
 * for a second, or ever. */
gboolean tfrc_srtp_stream_is_doubted (const TfrcSrtpStream *self,
    GstClockTime now);

/* Whether to ask for the key, of one that is tried: with each packet until one
 * has authenticated, then once a second. */
gboolean tfrc_srtp_stream_wants_key (TfrcSrtpStream *self, GstClockTime now);

/* The answer.  With another key nothing is known of the stream.  NULL leaves it
 * as it is. */
void tfrc_srtp_stream_set_key (TfrcSrtpStream *self, GstBuffer *key);

/* The index of a packet that is closest to the highest one (RFC 3711 section
 * 3.3.1). */
gint64 tfrc_srtp_stream_guess_index (const TfrcSrtpStream *self,
    const TfrcSrtpHeader *header);

/* Of RTP the first that is above the highest one, too. */
gint64 tfrc_srtp_stream_get_next_index (const TfrcSrtpStream *self,
    const TfrcSrtpHeader *header);

/* The counter to try once `roc` failed, where the trial of the packet began with
 * `first`.  The next trial goes on there. */
guint32 tfrc_srtp_stream_try_next (TfrcSrtpStream *self, guint32 roc,
    guint32 first);

/* Takes the context, which is for what is above the highest index. */
void tfrc_srtp_stream_believe (TfrcSrtpStream *self, TfrcSrtpContext *context);

/* A packet with that index has authenticated.  TRUE: it is the first one with
 * the key. */
gboolean tfrc_srtp_stream_on_authentic (TfrcSrtpStream *self, gint64 index,
    GstClockTime now);

/* Whether two keys are the same; NULL is none. */
gboolean tfrc_srtp_keys_equal (GstBuffer *one, GstBuffer *other);
