/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rings and arrays by SSRC, and packets made of those that left. */

#include "send/repair.h"

#include <string.h>
#include <math.h>

#include "common/rtp.h"
#include "base/streams.h"
#include "common/repair-types.h"
#include "common/stats.h"

#define CSRC_SIZE 4
#define ONE_BYTE_PROFILE 0xbede /* RFC 8285 section 4.2 */
#define PADDING_BIT 0x20
#define CSRC_COUNT_MASK 0x0f
#define MARKER_BIT 0x80
#define MOST_PADDING 255 /* its last byte counts it */

/* A stream that is repaired: how those of either way of repair begin. */
typedef struct
{
  TfrcRepairNumbers numbers;
  TfrcTime sent_at; /* its newest packet */
} Repaired;

/* A packet beside a stream: parity of it, or padding.  Its header, with its extension,
 * is that of a packet of the stream, but for an SSRC and numbers of its own; the stream
 * is its only CSRC. */
typedef struct
{
  guint8 *data; /* to be freed */
  gsize size;
  guint8 *payload; /* in it */
} SidePacket;

static TfrcRepairNumbers *
find_numbers (TfrcRepairMemory *self, guint32 ssrc)
{
  for (guint i = 0; i < MIN (self->n, TFRC_REPAIR_NUMBERS); i++)
    if (self->ring[i].ssrc == ssrc)
      return &self->ring[i];
  return NULL;
}

/* The stream makes room. */
static void
keep_numbers (TfrcRepairMemory *self, const TfrcRepairNumbers *numbers)
{
  TfrcRepairNumbers *old = find_numbers (self, numbers->ssrc);

  if (old == NULL)
    old = &self->ring[self->n++ % TFRC_REPAIR_NUMBERS];
  *old = *numbers;
}

/* A stream comes, or comes back; what is taken stays there until it is kept anew. */
static TfrcRepairNumbers
take_numbers (TfrcRepairMemory *self, guint32 ssrc)
{
  const TfrcRepairNumbers *old = find_numbers (self, ssrc);

  if (old != NULL)
    return *old;
  return (TfrcRepairNumbers) {
    .ssrc = ssrc,
    .repair_ssrc = g_random_int (),
    .seq = (guint16) g_random_int_range (0, G_MAXINT16),
  };
}

/* NULL: it is not there. */
static gpointer
find_repaired (const GPtrArray *streams, guint32 ssrc)
{
  for (guint i = 0; i < streams->len; i++) {
    Repaired *stream = g_ptr_array_index (streams, i);

    if (stream->numbers.ssrc == ssrc)
      return stream;
  }
  return NULL;
}

gboolean
tfrc_repair_has_ssrc (const GPtrArray *streams, guint32 ssrc)
{
  for (guint i = 0; i < streams->len; i++) {
    const Repaired *stream = g_ptr_array_index (streams, i);

    if (stream->numbers.repair_ssrc == ssrc)
      return TRUE;
  }
  return FALSE;
}

/* That sent nothing for longest, where one more would be too many; NULL: there is
 * room. */
static gpointer
find_too_many (const GPtrArray *streams)
{
  Repaired *oldest;

  if (streams->len < TFRC_MAX_STREAMS)
    return NULL;
  oldest = g_ptr_array_index (streams, 0);
  for (guint i = 1; i < streams->len; i++) {
    Repaired *stream = g_ptr_array_index (streams, i);

    if (stream->sent_at < oldest->sent_at)
      oldest = stream;
  }
  return oldest;
}

/* The extension of the packet may have been shorter than the room for it. */
static void
make_extension_room (guint8 *data, const TfrcQueueItem *item)
{
  guint8 *length = data + item->extension_offset - 1;
  guint16 profile = GST_READ_UINT16_BE (data + TFRC_RTP_HEADER_SIZE
      + CSRC_SIZE);

  *length = profile == ONE_BYTE_PROFILE
      ? (guint8) ((*length & 0xf0) | (item->extension_room - 1))
      : (guint8) item->extension_room;
}

