/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between jitter buffers, rtprtxreceive and rtptfrcreceive; and the decoder of
 * parity, where what rtpsession counts as received has been counted.
 *
 * The bin in rtpbin's auxiliary slot hands packets from its sink pad to its source
 * pad, and only what a repair needs goes through rtprtxreceive, which costs as
 * much as rtpsession: it is between two pads that have no parent, since rtpbin
 * unlinks all pads of what it takes in.  All that jitter buffers get comes from
 * that source pad. */

#include "bins/repair.h"

#include <string.h>

#include "common/locks.h"
#include "common/stats.h"
#include "base/streams.h"

/* Kept per stream; a power of two, and more than two packets of parity may
 * cover. */
#define MAX_PACKETS 512

/* Of so many packets of the stream a packet or parity is the oldest that is of
 * use: where one was kept for longer, numbers that wrapped would take it for
 * another one.  Twice the ring, since some come twice. */
#define MAX_AGE (2 * MAX_PACKETS)

/* Without parity for so many packets of all streams none is expected, nor of a stream
 * for so many of its own: the sparsest, 1 % of the bytes of equal packets, is one of
 * some 100. */
#define MAX_PACKETS_WITHOUT_PARITY 1024

/* Larger ones, of packets and of parity, are not kept: the largest frames that are
 * in use on Ethernet [bytes]. */
#define MAX_SIZE 9216

/* Of all that is kept [bytes]; 1 s of 250 Mbit/s. */
#define MAX_BYTES (32 * 1024 * 1024)

/* Packets of parity that wait for more packets, the newest of them. */
#define MAX_PARITIES 16

/* Packets of streams without parity that are kept: the first parity may be of them.
 * At 5 %, the least that fec=-1 makes, it is of some 20. */
#define MAX_RECENT 64

typedef struct
{
  GstBuffer *buffer; /* NULL = none */
  guint64 came;      /* packets of the stream before it */
  guint16 seq;
} Packet;

typedef struct
{
  GstBuffer *buffer; /* NULL = none; RTP */
  guint64 came;      /* packets of the stream before it */
  TfrcWireParity header;
} Parity;

/* Its bytes alone: who gets the packet may write its timestamps without a copy. */
typedef struct
{
  GstMemory *memory; /* NULL = none */
  guint32 ssrc;
  guint16 seq;
} Recent;

typedef struct
{
  guint32 ssrc;
  guint64 active_at;           /* packets and parity of all streams before */
  guint64 n_packets;           /* that came */
  guint64 parity_at;           /* of these, before its newest parity */
  gsize bytes;                 /* kept */
  Packet packets[MAX_PACKETS]; /* by sequence number modulo MAX_PACKETS */
  Parity parities[MAX_PARITIES];
  guint next_parity;
} Stream;

struct _TfrcFecDecoder
{
  GPtrArray *streams;        /* of Stream */
  GQueue recovered;          /* of GstBuffer */
  Recent recent[MAX_RECENT]; /* a ring */
  guint next_recent;
  gsize bytes;   /* kept of all streams */
  guint64 n_all; /* packets and parity of all streams */
  guint n_since; /* packets of all streams since the last parity */
  guint64 n_received;
  guint64 n_recovered;
};

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
  for (guint i = 0; i < MAX_RECENT; i++)
    g_clear_pointer (&self->recent[i].memory, gst_memory_unref);
  g_ptr_array_unref (self->streams);
  g_free (self);
}

static Stream *
find_kept_stream (const TfrcFecDecoder *self, guint32 ssrc)
{
  for (guint i = 0; i < self->streams->len; i++) {
    Stream *stream = g_ptr_array_index (self->streams, i);

    if (stream->ssrc == ssrc)
      return stream;
  }
  return NULL;
}

static void
remove_stream (TfrcFecDecoder *self, Stream *stream)
{
  self->bytes -= stream->bytes;
  g_ptr_array_remove (self->streams, stream);
}

/* The one that was silent for longest; or of which most is kept, since one that is
 * flooded with would otherwise push out those that send less often. */
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

/* Puts `buffer`, or NULL, in the place of another one. */
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
  Recent *recent = &self->recent[self->next_recent++ % MAX_RECENT];

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

/* NULL: it is not there. */
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

/* NULL: they do not belong together. */
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

