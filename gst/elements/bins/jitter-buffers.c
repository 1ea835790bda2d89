/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Notes each one that rtpbin makes. */

#include "bins/jitter-buffers.h"

#include <gst/rtp/rtp.h>

#include "base/streams.h"
#include "common/pads.h"

/* A larger step of sequence numbers is a restart (MAX_DROPOUT of RFC 3550
 * appendix A.1). */
#define MAX_HOLE 3000

/* Those that are about to go, beside the streams. */
#define MAX_GOING 8

#define MAX_RTCP_SIZE 64

struct _TfrcJitterBuffers
{
  GstElement *bin;
  GstElement *rtpbin;
  TfrcJitterBuffersKnows knows;
  TfrcJitterBuffersGone gone;
  GMutex lock; /* guards what follows */
  guint run;
  GHashTable *buffers; /* SSRC -> Buffer */
};

typedef struct
{
  GstPad *source;
  gboolean started;
  guint16 next_seq; /* valid if started */
  gboolean going;   /* will be cleared */
  gboolean blocked; /* and lets nothing out any more */
} Buffer;

typedef struct
{
  TfrcJitterBuffers *buffers;
  guint ssrc;
  guint run; /* another may have the same SSRC */
} Clearing;

static void
buffer_free (gpointer data)
{
  Buffer *buffer = data;

  gst_object_unref (buffer->source);
  g_free (buffer);
}

static GHashTable *
new_buffers (void)
{
  return g_hash_table_new_full (NULL, NULL, NULL, buffer_free);
}

void
tfrc_jitter_buffers_free (TfrcJitterBuffers *self)
{
  /* Somebody may still hold it. */
  g_signal_handlers_disconnect_by_data (self->rtpbin, self);
  gst_object_unref (self->rtpbin);
  g_hash_table_unref (self->buffers);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
tfrc_jitter_buffers_begin_run (TfrcJitterBuffers *self)
{
  g_mutex_lock (&self->lock);
  self->run++;
  g_hash_table_remove_all (self->buffers);
  g_mutex_unlock (&self->lock);
}

gboolean
tfrc_jitter_buffers_on_departure (TfrcJitterBuffers *self, guint ssrc,
    guint16 seq)
{
  Buffer *buffer;
  guint16 hole = 0;

  g_mutex_lock (&self->lock);
  buffer = g_hash_table_lookup (self->buffers, GUINT_TO_POINTER (ssrc));
  if (buffer) {
    if (buffer->started)
      hole = (guint16) (seq - buffer->next_seq);
    buffer->started = TRUE;
    buffer->next_seq = (guint16) (seq + 1);
  }
  g_mutex_unlock (&self->lock);
  return hole > 0 && hole < MAX_HOLE;
}

/* That of session 0, which is the only one. */
static GstElement *
find_demuxer (GstElement *rtpbin)
{
  GstIterator *found =
      gst_bin_iterate_all_by_element_factory_name (GST_BIN (rtpbin),
          "rtpssrcdemux");
  GValue value = G_VALUE_INIT;
  GstElement *demuxer = NULL;
  GstIteratorResult result;

  while ((result = gst_iterator_next (found, &value)) == GST_ITERATOR_RESYNC)
    gst_iterator_resync (found);
  if (result == GST_ITERATOR_OK) {
    demuxer = g_value_dup_object (&value);
    g_value_unset (&value);
  }
  gst_iterator_free (found);
  return demuxer;
}

/* While no packet is inside rtpssrcdemux (1.22 as 1.28): it forgets the pads of an
 * SSRC before it removes them, and one that comes in between has it add others of
 * the same names.  Its packets wait in no thread but their own. */
static void
clear (TfrcJitterBuffers *self, guint ssrc)
{
  GstElement *demuxer = find_demuxer (self->rtpbin);
  GstPad *rtp, *rtcp;

  if (!demuxer)
    return;
  rtp = gst_element_get_static_pad (demuxer, "sink");
  rtcp = gst_element_get_static_pad (demuxer, "rtcp_sink");
  GST_PAD_STREAM_LOCK (rtp);
  GST_PAD_STREAM_LOCK (rtcp);
  g_signal_emit_by_name (self->rtpbin, "clear-ssrc", 0, ssrc);
  GST_PAD_STREAM_UNLOCK (rtcp);
  GST_PAD_STREAM_UNLOCK (rtp);
  gst_object_unref (rtcp);
  gst_object_unref (rtp);
  gst_object_unref (demuxer);
}

/* An rtpsession remembers each SSRC, the longer the more there are, but one that says
 * BYE for some seconds only. */
static void
make_up_bye (TfrcJitterBuffers *self, guint ssrc)
{
  GstPad *pad = gst_element_get_static_pad (self->rtpbin, "recv_rtcp_sink_0");
  GstBuffer *buffer;
  GstRTCPBuffer rtcp = GST_RTCP_BUFFER_INIT;
  GstRTCPPacket packet;

  if (!pad)
    return;
  buffer = gst_rtcp_buffer_new (MAX_RTCP_SIZE);
  /* From no address: it has that of nobody else. */
  gst_rtcp_buffer_map (buffer, GST_MAP_READWRITE, &rtcp);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_RR, &packet);
  gst_rtcp_packet_rr_set_ssrc (&packet, ssrc);
  gst_rtcp_buffer_add_packet (&rtcp, GST_RTCP_TYPE_BYE, &packet);
  gst_rtcp_packet_bye_add_ssrc (&packet, ssrc);
  gst_rtcp_buffer_unmap (&rtcp);
  tfrc_pads_start_rtcp (pad, NULL);
  gst_pad_chain (pad, buffer);
  gst_object_unref (pad);
}

