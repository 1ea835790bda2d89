/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "bins/parity.h"

#include <string.h>

#include "base/units.h"
#include "common/repair-types.h"
#include "common/rtp.h"

/* Packets kept per stream; a power of two, and more than two parity packets can cover. */
#define MAX_PACKETS 512

/* Age [packets of the stream] up to which a packet or parity is used: an older one
 * could be mistaken for another, as sequence numbers wrap.  Twice the ring, as packets
 * may be duplicated. */
#define MAX_AGE (2 * MAX_PACKETS)

/* After so many packets of all streams without parity no more is expected, nor of a
 * stream after so many of its own.  At 1 %, the least, about one in 100 is parity. */
#define MAX_PACKETS_WITHOUT_PARITY 1024

/* Larger packets and parity are not kept: the largest Ethernet frames in use [bytes]. */
#define MAX_SIZE 9216

/* Limit of all kept packets [bytes]; 1 s at 250 Mbit/s. */
#define MAX_BYTES (32 * 1024 * 1024)

/* Newest parity packets kept per stream, to wait for more packets. */
#define MAX_PARITIES 16

typedef struct
{
  GstBuffer *buffer; /* NULL = none */
  guint64 came;      /* n_packets of the stream when it was received */
  guint16 seq;
} Packet;

typedef struct
{
  GstBuffer *buffer; /* RTP; NULL = none */
  guint64 came;      /* n_packets of the stream when it was received */
  TfrcWireParity header;
} Parity;

typedef struct
{
  guint32 ssrc;
  guint64 active_at;           /* n_all at its newest packet or parity */
  guint64 n_packets;           /* received */
  guint64 parity_at;           /* n_packets at its newest parity */
  gsize bytes;                 /* kept */
  Packet packets[MAX_PACKETS]; /* by sequence number modulo MAX_PACKETS */
  Parity parities[MAX_PARITIES];
  guint next_parity;
} Stream;

static void
free_stream (gpointer data)
{
  Stream *stream = data;

  for (guint i = 0; i < MAX_PACKETS; i++)
    gst_clear_buffer (&stream->packets[i].buffer);
  for (guint i = 0; i < MAX_PARITIES; i++)
    gst_clear_buffer (&stream->parities[i].buffer);
  g_free (stream);
}

TfrcFecDecoder *
tfrc_fec_decoder_new (void)
{
  TfrcFecDecoder *self = g_new0 (TfrcFecDecoder, 1);

  self->streams = g_ptr_array_new_with_free_func (free_stream);
  g_queue_init (&self->recovered);
  return self;
}

void
tfrc_fec_decoder_free (TfrcFecDecoder *self)
{
  g_queue_clear_full (&self->recovered, (GDestroyNotify) gst_buffer_unref);
  for (guint i = 0; i < TFRC_FEC_MAX_RECENT; i++)
    g_clear_pointer (&self->recent[i].memory, gst_memory_unref);
  g_ptr_array_unref (self->streams);
  g_free (self);
}

static void
remove_stream (TfrcFecDecoder *self, Stream *stream)
{
  self->bytes -= stream->bytes;
  g_ptr_array_remove (self->streams, stream);
}

/* Removes the stream that has been silent for longest or, `of_bytes`, the largest one:
 * otherwise a flood on one stream would push out those that send less often. */
static void
make_room (TfrcFecDecoder *self, gboolean of_bytes)
{
  Stream *chosen = g_ptr_array_index (self->streams, 0);

  for (guint i = 1; i < self->streams->len; i++) {
    Stream *stream = g_ptr_array_index (self->streams, i);

    if (of_bytes ? stream->bytes > chosen->bytes
                 : stream->active_at < chosen->active_at)
      chosen = stream;
  }
  remove_stream (self, chosen);
}

/* Replaces a kept buffer by `buffer`, or NULL. */
static void
replace (TfrcFecDecoder *self, Stream *stream, GstBuffer **kept,
    GstBuffer *buffer)
{
  gsize before = *kept ? gst_buffer_get_size (*kept) : 0;
  gsize after = buffer ? gst_buffer_get_size (buffer) : 0;

  stream->bytes += after - before;
  self->bytes += after - before;
  gst_buffer_replace (kept, buffer);
}

static void
keep_recent (TfrcFecDecoder *self, GstBuffer *buffer, guint32 ssrc, guint16 seq)
{
  TfrcRecentPacket *recent =
      &self->recent[self->next_recent++ % TFRC_FEC_MAX_RECENT];

  g_clear_pointer (&recent->memory, gst_memory_unref);
  recent->memory = gst_buffer_get_all_memory (buffer);
  recent->ssrc = ssrc;
  recent->seq = seq;
}