/* Bytes of header that there would be. */
static guint
get_side_header_size (GstRTPBuffer *like)
{
  return gst_rtp_buffer_get_header_len (like) + CSRC_SIZE
      - CSRC_SIZE * gst_rtp_buffer_get_csrc_count (like);
}

/* `like`: the packet that `item` was of as it left.  Its `size`, `extension_offset` and
 * `seq` become those of the one that is made. */
static SidePacket
make_side_packet (GstRTPBuffer *like, TfrcQueueItem *item, guint32 ssrc,
    guint16 seq, gsize payload_size)
{
  guint header_size = get_side_header_size (like);
  guint old_size = gst_rtp_buffer_get_header_len (like);
  guint before = TFRC_RTP_HEADER_SIZE + CSRC_SIZE;
  gsize size = header_size + payload_size;
  guint8 *data = g_malloc (size);

  gst_buffer_extract (like->buffer, 0, data, TFRC_RTP_HEADER_SIZE);
  gst_buffer_extract (like->buffer, old_size - (header_size - before),
      data + before, header_size - before);
  data[0] = (guint8) ((data[0] & ~(PADDING_BIT | CSRC_COUNT_MASK)) | 1);
  GST_WRITE_UINT16_BE (data + 2, seq);
  GST_WRITE_UINT32_BE (data + 8, ssrc);
  GST_WRITE_UINT32_BE (data + TFRC_RTP_HEADER_SIZE,
      gst_rtp_buffer_get_ssrc (like));
  if (item->extension_offset != 0) {
    item->extension_offset += header_size - old_size;
    make_extension_room (data, item);
  }
  item->seq = seq;
  item->size = (guint) size;
  return (SidePacket) { data, size, data + header_size };
}

void
tfrc_padding_on_sent (TfrcPadding *self, const TfrcQueueItem *item)
{
  if (item->extension_offset == 0)
    return;
  self->head_size = gst_buffer_extract (GST_BUFFER_CAST (item->object), 0,
      self->head, sizeof (self->head));
  self->head[0] &= (guint8) ~PADDING_BIT;
  self->item = (TfrcQueueItem) {
    .extension_offset = item->extension_offset,
    .extension_room = item->extension_room,
    .transport_numbered = item->transport_numbered,
  };
}

gboolean
tfrc_padding_pop (TfrcPadding *self, TfrcQueueItem *item)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  SidePacket packet;
  g_autoptr (GstBuffer) head = NULL;
  gboolean ok;

  if (self->head_size == 0)
    return FALSE;
  head = gst_buffer_new_memdup (self->head, self->head_size);
  ok = gst_rtp_buffer_map (head, GST_MAP_READ, &rtp);
  if (ok) {
    *item = self->item;
    packet = make_side_packet (&rtp, item, self->ssrc, self->seq++,
        MOST_PADDING);
    packet.data[0] |= PADDING_BIT;
    packet.data[1] &= (guint8) ~MARKER_BIT;
    memset (packet.payload, 0, MOST_PADDING - 1);
    packet.payload[MOST_PADDING - 1] = MOST_PADDING;
    item->object = GST_MINI_OBJECT_CAST (gst_buffer_new_wrapped (packet.data,
        packet.size));
    gst_rtp_buffer_unmap (&rtp);
  } else {
    self->head_size = 0; /* it is longer than that */
  }
  return ok;
}

/* Packets kept per stream, a power of two; more where TFRC_RTX_TIME needs them,
 * which at 4096 is the case up to 40 Mbit/s. */
#define MIN_KEPT 256
#define MAX_KEPT 4096

/* Before the RTT is known a packet is answered this often. */
#define UNKNOWN_RTT (100 * TFRC_MILLISECOND)

/* Repair may take this fraction of the bytes of new packets, and may save up
 * what those of TFRC_RTX_TIME allow, or a few packets of a slow flow. */
#define SHARE 4
#define MIN_CREDIT 6000

typedef struct
{
  GstBuffer *buffer; /* NULL = none */
  TfrcTime sent_at;
  TfrcTime answered_at; /* TFRC_TIME_NONE = never */
  gboolean waiting;     /* the answer does */
  guint size;           /* [bytes] */
  guint extension_offset;
  guint extension_room;
  gboolean transport_numbered;
  guint16 seq;
} Kept;