static void
clear_now (GstElement *bin, gpointer user_data)
{
  Clearing *clearing = user_data;
  TfrcJitterBuffers *self = clearing->buffers;
  gboolean due, buffered;

  /* Its BYE may time out after it was replaced. */
  g_mutex_lock (&self->lock);
  due = clearing->run == self->run;
  buffered = due
      && g_hash_table_remove (self->buffers, GUINT_TO_POINTER (clearing->ssrc));
  g_mutex_unlock (&self->lock);
  /* First, so that who asks of a packet that comes back hears it is not there. */
  if (due)
    self->gone (bin, clearing->ssrc);
  if (!buffered)
    return;
  clear (self, clearing->ssrc);
  make_up_bye (self, clearing->ssrc);
}

/* Once the pad is idle, and for what would follow.  So the jitter buffer can be
 * stopped without waiting for anybody downstream. */
static GstPadProbeReturn
on_blocked (GstPad *source, GstPadProbeInfo *info, gpointer user_data)
{
  const Clearing *clearing = user_data;
  TfrcJitterBuffers *self = clearing->buffers;
  Buffer *buffer;

  if (!(GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_IDLE))
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&self->lock);
  buffer = g_hash_table_lookup (self->buffers,
      GUINT_TO_POINTER (clearing->ssrc));
  if (buffer && buffer->source == source)
    buffer->blocked = TRUE;
  g_mutex_unlock (&self->lock);
  gst_element_call_async (self->bin, clear_now,
      g_memdup2 (clearing, sizeof *clearing), g_free);
  return GST_PAD_PROBE_OK;
}

/* With the lock held. */
static gboolean
lets_out (const TfrcJitterBuffers *self, guint ssrc)
{
  const Buffer *buffer = g_hash_table_lookup (self->buffers,
      GUINT_TO_POINTER (ssrc));

  return buffer && !buffer->blocked;
}

gboolean
tfrc_jitter_buffers_clear_later (TfrcJitterBuffers *self, guint ssrc)
{
  Clearing *clearing = g_new (Clearing, 1);
  GstPad *source = NULL;
  gboolean going, out;
  Buffer *buffer;

  clearing->buffers = self;
  clearing->ssrc = ssrc;
  g_mutex_lock (&self->lock);
  clearing->run = self->run;
  buffer = g_hash_table_lookup (self->buffers, GUINT_TO_POINTER (ssrc));
  going = buffer && buffer->going;
  if (buffer && !going)
    source = gst_object_ref (buffer->source);
  if (buffer)
    buffer->going = TRUE;
  out = lets_out (self, ssrc);
  g_mutex_unlock (&self->lock);
  if (going) {
    g_free (clearing);
    return !out;
  }
  if (!source) {
    gst_element_call_async (self->bin, clear_now, clearing, g_free);
    return TRUE;
  }
  gst_pad_add_probe (source,
      GST_PAD_PROBE_TYPE_BLOCKING | GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM,
      on_blocked, clearing, g_free);
  gst_object_unref (source);
  g_mutex_lock (&self->lock);
  out = lets_out (self, ssrc);
  g_mutex_unlock (&self->lock);
  return !out;
}

