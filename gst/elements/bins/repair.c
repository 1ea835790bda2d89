/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Connects jitter buffers, rtprtxreceive and rtptfrcreceive.  Parity is decoded here,
 * after rtpsession, whose counts of received packets it must not change.
 *
 * The auxiliary bin passes packets from its sink pad to its source pad.  Only packets
 * that a repair needs go through rtprtxreceive, which costs as much CPU as
 * rtpsession.  It is linked to two pads without a parent, as rtpbin unlinks all pads
 * of an element that it adds.  All packets of the jitter buffers come from the source
 * pad of the bin. */

#include "bins/repair.h"

#include <string.h>

#include "common/locks.h"
#include "common/stats.h"

#define PAYLOAD_TYPES 128

/* rtprtxreceive expires requests after a second, by the PTS of the newest packet that it
 * got, so it needs a packet now and then. */
#define RTX_CLOCK (100 * GST_MSECOND)

/* Retransmissions that a previous receiver requested may arrive before the first packet
 * of their stream, which is needed to recognize them; for so long they are held. */
#define MAX_HELD (200 * GST_MSECOND)

/* Newest requests remembered: the losses of half a second at a few Mbit/s. */
#define MAX_ASKED 128

struct _TfrcRepair
{
  GstElement *rtpbin;
  GstRtpTfrcReceive *receive;
  TfrcJitterBuffers *buffers;
  GstElement *rtx; /* rtprtxreceive; NULL = not installed, or no aux yet */

  GstPad *to_rtx;
  GstPad *from_rtx;
  GstPad *srcpad;        /* owned by the auxiliary bin */
  GstClockTime rtx_time; /* PTS of the last packet passed to it as a clock */

  GMutex *lock; /* that of the jitter buffers; guards all below */
  GstTfrcRetransmission mode;
  gboolean expects_usual;          /* RTX with tfrcsink's payload types */
  guint8 originals[PAYLOAD_TYPES]; /* by RTX type; 0 = not an RTX type */
  guint n_types;                   /* of RTX */
  struct
  {
    gboolean named;  /* defined by sdp or caps */
    gboolean parity; /* according to these */
    gboolean plain;  /* the first packet was not parity */
    gboolean stream; /* with a type usual for RTX */
  } types[PAYLOAD_TYPES];
  GQueue held;           /* packets that may be RTX or a stream */
  gboolean is_announced; /* RTX, by sdp or caps */
  TfrcFecDecoder *decoder;
  struct Asked
  {
    guint32 ssrc;
    guint16 seq;
    gboolean open;                     /* the packet has not arrived yet */
    GstClockTime wait, rtt, counts_at; /* used if the path reorders */
  } asked[MAX_ASKED];
  guint n_asked;   /* requests so far */
  guint n_counted; /* of these; see count_asked */
  guint n_open;    /* of the remembered ones */
};

/* Adds the pad to `bin`; if that is NULL the caller owns the reference. */
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

/* The header of a packet that is known to be valid RTP. */
static TfrcRtpHeader
get_header (GstBuffer *packet)
{
  TfrcRtpHeader header = { 0 };

  tfrc_rtp_header_read (&header, packet);
  return header;
}

/* With the lock held: whether the packet was requested and had not arrived before. */
static gboolean
take_requested (TfrcRepair *self, const TfrcRtpHeader *header)
{
  gboolean found = FALSE;

  for (guint i = 0; self->n_open > 0 && i < MAX_ASKED; i++)
    if (self->asked[i].open && self->asked[i].ssrc == header->ssrc
        && self->asked[i].seq == header->seq) {
      self->asked[i].open = FALSE;
      self->n_open--;
      found = TRUE;
    }
  return found;
}

/* Pushes a packet to its jitter buffer; the latency adapts to it only if it was
 * `awaited`. Call with the lock held, which is released. */
static GstFlowReturn
push (TfrcRepair *self, GstBuffer *buffer, const TfrcRtpHeader *header,
    gboolean awaited)
{
  tfrc_jitter_buffers_on_arrival (self->buffers, header,
      awaited ? GST_BUFFER_DTS_OR_PTS (buffer) : GST_CLOCK_TIME_NONE);
  return gst_pad_push (self->srcpad, buffer);
}

