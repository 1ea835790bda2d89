/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "send/repair.h"

#include <string.h>

#include "common/rtp.h"
#include "common/repair-types.h"
#include "common/stats.h"

#define MOST_PADDING 255 /* its length is in its last byte */

TfrcRepaired
tfrc_repair_begin (const GPtrArray *streams, guint32 ssrc)
{
  TfrcRepaired new = {
    .ssrc = ssrc,
    .seq = (guint16) g_random_int_range (0, G_MAXINT16),
  };

  do
    new.repair_ssrc = g_random_int ();
  while (tfrc_ssrc_find (streams, new.repair_ssrc) != NULL
      || tfrc_repair_has_ssrc (streams, new.repair_ssrc));
  return new;
}

gboolean
tfrc_repair_has_ssrc (const GPtrArray *streams, guint32 ssrc)
{
  for (guint i = 0; i < streams->len; i++) {
    const TfrcRepaired *stream = g_ptr_array_index (streams, i);

    if (stream->repair_ssrc == ssrc)
      return TRUE;
  }
  return FALSE;
}

gpointer
tfrc_repair_find_too_many (const GPtrArray *streams)
{
  TfrcRepaired *oldest;

  if (streams->len < TFRC_QUEUE_MAX_STREAMS)
    return NULL;
  oldest = g_ptr_array_index (streams, 0);
  for (guint i = 1; i < streams->len; i++) {
    TfrcRepaired *stream = g_ptr_array_index (streams, i);

    if (stream->sent_at < oldest->sent_at)
      oldest = stream;
  }
  return oldest;
}

/* The copied extension may be shorter than the room: makes it as long. */
static void
make_extension_room (guint8 *data, const TfrcQueueItem *item)
{
  guint8 *length = data + item->extension_offset - 1;
  guint16 profile = GST_READ_UINT16_BE (data + TFRC_RTP_HEADER_SIZE
      + TFRC_CSRC_SIZE);

  *length = profile == TFRC_ONE_BYTE_PROFILE
      ? (guint8) ((*length & 0xf0) | (item->extension_room - 1))
      : (guint8) item->extension_room;
}

guint
tfrc_extra_packet_get_header_size (GstRTPBuffer *like)
{
  return gst_rtp_buffer_get_header_len (like) + TFRC_CSRC_SIZE
      - TFRC_CSRC_SIZE * gst_rtp_buffer_get_csrc_count (like);
}

TfrcExtraPacket
tfrc_extra_packet_make (GstRTPBuffer *like, TfrcQueueItem *item, guint32 ssrc,
    guint16 seq, gsize payload_size)
{
  guint header_size = tfrc_extra_packet_get_header_size (like);
  guint old_size = gst_rtp_buffer_get_header_len (like);
  guint before = TFRC_RTP_HEADER_SIZE + TFRC_CSRC_SIZE;
  gsize size = header_size + payload_size;
  guint8 *data = g_malloc (size);

  gst_buffer_extract (like->buffer, 0, data, TFRC_RTP_HEADER_SIZE);
  gst_buffer_extract (like->buffer, old_size - (header_size - before),
      data + before, header_size - before);
  data[0] = (guint8) ((data[0] & ~(TFRC_PADDING_BIT | TFRC_CSRC_COUNT_MASK))
      | 1);
  GST_WRITE_UINT16_BE (data + 2, seq);
  GST_WRITE_UINT32_BE (data + 8, ssrc);
  GST_WRITE_UINT32_BE (data + TFRC_RTP_HEADER_SIZE,
      gst_rtp_buffer_get_ssrc (like));
  if (item->extension_offset != 0) {
    item->extension_offset += header_size - old_size;
    make_extension_room (data, item);
  }
  item->ssrc = ssrc;
  item->seq = seq;
  item->size = (guint) size;
  return (TfrcExtraPacket) { data, size, data + header_size };
}

/* The fields of a sent packet's item that one made of it has, too. */
static TfrcQueueItem
copy_item (const TfrcQueueItem *sent)
{
  return (TfrcQueueItem) {
    .size = sent->size,
    .extension_offset = sent->extension_offset,
    .extension_room = sent->extension_room,
    .transport_numbered = sent->transport_numbered,
    .seq = sent->seq,
  };
}

