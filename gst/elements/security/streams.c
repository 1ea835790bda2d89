/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table of bounded size. */

#include "security/streams.h"

#define MAX_ROC 65535
/* SSRCs that never authenticated and are remembered: srtpdec keeps a cipher
 * for each. */
#define MAX_UNKNOWN 32
/* SSRCs that have authenticated: several rounds of feedback of a large group.
 * libsrtp2 looks for one in a list. */
#define MAX_AUTHENTIC 512

static void
stream_free (gpointer data)
{
  TfrcSrtpStream *stream = data;

  gst_clear_buffer (&stream->key);
  g_free (stream);
}

void
tfrc_srtp_streams_init (TfrcSrtpStreams *self)
{
  self->table = g_hash_table_new_full (NULL, NULL, NULL, stream_free);
  self->n_unknown = 0;
  self->n_packets = 0;
}

void
tfrc_srtp_streams_clear (TfrcSrtpStreams *self)
{
  g_clear_pointer (&self->table, g_hash_table_unref);
}

TfrcSrtpStream *
tfrc_srtp_streams_find (const TfrcSrtpStreams *self, guint32 ssrc)
{
  return g_hash_table_lookup (self->table, GUINT_TO_POINTER (ssrc));
}

static void
forget_unknown (TfrcSrtpStreams *self, GArray *forgotten)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->table);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    TfrcSrtpStream *stream = value;

    if (!stream->authentic) {
      g_array_append_val (forgotten, stream->ssrc);
      g_hash_table_iter_remove (&iter);
    }
  }
  self->n_unknown = 0;
}

/* The one that was silent for the longest time. */
static void
forget_oldest (TfrcSrtpStreams *self, GArray *forgotten)
{
  TfrcSrtpStream *oldest = NULL;
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->table);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    TfrcSrtpStream *stream = value;

    if (stream->authentic && (!oldest || stream->used < oldest->used))
      oldest = stream;
  }
  if (!oldest)
    return;
  g_array_append_val (forgotten, oldest->ssrc);
  g_hash_table_remove (self->table, GUINT_TO_POINTER (oldest->ssrc));
}

static void
make_room (TfrcSrtpStreams *self, GArray *forgotten)
{
  if (self->n_unknown >= MAX_UNKNOWN)
    forget_unknown (self, forgotten);
  if (g_hash_table_size (self->table) - self->n_unknown >= MAX_AUTHENTIC)
    forget_oldest (self, forgotten);
}

TfrcSrtpStream *
tfrc_srtp_streams_find_or_add (TfrcSrtpStreams *self, guint32 ssrc,
    GArray *forgotten)
{
  TfrcSrtpStream *stream = tfrc_srtp_streams_find (self, ssrc);

  if (stream)
    return stream;
  make_room (self, forgotten);
  stream = g_new0 (TfrcSrtpStream, 1);
  stream->ssrc = ssrc;
  g_hash_table_insert (self->table, GUINT_TO_POINTER (ssrc), stream);
  self->n_unknown++;
  return stream;
}

gboolean
tfrc_srtp_streams_on_authentic (TfrcSrtpStreams *self, guint32 ssrc,
    gboolean rtcp)
{
  TfrcSrtpStream *stream = tfrc_srtp_streams_find (self, ssrc);
  gboolean first;

  self->n_packets++;
  if (!stream)
    return FALSE;
  first = !stream->authentic;
  self->n_unknown -= first;
  stream->authentic = TRUE;
  stream->proven |= !rtcp;
  stream->used = self->n_packets;
  return first;
}

void
tfrc_srtp_stream_begin_trial (TfrcSrtpStream *self)
{
  if (!self->proven)
    self->roc = 0;
}

void
tfrc_srtp_stream_try_next (TfrcSrtpStream *self)
{
  if (self->proven)
    return;
  if (self->roc > 0)
    self->next_roc = self->roc % MAX_ROC + 1;
  self->roc = MAX (self->next_roc, 1);
}
