/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decrypts in front of an srtpdec, which gives pads and events and never sees a
 * packet.  Checks none itself: that is libsrtp2, in a context for each stream.
 *
 * A receiver that joins after the sequence number wrapped does not know the
 * roll-over counter (RFC 3711 section 3.3.1), so that nothing authenticates.
 * A packet of a stream that is not believed is therefore tried with one counter
 * after the other; where the rate limit ends the next packet goes on.  The
 * context in which one authenticates becomes that of the stream, over runs: so
 * nothing of one has an effect in another.
 *
 * The application is asked for keys, and packets go on, without the lock.  It is
 * held over what is done in contexts, of which nothing gets out. */

#include "security/srtpdec.h"

#include <gst/net/net.h>
#include <gst/rtp/rtp.h>

#include "common/pads.h"
#include "common/net-debug.h"
#include "rtcp/packet.h"
#include "security/rate-limit.h"
#include "security/streams.h"

#define GST_CAT_DEFAULT tfrc_net_debug_get_category ()

/* Packets without a single good one before the key is called wrong: a sender
 * that hears nothing sends one per second. */
#define WARN_AFTER 4

/* In front of the tag of SRTCP (RFC 3711 section 3.4): index and flag E. */
#define SRTCP_INDEX_SIZE 4
#define SRTCP_INDEX_MASK 0x7FFFFFFF
#define RTCP_HEADER_SIZE 8

static const gchar *const sink_pads[] = { "rtp_sink", "rtcp_sink" };

struct _TfrcSrtpDecoder
{
  TfrcSrtpConfig config; /* without the key: get_key has it */
  GstElement *owner;
  GstElement *element;
  GstElement *encoder; /* or NULL */
  TfrcSrtpGetKey get_key;
  gpointer user_data;
  gulong probe_ids[G_N_ELEMENTS (sink_pads)];

  GMutex lock; /* guards all below */
  TfrcSrtpStreams streams;
  TfrcSrtpContext *trial;
  TfrcSrtpRateLimit rate_limit;
  guint64 received;
  guint64 dropped;
  gboolean accepted; /* anything */
  gboolean warned;
};

/* `plain`: the lengths in it say that it is RTCP without SRTP.  Feedback comes
 * within a round trip of the first packet, so this shows at once. */
static void
count_received (TfrcSrtpDecoder *self, gboolean plain)
{
  gboolean warn;

  g_mutex_lock (&self->lock);
  self->received++;
  warn = !self->warned && !self->accepted
      && (plain || self->received > WARN_AFTER);
  if (warn)
    self->warned = TRUE;
  g_mutex_unlock (&self->lock);
  if (warn && plain)
    GST_ELEMENT_WARNING (self->owner, STREAM, DECRYPT,
        ("The other end does not use SRTP: srtp-key must be set at both ends."),
        ("RTCP came in that is not protected"));
  else if (warn)
    GST_ELEMENT_WARNING (self->owner, STREAM, DECRYPT,
        ("None of the packets that arrive authenticates: srtp-key, srtp-cipher "
         "and srtp-auth must be the same at both ends."),
        ("%d packets", WARN_AFTER));
}

/* FALSE: srtpdec would look for an SSRC where none is.  It reads RTCP on to the
 * first packet that has one, and what it does not take for RTP as RTCP; behind
 * the first header that is ciphertext. */
static gboolean
read_header (TfrcSrtpDecoder *self, GstBuffer *packet, TfrcSrtpHeader *header)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  gsize size = gst_buffer_get_size (packet);
  gsize behind = SRTCP_INDEX_SIZE + tfrc_srtp_get_rtcp_tag_size (&self->config);
  guint8 first[2], index[SRTCP_INDEX_SIZE], type;

  if (!tfrc_packet_read_ssrc (packet, &header->rtcp, &header->ssrc))
    return FALSE;
  if (header->rtcp) {
    gst_buffer_extract (packet, 0, first, sizeof (first));
    if (size < RTCP_HEADER_SIZE + behind || first[1] < GST_RTCP_TYPE_SR
        || first[1] > GST_RTCP_TYPE_PSFB || first[1] == GST_RTCP_TYPE_SDES
        || (first[1] == GST_RTCP_TYPE_BYE && (first[0] & 0x1F) == 0))
      return FALSE;
    gst_buffer_extract (packet, size - behind, index, sizeof (index));
    header->number = GST_READ_UINT32_BE (index) & SRTCP_INDEX_MASK;
    return TRUE;
  }
  if (!gst_rtp_buffer_map (packet,
          GST_MAP_READ | GST_RTP_BUFFER_MAP_FLAG_SKIP_PADDING, &rtp))
    return FALSE;
  header->number = gst_rtp_buffer_get_seq (&rtp);
  type = gst_rtp_buffer_get_payload_type (&rtp);
  gst_rtp_buffer_unmap (&rtp);
  return type < 64 || type > 80;
}