void
tfrc_padding_on_sent (TfrcPadding *self, const TfrcQueueItem *item)
{
  gsize size = item->size - item->payload_size;

  if (item->extension_offset == 0)
    return;
  self->head_size = gst_buffer_extract (GST_BUFFER_CAST (item->object), 0,
      self->head, MIN (size, sizeof (self->head)));
  self->head[0] &= (guint8) ~TFRC_PADDING_BIT;
  self->item = copy_item (item);
}

gboolean
tfrc_padding_pop (TfrcPadding *self, TfrcQueueItem *item)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  TfrcExtraPacket packet;
  g_autoptr (GstBuffer) head = NULL;

  if (self->head_size == 0)
    return FALSE;
  head = gst_buffer_new_memdup (self->head, self->head_size);
  if (!gst_rtp_buffer_map (head, GST_MAP_READ, &rtp)) {
    self->head_size = 0; /* the header is longer than `head` */
    return FALSE;
  }
  *item = self->item;
  packet = tfrc_extra_packet_make (&rtp, item, self->ssrc, self->seq++,
      MOST_PADDING);
  packet.data[0] |= TFRC_PADDING_BIT;
  packet.data[1] &= (guint8) ~TFRC_MARKER_BIT;
  memset (packet.payload, 0, MOST_PADDING - 1);
  packet.payload[MOST_PADDING - 1] = MOST_PADDING;
  item->object = GST_MINI_OBJECT_CAST (gst_buffer_new_wrapped (packet.data,
      packet.size));
  gst_rtp_buffer_unmap (&rtp);
  return TRUE;
}

/* Packets kept per stream; 4096 are TFRC_RTX_TIME of up to 40 Mbit/s. */
#define INITIAL_KEPT 256
#define MAX_KEPT 4096

/* Least interval between two answers for one packet while the RTT is not known. */
#define UNKNOWN_RTT (100 * TFRC_MILLISECOND)

/* RTX packets may take one in SHARE of the bytes of new packets.  The credit for that is
 * bounded by the bytes of the kept packets, or MIN_CREDIT [bytes] of a slow flow. */
#define SHARE 4
#define MIN_CREDIT 6000

typedef struct
{
  TfrcQueueItem item; /* `object` NULL: no packet was sent with this number */
  TfrcTime sent_at;
  TfrcTime answered_at; /* TFRC_TIME_NONE = never */
  guint32 asker;        /* SSRC of the receiver that was answered */
  gboolean waiting;     /* an answer is waiting */
  gboolean missed;      /* a receiver requested it */
} Kept;

typedef struct
{
  TfrcRepaired base;
  guint rtx_payload_type;
  GstQueueArray *kept; /* of Kept, one for each number ... */
  guint16 next;        /* ... up to this one */
  /* the fate of packets before this one is known: missed, or else arrived */
  guint16 judged;
  /* a receiver requested packets, so it supports RTX */
  gboolean answered;
  /* the next packet for a probe is the one before this */
  guint16 probed;
} Sent;

/* So many large packets in a row are missed in a black hole, from the first of them on for
 * so long: a policer passes some of them meanwhile. */
#define LEAST_MISSED 8
#define LEAST_MISSED_TIME (500 * TFRC_MILLISECOND)

/* An RTX packet to be made. */
typedef struct
{
  guint32 ssrc;
  guint16 seq;
  TfrcTime asked_at;
} Answer;

static void
free_sent (gpointer data)
{
  Sent *stream = data;

  gst_queue_array_free (stream->kept);
  g_free (stream);
}

TfrcRetransmitter *
tfrc_retransmitter_new (void)
{
  TfrcRetransmitter *self = g_new0 (TfrcRetransmitter, 1);

  self->streams = g_ptr_array_new_with_free_func (free_sent);
  self->answers = gst_queue_array_new_for_struct (sizeof (Answer),
      INITIAL_KEPT);
  return self;
}

void
tfrc_retransmitter_free (TfrcRetransmitter *self)
{
  tfrc_retransmitter_flush (self);
  gst_queue_array_free (self->answers);
  g_ptr_array_unref (self->streams);
  g_free (self);
}