/* One packet of one parity, which may complete another one.  Parity of which
 * nothing is missing goes. */
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
  stream = find_kept_stream (self, header->ssrc);
  if (!stream)
    keep_recent (self, packet, header->ssrc, header->seq);
  else if (stream->n_packets - stream->parity_at == MAX_PACKETS_WITHOUT_PARITY)
    remove_stream (self, stream);
  else
    store (self, stream, packet, header->seq);
  while (self->bytes > MAX_BYTES)
    make_room (self, TRUE);
}

/* Those of the stream, the oldest first. */
static void
take_recent (TfrcFecDecoder *self, Stream *stream)
{
  for (guint i = 0; i < MAX_RECENT; i++) {
    Recent *recent = &self->recent[(self->next_recent + i) % MAX_RECENT];
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
  stream = find_kept_stream (self, ssrc);
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

gsize
tfrc_fec_decoder_get_bytes (const TfrcFecDecoder *self)
{
  return self->bytes;
}

guint64
tfrc_fec_decoder_get_received (const TfrcFecDecoder *self)
{
  return self->n_received;
}

guint64
tfrc_fec_decoder_get_recovered (const TfrcFecDecoder *self)
{
  return self->n_recovered;
}

#define PAYLOAD_TYPES 128

/* rtprtxreceive drops what was asked for a second ago by the PTS of the newest
 * packet that it saw, so that it has to see one now and then. */
#define RTX_CLOCK (100 * GST_MSECOND)

/* Answers to a receiver that was here before this one come before the next packet of
 * their stream, which tells what they are, or shortly behind. */
#define MAX_HELD (200 * GST_MSECOND)

struct _TfrcRepair
{
  GstElement *rtpbin;
  GstRtpTfrcReceive *receive;
  TfrcJitterBuffers *buffers;
  GstElement *rtx; /* rtprtxreceive; NULL = not there */

  GstPad *to_rtx;
  GstPad *from_rtx;
  GstPad *srcpad;        /* of the bin around it, which owns that */
  GstClockTime rtx_time; /* PTS, of the thread of packets that come in */

  GMutex *lock; /* that of the jitter buffers; guards all below */
  GstTfrcRetransmission mode;
  gboolean expects_usual;          /* types of RTX */
  guint8 originals[PAYLOAD_TYPES]; /* by RTX type; 0 = it is none */
  gboolean named[PAYLOAD_TYPES];   /* sdp or caps say what it is */
  gboolean parity[PAYLOAD_TYPES];  /* sdp or caps say that it is that */
  gboolean plain[PAYLOAD_TYPES];   /* the first packet is none of parity */
  gboolean streams[PAYLOAD_TYPES]; /* of a type that is usual for RTX */
  GQueue held;                     /* packets of such types, not known yet */
  guint n_types;
  gboolean is_announced; /* RTX, by sdp or caps */
  TfrcFecDecoder *decoder;
};

/* Without a `bin` the caller has the reference. */
static GstPad *
add_pad (TfrcRepair *self, GstElement *bin, const gchar *name,
    GstPadDirection direction, GstPadChainFunction chain,
    GstPadEventFunction on_event)
{
  GstPad *pad = gst_pad_new (name, direction);

  gst_pad_set_element_private (pad, self);
  if (chain)
    gst_pad_set_chain_function (pad, chain);
  gst_pad_set_event_function (pad, on_event);
  if (bin) {
    GST_PAD_SET_PROXY_CAPS (pad);
    GST_PAD_SET_PROXY_ALLOCATION (pad);
    gst_element_add_pad (bin, pad);
  } else {
    gst_pad_set_active (gst_object_ref_sink (pad), TRUE);
  }
  return pad;
}

/* Of a packet that is known to have one. */
static TfrcRtpHeader
get_header (GstBuffer *packet)
{
  TfrcRtpHeader header = { 0 };

  tfrc_rtp_header_read (&header, packet);
  return header;
}

/* To a jitter buffer.  With the lock held, which it gives up, as the next. */
static GstFlowReturn
push (TfrcRepair *self, GstBuffer *buffer, const TfrcRtpHeader *header)
{
  tfrc_jitter_buffers_on_arrival (self->buffers, header,
      GST_BUFFER_DTS_OR_PTS (buffer));
  return gst_pad_push (self->srcpad, buffer);
}

/* With the lock held.  All parity names one stream, and hardly anything else
 * does. */
static gboolean
is_parity (const TfrcRepair *self, const TfrcRtpHeader *header)
{
  return self->named[header->payload_type]
      ? self->parity[header->payload_type]
      : tfrc_fec_get_original_type (header->payload_type) != 0
          && header->n_csrcs == 1;
}

/* Whether for anything that is missing. */
static gboolean
asks (TfrcRepair *self)
{
  G_MUTEX_AUTO_LOCK (self->lock, locker);
  return self->rtx && self->mode != GST_TFRC_RETRANSMISSION_OFF
      && (self->n_types > 0 || self->expects_usual);
}

static void
notify_repairs (TfrcRepair *self)
{
  gboolean answered, corrects;

  g_mutex_lock (self->lock);
  answered = self->is_announced || self->mode == GST_TFRC_RETRANSMISSION_ON;
  corrects = tfrc_fec_decoder_is_active (self->decoder);
  g_mutex_unlock (self->lock);
  gst_rtp_tfrc_receive_set_repairs (self->receive, asks (self), answered,
      corrects);
}

/* What is computed goes in front of the packet that it was missing for. */
static GstFlowReturn
pass_on (TfrcRepair *self, GstBuffer *buffer, const TfrcRtpHeader *header)
{
  gboolean corrects = tfrc_fec_decoder_is_active (self->decoder);
  gboolean parity = is_parity (self, header);
  GstBuffer *recovered;

  if (parity)
    tfrc_fec_decoder_on_parity (self->decoder, buffer);
  else
    tfrc_fec_decoder_on_packet (self->decoder, buffer, header);
  if (tfrc_fec_decoder_is_active (self->decoder) != corrects) {
    g_mutex_unlock (self->lock);
    notify_repairs (self);
    g_mutex_lock (self->lock);
  }
  while ((recovered = tfrc_fec_decoder_poll (self->decoder)) != NULL) {
    TfrcRtpHeader recovered_header = get_header (recovered);

    push (self, recovered, &recovered_header);
    g_mutex_lock (self->lock);
  }
  if (!parity)
    return push (self, buffer, header);
  g_mutex_unlock (self->lock);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

/* A packet that is no RTX.  With the lock held, which it gives up. */
static GstFlowReturn
go_on (TfrcRepair *self, GstBuffer *buffer, const TfrcRtpHeader *header)
{
  GstClockTime pts = GST_BUFFER_PTS (buffer);

  if (!GST_CLOCK_TIME_IS_VALID (pts)
      || (pts >= self->rtx_time && pts - self->rtx_time < RTX_CLOCK))
    return pass_on (self, buffer, header);
  self->rtx_time = pts;
  g_mutex_unlock (self->lock);
  return gst_pad_push (self->to_rtx, buffer);
}

/* With the lock held. */
static void
take_held (TfrcRepair *self, guint payload_type, GQueue *packets)
{
  for (guint n = g_queue_get_length (&self->held); n > 0; n--) {
    GstBuffer *buffer = g_queue_pop_head (&self->held);
    gboolean taken = get_header (buffer).payload_type == payload_type;

    g_queue_push_tail (taken ? packets : &self->held, buffer);
  }
}

/* With the lock held.  The oldest packet tells; time that goes back would hold it for
 * ever. */
static gboolean
find_stream (TfrcRepair *self, GstClockTime now, GQueue *packets)
{
  GstBuffer *oldest = g_queue_peek_head (&self->held);
  GstClockTime since = oldest ? GST_BUFFER_DTS_OR_PTS (oldest) : now;

  if (oldest && (now < since || now - since >= MAX_HELD)) {
    guint8 payload_type = get_header (oldest).payload_type;

    self->streams[payload_type] = TRUE;
    take_held (self, payload_type, packets);
  }
  return !g_queue_is_empty (packets);
}

/* Those that were held for long enough are a stream, and go on in front of what
 * comes, whatever that is.  GST_CLOCK_TIME_NONE: nothing comes any more.  With the lock
 * held, which it gives up meanwhile. */
static void
release (TfrcRepair *self, GstClockTime now)
{
  GQueue packets = G_QUEUE_INIT;
  GstBuffer *buffer;

  while (find_stream (self, now, &packets)) {
    while ((buffer = g_queue_pop_head (&packets)) != NULL) {
      TfrcRtpHeader header = get_header (buffer);

      go_on (self, buffer, &header);
      g_mutex_lock (self->lock);
    }
  }
}

static void
drop_held (GQueue *packets)
{
  g_queue_clear_full (packets, (GDestroyNotify) gst_buffer_unref);
}

/* rtprtxreceive has to have seen what packets follow. */
static gboolean
on_downstream_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  TfrcRepair *self = gst_pad_get_element_private (pad);

  if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    g_mutex_lock (self->lock);
    release (self, GST_CLOCK_TIME_NONE);
    g_mutex_unlock (self->lock);
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP) {
    g_mutex_lock (self->lock);
    drop_held (&self->held);
    g_mutex_unlock (self->lock);
  }
  gst_pad_push_event (self->to_rtx, gst_event_ref (event));
  return gst_pad_event_default (pad, parent, event);
}

/* Requests first go to rtprtxreceive, which notes whose packet it is. */
static gboolean
on_upstream_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  TfrcRepair *self = gst_pad_get_element_private (pad);

  if (gst_event_has_name (event, "GstRTPRetransmissionRequest"))
    return gst_pad_push_event (self->from_rtx, event);
  return gst_pad_event_default (pad, parent, event);
}

