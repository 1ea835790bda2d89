/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How late a packet is, is measured where it enters a jitter buffer, against
 * the PTS that its frame will get: that of the newest frame that left, and the
 * RTP time since then.  When packets leave tells nothing, as they may have
 * waited for a lost one.
 *
 * A jitter buffer begins a new time line with a frame that comes later than its
 * latency: the picture would jump, so the latency grows before the packet is in. */

#include "bins/latency.h"

#include "common/packet-probe.h"
#include "common/stats.h"
#include "rtp/playout-delay.h"

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_src_debug);
#define GST_CAT_DEFAULT gst_tfrc_src_debug

/* By so much a second request is later than an RTT behind the first: the jitter
 * buffer waits for its jitter, too, and the first answer for the pacer. */
#define SECOND_REQUEST_MARGIN (40 * GST_MSECOND)

struct _TfrcLatency
{
  GstElement *bin;
  GstElement *rtpbin;
  GMutex lock;    /* guards all below, and every Buffer */
  guint fixed_ms; /* or TFRC_LATENCY_AUTO */
  TfrcPlayoutDelay playout_delay;
  GstClockTime arrival; /* of the newest packet; NONE = none yet */
  guint64 packets_late;
  guint set_ms;     /* what rtpbin has, or is about to get */
  gboolean setting; /* some thread sees to it that rtpbin gets it */
};

/* A jitter buffer. */
typedef struct
{
  TfrcLatency *owner;
  gint payload_type; /* that clock_rate is of; -1 = none yet */
  gint clock_rate;   /* Hz; 0 = not known */
  GstClockTime pts;  /* of the newest frame that left; NONE = none yet */
  guint32 timestamp; /* of that frame */
} Buffer;

typedef struct
{
  guint8 payload_type;
  guint32 timestamp;
} Header;

static void on_new (GstElement *rtpbin, GstElement *element, guint session,
    guint ssrc, TfrcLatency *self);
static GstPadProbeReturn on_arrival (GstPad *pad, GstPadProbeInfo *info,
    gpointer user_data);
static GstPadProbeReturn on_departure (GstPad *pad, GstPadProbeInfo *info,
    gpointer user_data);
static gboolean read_header (GstBuffer *packet, Header *header);
static void find_clock_rate (Buffer *buffer, GstPad *pad, guint8 payload_type);
static gboolean note_lateness (Buffer *buffer, const Header *header,
    GstClockTime arrival);
static gboolean follow (TfrcLatency *self, GstClockTime lateness,
    GstClockTime arrival);
static void set_at_pad (TfrcLatency *self, GstPad *pad, guint latency_ms);
static void set_later (TfrcLatency *self);
static void set_at_rtpbin (GstElement *bin, gpointer user_data);
static guint get_wanted_ms (const TfrcLatency *self);

TfrcLatency *
tfrc_latency_new (GstElement *bin, GstElement *rtpbin)
{
  TfrcLatency *self = g_new0 (TfrcLatency, 1);

  self->bin = bin;
  self->rtpbin = gst_object_ref (rtpbin);
  g_mutex_init (&self->lock);
  g_signal_connect (rtpbin, "new-jitterbuffer", G_CALLBACK (on_new), self);
  tfrc_latency_restart (self);
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
  g_mutex_clear (&self->lock);
  g_free (self);
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

void
tfrc_latency_expect_answer (TfrcLatency *self, GstClockTime lateness,
    GstClockTime rtt)
{
  gboolean changed = FALSE;

  g_mutex_lock (&self->lock);
  if (GST_CLOCK_TIME_IS_VALID (self->arrival)) {
    changed = follow (self, lateness + rtt, self->arrival);
    /* What is too long for any latency changes nothing. */
    changed |= follow (self, lateness + 2 * rtt + SECOND_REQUEST_MARGIN,
        self->arrival);
  }
  g_mutex_unlock (&self->lock);
  if (changed)
    set_later (self);
}

void
tfrc_latency_restart (TfrcLatency *self)
{
  g_mutex_lock (&self->lock);
  tfrc_playout_delay_init (&self->playout_delay);
  self->arrival = GST_CLOCK_TIME_NONE;
  self->packets_late = 0;
  g_mutex_unlock (&self->lock);
  set_at_rtpbin (self->bin, self);
}

void
tfrc_latency_add_stats (TfrcLatency *self, GstStructure *stats)
{
  g_mutex_lock (&self->lock);
  tfrc_stats_set (stats, "latency-ns", get_wanted_ms (self) * GST_MSECOND,
      "packets-too-late", self->packets_late, NULL);
  g_mutex_unlock (&self->lock);
}

static void
on_new (GstElement *rtpbin, GstElement *element, guint session, guint ssrc,
    TfrcLatency *self)
{
  Buffer *buffer = g_atomic_rc_box_new0 (Buffer);
  GstPad *pad;

  buffer->owner = self;
  buffer->payload_type = -1;
  buffer->pts = GST_CLOCK_TIME_NONE;
  pad = gst_element_get_static_pad (element, "sink");
  tfrc_packet_probe_add (pad, on_arrival, g_atomic_rc_box_acquire (buffer),
      g_atomic_rc_box_release);
  gst_object_unref (pad);
  pad = gst_element_get_static_pad (element, "src");
  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, on_departure, buffer,
      g_atomic_rc_box_release);
  gst_object_unref (pad);
}