void
tfrc_retransmitter_start (TfrcRetransmitter *self, gboolean enabled,
    const TfrcQueue *queue)
{
  GPtrArray *streams = self->streams;
  GstQueueArray *answers = self->answers;

  tfrc_retransmitter_flush (self);
  g_ptr_array_set_size (streams, 0);
  *self = (TfrcRetransmitter) {
    .enabled = enabled,
    .queue = queue,
    .streams = streams,
    .answers = answers,
    .credit = SHARE * MIN_CREDIT,
  };
}

static guint
count_kept (const Sent *stream)
{
  return gst_queue_array_get_length (stream->kept);
}

/* NULL: not kept. */
static Kept *
find_kept (Sent *stream, guint16 seq)
{
  const guint length = count_kept (stream);
  const guint16 age = (guint16) (stream->next - seq);
  Kept *kept = age > 0 && age <= length
      ? gst_queue_array_peek_nth_struct (stream->kept, length - age)
      : NULL;

  return kept != NULL && kept->item.object != NULL ? kept : NULL;
}

static void
clear_kept (TfrcRetransmitter *self, Kept *kept)
{
  if (kept->item.object == NULL)
    return;
  self->kept_bytes -= kept->item.size;
  gst_clear_mini_object (&kept->item.object);
}

static void
drop_oldest (TfrcRetransmitter *self, Sent *stream)
{
  clear_kept (self, gst_queue_array_pop_head_struct (stream->kept));
}

static void
drop_all (TfrcRetransmitter *self, Sent *stream)
{
  while (count_kept (stream) > 0)
    drop_oldest (self, stream);
}

/* Frees old packets, as their memory may belong to a pool that needs it. */
static void
drop_old (TfrcRetransmitter *self, Sent *stream, TfrcTime now)
{
  const Kept *kept;

  while ((kept = gst_queue_array_peek_head_struct (stream->kept)) != NULL
      && (kept->item.object == NULL
          || tfrc_time_since (kept->sent_at, now) > TFRC_RTX_TIME))
    drop_oldest (self, stream);
}

/* Also frees the old packets of others, which may have ended. */
static Sent *
add_sent (TfrcRetransmitter *self, guint32 ssrc, guint16 seq, TfrcTime now)
{
  Sent *stream = g_new (Sent, 1);
  Sent *oldest = tfrc_repair_find_too_many (self->streams);

  for (guint i = 0; i < self->streams->len; i++)
    drop_old (self, g_ptr_array_index (self->streams, i), now);
  if (oldest != NULL) {
    drop_all (self, oldest);
    g_ptr_array_remove (self->streams, oldest);
  }
  *stream = (Sent) {
    .base = tfrc_repair_begin (self->streams, ssrc),
    .kept = gst_queue_array_new_for_struct (sizeof (Kept), INITIAL_KEPT),
    .next = seq,
    .judged = seq,
  };
  g_ptr_array_add (self->streams, stream);
  return stream;
}

/* Makes room for packet `seq`, usually the next.  NULL: it is too old, as upstream
 * reordered it. */
static Kept *
make_room (TfrcRetransmitter *self, Sent *stream, guint16 seq)
{
  const guint16 ahead = (guint16) (seq - stream->next);
  const Kept none = { .sent_at = 0 };
  guint length;

  if (ahead <= G_MAXINT16) {
    for (guint i = 0; i <= MIN (ahead, MAX_KEPT); i++)
      gst_queue_array_push_tail_struct (stream->kept, (gpointer) &none);
    stream->next = (guint16) (seq + 1);
    while (count_kept (stream) > MAX_KEPT)
      drop_oldest (self, stream);
  }
  length = count_kept (stream);
  if ((guint16) (stream->next - stream->judged) > length)
    stream->judged = (guint16) (stream->next - length);
  if ((guint16) (stream->next - seq) > length)
    return NULL;
  return gst_queue_array_peek_nth_struct (stream->kept,
      length - (guint16) (stream->next - seq));
}

