/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ghost pads src_%u that outlive the SSRC of their stream.
 *
 * A restarted sender has a new SSRC and so a new pad of rtpbin.  This becomes the
 * target of the ghost pad of its payload type, and the old SSRC and its jitter buffer
 * are cleared. While packets of one SSRC are output, those of another SSRC are
 * dropped: otherwise two senders on one port would take the pad from each other for
 * ever.
 *
 * A stream that is not linked must not stop the others: its flow return would reach
 * udpsrc through rtpbin, and udpsrc would stop for good. */

#include "bins/source-pads.h"

#include <gst/video/video.h>
#include <stdio.h>

#include "common/locks.h"
#include "common/pads.h"
#include "common/stats.h"

GST_DEBUG_CATEGORY_EXTERN (gst_tfrc_src_debug);
#define GST_CAT_DEFAULT gst_tfrc_src_debug

/* A freeze is an interval of at least FACTOR times the mean and MORE above it. */
#define FACTOR 3
#define MORE (150 * GST_MSECOND)

void
tfrc_freezes_on_frame (TfrcFreezes *self, GstClockTime now)
{
  guint64 intervals = self->frames > 0 ? self->frames - 1 : 0;
  guint n = (guint) MIN (intervals, TFRC_FREEZES_FRAMES);
  GstClockTime interval = now - self->last_at;
  GstClockTime mean = 0;

  if (n > 0) {
    for (guint i = 0; i < n; i++)
      mean += self->intervals[i];
    mean /= n;
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

/* A stream that sent BYE or timed out in rtpsession is kept if a packet was output within
 * this time: so a sender returns that was paused. */
#define ALIVE (1 * GST_SECOND)

/* An SSRC that waits longer than this is a second sender, not a restarted one. */
#define TOO_LONG (1 * GST_SECOND)

/* After this pause of a stream another SSRC may use its pad. */
#define PAUSE (GST_SECOND / 2)

/* Between frames that the jitter buffer gives one time.  Further back is a new start. */
#define LEAST_STEP GST_MSECOND
#define FARTHEST_BACK GST_SECOND

typedef struct
{
  TfrcSourcePads *streams;
  guint payload_type;
  gboolean attached; /* had a stream in this run, and the pad is added */
  guint ssrc;        /* of its stream; valid if has_ssrc */
  gboolean has_ssrc;
  GstClockTime last_buffer_at; /* of the clock */
  gboolean nowhere;            /* not linked, or flushing, downstream */
  gboolean ended;              /* downstream has returned EOS */
  TfrcFreezes freezes;         /* of video */
  guint32 timestamp;           /* of the newest packet ... */
  GstClockTime pts;            /* ... and its time; 0 = none */
  GstPad *target;              /* of that SSRC; NULL = removed */
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
  GstRtpTfrcReceive *receive;
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
  stream->pts = 0;
  stream->last_buffer_at = gst_clock_get_time (stream->streams->clock);
}

/* Attaches the SSRC to the stream.  FALSE: another SSRC is active, or its jitter buffer
 * is still pushing a packet, which would stop udpsrc once its pad is not linked. */
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

/* Sets the target without the lock, so another thread may do the same, or the pad may be
 * removed, meanwhile.  Repeats until the target is the one of the stream. */
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

/* Drops the packets of a waiting SSRC, and links it when it may have the pad; that packet
 * is dropped, too, as the sticky events have to come first. */
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
  g_signal_emit_by_name (self->receive, "request-key-frame", waiting.ssrc);
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

/* With the lock held: whether all linked streams have returned EOS, which a depayloader
 * does only with the last packet of a frame. */
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

/* Reads the packet's header, and removes the header extension of this hop: the receiver
 * behind a relay would take it for that of its own, and depayloaders (1.24 to 1.28) that
 * keep header extensions until a frame ends abort at some that never end (GStreamer issue
 * 5057).  FALSE: this is no RTP. */
static gboolean
open_packet (TfrcSourcePads *self, GstBuffer **buffer, TfrcRtpHeader *header)
{
  const guint id = gst_rtp_tfrc_receive_get_extension_id (self->receive);
  GstMapInfo map = GST_MAP_INFO_INIT;
  TfrcRtpPacket packet;
  gsize removed = 0;
  gboolean is_rtp;

  if (id != 0)
    *buffer = gst_buffer_make_writable (*buffer);
  if (!gst_buffer_map (*buffer, &map,
          id != 0 ? GST_MAP_READWRITE : GST_MAP_READ))
    return FALSE;
  is_rtp = tfrc_rtp_packet_read (&packet, map.data, map.size);
  if (is_rtp) {
    *header = packet.header;
    removed = tfrc_rtp_packet_remove_element (&packet, map.data, id);
  }
  gst_buffer_unmap (*buffer, &map);
  if (removed > 0)
    gst_buffer_resize (*buffer, (gssize) removed, -1);
  return is_rtp;
}

/* With the lock held.  As a stream begins, packets that waited at the sender come ever
 * earlier, which the jitter buffer takes for the skew of a clock: it moves their times
 * together, in the end to one.  Parsers give the second frame of one time none, and then
 * muxers fail. */
static GstClockTime
get_own_time (Stream *self, guint32 timestamp, GstClockTime pts)
{
  const gint32 step = (gint32) (timestamp - self->timestamp);

  if (!GST_CLOCK_TIME_IS_VALID (pts))
    return pts;
  if (step >= 0 && pts <= self->pts && self->pts - pts < FARTHEST_BACK)
    pts = self->pts + (step > 0 ? LEAST_STEP : 0);
  self->timestamp = timestamp;
  self->pts = pts;
  return pts;
}

/* In the streaming thread; rtpbin's demuxer pushes no lists.  FLUSHING is ignored while
 * the pad is active: the application may stop downstream elements only. */
static GstFlowReturn
on_buffer (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Stream *stream = gst_pad_get_element_private (pad);
  TfrcSourcePads *self = stream->streams;
  gboolean is_frame, is_behind_hole, nowhere, changed;
  TfrcRtpHeader header;
  GstClockTime pts;
  GstFlowReturn flow;
  guint ssrc;

  if (!open_packet (self, &buffer, &header))
    return gst_proxy_pad_chain_default (pad, parent, buffer);
  is_frame = header.marker && tfrc_pads_is_media (pad, "video");
  g_mutex_lock (self->lock);
  stream->last_buffer_at = gst_clock_get_time (self->clock);
  if (is_frame)
    tfrc_freezes_on_frame (&stream->freezes, stream->last_buffer_at);
  is_behind_hole = tfrc_jitter_buffers_on_departure (self->buffers, &header,
      GST_BUFFER_PTS (buffer));
  pts = get_own_time (stream, header.timestamp, GST_BUFFER_PTS (buffer));
  g_mutex_unlock (self->lock);
  if (pts != GST_BUFFER_PTS (buffer)) {
    buffer = gst_buffer_make_writable (buffer);
    GST_BUFFER_PTS (buffer) = pts;
  }
  if (is_behind_hole)
    gst_rtp_tfrc_receive_on_unrepaired (self->receive, header.ssrc,
        (guint16) (header.seq - 1));

  flow = gst_proxy_pad_chain_default (pad, parent, buffer);
  /* Only this thread changes `nowhere`. */
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
    g_signal_emit_by_name (self->receive, "request-key-frame", ssrc);
  return flow;
}

static void
on_linked (GstPad *pad, GstPad *peer, GstElement *bin)
{
  Stream *stream = gst_pad_get_element_private (pad);

  G_MUTEX_AUTO_LOCK (stream->streams->lock, locker);
  stream->ended = FALSE;
}

/* Handles key frame requests here, as rtpsession delays its PLI until its next RTCP. */
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
  g_signal_emit_by_name (self->receive, "request-key-frame", ssrc);
  gst_event_unref (event);
  return TRUE;
}

/* With the lock held.  The pad is not added to the bin yet. */
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
  /* The handlers of pad-added may read its caps. */
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

/* A removed pad must not remain a target. */
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

/* rtpsession has removed the SSRC, or is about to. */
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
    GstRtpTfrcReceive *receive, TfrcJitterBuffers *buffers,
    GstStaticPadTemplate *pad_template, TfrcSourcePadsAttached attached)
{
  TfrcSourcePads *self = g_new0 (TfrcSourcePads, 1);

  self->bin = bin;
  self->rtpbin = gst_object_ref (rtpbin);
  self->clock = gst_system_clock_obtain ();
  self->pad_template = pad_template;
  self->attached = attached;
  self->receive = receive;
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
  /* rtpbin may outlive this object. */
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