/* With the lock held.  Parity always has exactly one CSRC, and media hardly ever has. */
static gboolean
is_parity (const TfrcRepair *self, const TfrcRtpHeader *header)
{
  return self->types[header->payload_type].named
      ? self->types[header->payload_type].parity
      : tfrc_fec_get_original_type (header->payload_type) != 0
          && header->n_csrcs == 1;
}

/* Whether missing packets are requested. */
static gboolean
requests_packets (TfrcRepair *self)
{
  G_MUTEX_AUTO_LOCK (self->lock, locker);
  return self->rtx && self->mode != GST_TFRC_RETRANSMISSION_OFF
      && (self->n_types > 0 || self->expects_usual);
}

static void
notify_repairs (TfrcRepair *self)
{
  gboolean retransmits, uses_parity;

  g_mutex_lock (self->lock);
  retransmits = self->is_announced || self->mode == GST_TFRC_RETRANSMISSION_ON;
  uses_parity = tfrc_fec_decoder_is_active (self->decoder);
  g_mutex_unlock (self->lock);
  gst_rtp_tfrc_receive_set_repairs (self->receive, requests_packets (self),
      retransmits, uses_parity);
}

/* Pushes a packet, after those that it allows to recover from parity; parity itself is
 * dropped.  Call with the lock held, which is released. */
static GstFlowReturn
pass_on (TfrcRepair *self, GstBuffer *buffer, const TfrcRtpHeader *header,
    gboolean awaited)
{
  gboolean uses_parity = tfrc_fec_decoder_is_active (self->decoder);
  gboolean parity = is_parity (self, header);
  GstBuffer *recovered;

  if (parity)
    tfrc_fec_decoder_on_parity (self->decoder, buffer);
  else
    tfrc_fec_decoder_on_packet (self->decoder, buffer, header);
  if (tfrc_fec_decoder_is_active (self->decoder) != uses_parity) {
    g_mutex_unlock (self->lock);
    notify_repairs (self);
    g_mutex_lock (self->lock);
  }
  while ((recovered = tfrc_fec_decoder_poll (self->decoder)) != NULL) {
    TfrcRtpHeader recovered_header = get_header (recovered);

    take_requested (self, &recovered_header);
    push (self, recovered, &recovered_header, TRUE);
    g_mutex_lock (self->lock);
  }
  if (!parity)
    return push (self, buffer, header, awaited);
  g_mutex_unlock (self->lock);
  gst_buffer_unref (buffer);
  return GST_FLOW_OK;
}

/* Handles a packet that is not RTX.  Call with the lock held, which is released. */
static GstFlowReturn
go_on (TfrcRepair *self, GstBuffer *buffer, const TfrcRtpHeader *header)
{
  GstClockTime pts = GST_BUFFER_PTS (buffer);

  if (!GST_CLOCK_TIME_IS_VALID (pts)
      || (pts >= self->rtx_time && pts - self->rtx_time < RTX_CLOCK)) {
    take_requested (self, header);
    return pass_on (self, buffer, header, TRUE);
  }
  self->rtx_time = pts;
  g_mutex_unlock (self->lock);
  return gst_pad_push (self->to_rtx, buffer);
}

/* With the lock held: moves the held packets of this type to `packets`. */
static void
take_held (TfrcRepair *self, guint payload_type, GQueue *packets)
{
  for (guint n = g_queue_get_length (&self->held); n > 0; n--) {
    GstBuffer *buffer = g_queue_pop_head (&self->held);
    gboolean taken = get_header (buffer).payload_type == payload_type;

    g_queue_push_tail (taken ? packets : &self->held, buffer);
  }
}

/* With the lock held: whether a held type is a stream, as its oldest packet has waited
 * for MAX_HELD; also when time goes back, which would hold it for ever. */
static gboolean
find_stream (TfrcRepair *self, GstClockTime now, GQueue *packets)
{
  GstBuffer *oldest = g_queue_peek_head (&self->held);
  GstClockTime since = oldest ? GST_BUFFER_DTS_OR_PTS (oldest) : now;

  if (oldest && (now < since || now - since >= MAX_HELD)) {
    guint8 payload_type = get_header (oldest).payload_type;

    self->types[payload_type].stream = TRUE;
    take_held (self, payload_type, packets);
  }
  return !g_queue_is_empty (packets);
}

/* Releases packets that were held for MAX_HELD, and so are of a stream; before the
 * current packet.  With GST_CLOCK_TIME_NONE, at EOS, releases all.  Call with the lock
 * held, which is released meanwhile. */
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

