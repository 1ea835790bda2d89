/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tracks the jitter buffers that rtpbin creates.
 *
 * The lateness of a packet is measured when it enters a jitter buffer, relative to the
 * PTS that its frame will get: the PTS of the newest frame that left, plus the RTP
 * time since then.  The time when packets leave is no measure, as they may have waited
 * for a lost one.
 *
 * A jitter buffer resets its timeline if a frame is later than its latency, and the
 * picture would jump.  So the latency is increased before the packet enters. */

#include "bins/jitter-buffers.h"

#include "base/units.h"
#include "common/locks.h"
#include "common/stats.h"
#include "net/session.h"
#include "rtp/playout-delay.h"

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_src_debug);
#define GST_CAT_DEFAULT gst_tfrc_src_debug

/* A larger step of sequence numbers is a restart (MAX_DROPOUT, RFC 3550 appendix A.1). */
#define MAX_HOLE 3000

/* Jitter buffers that are about to be cleared, besides those of streams. */
#define MAX_GOING 8

struct _TfrcJitterBuffers
{
  GstElement *bin;
  GstElement *rtpbin;
  GstRtpTfrcReceive *receive;
  GMutex lock; /* guards what follows */
  guint run;
  GHashTable *buffers; /* SSRC -> Buffer */
  guint fixed_ms;      /* latency, or TFRC_LATENCY_AUTO */
  TfrcPlayoutDelay playout_delay;
  GstClockTime arrival; /* of the newest packet; NONE = none yet */
  guint64 packets_late;
  guint set_ms;     /* latency that rtpbin has, or is about to get */
  gboolean setting; /* a thread is setting it at rtpbin */
  gboolean moving;  /* and then what is missing already is waited for as long */
};

typedef struct
{
  GstPad *source;
  gboolean started;
  guint16 next_seq;  /* valid if started */
  gboolean going;    /* will be cleared */
  gboolean blocked;  /* and outputs nothing any more */
  gint payload_type; /* of clock_rate; -1 = none yet */
  gint clock_rate;   /* Hz; 0 = unknown */
  GstClockTime pts;  /* of the newest frame that left; NONE = none yet */
  guint32 timestamp; /* of that frame */
} Buffer;

typedef struct
{
  TfrcJitterBuffers *buffers;
  guint ssrc;
  guint run; /* as a later run may have the same SSRC */
} Clearing;

static void
buffer_free (gpointer data)
{
  Buffer *buffer = data;

  gst_object_unref (buffer->source);
  g_free (buffer);
}

GMutex *
tfrc_jitter_buffers_get_lock (TfrcJitterBuffers *self)
{
  return &self->lock;
}

/* With the lock held. */
static Buffer *
find_buffer (const TfrcJitterBuffers *self, guint32 ssrc)
{
  return g_hash_table_lookup (self->buffers, GUINT_TO_POINTER (ssrc));
}

static GHashTable *
new_buffers (void)
{
  return g_hash_table_new_full (NULL, NULL, NULL, buffer_free);
}