static void
keep (TfrcFecDecoder *self, Stream *stream, GstBuffer *buffer, guint16 seq)
{
  Packet *packet = &stream->packets[seq % MAX_PACKETS];

  replace (self, stream, &packet->buffer, buffer);
  packet->came = stream->n_packets;
  packet->seq = seq;
}

static gboolean
is_old (const Stream *stream, guint64 came)
{
  return stream->n_packets - came > MAX_AGE;
}

/* NULL: the packet is not kept, or too old. */
static const Packet *
find_packet (const Stream *stream, guint16 seq)
{
  const Packet *packet = &stream->packets[seq % MAX_PACKETS];

  return packet->buffer && packet->seq == seq && !is_old (stream, packet->came)
      ? packet
      : NULL;
}

static guint
count_missing (const Stream *stream, const TfrcWireParity *header,
    guint16 *missing)
{
  guint n_missing = 0;

  for (guint i = 0; i < header->count && n_missing < 2; i++) {
    guint16 seq = (guint16) (header->first + i * header->stride);

    if (find_packet (stream, seq))
      continue;
    *missing = seq;
    n_missing++;
  }
  return n_missing;
}

static gboolean
open_parity (const Parity *parity, TfrcParity *sum)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  if (!gst_rtp_buffer_map (parity->buffer, GST_MAP_READ, &rtp))
    return FALSE;
  sum->header = parity->header;
  sum->marker = gst_rtp_buffer_get_marker (&rtp);
  sum->size = gst_rtp_buffer_get_payload_len (&rtp) - TFRC_WIRE_PARITY_SIZE;
  sum->payload = g_malloc (sum->size);
  if (sum->size > 0)
    memcpy (sum->payload,
        (guint8 *) gst_rtp_buffer_get_payload (&rtp) + TFRC_WIRE_PARITY_SIZE,
        sum->size);
  gst_rtp_buffer_unmap (&rtp);
  return TRUE;
}

static GstBuffer *
make_packet (const TfrcParity *sum, guint32 ssrc, guint16 seq)
{
  GstBuffer *buffer = gst_rtp_buffer_new_allocate (sum->header.length, 0, 0);
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;

  gst_rtp_buffer_map (buffer, GST_MAP_WRITE, &rtp);
  gst_rtp_buffer_set_ssrc (&rtp, ssrc);
  gst_rtp_buffer_set_seq (&rtp, seq);
  gst_rtp_buffer_set_timestamp (&rtp, sum->header.timestamp);
  gst_rtp_buffer_set_payload_type (&rtp, sum->header.payload_type);
  gst_rtp_buffer_set_marker (&rtp, sum->marker);
  if (sum->header.length > 0)
    memcpy (gst_rtp_buffer_get_payload (&rtp), sum->payload,
        sum->header.length);
  gst_rtp_buffer_unmap (&rtp);
  return buffer;
}

/* Recovers the missing packet; NULL: packets and parity do not match. */
static GstBuffer *
compute (const Stream *stream, const Parity *parity, guint16 missing)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  TfrcParity sum = { .payload = NULL };
  GstBuffer *buffer = NULL;
  gboolean valid = open_parity (parity, &sum);

  for (guint i = 0; i < parity->header.count && valid; i++) {
    guint16 seq = (guint16) (parity->header.first + i * parity->header.stride);

    if (seq == missing)
      continue;
    valid = gst_rtp_buffer_map (find_packet (stream, seq)->buffer, GST_MAP_READ,
        &rtp);
    if (!valid)
      break;
    tfrc_parity_add (&sum, &rtp);
    gst_rtp_buffer_unmap (&rtp);
  }
  if (valid && sum.header.length <= sum.size)
    buffer = make_packet (&sum, stream->ssrc, missing);
  tfrc_parity_clear (&sum);
  return buffer;
}

/* Recovers one packet if a parity packet allows it, which may complete another one: call
 * again until FALSE.  Parity without a missing packet is removed. */
static gboolean
recover (TfrcFecDecoder *self, Stream *stream, GstBuffer *newest)
{
  for (guint i = 0; i < MAX_PARITIES; i++) {
    Parity *parity = &stream->parities[i];
    GstBuffer *buffer = NULL;
    guint16 missing = 0;
    guint n_missing;

    if (!parity->buffer)
      continue;
    n_missing = count_missing (stream, &parity->header, &missing);
    if (n_missing > 1)
      continue;
    if (n_missing == 1)
      buffer = compute (stream, parity, missing);
    replace (self, stream, &parity->buffer, NULL);
    if (!buffer)
      continue;
    GST_BUFFER_PTS (buffer) = GST_BUFFER_PTS (newest);
    GST_BUFFER_DTS (buffer) = GST_BUFFER_DTS (newest);
    keep (self, stream, buffer, missing);
    self->n_recovered++;
    g_queue_push_tail (&self->recovered, buffer);
    return TRUE;
  }
  return FALSE;
}

