/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A table of bounded size. */

#include "security/streams.h"

#define MAX_ROC 65535
#define SEQ_MODULUS 65536
#define PATIENCE GST_SECOND
/* Streams of which nothing has authenticated and that are remembered. */
#define MAX_UNKNOWN 32
/* Others: several rounds of feedback of a large group. */
#define MAX_KNOWN 512

static void
stream_free (gpointer data)
{
  TfrcSrtpStream *stream = data;

  tfrc_srtp_context_free (stream->context);
  gst_clear_buffer (&stream->key);
  g_free (stream);
}

void
tfrc_srtp_streams_init (TfrcSrtpStreams *self)
{
  self->table = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL,
      stream_free);
}

void
tfrc_srtp_streams_clear (TfrcSrtpStreams *self)
{
  g_clear_pointer (&self->table, g_hash_table_unref);
}

static gint64
get_id (const TfrcSrtpHeader *header)
{
  return (gint64) header->rtcp << 32 | header->ssrc;
}

TfrcSrtpStream *
tfrc_srtp_streams_find (const TfrcSrtpStreams *self,
    const TfrcSrtpHeader *header)
{
  gint64 id = get_id (header);

  return g_hash_table_lookup (self->table, &id);
}

static gboolean
is_known (const TfrcSrtpStream *self)
{
  return self->good_at != GST_CLOCK_TIME_NONE;
}

static gboolean
is_unknown (gpointer key, gpointer value, gpointer user_data)
{
  return !is_known (value);
}

/* Strangers go together, of the others the one that was silent for the longest
 * time. */
static void
make_room (TfrcSrtpStreams *self)
{
  TfrcSrtpStream *oldest = NULL;
  GHashTableIter iter;
  gpointer value;
  guint n_known = 0;

  g_hash_table_iter_init (&iter, self->table);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    TfrcSrtpStream *stream = value;

    if (!is_known (stream))
      continue;
    n_known++;
    if (!oldest || stream->good_at < oldest->good_at)
      oldest = stream;
  }
  if (g_hash_table_size (self->table) - n_known >= MAX_UNKNOWN)
    g_hash_table_foreach_remove (self->table, is_unknown, NULL);
  if (n_known >= MAX_KNOWN)
    g_hash_table_remove (self->table, &oldest->id);
}

static void
forget (TfrcSrtpStream *self)
{
  g_clear_pointer (&self->context, tfrc_srtp_context_free);
  self->highest = self->floor = -1;
  self->next_roc = 0;
  self->good_at = self->asked_at = GST_CLOCK_TIME_NONE;
}

TfrcSrtpStream *
tfrc_srtp_streams_find_or_add (TfrcSrtpStreams *self,
    const TfrcSrtpHeader *header)
{
  TfrcSrtpStream *stream = tfrc_srtp_streams_find (self, header);

  if (stream)
    return stream;
  make_room (self);
  stream = g_new0 (TfrcSrtpStream, 1);
  stream->id = get_id (header);
  forget (stream);
  g_hash_table_insert (self->table, &stream->id, stream);
  return stream;
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
tfrc_srtp_stream_is_doubted (const TfrcSrtpStream *self, GstClockTime now)
{
  return !self || !is_known (self) || now >= self->good_at + PATIENCE;
}

gboolean
tfrc_srtp_stream_wants_key (TfrcSrtpStream *self, GstClockTime now)
{
  if (is_known (self) && self->asked_at != GST_CLOCK_TIME_NONE
      && now < self->asked_at + PATIENCE)
    return FALSE;
  self->asked_at = now;
  return TRUE;
}

void
tfrc_srtp_stream_set_key (TfrcSrtpStream *self, GstBuffer *key)
{
  if (!key || tfrc_srtp_keys_equal (self->key, key))
    return;
  gst_buffer_replace (&self->key, key);
  forget (self);
}

gint64
tfrc_srtp_stream_guess_index (const TfrcSrtpStream *self,
    const TfrcSrtpHeader *header)
{
  guint16 step = (guint16) (header->number - (guint16) self->highest);
  gint64 index = self->highest + (gint16) step;

  if (header->rtcp || self->highest < 0)
    return header->number;
  return index < 0 ? index + SEQ_MODULUS : index;
}

gint64
tfrc_srtp_stream_get_next_index (const TfrcSrtpStream *self,
    const TfrcSrtpHeader *header)
{
  gint64 index = tfrc_srtp_stream_guess_index (self, header);

  while (!header->rtcp && index <= self->highest)
    index += SEQ_MODULUS;
  return index;
}

guint32
tfrc_srtp_stream_try_next (TfrcSrtpStream *self, guint32 roc, guint32 first)
{
  if (roc > first)
    self->next_roc = roc % MAX_ROC + 1;
  return MAX (self->next_roc, first + 1);
}

void
tfrc_srtp_stream_believe (TfrcSrtpStream *self, TfrcSrtpContext *context)
{
  tfrc_srtp_context_free (self->context);
  self->context = context;
  self->floor = self->highest;
  self->next_roc = 0;
}

gboolean
tfrc_srtp_stream_on_authentic (TfrcSrtpStream *self, gint64 index,
    GstClockTime now)
{
  gboolean first = !is_known (self);

  self->highest = MAX (self->highest, index);
  self->good_at = now;
  return first;
}

GstBuffer *
tfrc_srtp_stream_open (TfrcSrtpStream *self, GstBuffer *packet,
    const TfrcSrtpHeader *header, GstClockTime now)
{
  GstBuffer *opened;
  gint64 index;

  if (!self || !self->context)
    return NULL;
  index = tfrc_srtp_stream_guess_index (self, header);
  if (index <= self->floor)
    return NULL;
  opened = tfrc_srtp_context_open (self->context, packet);
  if (opened)
    tfrc_srtp_stream_on_authentic (self, index, now);
  return opened;
}