void
tfrc_jitter_buffers_free (TfrcJitterBuffers *self)
{
  /* rtpbin may outlive this object. */
  g_signal_handlers_disconnect_by_data (self->rtpbin, self);
  gst_object_unref (self->rtpbin);
  g_hash_table_unref (self->buffers);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static guint
get_wanted_ms (const TfrcJitterBuffers *self)
{
  return self->fixed_ms != TFRC_LATENCY_AUTO
      ? self->fixed_ms
      : (guint) (self->playout_delay.delay / TFRC_MILLISECOND);
}

static GPtrArray *
list_elements (const TfrcJitterBuffers *self)
{
  GPtrArray *elements = g_ptr_array_new_with_free_func (gst_object_unref);
  GHashTableIter iterator;
  gpointer buffer;

  g_hash_table_iter_init (&iterator, self->buffers);
  while (g_hash_table_iter_next (&iterator, NULL, &buffer)) {
    GstElement *element =
        gst_pad_get_parent_element (((Buffer *) buffer)->source);

    if (element != NULL)
      g_ptr_array_add (elements, element);
  }
  return elements;
}

/* rtpjitterbuffer computes when to give up a packet with the latency of the last request,
 * and again when ts-offset is set. */
static void
move_deadlines (gpointer element, gpointer user_data)
{
  gint64 offset;

  g_object_get (element, "ts-offset", &offset, NULL);
  g_object_set (element, "ts-offset", offset, NULL);
}

static void
set_at_rtpbin (GstElement *bin, gpointer user_data)
{
  TfrcJitterBuffers *self = user_data;

  g_mutex_lock (&self->lock);
  if (self->setting) {
    /* The thread that is setting it checks again. */
    g_mutex_unlock (&self->lock);
    return;
  }
  self->setting = TRUE;
  while (self->set_ms != get_wanted_ms (self)) {
    guint latency_ms = self->set_ms = get_wanted_ms (self);
    g_autoptr (GPtrArray) moved = self->moving ? list_elements (self) : NULL;

    self->moving = FALSE;
    g_mutex_unlock (&self->lock);
    GST_DEBUG_OBJECT (bin, "event=latency latency_ms=%u", latency_ms);
    g_object_set (self->rtpbin, "latency", latency_ms, NULL);
    if (moved)
      g_ptr_array_foreach (moved, move_deadlines, NULL);
    g_mutex_lock (&self->lock);
  }
  self->setting = FALSE;
  g_mutex_unlock (&self->lock);
}

void
tfrc_jitter_buffers_set_latency (TfrcJitterBuffers *self, guint latency_ms)
{
  g_mutex_lock (&self->lock);
  self->fixed_ms = latency_ms;
  g_mutex_unlock (&self->lock);
  set_at_rtpbin (self->bin, self);
}

guint
tfrc_jitter_buffers_get_latency (TfrcJitterBuffers *self)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  return self->fixed_ms;
}

/* Requests the caps as the jitter buffer itself does.  Call with the lock held, which is
 * released meanwhile; NULL: the jitter buffer was removed. */
static Buffer *
find_clock_rate (TfrcJitterBuffers *self, Buffer *buffer,
    const TfrcRtpHeader *header)
{
  g_autoptr (GstElement) element = gst_pad_get_parent_element (buffer->source);
  g_autoptr (GstCaps) caps = NULL;
  gint clock_rate = 0;

  if (!element)
    return NULL;
  g_mutex_unlock (&self->lock);
  g_signal_emit_by_name (element, "request-pt-map", header->payload_type,
      &caps);
  if (caps)
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "clock-rate",
        &clock_rate);
  g_mutex_lock (&self->lock);
  buffer = find_buffer (self, header->ssrc);
  if (buffer) {
    buffer->payload_type = header->payload_type;
    buffer->clock_rate = clock_rate;
  }
  return buffer;
}

/* Whether the latency has to change for this packet. */
static gboolean
note_lateness (TfrcJitterBuffers *self, const Buffer *buffer, guint32 timestamp,
    GstClockTime arrival)
{
  GstClockTimeDiff since, lateness;

  if (buffer->clock_rate <= 0 || !GST_CLOCK_TIME_IS_VALID (buffer->pts))
    return FALSE;
  since = (gint32) (timestamp - buffer->timestamp) * GST_SECOND
      / buffer->clock_rate;
  lateness = GST_CLOCK_DIFF (buffer->pts, arrival) - since;
  if (lateness > (GstClockTimeDiff) (get_wanted_ms (self) * GST_MSECOND))
    self->packets_late++;
  return tfrc_playout_delay_on_packet (&self->playout_delay,
             (GstClockTime) MAX (lateness, 0), arrival)
      && self->fixed_ms == TFRC_LATENCY_AUTO;
}

/* Repeats if the latency was changed meanwhile: the newest value must be set last. */
static void
set_at_element (TfrcJitterBuffers *self, GstElement *element, guint latency_ms)
{
  guint set_ms;

  do {
    set_ms = latency_ms;
    g_object_set (element, "latency", set_ms, NULL);
    g_mutex_lock (&self->lock);
    latency_ms = get_wanted_ms (self);
    g_mutex_unlock (&self->lock);
  } while (latency_ms != set_ms);
}

/* Sets the latency of other and future streams; in another thread, as a thread that holds
 * a lock of rtpbin may wait for this one, and a jitter buffer may request a packet with its
 * lock held (wait_next_timeout, 1.22 to 1.28). */