/* In front of rtprtxreceive; what goes upstream otherwise does not come here. */
static gboolean
on_request (GstPad *pad, GstObject *parent, GstEvent *event)
{
  TfrcRepair *self = gst_pad_get_element_private (pad);
  const GstStructure *request = gst_event_get_structure (event);
  guint ssrc, seq, delay, deadline, retry;
  guint64 due;
  GstClockTime wait, rtt;

  if (gst_event_has_name (event, "GstRTPRetransmissionRequest")
      && gst_structure_get_uint (request, "ssrc", &ssrc)
      && gst_structure_get_uint (request, "seqnum", &seq)
      && gst_structure_get_uint64 (request, "running-time", &due)
      && gst_structure_get_uint (request, "delay", &delay)
      && gst_structure_get_uint (request, "deadline", &deadline)
      && gst_structure_get_uint (request, "retry", &retry)) {
    wait = tfrc_jitter_buffers_get_wait (self->buffers, due,
        delay * GST_MSECOND);
    rtt = gst_rtp_tfrc_receive_want_packet (self->receive, ssrc, (guint16) seq,
        tfrc_time_since (wait, deadline * GST_MSECOND));
    if (retry == 0 && rtt > 0)
      tfrc_jitter_buffers_expect_answer (self->buffers, wait, rtt);
  }
  gst_event_unref (event);
  return TRUE;
}

