/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ghost pads src_%u that outlive the SSRC behind them.
 *
 * A restarted sender has a new SSRC and so a new pad of rtpbin.  The ghost pad
 * of its payload type takes that as its target, and the old SSRC's jitter
 * buffer goes.  While packets of one SSRC come out, another one waits and its
 * packets are dropped: so nobody takes the pad from a stream that is alive, and
 * two senders on one port do not take it from each other for ever.
 *
 * A stream that nobody takes must not stop the others: rtpbin hands what its pad
 * gets to udpsrc, which would stop for good. */

#include "bins/source-pads.h"

#include <gst/video/video.h>
#include <stdio.h>

#include "common/locks.h"
#include "common/pads.h"
#include "common/stats.h"
#include "base/streams.h"
#include "net/session.h"
#include "rtp/playout-delay.h"

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_src_debug);
#define GST_CAT_DEFAULT gst_tfrc_src_debug

/* Of the jitter buffers: notes each one that rtpbin makes.
 *
 * How late a packet is, is measured where it enters a jitter buffer, against
 * the PTS that its frame will get: that of the newest frame that left, and the
 * RTP time since then.  When packets leave tells nothing, as they may have
 * waited for a lost one.
 *
 * A jitter buffer begins a new time line with a frame that comes later than its
 * latency: the picture would jump, so the latency grows before the packet is in. */

/* A larger step of sequence numbers is a restart (MAX_DROPOUT of RFC 3550
 * appendix A.1). */
#define MAX_HOLE 3000

/* Those that are about to go, beside the streams. */
#define MAX_GOING 8

struct _TfrcJitterBuffers
{
  GstElement *bin;
  GstElement *rtpbin;
  TfrcJitterBuffersKnows knows;
  TfrcJitterBuffersGone gone;
  GMutex lock; /* guards what follows */
  guint run;
  GHashTable *buffers; /* SSRC -> Buffer */
  guint fixed_ms;      /* or TFRC_LATENCY_AUTO */
  TfrcPlayoutDelay playout_delay;
  GstClockTime arrival; /* of the newest packet; NONE = none yet */
  guint64 packets_late;
  guint set_ms;     /* what rtpbin has, or is about to get */
  gboolean setting; /* some thread sees to it that rtpbin gets it */
};