static gboolean
covers (const TfrcWireParity *header, guint16 seq)
{
  guint16 ahead = (guint16) (seq - header->first);

  return ahead % header->stride == 0 && ahead / header->stride < header->count;
}

static void
store (TfrcFecDecoder *self, Stream *stream, GstBuffer *buffer, guint16 seq)
{
  gboolean wanted = FALSE;

  stream->n_packets++;
  stream->active_at = self->n_all;
  keep (self, stream, buffer, seq);
  for (guint i = 0; i < MAX_PARITIES; i++) {
    Parity *parity = &stream->parities[i];

    if (is_old (stream, parity->came))
      replace (self, stream, &parity->buffer, NULL);
    wanted |= parity->buffer && covers (&parity->header, seq);
  }
  while (wanted && recover (self, stream, buffer))
    ;
}

void
tfrc_fec_decoder_on_packet (TfrcFecDecoder *self, GstBuffer *packet,
    const TfrcRtpHeader *header)
{
  Stream *stream;

  if (gst_buffer_get_size (packet) > MAX_SIZE)
    return;
  if (self->streams->len > 0 && ++self->n_since == MAX_PACKETS_WITHOUT_PARITY)
    while (self->streams->len > 0)
      make_room (self, FALSE);
  self->n_all++;
  stream = tfrc_ssrc_find (self->streams, header->ssrc);
  if (!stream)
    keep_recent (self, packet, header->ssrc, header->seq);
  else if (stream->n_packets - stream->parity_at == MAX_PACKETS_WITHOUT_PARITY)
    remove_stream (self, stream);
  else
    store (self, stream, packet, header->seq);
  while (self->bytes > MAX_BYTES)
    make_room (self, TRUE);
}

/* Moves the recent packets of the stream to it, the oldest first. */
static void
take_recent (TfrcFecDecoder *self, Stream *stream)
{
  for (guint i = 0; i < TFRC_FEC_MAX_RECENT; i++) {
    TfrcRecentPacket *recent =
        &self->recent[(self->next_recent + i) % TFRC_FEC_MAX_RECENT];
    GstBuffer *buffer;

    if (!recent->memory || recent->ssrc != stream->ssrc)
      continue;
    buffer = gst_buffer_new ();
    gst_buffer_append_memory (buffer, g_steal_pointer (&recent->memory));
    stream->n_packets++;
    keep (self, stream, buffer, recent->seq);
    gst_buffer_unref (buffer);
  }
}

static Stream *
add_stream (TfrcFecDecoder *self, guint32 ssrc)
{
  Stream *stream = g_new0 (Stream, 1);

  stream->ssrc = ssrc;
  stream->active_at = self->n_all;
  if (self->streams->len == TFRC_MAX_STREAMS)
    make_room (self, FALSE);
  g_ptr_array_add (self->streams, stream);
  take_recent (self, stream);
  return stream;
}

void
tfrc_fec_decoder_on_parity (TfrcFecDecoder *self, GstBuffer *packet)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  Parity parity = { NULL };
  guint32 ssrc = 0;
  gboolean valid;
  Stream *stream;
  Parity *slot;

  if (gst_buffer_get_size (packet) > MAX_SIZE
      || !gst_rtp_buffer_map (packet, GST_MAP_READ, &rtp))
    return;
  valid = gst_rtp_buffer_get_csrc_count (&rtp) == 1
      && gst_rtp_buffer_get_payload_len (&rtp) >= TFRC_WIRE_PARITY_SIZE
      && tfrc_wire_read_parity (gst_rtp_buffer_get_payload (&rtp),
          gst_rtp_buffer_get_payload_len (&rtp), &parity.header);
  if (valid)
    ssrc = gst_rtp_buffer_get_csrc (&rtp, 0);
  gst_rtp_buffer_unmap (&rtp);
  if (!valid)
    return;

  self->n_received++;
  self->n_all++;
  self->n_since = 0;
  stream = tfrc_ssrc_find (self->streams, ssrc);
  if (!stream)
    stream = add_stream (self, ssrc);
  stream->active_at = self->n_all;
  slot = &stream->parities[stream->next_parity++ % MAX_PARITIES];
  replace (self, stream, &slot->buffer, packet);
  slot->header = parity.header;
  slot->came = stream->parity_at = stream->n_packets;
  while (recover (self, stream, packet))
    ;
  while (self->bytes > MAX_BYTES)
    make_room (self, TRUE);
}

gboolean
tfrc_fec_decoder_is_active (const TfrcFecDecoder *self)
{
  return self->streams->len > 0;
}

GstBuffer *
tfrc_fec_decoder_poll (TfrcFecDecoder *self)
{
  return g_queue_pop_head (&self->recovered);
}