/* NULL: not known. */
static GSocketAddress *
get_origin (GstBuffer *packet)
{
  GstNetAddressMeta *meta = gst_buffer_get_net_address_meta (packet);

  return meta ? meta->addr : NULL;
}

/* NULL: there is none of the right size. */
static GstBuffer *
fetch_key (TfrcSrtpDecoder *self, guint32 ssrc)
{
  GstBuffer *key = self->get_key (ssrc, self->user_data);

  if (key
      && gst_buffer_get_size (key) != tfrc_srtp_get_key_size (&self->config))
    gst_clear_buffer (&key);
  return key;
}

static void
ask_for_key (TfrcSrtpDecoder *self, const TfrcSrtpHeader *header)
{
  GstBuffer *key = fetch_key (self, header->ssrc);
  TfrcSrtpStream *stream;

  g_mutex_lock (&self->lock);
  stream = tfrc_srtp_streams_find_or_add (&self->streams, header);
  tfrc_srtp_stream_set_key (stream, key);
  g_mutex_unlock (&self->lock);
  gst_clear_buffer (&key);
}

/* With the lock held. */
static GstBuffer *
try_counter (TfrcSrtpDecoder *self, TfrcSrtpStream *stream, GstBuffer *packet,
    guint32 roc)
{
  GstBuffer *opened;

  tfrc_srtp_context_set_key (self->trial, &self->config, stream->key, roc);
  opened = tfrc_srtp_context_open (self->trial, packet);
  if (opened) {
    tfrc_srtp_stream_believe (stream, self->trial);
    self->trial = tfrc_srtp_context_new ();
  }
  return opened;
}

/* With the lock held; *index begins with the first counter.  That is tried
 * whatever others took: a sender that has just begun has it. */
static GstBuffer *
try_counters (TfrcSrtpDecoder *self, TfrcSrtpStream *stream, GstBuffer *packet,
    gint64 *index)
{
  guint32 first = (guint32) (*index >> 16), roc = first;
  GstClockTime since = gst_util_get_timestamp (), now;
  GstBuffer *opened = try_counter (self, stream, packet, roc);

  while (!opened) {
    roc = tfrc_srtp_stream_try_next (stream, roc, first);
    now = gst_util_get_timestamp ();
    if (!tfrc_srtp_rate_limit_may_try (&self->rate_limit, now - since, now))
      break;
    since = now;
    opened = try_counter (self, stream, packet, roc);
  }
  *index = (gint64) roc << 16 | (*index & G_MAXUINT16);
  return opened;
}

/* *first: it is the first one with its key. */
static GstBuffer *
try_packet (TfrcSrtpDecoder *self, GstBuffer *packet,
    const TfrcSrtpHeader *header, gboolean *first)
{
  GstBuffer *opened = NULL;
  TfrcSrtpStream *stream;
  gint64 index;

  g_mutex_lock (&self->lock);
  stream = tfrc_srtp_streams_find_or_add (&self->streams, header);
  index = tfrc_srtp_stream_get_next_index (stream, header);
  if (stream->key && index > stream->highest)
    opened = header->rtcp ? try_counter (self, stream, packet, 0)
                          : try_counters (self, stream, packet, &index);
  if (opened) {
    *first = tfrc_srtp_stream_on_authentic (stream, index,
        gst_util_get_timestamp ());
    tfrc_srtp_rate_limit_refund (&self->rate_limit, get_origin (packet));
  }
  g_mutex_unlock (&self->lock);
  return opened;
}

/* What is in the packet, or NULL.  The context of its stream has the first word;
 * where that has let nothing pass for a second the packet may be tried. */
static GstBuffer *
unprotect (TfrcSrtpDecoder *self, GstBuffer *packet,
    const TfrcSrtpHeader *header, gboolean *first)
{
  GstClockTime now = gst_util_get_timestamp ();
  gboolean tries, asks;
  GstBuffer *opened;
  TfrcSrtpStream *stream;

  g_mutex_lock (&self->lock);
  stream = tfrc_srtp_streams_find (&self->streams, header);
  opened = tfrc_srtp_stream_open (stream, packet, header, now);
  tries = !opened && tfrc_srtp_stream_is_doubted (stream, now)
      && tfrc_srtp_rate_limit_admit (&self->rate_limit, get_origin (packet),
          now);
  asks = tries
      && tfrc_srtp_stream_wants_key (
          tfrc_srtp_streams_find_or_add (&self->streams, header), now);
  g_mutex_unlock (&self->lock);
  if (asks)
    ask_for_key (self, header);
  return tries ? try_packet (self, packet, header, first) : opened;
}

/* Who sends by a new key may expect one from us, too. */
static void
renew_own_key (TfrcSrtpDecoder *self)
{
  GstBuffer *key = fetch_key (self, 0), *used;

  g_object_get (self->encoder, "key", &used, NULL);
  if (key && !tfrc_srtp_keys_equal (key, used))
    g_object_set (self->encoder, "key", key, NULL);
  gst_clear_buffer (&used);
  gst_clear_buffer (&key);
}