void
tfrc_retransmitter_on_sent (TfrcRetransmitter *self, const TfrcQueueItem *item,
    TfrcTime now)
{
  const guint rtx_payload_type = tfrc_rtx_get_payload_type (item->payload_type);
  Sent *stream;
  Kept *kept;

  if (tfrc_rtx_get_original_type (item->payload_type) != 0)
    self->taken |= 1u << item->payload_type % 32;
  if (!self->enabled || rtx_payload_type == 0)
    return;
  stream = tfrc_ssrc_find (self->streams, item->ssrc);
  if (!stream)
    stream = add_sent (self, item->ssrc, item->seq, now);
  stream->rtx_payload_type = rtx_payload_type;
  stream->base.sent_at = now;
  drop_old (self, stream, now);
  kept = make_room (self, stream, item->seq);
  if (kept == NULL)
    return;
  clear_kept (self, kept);
  *kept = (Kept) {
    .item = copy_item (item),
    .sent_at = now,
    .answered_at = TFRC_TIME_NONE,
  };
  kept->item.object = gst_mini_object_ref (item->object);
  self->kept_bytes += item->size;
  self->credit = MIN (self->credit + item->size,
      MAX (self->kept_bytes, SHARE * MIN_CREDIT));
}

static gboolean
is_of_use (const TfrcRetransmitter *self, guint32 ssrc, guint16 seq)
{
  const TfrcSendStream *stream = self->queue != NULL
      ? tfrc_queue_find_stream (self->queue, ssrc)
      : NULL;

  return stream == NULL || tfrc_send_stream_is_of_use (stream, seq);
}

/* A path that drops large packets without an ICMP message (RFC 8899 section 1): no large
 * packet arrives, and hardly any fitting one is lost. */
static void
note_fate (TfrcBlackHole *hole, const Kept *kept)
{
  if (kept->item.size > TFRC_FITTING_SIZE && !kept->missed) {
    *hole = (TfrcBlackHole) { .reported = hole->reported };
  } else if (kept->item.size > TFRC_FITTING_SIZE) {
    if (hole->large_missed++ == 0)
      hole->since = kept->sent_at;
    hole->between |= hole->arrived;
  } else if (hole->large_missed > 0) {
    hole->fitting_missed += kept->missed;
    hole->fitting_arrived += !kept->missed;
    hole->arrived = !kept->missed;
  }
}

/* Packets are mostly requested in order, so those before a requested one that were not
 * requested have arrived. */
static void
note_missed (TfrcRetransmitter *self, Sent *stream, Kept *kept)
{
  const gint16 ahead = (gint16) (kept->item.seq - stream->judged);

  if (kept->missed)
    return;
  kept->missed = TRUE;
  if (ahead < 0) {
    note_fate (&self->black_hole, kept);
    return;
  }
  do {
    const Kept *other = find_kept (stream, stream->judged);

    if (other != NULL)
      note_fate (&self->black_hole, other);
  } while (stream->judged++ != kept->item.seq);
}

/* An answer is on its way to who asks for an RTT.  Who asks again has waited for an RTT,
 * which may have been shorter by its measurements. */
static gboolean
is_answered (const Kept *kept, guint32 asker, TfrcDuration rtt, TfrcTime now)
{
  TfrcDuration least = rtt ? rtt : UNKNOWN_RTT;

  if (kept->answered_at == TFRC_TIME_NONE)
    return FALSE;
  return tfrc_time_since (kept->answered_at, now)
      < (kept->asker == asker ? least / 2 : least);
}

static void
ask (TfrcRetransmitter *self, guint32 ssrc, guint16 seq, guint32 asker,
    TfrcDuration rtt, TfrcTime now)
{
  Sent *stream = tfrc_ssrc_find (self->streams, ssrc);
  Kept *kept = stream ? find_kept (stream, seq) : NULL;
  guint64 cost;

  self->asked++;
  if (kept)
    note_missed (self, stream, kept);
  if (!kept || !is_of_use (self, ssrc, seq)
      || tfrc_time_since (kept->sent_at, now) > TFRC_RTX_TIME
      || (self->taken & 1u << stream->rtx_payload_type % 32) != 0
      || kept->waiting || is_answered (kept, asker, rtt, now))
    return;
  cost = SHARE * (guint64) (kept->item.size + TFRC_RTX_HEADER_SIZE);
  if (cost > self->credit)
    return;
  self->credit -= cost;
  kept->waiting = TRUE;
  kept->asker = asker;
  gst_queue_array_push_tail_struct (self->answers,
      &(Answer) { ssrc, seq, now });
}

