/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How late a packet is, is measured where it enters a jitter buffer, against
 * the PTS that its frame will get: that of the newest frame that left, and the
 * RTP time since then.  When packets leave tells nothing, as they may have
 * waited for a lost one.
 *
 * A jitter buffer begins a new time line with a frame that comes later than its
 * latency: the picture would jump, so the latency grows before the packet is in. */

#include "bins/latency.h"

#include "common/stats.h"
#include "rtp/playout-delay.h"

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_src_debug);
#define GST_CAT_DEFAULT gst_tfrc_src_debug

struct _TfrcLatency
{
  GstElement *bin;
  GstElement *rtpbin;
  GMutex lock;    /* guards all below */
  guint fixed_ms; /* or TFRC_LATENCY_AUTO */
  TfrcPlayoutDelay playout_delay;
  GstClockTime arrival; /* of the newest packet; NONE = none yet */
  guint64 packets_late;
  guint set_ms;        /* what rtpbin has, or is about to get */
  gboolean setting;    /* some thread sees to it that rtpbin gets it */
  GHashTable *buffers; /* SSRC -> Buffer */
};

/* A jitter buffer. */
typedef struct
{
  GstElement *element; /* as long as it is in rtpbin */
  gint payload_type;   /* that clock_rate is of; -1 = none yet */
  gint clock_rate;     /* Hz; 0 = not known */
  GstClockTime pts;    /* of the newest frame that left; NONE = none yet */
  guint32 timestamp;   /* of that frame */
} Buffer;

static void
on_new (GstElement *rtpbin, GstElement *element, guint session, guint ssrc,
    TfrcLatency *self)
{
  Buffer *buffer = g_new0 (Buffer, 1);

  buffer->element = element;
  buffer->payload_type = -1;
  buffer->pts = GST_CLOCK_TIME_NONE;
  g_mutex_lock (&self->lock);
  g_hash_table_insert (self->buffers, GUINT_TO_POINTER (ssrc), buffer);
  g_mutex_unlock (&self->lock);
}

static gboolean
is_element (gpointer ssrc, gpointer buffer, gpointer element)
{
  return ((const Buffer *) buffer)->element == element;
}

static void
on_removed (GstBin *rtpbin, GstElement *element, TfrcLatency *self)
{
  g_mutex_lock (&self->lock);
  g_hash_table_foreach_remove (self->buffers, is_element, element);
  g_mutex_unlock (&self->lock);
}

TfrcLatency *
tfrc_latency_new (GstElement *bin, GstElement *rtpbin)
{
  TfrcLatency *self = g_new0 (TfrcLatency, 1);

  self->bin = bin;
  self->rtpbin = gst_object_ref (rtpbin);
  g_mutex_init (&self->lock);
  self->buffers = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_signal_connect (rtpbin, "new-jitterbuffer", G_CALLBACK (on_new), self);
  g_signal_connect (rtpbin, "element-removed", G_CALLBACK (on_removed), self);
  tfrc_latency_begin_run (self);
  return self;
}

void
tfrc_latency_free (TfrcLatency *self)
{
  if (!self)
    return;
  /* Somebody may still hold it. */
  g_signal_handlers_disconnect_by_data (self->rtpbin, self);
  gst_object_unref (self->rtpbin);
  g_hash_table_unref (self->buffers);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static guint
get_wanted_ms (const TfrcLatency *self)
{
  return self->fixed_ms != TFRC_LATENCY_AUTO
      ? self->fixed_ms
      : (guint) (self->playout_delay.delay / TFRC_MILLISECOND);
}

static void
set_at_rtpbin (GstElement *bin, gpointer user_data)
{
  TfrcLatency *self = user_data;

  g_mutex_lock (&self->lock);
  if (self->setting) {
    /* Whoever does it looks again. */
    g_mutex_unlock (&self->lock);
    return;
  }
  self->setting = TRUE;
  while (self->set_ms != get_wanted_ms (self)) {
    guint latency_ms = self->set_ms = get_wanted_ms (self);

    g_mutex_unlock (&self->lock);
    g_object_set (self->rtpbin, "latency", latency_ms, NULL);
    g_mutex_lock (&self->lock);
  }
  self->setting = FALSE;
  g_mutex_unlock (&self->lock);
}

void
tfrc_latency_set (TfrcLatency *self, guint latency_ms)
{
  g_mutex_lock (&self->lock);
  self->fixed_ms = latency_ms;
  g_mutex_unlock (&self->lock);
  set_at_rtpbin (self->bin, self);
}

guint
tfrc_latency_get (TfrcLatency *self)
{
  guint latency_ms;

  g_mutex_lock (&self->lock);
  latency_ms = self->fixed_ms;
  g_mutex_unlock (&self->lock);
  return latency_ms;
}

/* With the lock held. */
static Buffer *
find_buffer (const TfrcLatency *self, guint32 ssrc)
{
  return g_hash_table_lookup (self->buffers, GUINT_TO_POINTER (ssrc));
}

/* Asks as the jitter buffer itself does.  With the lock held, which it gives up
 * meanwhile; NULL: the jitter buffer has gone. */
static Buffer *
find_clock_rate (TfrcLatency *self, Buffer *buffer, const TfrcRtpHeader *header)
{
  GstElement *element = gst_object_ref (buffer->element);
  GstCaps *caps = NULL;
  gint clock_rate = 0;

  g_mutex_unlock (&self->lock);
  g_signal_emit_by_name (element, "request-pt-map", header->payload_type,
      &caps);
  if (caps)
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "clock-rate",
        &clock_rate);
  gst_clear_caps (&caps);
  gst_object_unref (element);
  g_mutex_lock (&self->lock);
  buffer = find_buffer (self, header->ssrc);
  if (buffer) {
    buffer->payload_type = header->payload_type;
    buffer->clock_rate = clock_rate;
  }
  return buffer;
}