/* They have gone on already. */
static gboolean
drop_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

/* With the lock held. */
static gboolean
may_be_rtx (const TfrcRepair *self, guint payload_type)
{
  return self->expects_usual && tfrc_rtx_get_original_type (payload_type) != 0
      && !self->named[payload_type] && self->originals[payload_type] == 0
      && !self->streams[payload_type];
}

static GstFlowReturn
on_packet (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  TfrcRepair *self = gst_pad_get_element_private (pad);
  gboolean is_rtx, held;
  TfrcRtpHeader header;

  if (!tfrc_rtp_header_read (&header, buffer))
    return gst_pad_push (self->srcpad, buffer);
  g_mutex_lock (self->lock);
  release (self, GST_BUFFER_DTS_OR_PTS (buffer));
  is_rtx = self->originals[header.payload_type] != 0;
  /* As long as it may be RTX of a stream that has not come. */
  held = may_be_rtx (self, header.payload_type)
      && GST_CLOCK_TIME_IS_VALID (GST_BUFFER_DTS_OR_PTS (buffer));
  if (!is_rtx && !held)
    return go_on (self, buffer, &header);
  if (held)
    g_queue_push_tail (&self->held, buffer);
  g_mutex_unlock (self->lock);
  return held ? GST_FLOW_OK : gst_pad_push (self->to_rtx, buffer);
}

/* Behind rtprtxreceive: of the original type. */
static GstFlowReturn
on_repaired (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  TfrcRepair *self = gst_pad_get_element_private (pad);
  TfrcRtpHeader header;

  if (!tfrc_rtp_header_read (&header, buffer))
    return gst_pad_push (self->srcpad, buffer);
  g_mutex_lock (self->lock);
  return pass_on (self, buffer, &header);
}

