/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parity that is begun, by stream, and that which waits. */

#include "send/fec-encoder.h"

#include <gst/rtp/rtp.h>

#include "base/streams.h"
#include "common/parity.h"
#include "common/repair-types.h"
#include "common/stats.h"
#include "send/side-packet.h"

#define MARKER_BIT 0x80

#define WAITING_LENGTH 16

typedef struct
{
  TfrcRepairNumbers numbers;
  TfrcTime sent_at; /* its newest packet */
  TfrcParity parity;
  guint longest;  /* of its packets [bytes] */
  guint64 credit; /* bytes that parity may take, in 1/100 */
} Protected;

typedef struct
{
  TfrcQueueItem item; /* without `stream` */
  guint32 ssrc;
  guint32 fec_ssrc;
  TfrcTime made_at;
} Waiting;

static void
free_protected (gpointer data)
{
  Protected *stream = data;

  tfrc_parity_clear (&stream->parity);
  g_free (stream);
}

TfrcFecEncoder *
tfrc_fec_encoder_new (void)
{
  TfrcFecEncoder *self = g_new0 (TfrcFecEncoder, 1);

  self->streams = g_ptr_array_new_with_free_func (free_protected);
  self->max_size = G_MAXUINT;
  self->waiting = gst_queue_array_new_for_struct (sizeof (Waiting),
      WAITING_LENGTH);
  return self;
}

void
tfrc_fec_encoder_free (TfrcFecEncoder *self)
{
  tfrc_fec_encoder_flush (self);
  gst_queue_array_free (self->waiting);
  g_ptr_array_unref (self->streams);
  g_free (self);
}

void
tfrc_fec_encoder_start (TfrcFecEncoder *self, guint max_size)
{
  tfrc_fec_encoder_flush (self);
  g_ptr_array_set_size (self->streams, 0);
  self->memory.n = 0;
  self->percentage = 0;
  self->taken = 0;
  self->max_size = max_size;
  self->bytes = 0;
  self->sent = 0;
}

/* Of no packets. */
static void
clear (Protected *stream)
{
  tfrc_parity_clear (&stream->parity);
  stream->longest = 0;
}

void
tfrc_fec_encoder_set_percentage (TfrcFecEncoder *self, guint percentage)
{
  for (guint i = 0; i < self->streams->len && percentage == 0; i++) {
    Protected *stream = g_ptr_array_index (self->streams, i);

    clear (stream);
    stream->credit = 0;
  }
  self->percentage = percentage;
}

/* Notes the type, too: a receiver that is told what it means takes parity of that
 * type for another stream. */
static gboolean
has_parity (TfrcFecEncoder *self, GstRTPBuffer *rtp)
{
  guint type = gst_rtp_buffer_get_payload_type (rtp);
  guint fec_type = tfrc_fec_get_payload_type (type);

  if (tfrc_fec_get_original_type (type) != 0
      && !tfrc_fec_encoder_has_ssrc (self, gst_rtp_buffer_get_ssrc (rtp)))
    self->taken |= G_GUINT64_CONSTANT (1) << type;
  return fec_type != 0
      && (self->taken & G_GUINT64_CONSTANT (1) << fec_type) == 0;
}

/* One too many takes the place of the one that sent nothing for longest. */
static Protected *
add_stream (TfrcFecEncoder *self, guint32 ssrc)
{
  Protected *stream = g_new0 (Protected, 1);

  if (self->streams->len == TFRC_MAX_STREAMS) {
    Protected *oldest = g_ptr_array_index (self->streams, 0);

    for (guint i = 1; i < self->streams->len; i++) {
      Protected *other = g_ptr_array_index (self->streams, i);

      if (other->sent_at < oldest->sent_at)
        oldest = other;
    }
    tfrc_repair_memory_keep (&self->memory, &oldest->numbers);
    g_ptr_array_remove (self->streams, oldest);
  }
  stream->numbers = tfrc_repair_memory_take (&self->memory, ssrc);
  g_ptr_array_add (self->streams, stream);
  return stream;
}

static Protected *
get_stream (TfrcFecEncoder *self, guint32 ssrc)
{
  for (guint i = 0; i < self->streams->len; i++) {
    Protected *stream = g_ptr_array_index (self->streams, i);

    if (stream->numbers.ssrc == ssrc)
      return stream;
  }
  return add_stream (self, ssrc);
}