static void
set_later (TfrcJitterBuffers *self)
{
  gst_element_call_async (self->bin, set_at_rtpbin, self, NULL);
}

void
tfrc_jitter_buffers_on_arrival (TfrcJitterBuffers *self,
    const TfrcRtpHeader *header, GstClockTime arrival)
{
  g_autoptr (GstElement) element = NULL;
  guint latency_ms;
  Buffer *buffer;

  if (!GST_CLOCK_TIME_IS_VALID (arrival)) {
    g_mutex_unlock (&self->lock);
    return;
  }
  self->arrival = arrival;
  buffer = find_buffer (self, header->ssrc);
  if (buffer && buffer->payload_type != header->payload_type)
    buffer = find_clock_rate (self, buffer, header);
  if (buffer && note_lateness (self, buffer, header->timestamp, arrival))
    element = gst_pad_get_parent_element (buffer->source);
  latency_ms = get_wanted_ms (self);
  g_mutex_unlock (&self->lock);
  if (!element)
    return;
  set_at_element (self, element, latency_ms);
  set_later (self);
}

GstClockTime
tfrc_jitter_buffers_get_wait (TfrcJitterBuffers *self, GstClockTime due,
    GstClockTime delay)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  if (GST_CLOCK_TIME_IS_VALID (self->arrival))
    delay = MAX (delay, tfrc_time_since (due, self->arrival));
  return delay;
}

void
tfrc_jitter_buffers_expect_answer (TfrcJitterBuffers *self, GstClockTime wait,
    GstClockTime rtt)
{
  gboolean changed;

  g_mutex_lock (&self->lock);
  changed = GST_CLOCK_TIME_IS_VALID (self->arrival)
      && tfrc_playout_delay_on_request (&self->playout_delay, wait, rtt,
          self->arrival)
      && self->fixed_ms == TFRC_LATENCY_AUTO;
  g_mutex_unlock (&self->lock);
  if (changed)
    set_later (self);
}

GstClockTime
tfrc_jitter_buffers_get_longest (TfrcJitterBuffers *self)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  return self->fixed_ms != TFRC_LATENCY_AUTO
      ? self->fixed_ms * GST_MSECOND
      : TFRC_PLAYOUT_DELAY_MAX;
}

void
tfrc_jitter_buffers_wait_for (TfrcJitterBuffers *self, GstClockTime lateness)
{
  gboolean longer;

  g_mutex_lock (&self->lock);
  longer = self->fixed_ms == TFRC_LATENCY_AUTO
      && tfrc_playout_delay_wait_for (&self->playout_delay, lateness);
  self->moving |= longer;
  g_mutex_unlock (&self->lock);
  if (longer)
    set_later (self);
}

void
tfrc_jitter_buffers_add_stats (TfrcJitterBuffers *self, GstStructure *stats)
{
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  tfrc_stats_set (stats, "latency-ns",
      (GstClockTime) get_wanted_ms (self) * GST_MSECOND);
  tfrc_stats_set (stats, "packets-too-late", self->packets_late);
}

void
tfrc_jitter_buffers_begin_run (TfrcJitterBuffers *self)
{
  g_mutex_lock (&self->lock);
  self->run++;
  g_hash_table_remove_all (self->buffers);
  tfrc_playout_delay_init (&self->playout_delay);
  self->arrival = GST_CLOCK_TIME_NONE;
  self->packets_late = 0;
  g_mutex_unlock (&self->lock);
  set_at_rtpbin (self->bin, self);
}

gboolean
tfrc_jitter_buffers_on_departure (TfrcJitterBuffers *self,
    const TfrcRtpHeader *header, GstClockTime pts)
{
  Buffer *buffer = find_buffer (self, header->ssrc);
  guint16 hole = 0;

  if (buffer) {
    if (buffer->started)
      hole = (guint16) (header->seq - buffer->next_seq);
    buffer->started = TRUE;
    buffer->next_seq = (guint16) (header->seq + 1);
    buffer->timestamp = header->timestamp;
    buffer->pts = pts;
  }
  return hole > 0 && hole < MAX_HOLE;
}