/* In the thread that brings packets to rtpbin. */
static GstPadProbeReturn
on_arrival (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Buffer *buffer = user_data;
  TfrcLatency *self = buffer->owner;
  GstBuffer *packet = GST_PAD_PROBE_INFO_BUFFER (info);
  GstClockTime arrival = GST_BUFFER_DTS_OR_PTS (packet);
  gboolean changed;
  guint latency_ms;
  Header header;

  if (!GST_CLOCK_TIME_IS_VALID (arrival) || !read_header (packet, &header))
    return GST_PAD_PROBE_OK;
  if (buffer->payload_type != header.payload_type)
    find_clock_rate (buffer, pad, header.payload_type);
  g_mutex_lock (&self->lock);
  self->arrival = arrival;
  changed = note_lateness (buffer, &header, arrival);
  latency_ms = get_wanted_ms (self);
  g_mutex_unlock (&self->lock);
  if (changed) {
    GST_DEBUG_OBJECT (self->bin, "event=latency latency_ms=%u", latency_ms);
    set_at_pad (self, pad, latency_ms);
    set_later (self);
  }
  return GST_PAD_PROBE_OK;
}

/* In the jitter buffer's thread. */
static GstPadProbeReturn
on_departure (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Buffer *buffer = user_data;
  GstBuffer *packet = GST_PAD_PROBE_INFO_BUFFER (info);
  Header header;

  if (!read_header (packet, &header))
    return GST_PAD_PROBE_OK;
  g_mutex_lock (&buffer->owner->lock);
  buffer->timestamp = header.timestamp;
  buffer->pts = GST_BUFFER_PTS (packet);
  g_mutex_unlock (&buffer->owner->lock);
  return GST_PAD_PROBE_OK;
}

/* FALSE: it is shorter than that (RFC 3550 section 5.1). */
static gboolean
read_header (GstBuffer *packet, Header *header)
{
  guint8 bytes[8];

  if (gst_buffer_extract (packet, 0, bytes, sizeof (bytes)) < sizeof (bytes))
    return FALSE;
  header->payload_type = bytes[1] & 0x7f;
  header->timestamp = GST_READ_UINT32_BE (bytes + 4);
  return TRUE;
}

/* Asks as the jitter buffer itself does. */
static void
find_clock_rate (Buffer *buffer, GstPad *pad, guint8 payload_type)
{
  GstElement *element = gst_pad_get_parent_element (pad);
  GstCaps *caps = NULL;
  gint clock_rate = 0;

  g_signal_emit_by_name (element, "request-pt-map", payload_type, &caps);
  if (caps)
    gst_structure_get_int (gst_caps_get_structure (caps, 0), "clock-rate",
        &clock_rate);
  gst_clear_caps (&caps);
  gst_object_unref (element);
  g_mutex_lock (&buffer->owner->lock);
  buffer->payload_type = payload_type;
  buffer->clock_rate = clock_rate;
  g_mutex_unlock (&buffer->owner->lock);
}

/* Whether another latency is wanted for it. */
static gboolean
note_lateness (Buffer *buffer, const Header *header, GstClockTime arrival)
{
  TfrcLatency *self = buffer->owner;
  GstClockTimeDiff since, lateness;

  if (buffer->clock_rate <= 0 || !GST_CLOCK_TIME_IS_VALID (buffer->pts))
    return FALSE;
  since = (gint32) (header->timestamp - buffer->timestamp) * GST_SECOND
      / buffer->clock_rate;
  lateness = GST_CLOCK_DIFF (buffer->pts, arrival) - since;
  if (lateness > (GstClockTimeDiff) (get_wanted_ms (self) * GST_MSECOND))
    self->packets_late++;
  return follow (self, (GstClockTime) MAX (lateness, 0), arrival);
}

/* With the lock held: whether another latency is wanted for it. */
static gboolean
follow (TfrcLatency *self, GstClockTime lateness, GstClockTime arrival)
{
  return tfrc_playout_delay_on_packet (&self->playout_delay, lateness, arrival)
      && self->fixed_ms == TFRC_LATENCY_AUTO;
}

/* Somebody may change it at the same time, and all jitter buffers have got that. */
static void
set_at_pad (TfrcLatency *self, GstPad *pad, guint latency_ms)
{
  GstElement *element = gst_pad_get_parent_element (pad);
  guint set_ms;

  do {
    set_ms = latency_ms;
    g_object_set (element, "latency", set_ms, NULL);
    g_mutex_lock (&self->lock);
    latency_ms = get_wanted_ms (self);
    g_mutex_unlock (&self->lock);
  } while (latency_ms != set_ms);
  gst_object_unref (element);
}

/* Those of the other streams, and of streams to come; not in this thread, for
 * which somebody may wait who has a lock of rtpbin. */
static void
set_later (TfrcLatency *self)
{
  gst_element_call_async (self->bin, set_at_rtpbin, self, NULL);
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

static guint
get_wanted_ms (const TfrcLatency *self)
{
  return self->fixed_ms != TFRC_LATENCY_AUTO
      ? self->fixed_ms
      : (guint) (self->playout_delay.delay / TFRC_MILLISECOND);
}
