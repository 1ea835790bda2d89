/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/parity.h"

#include <math.h>
#include <string.h>

#include "common/repair-types.h"
#include "common/rtp.h"
#include "common/stats.h"

/* A receiver that requests packets does so about a round trip after the first loss, and
 * again at the next ones, which at a loss of 1 % of 30 packets/s are three seconds
 * apart. */
#define TIME_TO_ASK (1 * TFRC_SECOND)
#define TIME_TO_ASK_AGAIN (15 * TFRC_SECOND)

/* One parity packet for n others, n = 0.35 / sqrt (p): 3.5 at 1 %, and 2 at 3 %.  Of
 * frames of two to four packets, 1 in 2500 then remains incomplete, and breaks the
 * following ones until the next key frame. */
#define PACKETS_AT_FULL_LOSS 0.35
#define MIN_PERCENTAGE 5
#define MAX_PERCENTAGE 50

void
tfrc_fec_share_init (TfrcFecShare *self, gint setting)
{
  *self = (TfrcFecShare) {
    .setting = setting,
    .asked_at = TFRC_TIME_NONE,
    .lost_at = TFRC_TIME_NONE,
  };
}

guint
tfrc_fec_share_get (TfrcFecShare *self, gdouble loss_event_rate, guint64 asked,
    gboolean instead, TfrcTime now)
{
  if (self->setting != TFRC_FEC_AUTO)
    return (guint) self->setting;
  if (asked != self->asked && instead)
    self->asked_at = now;
  self->asked = asked;
  if (loss_event_rate <= 0)
    self->lost_at = TFRC_TIME_NONE;
  else if (self->lost_at == TFRC_TIME_NONE)
    self->lost_at = now;
  if (self->lost_at == TFRC_TIME_NONE
      || tfrc_time_since (self->lost_at, now) < TIME_TO_ASK
      || (instead && self->asked_at != TFRC_TIME_NONE
          && tfrc_time_since (self->asked_at, now) < TIME_TO_ASK_AGAIN))
    return 0;
  return (guint) CLAMP (lrint (100 * sqrt (loss_event_rate)
                            / PACKETS_AT_FULL_LOSS),
      MIN_PERCENTAGE, MAX_PERCENTAGE);
}

#define WAITING_LENGTH 16

/* Divides 2^16, so that each sequence number belongs to one column. */
#define MAX_COLUMNS 4
/* Columns are used if each is sent once in this time; later its packets would be too
 * late. */
#define COLUMN_TIME (300 * TFRC_MILLISECOND)
/* Smoothing of the time between two parity packets, which varies with frames. */
#define INTERVAL_SMOOTHING 8

typedef struct
{
  TfrcParity parity;
  guint longest; /* largest packet in it [bytes] */
} Sum;

/* A row is made of consecutive packets, a column of every n_columns-th one.  Each packet
 * is in one row and one column, so if two of a row are lost, columns recover one. */
typedef struct
{
  TfrcRepaired base;
  Sum row;
  Sum columns[MAX_COLUMNS];
  guint16 next_seq;
  guint n_columns;       /* 1 = rows only */
  gboolean row_is_next;  /* else a column */
  TfrcTime made_at;      /* the last parity packet; 0 = none */
  TfrcDuration interval; /* smoothed, between two; 0 = not known */
  guint64 credit;        /* bytes that parity may take, times 100 */
} Protected;

static void
clear_sum (Sum *sum)
{
  tfrc_parity_clear (&sum->parity);
  sum->longest = 0;
}

/* Empties all sums. */
static void
clear (Protected *stream)
{
  clear_sum (&stream->row);
  for (guint i = 0; i < MAX_COLUMNS; i++)
    clear_sum (&stream->columns[i]);
}

static void
free_protected (gpointer data)
{
  clear (data);
  g_free (data);
}