/* rtpbin wants the number of the session in the names of the pads. */
static GstElement *
on_request_aux (GstElement *rtpbin, guint session, TfrcRepair *self)
{
  GstElement *bin;
  GstPad *pad;

  self->rtx = gst_element_factory_make ("rtprtxreceive", NULL);
  if (!self->rtx)
    return NULL;
  gst_object_ref_sink (self->rtx);
  bin = gst_bin_new (NULL);
  gst_bin_add (GST_BIN (bin), self->rtx);

  add_pad (self, bin, "sink_0", GST_PAD_SINK, on_packet, on_downstream_event);
  self->srcpad = add_pad (self, bin, "src_0", GST_PAD_SRC, NULL,
      on_upstream_event);
  self->to_rtx = add_pad (self, NULL, "to_rtx", GST_PAD_SRC, NULL, on_request);
  self->from_rtx = add_pad (self, NULL, "from_rtx", GST_PAD_SINK, on_repaired,
      drop_event);

  pad = gst_element_get_static_pad (self->rtx, "sink");
  gst_pad_link (self->to_rtx, pad);
  gst_object_unref (pad);
  pad = gst_element_get_static_pad (self->rtx, "src");
  gst_pad_link (pad, self->from_rtx);
  gst_object_unref (pad);
  return bin;
}

static void
on_new_jitter_buffer (GstElement *rtpbin, GstElement *buffer, guint session,
    guint ssrc, TfrcRepair *self)
{
  /* Else a packet is asked for as soon as it is expected, which a paced one is
   * too early. */
  g_object_set (buffer, "do-retransmission", asks (self), "rtx-next-seqnum",
      FALSE, NULL);
}

TfrcRepair *
tfrc_repair_new (GstElement *rtpbin, GstRtpTfrcReceive *receive,
    TfrcJitterBuffers *buffers)
{
  TfrcRepair *self = g_new0 (TfrcRepair, 1);

  self->rtpbin = gst_object_ref (rtpbin);
  self->receive = receive;
  self->buffers = buffers;
  self->lock = tfrc_jitter_buffers_get_lock (buffers);
  self->decoder = tfrc_fec_decoder_new ();
  g_signal_connect (rtpbin, "request-aux-receiver", G_CALLBACK (on_request_aux),
      self);
  g_signal_connect (rtpbin, "new-jitterbuffer",
      G_CALLBACK (on_new_jitter_buffer), self);
  return self;
}

void
tfrc_repair_free (TfrcRepair *self)
{
  /* Somebody may still hold it. */
  g_signal_handlers_disconnect_by_data (self->rtpbin, self);
  gst_clear_object (&self->rtx);
  gst_clear_object (&self->to_rtx);
  gst_clear_object (&self->from_rtx);
  gst_object_unref (self->rtpbin);
  drop_held (&self->held);
  tfrc_fec_decoder_free (self->decoder);
  g_free (self);
}

/* With the lock held. */
static void
add_type (TfrcRepair *self, guint payload_type, guint original)
{
  if (self->mode == GST_TFRC_RETRANSMISSION_OFF || original == 0
      || payload_type >= PAYLOAD_TYPES || self->originals[payload_type] != 0)
    return;
  self->originals[payload_type] = (guint8) original;
  self->n_types++;
}

static void
set_payload_types (TfrcRepair *self)
{
  GstStructure *map = gst_structure_new_empty ("application/x-rtp-pt-map");
  guint type;

  g_mutex_lock (self->lock);
  for (type = 0; type < PAYLOAD_TYPES; type++) {
    gchar *original = g_strdup_printf ("%u", self->originals[type]);

    if (self->originals[type] != 0)
      gst_structure_set (map, original, G_TYPE_UINT, type, NULL);
    g_free (original);
  }
  g_mutex_unlock (self->lock);
  if (self->rtx)
    g_object_set (self->rtx, "payload-type-map", map, NULL);
  gst_structure_free (map);
  notify_repairs (self);
}