/* Serialized events also go to rtprtxreceive, which needs them before packets. */
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

/* Requests go to rtprtxreceive, which notes the SSRC, and from there to on_request. */
static gboolean
on_upstream_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  TfrcRepair *self = gst_pad_get_element_private (pad);

  if (gst_event_has_name (event, "GstRTPRetransmissionRequest"))
    return gst_pad_push_event (self->from_rtx, event);
  return gst_pad_event_default (pad, parent, event);
}

/* `rtt` 0: count_asked ignores the request. */
static void
note_asked (TfrcRepair *self, guint32 ssrc, guint16 seq, GstClockTime wait,
    GstClockTime rtt, GstClockTime counts_at)
{
  G_MUTEX_AUTO_LOCK (self->lock, locker);
  guint i = self->n_asked++ % MAX_ASKED;

  self->n_open += !self->asked[i].open;
  self->asked[i] = (struct Asked) { ssrc, seq, TRUE, wait, rtt, counts_at };
}

/* Counts requests that were held back for reordering, once they are due: packets that
 * have arrived meanwhile need no time for an answer.  Call with the lock held, which
 * is released meanwhile. */
static void
count_asked (TfrcRepair *self, GstClockTime now)
{
  while (self->n_counted != self->n_asked) {
    guint i = self->n_counted % MAX_ASKED;
    GstClockTime wait = self->asked[i].wait, rtt = self->asked[i].rtt;

    if (self->asked[i].open && rtt > 0 && now < self->asked[i].counts_at)
      break;
    self->n_counted++;
    if (!self->asked[i].open || rtt == 0)
      continue;
    g_mutex_unlock (self->lock);
    tfrc_jitter_buffers_expect_answer (self->buffers, wait, rtt);
    g_mutex_lock (self->lock);
  }
}

/* Upstream events of rtprtxreceive: requests go to rtptfrcreceive, and end here. */
static gboolean
on_request (GstPad *pad, GstObject *parent, GstEvent *event)
{
  TfrcRepair *self = gst_pad_get_element_private (pad);
  const GstStructure *request = gst_event_get_structure (event);
  guint ssrc, seq, delay, deadline, retry;
  guint64 due;
  GstClockTime wait, rtt, hold, time_left, least, longest;

  if (gst_event_has_name (event, "GstRTPRetransmissionRequest")
      && gst_structure_get_uint (request, "ssrc", &ssrc)
      && gst_structure_get_uint (request, "seqnum", &seq)
      && gst_structure_get_uint64 (request, "running-time", &due)
      && gst_structure_get_uint (request, "delay", &delay)
      && gst_structure_get_uint (request, "deadline", &deadline)
      && gst_structure_get_uint (request, "retry", &retry)) {
    wait = tfrc_jitter_buffers_get_wait (self->buffers, due,
        delay * GST_MSECOND);
    time_left = least = tfrc_time_since (wait, deadline * GST_MSECOND);
    longest = tfrc_time_since (wait,
        tfrc_jitter_buffers_get_longest (self->buffers));
    rtt = gst_rtp_tfrc_receive_on_missing (self->receive, ssrc, (guint16) seq,
        &time_left, longest, &hold);
    if (time_left > least)
      tfrc_jitter_buffers_wait_for (self->buffers, wait + time_left);
    if (retry > 0)
      rtt = 0;
    note_asked (self, ssrc, (guint16) seq, wait, hold > 0 ? rtt : 0,
        due + wait + hold);
    if (hold == 0 && rtt > 0)
      tfrc_jitter_buffers_expect_answer (self->buffers, wait, rtt);
  }
  gst_event_unref (event);
  return TRUE;
}

/* Events from rtprtxreceive are dropped: on_downstream_event has forwarded them. */
static gboolean
drop_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  gst_event_unref (event);
  return TRUE;
}