/* The rtpssrcdemux of session 0, the only session; NULL: there is none. */
static GstElement *
find_demuxer (GstElement *rtpbin)
{
  g_autoptr (GstIterator) found =
      gst_bin_iterate_all_by_element_factory_name (GST_BIN (rtpbin),
          "rtpssrcdemux");
  g_auto (GValue) value = G_VALUE_INIT;
  GstIteratorResult result;

  /* Jitter buffers may be added and removed meanwhile. */
  while ((result = gst_iterator_next (found, &value)) == GST_ITERATOR_RESYNC)
    gst_iterator_resync (found);
  return result == GST_ITERATOR_OK ? g_value_dup_object (&value) : NULL;
}

/* With the stream locks held, so that no packet is inside rtpssrcdemux (1.22 to 1.28): it
 * forgets the pads of an SSRC before it removes them, and would add pads with the same
 * names for a packet in between. */
static void
clear (TfrcJitterBuffers *self, guint ssrc)
{
  g_autoptr (GstElement) demuxer = find_demuxer (self->rtpbin);
  g_autoptr (GstPad) rtp = NULL;
  g_autoptr (GstPad) rtcp = NULL;

  if (!demuxer)
    return;
  rtp = gst_element_get_static_pad (demuxer, "sink");
  rtcp = gst_element_get_static_pad (demuxer, "rtcp_sink");
  GST_PAD_STREAM_LOCK (rtp);
  GST_PAD_STREAM_LOCK (rtcp);
  g_signal_emit_by_name (self->rtpbin, "clear-ssrc", 0, ssrc);
  GST_PAD_STREAM_UNLOCK (rtcp);
  GST_PAD_STREAM_UNLOCK (rtp);
}

static void
clear_now (GstElement *bin, gpointer user_data)
{
  Clearing *clearing = user_data;
  TfrcJitterBuffers *self = clearing->buffers;
  gboolean due, buffered;

  /* The BYE of an SSRC may time out after the SSRC was replaced and cleared. */
  g_mutex_lock (&self->lock);
  due = clearing->run == self->run;
  buffered = due
      && g_hash_table_remove (self->buffers, GUINT_TO_POINTER (clearing->ssrc));
  g_mutex_unlock (&self->lock);
  /* First, so that this is no stream if a late packet brings the SSRC back. */
  if (due)
    g_signal_emit_by_name (self->receive, "remove-stream", clearing->ssrc);
  if (!buffered)
    return;
  clear (self, clearing->ssrc);
  /* Without an address, so that rtpsession sees no collision with another source. */
  tfrc_rtcp_make_up (self->rtpbin, clearing->ssrc, TRUE, NULL);
}

/* Blocks the pad once it is idle, so that the jitter buffer can be stopped without
 * waiting for downstream elements. */
static GstPadProbeReturn
on_blocked (GstPad *source, GstPadProbeInfo *info, gpointer user_data)
{
  const Clearing *clearing = user_data;
  TfrcJitterBuffers *self = clearing->buffers;
  Buffer *buffer;

  if (!(GST_PAD_PROBE_INFO_TYPE (info) & GST_PAD_PROBE_TYPE_IDLE))
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&self->lock);
  buffer = find_buffer (self, clearing->ssrc);
  if (buffer && buffer->source == source)
    buffer->blocked = TRUE;
  g_mutex_unlock (&self->lock);
  gst_element_call_async (self->bin, clear_now,
      g_memdup2 (clearing, sizeof *clearing), g_free);
  return GST_PAD_PROBE_OK;
}

gboolean
tfrc_jitter_buffers_clear_later (TfrcJitterBuffers *self, guint ssrc)
{
  Clearing clearing = { self, ssrc, 0 };
  g_autoptr (GstPad) source = NULL;
  gboolean going = FALSE;
  Buffer *buffer;

  g_mutex_lock (&self->lock);
  clearing.run = self->run;
  buffer = find_buffer (self, ssrc);
  if (buffer) {
    source = gst_object_ref (buffer->source);
    going = buffer->going;
    buffer->going = TRUE;
  }
  g_mutex_unlock (&self->lock);
  if (!source)
    gst_element_call_async (self->bin, clear_now,
        g_memdup2 (&clearing, sizeof clearing), g_free);
  else if (!going)
    gst_pad_add_probe (source,
        GST_PAD_PROBE_TYPE_BLOCKING | GST_PAD_PROBE_TYPE_DATA_DOWNSTREAM,
        on_blocked, g_memdup2 (&clearing, sizeof clearing), g_free);
  /* The probe may have found the pad idle at once. */
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  buffer = find_buffer (self, ssrc);
  return !buffer || buffer->blocked;
}