typedef struct
{
  Repaired base;
  guint rtx_payload_type;
  Kept *kept;        /* by sequence number modulo `length` */
  guint length;      /* a power of two */
  guint16 first;     /* none is kept that is older than this one */
  guint16 next;      /* the newest is in front of this one */
  gboolean answered; /* somebody asked, and so takes RTX packets */
  guint16 probed;    /* the next packet of a probe is in front of this one */
} Sent;

/* An RTX packet to be. */
typedef struct
{
  Kept kept; /* with a reference to the buffer */
  TfrcTime asked_at;
  guint32 ssrc;
} Answer;

static void
free_sent (gpointer data)
{
  Sent *stream = data;

  for (guint i = 0; i < stream->length; i++)
    gst_clear_buffer (&stream->kept[i].buffer);
  g_free (stream->kept);
  g_free (stream);
}

TfrcRetransmitter *
tfrc_retransmitter_new (void)
{
  TfrcRetransmitter *self = g_new0 (TfrcRetransmitter, 1);

  self->streams = g_ptr_array_new_with_free_func (free_sent);
  self->answers = gst_queue_array_new_for_struct (sizeof (Answer), MIN_KEPT);
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

static void
clear_kept (TfrcRetransmitter *self, Kept *kept)
{
  if (!kept->buffer)
    return;
  self->kept_bytes -= kept->size;
  gst_clear_buffer (&kept->buffer);
}

static TfrcRepairNumbers
get_numbers (TfrcRetransmitter *self, guint32 ssrc)
{
  TfrcRepairNumbers numbers = take_numbers (&self->memory, ssrc);

  while (find_repaired (self->streams, numbers.repair_ssrc) != NULL
      || tfrc_repair_has_ssrc (self->streams, numbers.repair_ssrc))
    numbers.repair_ssrc = g_random_int ();
  return numbers;
}

static Sent *
add_sent (TfrcRetransmitter *self, guint32 ssrc, guint rtx_payload_type,
    guint16 seq)
{
  Sent *stream = g_new0 (Sent, 1);
  Sent *oldest = find_too_many (self->streams);

  if (oldest != NULL) {
    for (guint i = 0; i < oldest->length; i++)
      clear_kept (self, &oldest->kept[i]);
    keep_numbers (&self->memory, &oldest->base.numbers);
    g_ptr_array_remove (self->streams, oldest);
  }
  *stream = (Sent) {
    .base.numbers = get_numbers (self, ssrc),
    .rtx_payload_type = rtx_payload_type,
    .kept = g_new0 (Kept, MIN_KEPT),
    .length = MIN_KEPT,
    .first = seq,
    .next = seq,
  };
  g_ptr_array_add (self->streams, stream);
  return stream;
}

/* NULL: it is not there. */
static Kept *
find_kept (Sent *stream, guint16 seq)
{
  Kept *kept = &stream->kept[seq & (stream->length - 1)];

  return kept->buffer && kept->seq == seq ? kept : NULL;
}

/* Memory may be of a pool that misses it. */
static void
drop_old (TfrcRetransmitter *self, Sent *stream, TfrcTime now)
{
  while (stream->first != stream->next) {
    Kept *kept = find_kept (stream, stream->first);

    if (kept && tfrc_time_since (kept->sent_at, now) <= TFRC_RTX_TIME)
      break;
    if (kept)
      clear_kept (self, kept);
    stream->first++;
  }
}

/* For `seq`, which usually is the next; then the oldest goes, or the array
 * grows. */
static void
make_room (TfrcRetransmitter *self, Sent *stream, guint16 seq, TfrcTime now)
{
  guint16 ahead = (guint16) (seq - stream->next);
  guint length = stream->length;

  if (ahead > G_MAXINT16)
    return; /* it was overtaken in front of us */
  stream->next = (guint16) (seq + 1);
  while (length < MAX_KEPT && (guint16) (stream->next - stream->first) > length)
    length *= 2;
  if (length > stream->length) {
    Kept *kept = g_new0 (Kept, length);

    for (guint i = 0; i < stream->length; i++)
      if (stream->kept[i].buffer)
        kept[stream->kept[i].seq & (length - 1)] = stream->kept[i];
    g_free (stream->kept);
    stream->kept = kept;
    stream->length = length;
  }
  if ((guint16) (stream->next - stream->first) > length)
    stream->first = (guint16) (stream->next - length);
}

void
tfrc_retransmitter_on_sent (TfrcRetransmitter *self, const TfrcQueueItem *item,
    TfrcTime now)
{
  GstBuffer *buffer = GST_BUFFER_CAST (item->object);
  guint payload_type, rtx_payload_type;
  guint8 header[TFRC_RTP_HEADER_SIZE];
  guint32 ssrc;
  Sent *stream;
  Kept *kept;

  if (!self->enabled
      || gst_buffer_extract (buffer, 0, header, sizeof (header))
          < sizeof (header))
    return;
  payload_type = header[1] & ~MARKER_BIT;
  ssrc = GST_READ_UINT32_BE (header + 8);
  if (tfrc_rtx_get_original_type (payload_type) != 0
      && !tfrc_repair_has_ssrc (self->streams, ssrc))
    self->taken |= 1u << payload_type % 32;
  rtx_payload_type = tfrc_rtx_get_payload_type (payload_type);
  if (rtx_payload_type == 0)
    return;
  stream = find_repaired (self->streams, ssrc);
  if (!stream)
    stream = add_sent (self, ssrc, rtx_payload_type, item->seq);
  stream->rtx_payload_type = rtx_payload_type;
  stream->base.sent_at = now;
  drop_old (self, stream, now);
  make_room (self, stream, item->seq, now);

  kept = &stream->kept[item->seq & (stream->length - 1)];
  clear_kept (self, kept);
  *kept = (Kept) {
    .buffer = gst_buffer_ref (buffer),
    .sent_at = now,
    .answered_at = TFRC_TIME_NONE,
    .size = item->size,
    .extension_offset = item->extension_offset,
    .extension_room = item->extension_room,
    .transport_numbered = item->transport_numbered,
    .seq = item->seq,
  };
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

static void
ask (TfrcRetransmitter *self, guint32 ssrc, guint16 seq, TfrcDuration rtt,
    TfrcTime now)
{
  Sent *stream = find_repaired (self->streams, ssrc);
  Kept *kept = stream ? find_kept (stream, seq) : NULL;
  Answer answer;
  guint64 cost;

  self->asked++;
  if (!kept || !is_of_use (self, ssrc, seq)
      || tfrc_time_since (kept->sent_at, now) > TFRC_RTX_TIME
      || (self->taken & 1u << stream->rtx_payload_type % 32) != 0) {
    self->gone++;
    return;
  }
  if (kept->waiting
      || (kept->answered_at != TFRC_TIME_NONE
          && tfrc_time_since (kept->answered_at, now)
              < (rtt ? rtt : UNKNOWN_RTT))) {
    self->repeated++;
    return;
  }
  cost = SHARE * (guint64) (kept->size + TFRC_RTX_HEADER_SIZE);
  if (cost > self->credit) {
    self->refused++;
    return;
  }
  self->credit -= cost;
  kept->waiting = TRUE;
  answer = (Answer) { *kept, now, ssrc };
  gst_buffer_ref (answer.kept.buffer);
  gst_queue_array_push_tail_struct (self->answers, &answer);
}

void
tfrc_retransmitter_on_nack (TfrcRetransmitter *self, guint32 ssrc,
    TfrcNackEntry entry, TfrcDuration rtt, TfrcTime now)
{
  ask (self, ssrc, entry.seq, rtt, now);
  for (guint i = 0; i < TFRC_WIRE_NACK_SPAN - 1; i++) {
    if ((entry.following & 1u << i) != 0)
      ask (self, ssrc, (guint16) (entry.seq + 1 + i), rtt, now);
  }
}

gboolean
tfrc_retransmitter_peek (const TfrcRetransmitter *self, guint32 *ssrc)
{
  const Answer *next = gst_queue_array_peek_head_struct (self->answers);

  if (next != NULL)
    *ssrc = next->ssrc;
  return next != NULL;
}

/* RFC 4588 section 4: the header with its extension, the original sequence
 * number, and the payload, which is shared. */
static GstBuffer *
make_rtx (Sent *stream, const Kept *kept)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  GstBuffer *buffer;
  guint header_size = TFRC_RTP_HEADER_SIZE;
  guint8 *data;

  if (gst_rtp_buffer_map (kept->buffer, GST_MAP_READ, &rtp)) {
    header_size = gst_rtp_buffer_get_header_len (&rtp);
    gst_rtp_buffer_unmap (&rtp);
  }
  data = g_malloc (header_size + TFRC_RTX_HEADER_SIZE);
  gst_buffer_extract (kept->buffer, 0, data, header_size);
  data[1] = (data[1] & MARKER_BIT) | (guint8) stream->rtx_payload_type;
  GST_WRITE_UINT16_BE (data + 2, stream->base.numbers.seq++);
  GST_WRITE_UINT32_BE (data + 8, stream->base.numbers.repair_ssrc);
  GST_WRITE_UINT16_BE (data + header_size, kept->seq);
  buffer = gst_buffer_new_wrapped (data, header_size + TFRC_RTX_HEADER_SIZE);
  gst_buffer_copy_into (buffer, kept->buffer, GST_BUFFER_COPY_METADATA, 0, -1);
  return gst_buffer_append_region (buffer, gst_buffer_ref (kept->buffer),
      header_size, -1);
}

static void
fill_item (Sent *stream, const Kept *kept, TfrcQueueItem *item)
{
  *item = (TfrcQueueItem) {
    .seq = stream->base.numbers.seq,
    .size = kept->size + TFRC_RTX_HEADER_SIZE,
    .extension_offset = kept->extension_offset,
    .extension_room = kept->extension_room,
    .transport_numbered = kept->transport_numbered,
  };
  item->object = GST_MINI_OBJECT_CAST (make_rtx (stream, kept));
}

gboolean
tfrc_retransmitter_pop (TfrcRetransmitter *self, TfrcQueueItem *item,
    guint32 *rtx_ssrc, guint32 *ssrc, TfrcDuration max_age, TfrcTime now)
{
  const Answer *answer;

  while ((answer = gst_queue_array_pop_head_struct (self->answers)) != NULL) {
    Sent *stream = find_repaired (self->streams, answer->ssrc);
    GstBuffer *buffer = answer->kept.buffer;
    Kept *kept = stream ? find_kept (stream, answer->kept.seq) : NULL;

    if (kept) {
      kept->waiting = FALSE;
      kept->answered_at = now;
    }
    if (!stream || tfrc_time_since (answer->asked_at, now) > max_age) {
      self->late++;
      gst_buffer_unref (buffer);
      continue;
    }
    if (!is_of_use (self, answer->ssrc, answer->kept.seq)) {
      self->gone++;
      gst_buffer_unref (buffer);
      continue;
    }
    fill_item (stream, &answer->kept, item);
    *ssrc = answer->ssrc;
    *rtx_ssrc = stream->base.numbers.repair_ssrc;
    stream->answered = TRUE;
    gst_buffer_unref (buffer);
    self->sent++;
    self->bytes_repeated += item->size;
    return TRUE;
  }
  return FALSE;
}

/* NULL: none. */
static Sent *
find_probe_stream (const TfrcRetransmitter *self, TfrcTime now)
{
  Sent *newest = NULL;

  for (guint i = 0; i < self->streams->len; i++) {
    Sent *stream = g_ptr_array_index (self->streams, i);

    if (stream->answered && stream->first != stream->next
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

/* From the newest on back, and again. */
gboolean
tfrc_retransmitter_pop_probe (TfrcRetransmitter *self, TfrcQueueItem *item,
    guint32 *rtx_ssrc, TfrcTime now)
{
  Sent *stream = find_probe_stream (self, now);
  guint16 kept;

  if (stream == NULL)
    return FALSE;
  drop_old (self, stream, now);
  kept = (guint16) (stream->next - stream->first);
  for (guint i = 0; i < kept; i++) {
    const Kept *next;

    if ((guint16) (stream->probed - 1 - stream->first) >= kept)
      stream->probed = stream->next;
    next = find_kept (stream, --stream->probed);
    if (next == NULL)
      continue;
    fill_item (stream, next, item);
    *rtx_ssrc = stream->base.numbers.repair_ssrc;
    return TRUE;
  }
  return FALSE;
}

void
tfrc_retransmitter_flush (TfrcRetransmitter *self)
{
  const Answer *answer;

  while ((answer = gst_queue_array_pop_head_struct (self->answers)) != NULL)
    gst_buffer_unref (answer->kept.buffer);
  for (guint i = 0; i < self->streams->len; i++) {
    Sent *stream = g_ptr_array_index (self->streams, i);

    for (guint k = 0; k < stream->length; k++)
      clear_kept (self, &stream->kept[k]);
    stream->first = stream->next;
  }
}

void
tfrc_retransmitter_set_stats (const TfrcRetransmitter *self,
    GstStructure *stats)
{
  tfrc_stats_set (stats, "retransmissions-asked", self->asked);
  tfrc_stats_set (stats, "retransmissions-sent", self->sent);
  tfrc_stats_set (stats, "retransmissions-gone", self->gone);
  tfrc_stats_set (stats, "retransmissions-repeated", self->repeated);
  tfrc_stats_set (stats, "retransmissions-refused", self->refused);
  tfrc_stats_set (stats, "retransmissions-too-late", self->late);
  tfrc_stats_set (stats, "retransmission-bytes", self->bytes_repeated);
}

/* Who asks does so about a round trip after the first loss, and again with the
 * next ones, which at 1 % of 30 packets a second are three seconds apart. */
#define TIME_TO_ASK (1 * TFRC_SECOND)
#define TIME_TO_ASK_AGAIN (15 * TFRC_SECOND)

/* One packet of parity for n others, n = 0.35 / sqrt (p), which is 3.5 at 1 % and 2 at
 * 3 %: of frames of two to four packets 1 in 2500 lacks one then, and breaks what follows
 * until the key frame comes. */
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
    TfrcTime now)
{
  if (self->setting != TFRC_FEC_AUTO)
    return (guint) self->setting;
  if (asked != self->asked)
    self->asked_at = now;
  self->asked = asked;
  if (loss_event_rate <= 0)
    self->lost_at = TFRC_TIME_NONE;
  else if (self->lost_at == TFRC_TIME_NONE)
    self->lost_at = now;
  if (self->lost_at == TFRC_TIME_NONE
      || tfrc_time_since (self->lost_at, now) < TIME_TO_ASK
      || (self->asked_at != TFRC_TIME_NONE
          && tfrc_time_since (self->asked_at, now) < TIME_TO_ASK_AGAIN))
    return 0;
  return (guint) CLAMP (lrint (100 * sqrt (loss_event_rate)
                            / PACKETS_AT_FULL_LOSS),
      MIN_PERCENTAGE, MAX_PERCENTAGE);
}

#define WAITING_LENGTH 16

/* Divide 2^16, so that a number has one of them. */
#define MAX_COLUMNS 4
/* A column is sent that often, or not at all: later its packets are of no use. */
#define COLUMN_TIME (300 * TFRC_MILLISECOND)
/* Of the time between two parities, which frames make unequal. */
#define INTERVAL_SMOOTHING 8

typedef struct
{
  TfrcParity parity;
  guint longest; /* of its packets [bytes] */
} Sum;

/* A row is of packets that follow each other, a column of each n_columns-th.  Each packet
 * is in one of both, so that of two that a row misses the columns give one. */
typedef struct
{
  Repaired base;
  Sum row;
  Sum columns[MAX_COLUMNS];
  guint16 next_seq;
  guint n_columns;       /* 1: rows alone */
  gboolean row_is_next;  /* and not a column */
  TfrcTime made_at;      /* the last one; 0: none */
  TfrcDuration interval; /* between two, smoothed; 0: not known */
  guint64 credit;        /* bytes that parity may take, in 1/100 */
} Protected;

typedef struct
{
  TfrcQueueItem item; /* without `stream` */
  guint32 ssrc;
  guint32 fec_ssrc;
  TfrcTime made_at;
} Waiting;

static void
clear_sum (Sum *sum)
{
  tfrc_parity_clear (&sum->parity);
  sum->longest = 0;
}

/* Of no packets. */
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
      && !tfrc_repair_has_ssrc (self->streams, gst_rtp_buffer_get_ssrc (rtp)))
    self->taken |= G_GUINT64_CONSTANT (1) << type;
  return fec_type != 0
      && (self->taken & G_GUINT64_CONSTANT (1) << fec_type) == 0;
}

/* One too many takes the place of the one that sent nothing for longest. */
static Protected *
get_protected (TfrcFecEncoder *self, guint32 ssrc)
{
  Protected *stream = find_repaired (self->streams, ssrc);
  Protected *oldest;

  if (stream != NULL)
    return stream;
  oldest = find_too_many (self->streams);
  if (oldest != NULL) {
    keep_numbers (&self->memory, &oldest->base.numbers);
    g_ptr_array_remove (self->streams, oldest);
  }
  stream = g_new0 (Protected, 1);
  stream->n_columns = 1;
  stream->base.numbers = take_numbers (&self->memory, ssrc);
  g_ptr_array_add (self->streams, stream);
  return stream;
}

static GstBuffer *
make_packet (Protected *stream, TfrcParity *parity, guint stride,
    GstRTPBuffer *last, TfrcQueueItem *item)
{
  SidePacket packet = make_side_packet (last, item,
      stream->base.numbers.repair_ssrc, stream->base.numbers.seq++,
      TFRC_WIRE_PARITY_SIZE + parity->size);
  guint type = gst_rtp_buffer_get_payload_type (last);
  GstBuffer *buffer;

  packet.data[1] = (guint8) ((parity->marker ? MARKER_BIT : 0)
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

/* What is sent next: by turns the row, and the column that is the longest. */
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

/* Each column's turn is behind two parities for each of them. */
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
  Waiting waiting = { *item, stream->base.numbers.ssrc,
    stream->base.numbers.repair_ssrc, now };

  waiting.item.stream = NULL;
  waiting.item.renumbered = FALSE;
  waiting.item.object = GST_MINI_OBJECT_CAST (make_packet (stream, &sum->parity,
      sum == &stream->row ? 1 : stream->n_columns, rtp, &waiting.item));
  gst_queue_array_push_tail_struct (self->waiting, &waiting);
  stream->row_is_next = sum != &stream->row;
  clear_sum (sum);
  choose_columns (stream, now);
}

/* Numbers that do not follow each other begin anew: upstream has reordered.  A
 * header that is longer than that of the longest packet is none for parity, which
 * would be above the MTU. */
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
  size = get_side_header_size (rtp) + TFRC_WIRE_PARITY_SIZE + next->parity.size;
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

void
tfrc_fec_encoder_on_sent (TfrcFecEncoder *self, const TfrcQueueItem *item,
    TfrcTime now)
{
  GstBuffer *buffer = GST_BUFFER_CAST (item->object);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  if (self->percentage == 0 || !gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp))
    return;
  if (has_parity (self, &rtp))
    add_packet (self, get_protected (self, gst_rtp_buffer_get_ssrc (&rtp)),
        &rtp, item, now);
  gst_rtp_buffer_unmap (&rtp);
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

/* 0 is the newest. */
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
    if (before->ssrc == request->ssrc && before->left == request->left) {
      self->early++;
      return FALSE;
    }
  }
  self->items[self->asked++ % TFRC_UPSTREAM_REQUESTS_MAX] = *request;
  return TRUE;
}

const TfrcUpstreamRequest *
tfrc_upstream_requests_find (const TfrcUpstreamRequests *self, guint16 original)
{
  for (guint i = 0; i < count (self); i++) {
    const TfrcUpstreamRequest *request = get_newest (self, i);

    if (request->original == original)
      return request;
  }
  return NULL;
}