/* With the lock held, for who tells them all. */
static void
take_types (TfrcRepair *self, const GstCaps *caps)
{
  for (guint i = 0; caps && i < gst_caps_get_size (caps); i++) {
    const GstStructure *structure = gst_caps_get_structure (caps, i);
    gint payload_type;
    guint original;

    if (!gst_structure_get_int (structure, "payload", &payload_type)
        || payload_type < 0 || payload_type >= PAYLOAD_TYPES)
      continue;
    self->named[payload_type] = TRUE;
    self->parity[payload_type] = tfrc_fec_is_caps (structure);
    if (tfrc_rtx_is_caps (structure, &original))
      add_type (self, (guint) payload_type, original);
  }
  self->is_announced = self->n_types > 0;
}

void
tfrc_repair_begin_run (TfrcRepair *self, GstTfrcRetransmission mode,
    const GstCaps *caps, gboolean described)
{
  g_mutex_lock (self->lock);
  self->mode = mode;
  self->expects_usual = mode == GST_TFRC_RETRANSMISSION_ON
      || (mode == GST_TFRC_RETRANSMISSION_AUTO && !described);
  self->rtx_time = 0;
  self->n_types = 0;
  memset (self->originals, 0, sizeof (self->originals));
  memset (self->named, FALSE, sizeof (self->named));
  memset (self->parity, FALSE, sizeof (self->parity));
  memset (self->plain, FALSE, sizeof (self->plain));
  memset (self->streams, FALSE, sizeof (self->streams));
  drop_held (&self->held);
  tfrc_fec_decoder_free (self->decoder);
  self->decoder = tfrc_fec_decoder_new ();
  take_types (self, caps);
  g_mutex_unlock (self->lock);
  set_payload_types (self);
}

void
tfrc_repair_expect (TfrcRepair *self, guint payload_type)
{
  guint usual = tfrc_rtx_get_payload_type (payload_type);
  guint before;
  gboolean added;
  GQueue answers = G_QUEUE_INIT;

  g_mutex_lock (self->lock);
  before = self->n_types;
  if (self->expects_usual && usual != 0 && !self->named[usual]
      && !self->streams[usual]
      && memchr (self->originals, (int) payload_type, PAYLOAD_TYPES) == NULL)
    add_type (self, usual, payload_type);
  added = self->n_types > before;
  if (added)
    take_held (self, usual, &answers);
  g_mutex_unlock (self->lock);
  /* It was told that they are a stream. */
  if (!g_queue_is_empty (&answers))
    g_signal_emit_by_name (self->receive, "clear-pt-map");
  drop_held (&answers);
  if (added)
    set_payload_types (self);
}

void
tfrc_repair_forget_types (TfrcRepair *self)
{
  g_mutex_lock (self->lock);
  memset (self->streams, FALSE, sizeof (self->streams));
  memset (self->plain, FALSE, sizeof (self->plain));
  for (guint type = 0; type < PAYLOAD_TYPES; type++) {
    if (self->named[type] || self->originals[type] == 0)
      continue;
    self->originals[type] = 0;
    self->n_types--;
  }
  g_mutex_unlock (self->lock);
  set_payload_types (self);
}

void
tfrc_repair_on_payload_type (TfrcRepair *self, guint payload_type,
    gboolean one_csrc)
{
  G_MUTEX_AUTO_LOCK (self->lock, locker);
  self->plain[payload_type % PAYLOAD_TYPES] = !one_csrc;
}

TfrcRepairKind
tfrc_repair_get_kind (TfrcRepair *self, guint payload_type, guint *original)
{
  TfrcRepairKind kind = TFRC_REPAIR_RTX;
  G_MUTEX_AUTO_LOCK (self->lock, locker);

  *original = self->originals[payload_type % PAYLOAD_TYPES];
  if (*original == 0 && !self->named[payload_type % PAYLOAD_TYPES]
      && !self->plain[payload_type % PAYLOAD_TYPES]) {
    *original = tfrc_fec_get_original_type (payload_type);
    kind = TFRC_REPAIR_PARITY;
  }
  return *original != 0 ? kind : TFRC_REPAIR_NONE;
}

void
tfrc_repair_add_stats (TfrcRepair *self, GstStructure *stats)
{
  G_MUTEX_AUTO_LOCK (self->lock, locker);
  tfrc_stats_set (stats, "fec-received",
      tfrc_fec_decoder_get_received (self->decoder));
  tfrc_stats_set (stats, "fec-recovered",
      tfrc_fec_decoder_get_recovered (self->decoder));
}