/* A flush discards events that a jitter buffer is about to push, and the sticky ones are
 * sent only once.  Until its segment was sent nothing downstream needs a flush. */
static GstPadProbeReturn
on_flush (GstPad *sink, GstPadProbeInfo *info, gpointer user_data)
{
  g_autoptr (GstPad) source = gst_element_get_static_pad (user_data, "src");
  g_autoptr (GstEvent) segment = gst_pad_get_sticky_event (source,
      GST_EVENT_SEGMENT, 0);

  return segment ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

/* Called long before the pad is added with the first packet output.  A retransmitted,
 * recovered or held packet of an SSRC that is gone also creates a jitter buffer, which is
 * cleared when there are too many. */
static void
on_new (GstElement *rtpbin, GstElement *element, guint session, guint ssrc,
    TfrcJitterBuffers *self)
{
  Buffer *buffer = g_new (Buffer, 1);
  g_autoptr (GstPad) sink = gst_element_get_static_pad (element, "sink");
  g_autoptr (GList) ssrcs = NULL;

  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_EVENT_FLUSH, on_flush, element,
      NULL);
  *buffer = (Buffer) {
    .source = gst_element_get_static_pad (element, "src"),
    .payload_type = -1,
    .pts = GST_CLOCK_TIME_NONE,
  };
  g_mutex_lock (&self->lock);
  g_hash_table_insert (self->buffers, GUINT_TO_POINTER (ssrc), buffer);
  if (g_hash_table_size (self->buffers) > TFRC_MAX_STREAMS)
    ssrcs = g_hash_table_get_keys (self->buffers);
  g_mutex_unlock (&self->lock);
  for (GList *walk = ssrcs; walk; walk = walk->next)
    if (!gst_rtp_tfrc_receive_has_stream (self->receive,
            GPOINTER_TO_UINT (walk->data)))
      tfrc_jitter_buffers_clear_later (self, GPOINTER_TO_UINT (walk->data));
}

TfrcJitterBuffers *
tfrc_jitter_buffers_new (GstElement *bin, GstElement *rtpbin,
    GstRtpTfrcReceive *receive)
{
  TfrcJitterBuffers *self = g_new0 (TfrcJitterBuffers, 1);

  self->bin = bin;
  self->rtpbin = gst_object_ref (rtpbin);
  self->receive = receive;
  g_mutex_init (&self->lock);
  self->buffers = new_buffers ();
  g_signal_connect (rtpbin, "new-jitterbuffer", G_CALLBACK (on_new), self);
  /* max-dropout-time=0 makes MAX_DROPOUT the limit of a gap: a timer for each of up to
   * 32,767 missing packets would stall the jitter buffer for seconds.
   * max-rtcp-rtp-time-diff: an encoder may delay its RTP by as much as rtpbin shifts
   * streams to synchronize them. */
  g_object_set (rtpbin, "max-dropout-time", 0, "max-rtcp-rtp-time-diff", 3000,
      "max-streams", TFRC_MAX_STREAMS + MAX_GOING, NULL);
  tfrc_jitter_buffers_begin_run (self);
  return self;
}

void
tfrc_jitter_buffers_clear_all (TfrcJitterBuffers *self)
{
  g_autoptr (GHashTable) buffers = NULL;
  GHashTableIter iterator;
  gpointer ssrc;

  g_mutex_lock (&self->lock);
  buffers = self->buffers;
  self->buffers = new_buffers ();
  g_mutex_unlock (&self->lock);
  g_hash_table_iter_init (&iterator, buffers);
  while (g_hash_table_iter_next (&iterator, &ssrc, NULL))
    clear (self, GPOINTER_TO_UINT (ssrc));
}