/* Whether another latency is wanted for it. */
static gboolean
note_lateness (TfrcLatency *self, const Buffer *buffer, guint32 timestamp,
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

/* Somebody may change it at the same time, and all jitter buffers have got that. */
static void
set_at_element (TfrcLatency *self, GstElement *element, guint latency_ms)
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

/* Those of the other streams, and of streams to come; not in this thread, for
 * which somebody may wait who has a lock of rtpbin. */
static void
set_later (TfrcLatency *self)
{
  gst_element_call_async (self->bin, set_at_rtpbin, self, NULL);
}

void
tfrc_latency_on_arrival (TfrcLatency *self, const TfrcRtpHeader *header,
    GstClockTime arrival)
{
  GstElement *element = NULL;
  guint latency_ms;
  Buffer *buffer;

  if (!GST_CLOCK_TIME_IS_VALID (arrival))
    return;
  g_mutex_lock (&self->lock);
  self->arrival = arrival;
  buffer = find_buffer (self, header->ssrc);
  if (buffer && buffer->payload_type != header->payload_type)
    buffer = find_clock_rate (self, buffer, header);
  if (buffer && note_lateness (self, buffer, header->timestamp, arrival))
    element = gst_object_ref (buffer->element);
  latency_ms = get_wanted_ms (self);
  g_mutex_unlock (&self->lock);
  if (!element)
    return;
  GST_DEBUG_OBJECT (self->bin, "event=latency latency_ms=%u", latency_ms);
  set_at_element (self, element, latency_ms);
  gst_object_unref (element);
  set_later (self);
}

void
tfrc_latency_on_departure (TfrcLatency *self, const TfrcRtpHeader *header,
    GstClockTime pts)
{
  Buffer *buffer;

  g_mutex_lock (&self->lock);
  buffer = find_buffer (self, header->ssrc);
  if (buffer) {
    buffer->timestamp = header->timestamp;
    buffer->pts = pts;
  }
  g_mutex_unlock (&self->lock);
}

GstClockTime
tfrc_latency_get_wait (TfrcLatency *self, GstClockTime due, GstClockTime delay)
{
  g_mutex_lock (&self->lock);
  if (GST_CLOCK_TIME_IS_VALID (self->arrival))
    delay = MAX (delay, tfrc_time_since (due, self->arrival));
  g_mutex_unlock (&self->lock);
  return delay;
}

void
tfrc_latency_expect_answer (TfrcLatency *self, GstClockTime wait,
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

void
tfrc_latency_begin_run (TfrcLatency *self)
{
  TfrcRepairTimeConfig repair = tfrc_repair_time_config_default ();

  g_mutex_lock (&self->lock);
  tfrc_playout_delay_init (&self->playout_delay, &repair);
  self->arrival = GST_CLOCK_TIME_NONE;
  self->packets_late = 0;
  g_mutex_unlock (&self->lock);
  set_at_rtpbin (self->bin, self);
}

void
tfrc_latency_add_stats (TfrcLatency *self, GstStructure *stats)
{
  g_mutex_lock (&self->lock);
  tfrc_stats_set (stats, "latency-ns",
      (GstClockTime) get_wanted_ms (self) * GST_MSECOND);
  tfrc_stats_set (stats, "packets-too-late", self->packets_late);
  g_mutex_unlock (&self->lock);
}