TfrcFecEncoder *
tfrc_fec_encoder_new (void)
{
  TfrcFecEncoder *self = g_new0 (TfrcFecEncoder, 1);

  self->streams = g_ptr_array_new_with_free_func (free_protected);
  self->max_size = G_MAXUINT;
  self->waiting = gst_queue_array_new_for_struct (sizeof (TfrcQueueItem),
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
  self->percentage = 0;
  self->taken = 0;
  self->max_size = max_size;
  self->bytes = 0;
  self->sent = 0;
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

/* Whether parity may be made of the packet.  Also notes types of parity from upstream: a
 * receiver that has been told what such a type is would take ours for parity of another
 * stream. */
static gboolean
has_parity (TfrcFecEncoder *self, GstRTPBuffer *rtp)
{
  guint type = gst_rtp_buffer_get_payload_type (rtp);
  guint fec_type = tfrc_fec_get_payload_type (type);

  if (tfrc_fec_get_original_type (type) != 0
      && !tfrc_repair_has_ssrc (self->streams, gst_rtp_buffer_get_ssrc (rtp)))
    self->taken |= G_GUINT64_CONSTANT (1) << type;
  return fec_type != 0
      && (self->taken & G_GUINT64_CONSTANT (1) << fec_type) == 0;
}

/* Finds or adds the stream. */
static Protected *
get_protected (TfrcFecEncoder *self, guint32 ssrc)
{
  Protected *stream = tfrc_ssrc_find (self->streams, ssrc);
  Protected *oldest;

  if (stream != NULL)
    return stream;
  oldest = tfrc_repair_find_too_many (self->streams);
  if (oldest != NULL)
    g_ptr_array_remove (self->streams, oldest);
  stream = g_new0 (Protected, 1);
  stream->n_columns = 1;
  stream->base = tfrc_repair_begin (self->streams, ssrc);
  g_ptr_array_add (self->streams, stream);
  return stream;
}

static GstBuffer *
make_packet (Protected *stream, TfrcParity *parity, guint stride,
    GstRTPBuffer *last, TfrcQueueItem *item)
{
  TfrcExtraPacket packet = tfrc_extra_packet_make (last, item,
      stream->base.repair_ssrc, stream->base.seq++,
      TFRC_WIRE_PARITY_SIZE + parity->size);
  guint type = gst_rtp_buffer_get_payload_type (last);
  GstBuffer *buffer;

  packet.data[1] = (guint8) ((parity->marker ? TFRC_MARKER_BIT : 0)
      | tfrc_fec_get_payload_type (type));
  parity->header.stride = (guint8) stride;
  tfrc_wire_write_parity (packet.payload, &parity->header);
  if (parity->size > 0)
    memcpy (packet.payload + TFRC_WIRE_PARITY_SIZE, parity->payload,
        parity->size);
  buffer = gst_buffer_new_wrapped (packet.data, packet.size);
  gst_buffer_copy_into (buffer, last->buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  return buffer;
}

static void
add_to (Sum *sum, GstRTPBuffer *rtp, guint size)
{
  if (sum->parity.header.count == G_MAXUINT8)
    clear_sum (sum);
  tfrc_parity_add (&sum->parity, rtp);
  sum->longest = MAX (sum->longest, size);
}

/* What is sent next: alternately the row, and the column of most packets. */
static Sum *
get_next (Protected *stream)
{
  Sum *next = &stream->row;

  if (stream->row_is_next || stream->n_columns == 1)
    return next;
  for (guint i = 0; i < stream->n_columns; i++)
    if (next == &stream->row
        || stream->columns[i].parity.header.count > next->parity.header.count)
      next = &stream->columns[i];
  return next;
}

/* Chooses how many columns there are: each is sent once in 2 n_columns parity packets, as
 * rows alternate with columns, and that must be within COLUMN_TIME. */
static void
choose_columns (Protected *stream, TfrcTime now)
{
  guint n = 1;

  if (stream->made_at != 0 && stream->interval == 0)
    stream->interval = tfrc_time_since (stream->made_at, now);
  else if (stream->made_at != 0)
    stream->interval = ((INTERVAL_SMOOTHING - 1) * stream->interval
                           + tfrc_time_since (stream->made_at, now))
        / INTERVAL_SMOOTHING;
  stream->made_at = now;
  while (n < MAX_COLUMNS && stream->interval > 0
      && 4 * n * stream->interval <= COLUMN_TIME)
    n *= 2;
  if (n == stream->n_columns)
    return;
  stream->n_columns = n;
  for (guint i = 0; i < MAX_COLUMNS; i++)
    clear_sum (&stream->columns[i]);
}

static void
send_parity (TfrcFecEncoder *self, Protected *stream, Sum *sum,
    GstRTPBuffer *rtp, const TfrcQueueItem *item, TfrcTime now)
{
  TfrcQueueItem waiting = *item;

  waiting.stream = NULL;
  waiting.renumbered = FALSE;
  waiting.payload_type = 0;
  waiting.arrived_at = now;
  waiting.repaired_ssrc = stream->base.ssrc;
  waiting.object = GST_MINI_OBJECT_CAST (make_packet (stream, &sum->parity,
      sum == &stream->row ? 1 : stream->n_columns, rtp, &waiting));
  gst_queue_array_push_tail_struct (self->waiting, &waiting);
  stream->row_is_next = sum != &stream->row;
  clear_sum (sum);
  choose_columns (stream, now);
}

/* Begins anew after a gap in the numbers, as upstream has reordered packets.  If the
 * packet's header is longer than that of the largest packet, parity would exceed the MTU,
 * and is not made. */
static void
add_packet (TfrcFecEncoder *self, Protected *stream, GstRTPBuffer *rtp,
    const TfrcQueueItem *item, TfrcTime now)
{
  guint16 seq = (guint16) item->seq;
  guint size;
  Sum *next;

  if (seq != stream->next_seq)
    clear (stream);
  stream->base.sent_at = now;
  stream->next_seq = (guint16) (seq + 1);
  add_to (&stream->row, rtp, item->size);
  if (stream->n_columns > 1)
    add_to (&stream->columns[seq % stream->n_columns], rtp, item->size);
  stream->credit += (guint64) item->size * self->percentage;

  next = get_next (stream);
  size = tfrc_extra_packet_get_header_size (rtp) + TFRC_WIRE_PARITY_SIZE
      + next->parity.size;
  if (size > self->max_size) {
    clear (stream);
    stream->credit = 0;
    return;
  }
  if (stream->credit < 100 * (guint64) size
      || size > next->longest + TFRC_FEC_HEADER_SIZE)
    return;
  stream->credit -= 100 * (guint64) size;
  send_parity (self, stream, next, rtp, item, now);
}

static void
protect (TfrcFecEncoder *self, const TfrcQueueItem *item, TfrcTime now)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  if (!gst_rtp_buffer_map (GST_BUFFER_CAST (item->object), GST_MAP_READ, &rtp))
    return;
  if (has_parity (self, &rtp))
    add_packet (self, get_protected (self, gst_rtp_buffer_get_ssrc (&rtp)),
        &rtp, item, now);
  gst_rtp_buffer_unmap (&rtp);
}

void
tfrc_fec_encoder_on_sent (TfrcFecEncoder *self, const TfrcQueueItem *item,
    TfrcTime now)
{
  if (self->percentage > 0)
    protect (self, item, now);
}

gboolean
tfrc_fec_encoder_peek (const TfrcFecEncoder *self, guint32 *ssrc)
{
  const TfrcQueueItem *next = gst_queue_array_peek_head_struct (self->waiting);

  if (next != NULL)
    *ssrc = next->repaired_ssrc;
  return next != NULL;
}

gboolean
tfrc_fec_encoder_pop (TfrcFecEncoder *self, TfrcQueueItem *item,
    TfrcDuration max_age, TfrcTime now)
{
  const TfrcQueueItem *waiting;

  while ((waiting = gst_queue_array_pop_head_struct (self->waiting)) != NULL) {
    if (tfrc_time_since (waiting->arrived_at, now) <= max_age) {
      *item = *waiting;
      self->sent++;
      self->bytes += item->size;
      return TRUE;
    }
    gst_mini_object_unref (waiting->object);
  }
  return FALSE;
}

void
tfrc_fec_encoder_flush (TfrcFecEncoder *self)
{
  const TfrcQueueItem *waiting;

  while ((waiting = gst_queue_array_pop_head_struct (self->waiting)) != NULL)
    gst_mini_object_unref (waiting->object);
  for (guint i = 0; i < self->streams->len; i++)
    clear (g_ptr_array_index (self->streams, i));
}

void
tfrc_fec_encoder_set_stats (const TfrcFecEncoder *self, GstStructure *stats)
{
  tfrc_stats_set (stats, "fec-percentage", self->percentage);
  tfrc_stats_set (stats, "fec-sent", self->sent);
  tfrc_stats_set (stats, "fec-bytes", self->bytes);
}
