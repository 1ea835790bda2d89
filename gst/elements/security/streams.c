/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table of bounded size. */

#include "security/streams.h"

#include <string.h>

#define MAX_ROC 65535
#define SEQ_MODULUS 65536
#define ASK_AFTER GST_SECOND
/* SSRCs that never authenticated and are remembered. */
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

void
tfrc_srtp_stream_begin_run (TfrcSrtpStream *self)
{
  memcpy (self->floor, self->highest, sizeof (self->floor));
  self->proven = self->given = self->counted = FALSE;
  self->next_roc = 0;
  self->good_at = self->asked_at = GST_CLOCK_TIME_NONE;
}

void
tfrc_srtp_streams_begin_run (TfrcSrtpStreams *self)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->table);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    tfrc_srtp_stream_begin_run (value);
}

static void
forget_unknown (TfrcSrtpStreams *self)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->table);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    TfrcSrtpStream *stream = value;

    if (!stream->authentic)
      g_hash_table_iter_remove (&iter);
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
  if (oldest->given)
    g_array_append_val (forgotten, oldest->ssrc);
  g_hash_table_remove (self->table, GUINT_TO_POINTER (oldest->ssrc));
}

static void
make_room (TfrcSrtpStreams *self, GArray *forgotten)
{
  if (self->n_unknown >= MAX_UNKNOWN)
    forget_unknown (self);
  if (g_hash_table_size (self->table) - self->n_unknown >= MAX_AUTHENTIC)
    forget_oldest (self, forgotten);
}

static void
forget_index (TfrcSrtpStream *self)
{
  self->highest[0] = self->highest[1] = -1;
  tfrc_srtp_stream_begin_run (self);
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
  forget_index (stream);
  g_hash_table_insert (self->table, GUINT_TO_POINTER (ssrc), stream);
  self->n_unknown++;
  return stream;
}

gboolean
tfrc_srtp_streams_on_authentic (TfrcSrtpStreams *self, guint32 ssrc,
    gboolean rtcp, gint64 index, GstClockTime now)
{
  TfrcSrtpStream *stream = tfrc_srtp_streams_find (self, ssrc);
  gboolean first;

  self->n_packets++;
  if (!stream)
    return FALSE;
  first = !stream->authentic;
  self->n_unknown -= first;
  stream->authentic = TRUE;
  stream->used = self->n_packets;
  stream->good_at = now;
  stream->highest[rtcp] = MAX (stream->highest[rtcp], index);
  if (!rtcp) {
    stream->proven = stream->counted = TRUE;
    stream->roc = (guint32) (stream->highest[0] >> 16);
  }
  return first;
}

gboolean
tfrc_srtp_keys_equal (GstBuffer *one, GstBuffer *other)
{
  GstMapInfo map;
  gboolean equal;

  if (!one || !other || !gst_buffer_map (one, &map, GST_MAP_READ))
    return one == other;
  equal = gst_buffer_get_size (other) == map.size
      && gst_buffer_memcmp (other, 0, map.data, map.size) == 0;
  gst_buffer_unmap (one, &map);
  return equal;
}

gboolean
tfrc_srtp_stream_wants_key (TfrcSrtpStream *self, GstClockTime now)
{
  if (!self->authentic
      || (self->good_at != GST_CLOCK_TIME_NONE
          && now < self->good_at + ASK_AFTER)
      || (self->asked_at != GST_CLOCK_TIME_NONE
          && now < self->asked_at + ASK_AFTER))
    return FALSE;
  self->asked_at = now;
  return TRUE;
}

void
tfrc_srtp_streams_renew_key (TfrcSrtpStreams *self, TfrcSrtpStream *stream,
    GstBuffer *key)
{
  stream->proven = FALSE;
  if (tfrc_srtp_keys_equal (stream->key, key))
    return;
  gst_buffer_replace (&stream->key, key);
  self->n_unknown += stream->authentic;
  stream->authentic = FALSE;
  forget_index (stream);
}

gint64
tfrc_srtp_stream_guess_index (const TfrcSrtpStream *self, guint16 seq)
{
  gint64 highest = MAX (self->highest[0], 0);
  gint64 index = highest + (gint16) (seq - (guint16) highest);

  if (self->highest[0] < 0)
    return seq;
  return index < 0 ? index + SEQ_MODULUS : index;
}

gboolean
tfrc_srtp_stream_misleads (const TfrcSrtpStream *self, gint64 index)
{
  return self->given
      && (self->counted
              ? tfrc_srtp_stream_guess_index (self, (guint16) index) != index
              : self->given_roc != index >> 16);
}

void
tfrc_srtp_stream_begin_trial (TfrcSrtpStream *self, guint16 seq)
{
  gint64 index = tfrc_srtp_stream_guess_index (self, seq);

  while (index <= self->floor[0])
    index += SEQ_MODULUS;
  self->roc = self->first_roc = (guint32) (index >> 16);
}

void
tfrc_srtp_stream_try_next (TfrcSrtpStream *self)
{
  if (self->roc > self->first_roc)
    self->next_roc = self->roc % MAX_ROC + 1;
  self->roc = MAX (self->next_roc, self->first_roc + 1);
}