/* With the lock held: whether it is not known yet if this type is RTX or a stream. */
static gboolean
may_be_rtx (const TfrcRepair *self, guint payload_type)
{
  return self->expects_usual && tfrc_rtx_get_original_type (payload_type) != 0
      && !self->types[payload_type].named && self->originals[payload_type] == 0
      && !self->types[payload_type].stream;
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
  count_asked (self, GST_BUFFER_DTS_OR_PTS (buffer));
  release (self, GST_BUFFER_DTS_OR_PTS (buffer));
  is_rtx = self->originals[header.payload_type] != 0;
  /* Held while it may be RTX of a stream that has not appeared yet. */
  held = may_be_rtx (self, header.payload_type)
      && GST_CLOCK_TIME_IS_VALID (GST_BUFFER_DTS_OR_PTS (buffer));
  if (!is_rtx && !held)
    return go_on (self, buffer, &header);
  if (held)
    g_queue_push_tail (&self->held, buffer);
  g_mutex_unlock (self->lock);
  return held ? GST_FLOW_OK : gst_pad_push (self->to_rtx, buffer);
}

/* Packets from rtprtxreceive: retransmissions, with the original type, or packets that it
 * got as a clock.  A sender that probes for more rate also repeats packets without a
 * request; their lateness says nothing about the path. */
static GstFlowReturn
on_repaired (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  TfrcRepair *self = gst_pad_get_element_private (pad);
  TfrcRtpHeader header;
  gboolean awaited;

  if (!tfrc_rtp_header_read (&header, buffer))
    return gst_pad_push (self->srcpad, buffer);
  g_mutex_lock (self->lock);
  awaited = take_requested (self, &header)
      || !GST_BUFFER_FLAG_IS_SET (buffer, GST_RTP_BUFFER_FLAG_RETRANSMISSION);
  return pass_on (self, buffer, &header, awaited);
}

/* rtpbin requires the session number in the names of the pads. */
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
  /* Otherwise the jitter buffer requests the next packet when it expects it, too early
   * for paced packets. */
  g_object_set (buffer, "do-retransmission", requests_packets (self), "rtx-next-seqnum",
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
  /* rtpbin may outlive this object. */
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
  g_autoptr (GstStructure) map =
      gst_structure_new_empty ("application/x-rtp-pt-map");

  g_mutex_lock (self->lock);
  for (guint type = 0; type < PAYLOAD_TYPES; type++) {
    g_autofree gchar *original = g_strdup_printf ("%u", self->originals[type]);

    if (self->originals[type] != 0)
      gst_structure_set (map, original, G_TYPE_UINT, type, NULL);
  }
  g_mutex_unlock (self->lock);
  if (self->rtx)
    g_object_set (self->rtx, "payload-type-map", map, NULL);
  notify_repairs (self);
}

/* With the lock held; then call set_payload_types. */
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
    self->types[payload_type].named = TRUE;
    self->types[payload_type].parity = tfrc_fec_is_caps (structure);
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
  memset (self->types, 0, sizeof (self->types));
  memset (self->asked, 0, sizeof (self->asked));
  self->n_open = 0;
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
  if (self->expects_usual && usual != 0 && !self->types[usual].named
      && !self->types[usual].stream
      && memchr (self->originals, (int) payload_type, PAYLOAD_TYPES) == NULL)
    add_type (self, usual, payload_type);
  added = self->n_types > before;
  if (added)
    take_held (self, usual, &answers);
  g_mutex_unlock (self->lock);
  /* rtptfrcreceive took them for packets of a stream. */
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
  for (guint type = 0; type < PAYLOAD_TYPES; type++) {
    self->types[type].stream = self->types[type].plain = FALSE;
    if (self->types[type].named || self->originals[type] == 0)
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
  self->types[payload_type % PAYLOAD_TYPES].plain = !one_csrc;
}

TfrcRepairKind
tfrc_repair_get_kind (TfrcRepair *self, guint payload_type, guint *original)
{
  TfrcRepairKind kind = TFRC_REPAIR_RTX;
  G_MUTEX_AUTO_LOCK (self->lock, locker);

  *original = self->originals[payload_type % PAYLOAD_TYPES];
  if (*original == 0 && !self->types[payload_type % PAYLOAD_TYPES].named
      && !self->types[payload_type % PAYLOAD_TYPES].plain) {
    *original = tfrc_fec_get_original_type (payload_type);
    kind = TFRC_REPAIR_PARITY;
  }
  return *original != 0 ? kind : TFRC_REPAIR_NONE;
}

void
tfrc_repair_add_stats (TfrcRepair *self, GstStructure *stats)
{
  G_MUTEX_AUTO_LOCK (self->lock, locker);
  tfrc_stats_set (stats, "fec-received", self->decoder->n_received);
  tfrc_stats_set (stats, "fec-recovered", self->decoder->n_recovered);
}