static GstBuffer *
make_packet (Protected *stream, GstRTPBuffer *last, TfrcQueueItem *item)
{
  TfrcParity *parity = &stream->parity;
  TfrcSidePacket packet = tfrc_side_packet_new (last, item,
      stream->numbers.repair_ssrc, stream->numbers.seq++,
      TFRC_WIRE_PARITY_SIZE + parity->size);
  guint type = gst_rtp_buffer_get_payload_type (last);
  GstBuffer *buffer;

  packet.data[1] = (guint8) ((parity->marker ? MARKER_BIT : 0)
      | tfrc_fec_get_payload_type (type));
  parity->header.stride = 1;
  tfrc_wire_write_parity (packet.payload, &parity->header);
  if (parity->size > 0)
    memcpy (packet.payload + TFRC_WIRE_PARITY_SIZE, parity->payload,
        parity->size);
  buffer = gst_buffer_new_wrapped (packet.data, packet.size);
  gst_buffer_copy_into (buffer, last->buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  return buffer;
}

/* Numbers that do not follow each other begin anew: upstream has reordered.  A
 * header that is longer than that of the longest packet is none for parity, which
 * would be above the MTU. */
static void
add_packet (TfrcFecEncoder *self, Protected *stream, GstRTPBuffer *rtp,
    const TfrcQueueItem *item, TfrcTime now)
{
  const TfrcWireParity *header = &stream->parity.header;
  Waiting waiting = { *item, stream->numbers.ssrc, stream->numbers.repair_ssrc,
    now };
  guint16 next = (guint16) (header->first + header->count);
  guint size;

  stream->sent_at = now;
  if (header->count > 0 && (header->count == G_MAXUINT8 || item->seq != next))
    clear (stream);
  tfrc_parity_add (&stream->parity, rtp);
  stream->longest = MAX (stream->longest, item->size);
  stream->credit += (guint64) item->size * self->percentage;

  size = tfrc_side_packet_get_header_size (rtp) + TFRC_WIRE_PARITY_SIZE
      + stream->parity.size;
  if (size > self->max_size) {
    clear (stream);
    stream->credit = 0;
    return;
  }
  if (stream->credit < 100 * (guint64) size
      || size > stream->longest + TFRC_FEC_HEADER_SIZE)
    return;
  stream->credit -= 100 * (guint64) size;
  waiting.item.stream = NULL;
  waiting.item.renumbered = FALSE;
  waiting.item.object = GST_MINI_OBJECT_CAST (make_packet (stream, rtp,
      &waiting.item));
  gst_queue_array_push_tail_struct (self->waiting, &waiting);
  clear (stream);
}

void
tfrc_fec_encoder_on_sent (TfrcFecEncoder *self, const TfrcQueueItem *item,
    TfrcTime now)
{
  GstBuffer *buffer = GST_BUFFER_CAST (item->object);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  if (self->percentage == 0 || !gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp))
    return;
  if (has_parity (self, &rtp))
    add_packet (self, get_stream (self, gst_rtp_buffer_get_ssrc (&rtp)), &rtp,
        item, now);
  gst_rtp_buffer_unmap (&rtp);
}

gboolean
tfrc_fec_encoder_has_ssrc (const TfrcFecEncoder *self, guint32 ssrc)
{
  for (guint i = 0; i < self->streams->len; i++) {
    const Protected *stream = g_ptr_array_index (self->streams, i);

    if (stream->numbers.repair_ssrc == ssrc)
      return TRUE;
  }
  return FALSE;
}

gboolean
tfrc_fec_encoder_peek (const TfrcFecEncoder *self, guint32 *ssrc)
{
  const Waiting *next = gst_queue_array_peek_head_struct (self->waiting);

  if (next != NULL)
    *ssrc = next->ssrc;
  return next != NULL;
}

gboolean
tfrc_fec_encoder_pop (TfrcFecEncoder *self, TfrcQueueItem *item,
    guint32 *fec_ssrc, guint32 *ssrc, TfrcDuration max_age, TfrcTime now)
{
  const Waiting *waiting;

  while ((waiting = gst_queue_array_pop_head_struct (self->waiting)) != NULL) {
    if (tfrc_time_since (waiting->made_at, now) > max_age) {
      gst_mini_object_unref (waiting->item.object);
      continue;
    }
    *item = waiting->item;
    *fec_ssrc = waiting->fec_ssrc;
    *ssrc = waiting->ssrc;
    self->sent++;
    self->bytes += item->size;
    return TRUE;
  }
  return FALSE;
}

void
tfrc_fec_encoder_flush (TfrcFecEncoder *self)
{
  const Waiting *waiting;

  while ((waiting = gst_queue_array_pop_head_struct (self->waiting)) != NULL)
    gst_mini_object_unref (waiting->item.object);
  for (guint i = 0; i < self->streams->len; i++) {
    Protected *stream = g_ptr_array_index (self->streams, i);

    clear (stream);
  }
}

void
tfrc_fec_encoder_set_stats (const TfrcFecEncoder *self, GstStructure *stats)
{
  tfrc_stats_set (stats, "fec-percentage", self->percentage);
  tfrc_stats_set (stats, "fec-sent", self->sent);
  tfrc_stats_set (stats, "fec-bytes", self->bytes);
}