void
tfrc_retransmitter_on_nack (TfrcRetransmitter *self, guint32 ssrc,
    TfrcNackEntry entry, guint32 asker, TfrcDuration rtt, TfrcTime now)
{
  ask (self, ssrc, entry.seq, asker, rtt, now);
  for (guint i = 0; i < TFRC_WIRE_NACK_SPAN - 1; i++) {
    if ((entry.following & 1u << i) != 0)
      ask (self, ssrc, (guint16) (entry.seq + 1 + i), asker, rtt, now);
  }
}

gboolean
tfrc_retransmitter_poll_black_hole (TfrcRetransmitter *self,
    gboolean is_congested, gboolean nothing_arrives, TfrcTime now)
{
  TfrcBlackHole *hole = &self->black_hole;
  gboolean found;

  if (is_congested)
    *hole = (TfrcBlackHole) { .reported = hole->reported };
  if (hole->reported || hole->large_missed < LEAST_MISSED)
    return FALSE;
  found = nothing_arrives
      ? hole->fitting_missed == 0
      : hole->between && hole->fitting_missed * 4 < hole->fitting_arrived
          && tfrc_time_since (hole->since, now) >= LEAST_MISSED_TIME;
  hole->reported = found;
  return found;
}

gboolean
tfrc_retransmitter_peek (const TfrcRetransmitter *self, guint32 *ssrc)
{
  const Answer *next = gst_queue_array_peek_head_struct (self->answers);

  if (next != NULL)
    *ssrc = next->ssrc;
  return next != NULL;
}

/* RFC 4588 section 4: the header with its extension, the original sequence number, and
 * the payload, whose memory is shared. */
static GstBuffer *
make_rtx (const Sent *stream, GstBuffer *original, guint16 seq)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBuffer *buffer;
  guint header_size = TFRC_RTP_HEADER_SIZE;
  guint8 *data;

  if (gst_rtp_buffer_map (original, GST_MAP_READ, &rtp)) {
    header_size = gst_rtp_buffer_get_header_len (&rtp);
    gst_rtp_buffer_unmap (&rtp);
  }
  data = g_malloc (header_size + TFRC_RTX_HEADER_SIZE);
  gst_buffer_extract (original, 0, data, header_size);
  data[1] = (data[1] & TFRC_MARKER_BIT) | (guint8) stream->rtx_payload_type;
  GST_WRITE_UINT16_BE (data + 2, stream->base.seq);
  GST_WRITE_UINT32_BE (data + 8, stream->base.repair_ssrc);
  GST_WRITE_UINT16_BE (data + header_size, seq);
  buffer = gst_buffer_new_wrapped (data, header_size + TFRC_RTX_HEADER_SIZE);
  gst_buffer_copy_into (buffer, original, GST_BUFFER_COPY_METADATA, 0, -1);
  return gst_buffer_append_region (buffer, gst_buffer_ref (original),
      header_size, -1);
}

static void
fill_item (Sent *stream, const Kept *kept, TfrcQueueItem *item)
{
  *item = copy_item (&kept->item);
  item->object = GST_MINI_OBJECT_CAST (make_rtx (stream,
      GST_BUFFER_CAST (kept->item.object), kept->item.seq));
  item->size += TFRC_RTX_HEADER_SIZE;
  item->ssrc = stream->base.repair_ssrc;
  item->repaired_ssrc = stream->base.ssrc;
  item->seq = stream->base.seq++;
}