typedef struct
{
  GstPad *source;
  gboolean started;
  guint16 next_seq;  /* valid if started */
  gboolean going;    /* will be cleared */
  gboolean blocked;  /* and lets nothing out any more */
  gint payload_type; /* that clock_rate is of; -1 = none yet */
  gint clock_rate;   /* Hz; 0 = not known */
  GstClockTime pts;  /* of the newest frame that left; NONE = none yet */
  guint32 timestamp; /* of that frame */
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
  /* Somebody may still hold it. */
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

static void
set_at_rtpbin (GstElement *bin, gpointer user_data)
{
  TfrcJitterBuffers *self = user_data;

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

/* Asks as the jitter buffer itself does.  With the lock held, which it gives up
 * meanwhile; NULL: the jitter buffer has gone. */
static Buffer *
find_clock_rate (TfrcJitterBuffers *self, Buffer *buffer,
    const TfrcRtpHeader *header)
{
  GstElement *element = gst_pad_get_parent_element (buffer->source);
  GstCaps *caps = NULL;
  gint clock_rate = 0;

  if (!element)
    return NULL;
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

/* Somebody may change it at the same time, and all jitter buffers have got that. */
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

/* Those of the other streams, and of streams to come; not in this thread, for
 * which somebody may wait who has a lock of rtpbin. */
static void
set_later (TfrcJitterBuffers *self)
{
  gst_element_call_async (self->bin, set_at_rtpbin, self, NULL);
}

void
tfrc_jitter_buffers_on_arrival (TfrcJitterBuffers *self,
    const TfrcRtpHeader *header, GstClockTime arrival)
{
  GstElement *element = NULL;
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
  GST_DEBUG_OBJECT (self->bin, "event=latency latency_ms=%u", latency_ms);
  set_at_element (self, element, latency_ms);
  gst_object_unref (element);
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

/* That of session 0, which is the only one; NULL: there is none. */
static GstElement *
find_demuxer (GstElement *rtpbin)
{
  g_autoptr (GstIterator) found =
      gst_bin_iterate_all_by_element_factory_name (GST_BIN (rtpbin),
          "rtpssrcdemux");
  g_auto (GValue) value = G_VALUE_INIT;

  return gst_iterator_next (found, &value) == GST_ITERATOR_OK
      ? g_value_dup_object (&value)
      : NULL;
}

/* While no packet is inside rtpssrcdemux (1.22 as 1.28): it forgets the pads of an
 * SSRC before it removes them, and one that comes in between has it add others of
 * the same names.  Its packets wait in no thread but their own. */
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
  tfrc_bye_make_up (self->rtpbin, clearing->ssrc);
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
  buffer = find_buffer (self, clearing->ssrc);
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
  const Buffer *buffer = find_buffer (self, ssrc);

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
  buffer = find_buffer (self, ssrc);
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
  g_autoptr (GstPad) source = gst_element_get_static_pad (user_data, "src");
  g_autoptr (GstEvent) segment = gst_pad_get_sticky_event (source,
      GST_EVENT_SEGMENT, 0);

  return segment ? GST_PAD_PROBE_OK : GST_PAD_PROBE_DROP;
}

/* Long before its pad, which comes with the first packet that it lets out.  Of an
 * SSRC that has gone, a repetition, what parity gives or what was held back may come
 * later, and its buffer stays as long as there is room. */
static void
on_new (GstElement *rtpbin, GstElement *element, guint session, guint ssrc,
    TfrcJitterBuffers *self)
{
  Buffer *buffer = g_new (Buffer, 1);
  GstPad *sink = gst_element_get_static_pad (element, "sink");
  GList *ssrcs = NULL;

  gst_pad_add_probe (sink, GST_PAD_PROBE_TYPE_EVENT_FLUSH, on_flush, element,
      NULL);
  gst_object_unref (sink);
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
   * list a jitter buffer is held for seconds.  And an encoder may be behind as far as
   * rtpbin would move one stream to fit another. */
  g_object_set (rtpbin, "max-dropout-time", 0, "max-rtcp-rtp-time-diff", 3000,
      "max-streams", TFRC_MAX_STREAMS + MAX_GOING, NULL);
  tfrc_jitter_buffers_begin_run (self);
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

/* An interval of three times the mean, or of so much more than it. */
#define FACTOR 3
#define MORE (150 * GST_MSECOND)

static GstClockTime
get_mean (const TfrcFreezes *self, guint n)
{
  GstClockTime sum = 0;

  for (guint i = 0; i < n; i++)
    sum += self->intervals[i];
  return sum / n;
}

void
tfrc_freezes_on_frame (TfrcFreezes *self, GstClockTime now)
{
  guint64 intervals = self->frames > 0 ? self->frames - 1 : 0;
  guint n = (guint) MIN (intervals, TFRC_FREEZES_FRAMES);
  GstClockTime interval = now - self->last_at;
  GstClockTime mean;

  if (n > 0) {
    mean = get_mean (self, n);
    if (interval >= MAX (FACTOR * mean, mean + MORE)) {
      self->freezes++;
      self->time += interval;
    }
  }
  if (self->frames > 0)
    self->intervals[intervals % TFRC_FREEZES_FRAMES] = interval;
  self->last_at = now;
  self->frames++;
}

/* A stream that said BYE, or was silent for rtpsession, and had a packet since
 * then is not gone: a sender that was paused comes back like that. */
#define ALIVE (1 * GST_SECOND)

/* Who waits so long is no sender that has just come back under another SSRC. */
#define TOO_LONG (1 * GST_SECOND)

/* After such a pause another SSRC may have the pad. */
#define PAUSE (GST_SECOND / 2)

typedef struct
{
  TfrcSourcePads *streams;
  guint payload_type;
  gboolean attached; /* in this run, with a pad that the bin has */
  guint ssrc;        /* behind the pad; valid if has_ssrc */
  gboolean has_ssrc;
  GstClockTime last_buffer_at; /* of the clock */
  gboolean nowhere;            /* nothing took the last buffer */
  gboolean ended;              /* what is linked wants no more */
  TfrcFreezes freezes;         /* of video */
  GstPad *target;              /* of that SSRC; NULL = that has gone */
  GstPad *pad;                 /* ghost pad, owned by the bin */
} Stream;

/* An SSRC that has to wait for the pad of its payload type. */
typedef struct
{
  TfrcSourcePads *streams;
  guint payload_type;
  guint ssrc;
  GstClockTime since; /* of the clock */
  gboolean warned;
} Waiting;

struct _TfrcSourcePads
{
  GstElement *bin;
  GstElement *rtpbin;
  GstClock *clock; /* the system's */
  GstStaticPadTemplate *pad_template;
  TfrcSourcePadsAttached attached;
  TfrcSourcePadsKeyFrame key_frame;
  TfrcSourcePadsHole hole;
  TfrcJitterBuffers *buffers;
  GMutex *lock; /* theirs; guards all below */
  GList *streams;
};

static gboolean
parse_name (GstPad *pad, guint *ssrc, guint *payload_type)
{
  return sscanf (GST_PAD_NAME (pad), "recv_rtp_src_0_%u_%u", ssrc, payload_type)
      == 2;
}

/* With the lock held. */
static gboolean
is_taken (const Stream *stream, guint ssrc)
{
  return stream->has_ssrc && stream->ssrc != ssrc
      && gst_clock_get_time (stream->streams->clock) - stream->last_buffer_at
      < PAUSE;
}

/* With the lock held. */
static void
attach (Stream *stream, guint ssrc, GstPad *target)
{
  stream->ssrc = ssrc;
  stream->has_ssrc = TRUE;
  stream->target = target;
  stream->last_buffer_at = gst_clock_get_time (stream->streams->clock);
}

/* Whether the stream could be had: no other SSRC lets anything out any more, which
 * would stop udpsrc once its pad is not linked. */
static gboolean
take (Stream *stream, guint ssrc, GstPad *target)
{
  TfrcSourcePads *self = stream->streams;
  gboolean taken, replaces;
  guint old_ssrc;

  g_mutex_lock (self->lock);
  taken = is_taken (stream, ssrc);
  replaces = stream->has_ssrc && stream->ssrc != ssrc;
  old_ssrc = stream->ssrc;
  g_mutex_unlock (self->lock);
  if (taken
      || (replaces
          && !tfrc_jitter_buffers_clear_later (self->buffers, old_ssrc)))
    return FALSE;
  g_mutex_lock (self->lock);
  taken = is_taken (stream, ssrc)
      || (stream->has_ssrc && stream->ssrc != ssrc
          && !(replaces && stream->ssrc == old_ssrc));
  if (!taken)
    attach (stream, ssrc, target);
  g_mutex_unlock (self->lock);
  return !taken;
}

static void
warn_of (Waiting *waiting)
{
  if (waiting->warned
      || gst_clock_get_time (waiting->streams->clock) - waiting->since
          < TOO_LONG)
    return;
  waiting->warned = TRUE;
  GST_ELEMENT_WARNING (waiting->streams->bin, STREAM, FORMAT,
      ("A second stream of payload type %u comes in, and is dropped as long as "
       "the first one lasts: stop it if another sender makes it, else set pt "
       "of one of the sender's payloaders to another.",
          waiting->payload_type),
      ("SSRC of the second: %08x", waiting->ssrc));
}

/* Links without the lock: two threads may do so at once, or the pad may go
 * meanwhile.  Whoever is last looks again, and finds what is to be linked. */
static void
link_target (TfrcSourcePads *self, const Stream *stream)
{
  GstPad *target;
  gboolean done;

  do {
    g_mutex_lock (self->lock);
    target = stream->target ? gst_object_ref (stream->target) : NULL;
    g_mutex_unlock (self->lock);
    gst_ghost_pad_set_target (GST_GHOST_PAD (stream->pad), target);
    g_mutex_lock (self->lock);
    done = stream->target == target;
    g_mutex_unlock (self->lock);
    gst_clear_object (&target);
  } while (!done);
}

/* With the lock held. */
static Stream *
find_stream (TfrcSourcePads *self, guint payload_type)
{
  for (GList *walk = self->streams; walk; walk = walk->next) {
    Stream *stream = walk->data;

    if (stream->payload_type == payload_type)
      return stream;
  }
  return NULL;
}

/* As above.  The packet is lost in any case: the sticky events have to come
 * first. */
static GstPadProbeReturn
on_waiting (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Waiting waiting = *(Waiting *) user_data;
  TfrcSourcePads *self = waiting.streams;
  Stream *stream;

  g_mutex_lock (self->lock);
  stream = find_stream (self, waiting.payload_type);
  g_mutex_unlock (self->lock);
  if (!take (stream, waiting.ssrc, pad)) {
    warn_of (user_data);
    return GST_PAD_PROBE_DROP;
  }
  GST_INFO_OBJECT (self->bin, "event=stream pt=%u ssrc=%08x waited=1",
      waiting.payload_type, waiting.ssrc);
  link_target (self, stream);
  self->key_frame (self->bin, waiting.ssrc);
  gst_pad_remove_probe (pad, GST_PAD_PROBE_INFO_ID (info));
  return GST_PAD_PROBE_DROP;
}

static void
make_wait (TfrcSourcePads *self, GstPad *pad, guint payload_type, guint ssrc)
{
  Waiting *waiting = g_new0 (Waiting, 1);

  waiting->streams = self;
  waiting->payload_type = payload_type;
  waiting->ssrc = ssrc;
  waiting->since = gst_clock_get_time (self->clock);
  GST_WARNING_OBJECT (self->bin, "event=second-sender pt=%u ssrc=%08x",
      payload_type, ssrc);
  tfrc_packet_probe_add (pad, on_waiting, waiting, g_free);
}

/* With the lock held.  A depayloader says so only with the last packet of a
 * frame. */
static gboolean
all_have_ended (const TfrcSourcePads *self)
{
  for (const GList *walk = self->streams; walk; walk = walk->next) {
    const Stream *stream = walk->data;

    if (!stream->ended && !stream->nowhere)
      return FALSE;
  }
  return TRUE;
}

/* In the streaming thread; rtpbin's demuxer pushes no lists.  The application may
 * stop what is behind the pad while this element is not stopped. */
static GstFlowReturn
on_buffer (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Stream *stream = gst_pad_get_element_private (pad);
  TfrcSourcePads *self = stream->streams;
  gboolean is_frame, is_behind_hole, nowhere, changed;
  TfrcRtpHeader header;
  GstFlowReturn flow;
  guint ssrc;

  if (!tfrc_rtp_header_read (&header, buffer))
    return gst_proxy_pad_chain_default (pad, parent, buffer);
  is_frame = header.marker && tfrc_pads_is_media (pad, "video");
  g_mutex_lock (self->lock);
  stream->last_buffer_at = gst_clock_get_time (self->clock);
  if (is_frame)
    tfrc_freezes_on_frame (&stream->freezes, stream->last_buffer_at);
  is_behind_hole = tfrc_jitter_buffers_on_departure (self->buffers, &header,
      GST_BUFFER_PTS (buffer));
  g_mutex_unlock (self->lock);
  if (is_behind_hole)
    self->hole (self->bin, &header);

  flow = gst_proxy_pad_chain_default (pad, parent, buffer);
  /* Only this thread changes that. */
  if (flow == GST_FLOW_OK && !stream->nowhere)
    return flow;
  nowhere = flow == GST_FLOW_NOT_LINKED
      || (flow == GST_FLOW_FLUSHING && gst_pad_is_active (stream->pad));
  g_mutex_lock (self->lock);
  changed = stream->nowhere != nowhere;
  stream->nowhere = nowhere;
  stream->ended |= flow == GST_FLOW_EOS;
  if (nowhere || (flow == GST_FLOW_EOS && !all_have_ended (self)))
    flow = GST_FLOW_OK;
  ssrc = stream->ssrc;
  g_mutex_unlock (self->lock);
  if (changed)
    GST_INFO_OBJECT (self->bin, "event=%s pt=%u ssrc=%08x",
        nowhere ? "not-linked" : "linked", stream->payload_type, ssrc);
  if (changed && !nowhere)
    self->key_frame (self->bin, ssrc);
  return flow;
}

static void
on_linked (GstPad *pad, GstPad *peer, GstElement *bin)
{
  Stream *stream = gst_pad_get_element_private (pad);

  G_MUTEX_AUTO_LOCK (stream->streams->lock, locker);
  stream->ended = FALSE;
}

/* rtpsession would answer this with a PLI that waits for its next RTCP. */
static gboolean
on_upstream_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  const Stream *stream = gst_pad_get_element_private (pad);
  TfrcSourcePads *self = stream->streams;
  gboolean found;
  guint ssrc;

  if (!gst_video_event_is_force_key_unit (event))
    return gst_pad_event_default (pad, parent, event);
  g_mutex_lock (self->lock);
  found = stream->has_ssrc;
  ssrc = stream->ssrc;
  g_mutex_unlock (self->lock);
  if (!found)
    return gst_pad_event_default (pad, parent, event);
  self->key_frame (self->bin, ssrc);
  gst_event_unref (event);
  return TRUE;
}

/* With the lock held.  The pad is not on the bin yet. */
static Stream *
add_stream (TfrcSourcePads *self, guint payload_type)
{
  g_autoptr (GstPadTemplate) template =
      gst_static_pad_template_get (self->pad_template);
  Stream *stream = g_new0 (Stream, 1);
  g_autofree gchar *name = g_strdup_printf ("src_%u", payload_type);
  GstPad *inner;

  stream->streams = self;
  stream->payload_type = payload_type;
  stream->pad = gst_ghost_pad_new_no_target_from_template (name, template);
  inner = GST_PAD (gst_proxy_pad_get_internal (GST_PROXY_PAD (stream->pad)));
  gst_pad_set_element_private (inner, stream);
  gst_pad_set_chain_function (inner, on_buffer);
  gst_object_unref (inner);
  gst_pad_set_element_private (stream->pad, stream);
  gst_pad_set_event_function (stream->pad, on_upstream_event);
  g_signal_connect_object (stream->pad, "linked", G_CALLBACK (on_linked),
      self->bin, 0);
  gst_pad_set_active (stream->pad, TRUE);
  self->streams = g_list_append (self->streams, stream);
  return stream;
}

static gboolean
store_event (GstPad *pad, GstEvent **event, gpointer stream_pad)
{
  gst_pad_store_sticky_event (stream_pad, *event);
  return TRUE;
}

/* In the streaming thread of the new SSRC's jitter buffer. */
static void
on_pad_added (GstElement *rtpbin, GstPad *pad, TfrcSourcePads *self)
{
  guint ssrc, payload_type;
  gboolean is_new, is_first;
  Stream *stream;

  if (!parse_name (pad, &ssrc, &payload_type))
    return;
  g_mutex_lock (self->lock);
  stream = find_stream (self, payload_type);
  is_new = !stream;
  if (is_new)
    stream = add_stream (self, payload_type);
  if (is_new)
    attach (stream, ssrc, pad);
  g_mutex_unlock (self->lock);
  if (!is_new && !take (stream, ssrc, pad)) {
    make_wait (self, pad, payload_type, ssrc);
    return;
  }
  GST_INFO_OBJECT (self->bin, "event=stream pt=%u ssrc=%08x new-pad=%d",
      payload_type, ssrc, is_new);
  link_target (self, stream);
  /* Whoever is told of it may ask what it is. */
  if (is_new) {
    gst_pad_sticky_events_foreach (pad, store_event, stream->pad);
    gst_element_add_pad (self->bin, stream->pad);
  }
  g_mutex_lock (self->lock);
  is_first = !stream->attached;
  stream->attached = TRUE;
  g_mutex_unlock (self->lock);
  if (is_first)
    self->attached (self->bin);
}

/* A pad that is removed is no target any more. */
static void
on_pad_removed (GstElement *rtpbin, GstPad *pad, TfrcSourcePads *self)
{
  guint ssrc, payload_type;
  Stream *stream;

  if (!parse_name (pad, &ssrc, &payload_type))
    return;
  G_MUTEX_AUTO_LOCK (self->lock, locker);
  stream = find_stream (self, payload_type);
  if (stream && stream->target == pad) {
    stream->has_ssrc = FALSE;
    stream->target = NULL;
  }
}

/* rtpsession has forgotten the SSRC, or soon will. */
static void
on_ssrc_gone (GstElement *rtpbin, guint session, guint ssrc,
    TfrcSourcePads *self)
{
  GstClockTime now = gst_clock_get_time (self->clock);
  gboolean alive = FALSE;

  g_mutex_lock (self->lock);
  for (GList *walk = self->streams; walk; walk = walk->next) {
    Stream *stream = walk->data;

    alive |= stream->has_ssrc && stream->ssrc == ssrc
        && now - stream->last_buffer_at < ALIVE;
  }
  g_mutex_unlock (self->lock);
  if (!alive)
    tfrc_jitter_buffers_clear_later (self->buffers, ssrc);
}

TfrcSourcePads *
tfrc_source_pads_new (GstElement *bin, GstElement *rtpbin,
    TfrcJitterBuffers *buffers, GstStaticPadTemplate *pad_template,
    TfrcSourcePadsAttached attached, TfrcSourcePadsKeyFrame key_frame,
    TfrcSourcePadsHole hole)
{
  TfrcSourcePads *self = g_new0 (TfrcSourcePads, 1);

  self->bin = bin;
  self->rtpbin = gst_object_ref (rtpbin);
  self->clock = gst_system_clock_obtain ();
  self->pad_template = pad_template;
  self->attached = attached;
  self->key_frame = key_frame;
  self->hole = hole;
  self->buffers = buffers;
  self->lock = tfrc_jitter_buffers_get_lock (buffers);
  g_signal_connect (rtpbin, "pad-added", G_CALLBACK (on_pad_added), self);
  g_signal_connect (rtpbin, "pad-removed", G_CALLBACK (on_pad_removed), self);
  g_signal_connect (rtpbin, "on-timeout", G_CALLBACK (on_ssrc_gone), self);
  g_signal_connect (rtpbin, "on-bye-timeout", G_CALLBACK (on_ssrc_gone), self);
  return self;
}

void
tfrc_source_pads_free (TfrcSourcePads *self)
{
  /* Somebody may still hold it. */
  g_signal_handlers_disconnect_by_data (self->rtpbin, self);
  gst_object_unref (self->rtpbin);
  gst_object_unref (self->clock);
  g_list_free_full (self->streams, g_free);
  g_free (self);
}

void
tfrc_source_pads_begin_run (TfrcSourcePads *self)
{
  G_MUTEX_AUTO_LOCK (self->lock, locker);
  for (GList *walk = self->streams; walk; walk = walk->next) {
    Stream *stream = walk->data;

    *stream = (Stream) {
      .streams = self, .payload_type = stream->payload_type, .pad = stream->pad
    };
  }
}

gboolean
tfrc_source_pads_has (TfrcSourcePads *self, guint payload_type)
{
  const Stream *stream;

  G_MUTEX_AUTO_LOCK (self->lock, locker);
  stream = find_stream (self, payload_type);
  return stream && stream->attached;
}

void
tfrc_source_pads_add_stats (TfrcSourcePads *self, GstStructure *stats)
{
  TfrcFreezes all = { 0 };

  g_mutex_lock (self->lock);
  for (GList *walk = self->streams; walk; walk = walk->next) {
    const Stream *stream = walk->data;

    all.frames += stream->freezes.frames;
    all.freezes += stream->freezes.freezes;
    all.time += stream->freezes.time;
  }
  g_mutex_unlock (self->lock);
  tfrc_stats_set (stats, "frames", all.frames);
  tfrc_stats_set (stats, "freezes", all.freezes);
  tfrc_stats_set (stats, "freezes-ns", all.time);
}