/* Where RTCP comes in at the port of RTP that of RTCP has no stream. */
static GstFlowReturn
push (TfrcSrtpDecoder *self, GstBuffer *opened, gboolean rtcp)
{
  GstPad *pad = gst_element_get_static_pad (self->element,
      rtcp ? "rtcp_src" : "rtp_src");
  GstEvent *segment = gst_pad_get_sticky_event (pad, GST_EVENT_SEGMENT, 0);
  GstFlowReturn flow;

  if (segment) {
    gst_event_unref (segment);
  } else if (rtcp) {
    GstPad *sink_pad = gst_element_get_static_pad (self->element, "rtcp_sink");

    tfrc_pads_begin_stream (sink_pad, "srtcp", "application/x-srtcp");
    gst_object_unref (sink_pad);
  }
  flow = gst_pad_push (pad, opened);
  gst_object_unref (pad);
  return flow;
}

static GstPadProbeReturn
on_in (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  TfrcSrtpDecoder *self = user_data;
  GstBuffer *packet = GST_PAD_PROBE_INFO_BUFFER (info), *opened = NULL;
  GstFlowReturn flow = GST_FLOW_OK;
  TfrcSrtpHeader header;
  gboolean first = FALSE;

  count_received (self, tfrc_packet_is_plain_rtcp (packet));
  /* No data at the port of RTCP: nothing is linked where srtpdec lets it out. */
  if (read_header (self, packet, &header)
      && (header.rtcp || !g_str_equal (GST_PAD_NAME (pad), "rtcp_sink")))
    opened = unprotect (self, packet, &header, &first);
  if (first && self->encoder)
    renew_own_key (self);
  g_mutex_lock (&self->lock);
  self->accepted |= opened != NULL;
  self->dropped += opened == NULL;
  g_mutex_unlock (&self->lock);
  if (opened)
    flow = push (self, opened, header.rtcp);
  gst_buffer_unref (packet);
  GST_PAD_PROBE_INFO_DATA (info) = NULL;
  GST_PAD_PROBE_INFO_FLOW_RETURN (info) = flow;
  return GST_PAD_PROBE_HANDLED;
}

TfrcSrtpDecoder *
tfrc_srtp_decoder_new (const TfrcSrtpConfig *config, GstElement *owner,
    TfrcSrtpGetKey get_key, gpointer user_data, GError **error)
{
  GstElement *element = tfrc_srtp_make_element ("srtpdec", error);
  TfrcSrtpDecoder *self;

  if (!element)
    return NULL;
  self = g_new0 (TfrcSrtpDecoder, 1);
  self->config = *config;
  self->config.key = NULL;
  self->owner = owner;
  self->element = gst_object_ref_sink (element);
  self->get_key = get_key;
  self->user_data = user_data;
  g_mutex_init (&self->lock);
  tfrc_srtp_streams_init (&self->streams);
  self->trial = tfrc_srtp_context_new ();
  for (guint i = 0; i < G_N_ELEMENTS (sink_pads); i++) {
    GstPad *pad = gst_element_get_static_pad (element, sink_pads[i]);

    self->probe_ids[i] = tfrc_packet_probe_add (pad, on_in, self, NULL);
    gst_object_unref (pad);
  }
  return self;
}

void
tfrc_srtp_decoder_free (TfrcSrtpDecoder *self)
{
  if (!self)
    return;
  /* Somebody may still hold it. */
  for (guint i = 0; i < G_N_ELEMENTS (sink_pads); i++) {
    GstPad *pad = gst_element_get_static_pad (self->element, sink_pads[i]);

    gst_pad_remove_probe (pad, self->probe_ids[i]);
    gst_object_unref (pad);
  }
  gst_object_unref (self->element);
  g_clear_object (&self->encoder);
  tfrc_srtp_context_free (self->trial);
  tfrc_srtp_streams_clear (&self->streams);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
tfrc_srtp_decoder_begin_run (TfrcSrtpDecoder *self)
{
  if (!self)
    return;
  g_mutex_lock (&self->lock);
  self->received = self->dropped = 0;
  self->accepted = self->warned = FALSE;
  g_mutex_unlock (&self->lock);
}

void
tfrc_srtp_decoder_set_encoder (TfrcSrtpDecoder *self, GstElement *encoder)
{
  self->encoder = gst_object_ref (encoder);
}

GstElement *
tfrc_srtp_decoder_get_element (TfrcSrtpDecoder *self)
{
  return self->element;
}

void
tfrc_srtp_decoder_get_counts (TfrcSrtpDecoder *self, guint64 *received,
    guint64 *dropped)
{
  g_mutex_lock (&self->lock);
  *received = self->received;
  *dropped = self->dropped;
  g_mutex_unlock (&self->lock);
}