gboolean
tfrc_retransmitter_pop (TfrcRetransmitter *self, TfrcQueueItem *item,
    TfrcDuration max_age, TfrcTime now)
{
  const Answer *answer;

  while ((answer = gst_queue_array_pop_head_struct (self->answers)) != NULL) {
    Sent *stream = tfrc_ssrc_find (self->streams, answer->ssrc);
    Kept *kept = stream ? find_kept (stream, answer->seq) : NULL;

    if (kept == NULL)
      continue;
    kept->waiting = FALSE;
    kept->answered_at = now;
    if (tfrc_time_since (answer->asked_at, now) > max_age
        || !is_of_use (self, answer->ssrc, answer->seq))
      continue;
    fill_item (stream, kept, item);
    stream->answered = TRUE;
    self->sent++;
    self->rtx_bytes += item->size;
    return TRUE;
  }
  return FALSE;
}

/* The stream to take packets for a probe from; NULL: none. */
static Sent *
find_probe_stream (const TfrcRetransmitter *self, TfrcTime now)
{
  Sent *newest = NULL;

  for (guint i = 0; i < self->streams->len; i++) {
    Sent *stream = g_ptr_array_index (self->streams, i);

    if (stream->answered && count_kept (stream) > 0
        && (self->taken & 1u << stream->rtx_payload_type % 32) == 0
        && tfrc_time_since (stream->base.sent_at, now) <= TFRC_RTX_TIME
        && (newest == NULL || stream->base.sent_at > newest->base.sent_at))
      newest = stream;
  }
  return newest;
}

gboolean
tfrc_retransmitter_can_probe (const TfrcRetransmitter *self, TfrcTime now)
{
  return find_probe_stream (self, now) != NULL;
}

/* Takes packets from the newest to the oldest, and then again. */
gboolean
tfrc_retransmitter_pop_probe (TfrcRetransmitter *self, TfrcQueueItem *item,
    TfrcTime now)
{
  Sent *stream = find_probe_stream (self, now);
  guint length;

  if (stream == NULL)
    return FALSE;
  drop_old (self, stream, now);
  length = count_kept (stream);
  for (guint i = 0; i < length; i++) {
    const Kept *next;

    if ((guint16) (stream->next - stream->probed) >= length)
      stream->probed = stream->next;
    next = find_kept (stream, --stream->probed);
    if (next == NULL)
      continue;
    fill_item (stream, next, item);
    return TRUE;
  }
  return FALSE;
}

void
tfrc_retransmitter_flush (TfrcRetransmitter *self)
{
  gst_queue_array_clear (self->answers);
  for (guint i = 0; i < self->streams->len; i++)
    drop_all (self, g_ptr_array_index (self->streams, i));
}

void
tfrc_retransmitter_set_stats (const TfrcRetransmitter *self,
    GstStructure *stats)
{
  tfrc_stats_set (stats, "retransmissions-asked", self->asked);
  tfrc_stats_set (stats, "retransmissions-sent", self->sent);
  tfrc_stats_set (stats, "retransmission-bytes", self->rtx_bytes);
}

/* n = 0 is the newest. */
static const TfrcUpstreamRequest *
get_newest (const TfrcUpstreamRequests *self, guint n)
{
  return &self->items[(self->asked - 1 - n) % TFRC_UPSTREAM_REQUESTS_MAX];
}

static guint
count (const TfrcUpstreamRequests *self)
{
  return (guint) MIN (self->asked, TFRC_UPSTREAM_REQUESTS_MAX);
}

gboolean
tfrc_upstream_requests_on_request (TfrcUpstreamRequests *self,
    const TfrcUpstreamRequest *request, TfrcDuration interval)
{
  for (guint i = 0; i < count (self); i++) {
    const TfrcUpstreamRequest *before = get_newest (self, i);

    if (tfrc_time_since (before->asked_at, request->asked_at) >= interval)
      break;
    if (before->ssrc == request->ssrc && before->seq == request->seq)
      return FALSE;
  }
  self->items[self->asked++ % TFRC_UPSTREAM_REQUESTS_MAX] = *request;
  return TRUE;
}

const TfrcUpstreamRequest *
tfrc_upstream_requests_find (const TfrcUpstreamRequests *self, guint16 original)
{
  for (guint i = 0; i < count (self); i++) {
    const TfrcUpstreamRequest *request = get_newest (self, i);

    if (request->original_seq == original)
      return request;
  }
  return NULL;
}