/* An event that is on its way out when a jitter buffer is flushed is lost, and a
 * stream's come but once.  Until they have there is nothing behind it to be flushed. */
static GstPadProbeReturn
on_flush (GstPad *sink, GstPadProbeInfo *info, gpointer user_data)
{
  GstPad *source = gst_element_get_static_pad (user_data, "src");
  GstEvent *segment = gst_pad_get_sticky_event (source, GST_EVENT_SEGMENT, 0);

  gst_object_unref (source);
  if (!segment)
    return GST_PAD_PROBE_DROP;
  gst_event_unref (segment);
  return GST_PAD_PROBE_OK;
}

/* Long before its pad, which comes with the first packet that it lets out.  Of an
 * SSRC that has gone, a repetition, what parity gives or what was held back may come
 * later, and its buffer stays as long as there is room. */
static void
on_new (GstElement *rtpbin, GstElement *element, guint session, guint ssrc,
    TfrcJitterBuffers *self)
{
  Buffer *buffer = g_new0 (Buffer, 1);
  GstPad *sink = gst_element_get_static_pad (element, "sink");
  GList *ssrcs = NULL;

  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_EVENT_FLUSH, on_flush, element,
      NULL);
  gst_object_unref (sink);
  buffer->source = gst_element_get_static_pad (element, "src");
  g_mutex_lock (&self->lock);
  g_hash_table_insert (self->buffers, GUINT_TO_POINTER (ssrc), buffer);
  if (g_hash_table_size (self->buffers) > TFRC_MAX_STREAMS)
    ssrcs = g_hash_table_get_keys (self->buffers);
  g_mutex_unlock (&self->lock);
  for (GList *walk = ssrcs; walk; walk = walk->next)
    if (!self->knows (self->bin, GPOINTER_TO_UINT (walk->data)))
      tfrc_jitter_buffers_clear_later (self, GPOINTER_TO_UINT (walk->data));
  g_list_free (ssrcs);
}

TfrcJitterBuffers *
tfrc_jitter_buffers_new (GstElement *bin, GstElement *rtpbin,
    TfrcJitterBuffersKnows knows, TfrcJitterBuffersGone gone)
{
  TfrcJitterBuffers *self = g_new0 (TfrcJitterBuffers, 1);

  self->bin = bin;
  self->rtpbin = gst_object_ref (rtpbin);
  self->knows = knows;
  self->gone = gone;
  g_mutex_init (&self->lock);
  self->buffers = new_buffers ();
  g_signal_connect (rtpbin, "new-jitterbuffer", G_CALLBACK (on_new), self);
  /* MAX_DROPOUT at any rate: up to 32,767 numbers would each have a timer, by whose
   * list a jitter buffer is held for seconds. */
  g_object_set (rtpbin, "max-dropout-time", 0, "max-streams",
      TFRC_MAX_STREAMS + MAX_GOING, NULL);
  return self;
}

void
tfrc_jitter_buffers_clear_all (TfrcJitterBuffers *self)
{
  GHashTable *buffers;
  GHashTableIter iterator;
  gpointer ssrc;

  g_mutex_lock (&self->lock);
  buffers = self->buffers;
  self->buffers = new_buffers ();
  g_mutex_unlock (&self->lock);
  g_hash_table_iter_init (&iterator, buffers);
  while (g_hash_table_iter_next (&iterator, &ssrc, NULL))
    clear (self, GPOINTER_TO_UINT (ssrc));
  g_hash_table_unref (buffers);
}
