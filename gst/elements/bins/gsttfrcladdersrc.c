/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcladdersrc: a tfrcsrc for each group (rung), of which one runs, or two during a
 * trial of the faster one, and an input-selector.
 *
 *   tfrcsrc (rung_0) -+
 *   tfrcsrc (rung_1) -+-> input-selector -> queue -> src
 *
 * Which rungs run is decided with each packet, message and tick, under a separate lock,
 * and executed in another thread, which waits for the streaming threads of a rung to
 * stop.  Because of the queue these do not block in downstream elements. */

/**
 * SECTION:element-tfrcladdersrc
 * @title: tfrcladdersrc
 *
 * Receives a video that is sent to several multicast groups at different rates, a ladder,
 * from the fastest group that the link can carry.  It joins the fastest group first, and
 * switches to the next slower one if the receiver cannot keep up (tfmcc-hopeless of
 * tfrcsrc, whose leave-timeout is 2 s here) or nothing arrives for 3 s.  After
 * #GstTfrcLadderSrc:climb-interval without a reason to go down it also joins the next
 * faster group for a trial of 4 s, and switches to it with its next key frame if neither
 * group was hopeless and no more than a tenth of its packets were lost.  The interval
 * doubles with each failed trial, up to 16 times its value.
 *
 * The output remains one stream on one pad: each switch begins with a key frame.  It is
 * posted as an element message `tfrc-rung` with rung, from and reason: hopeless, silent,
 * try, failed or up.
 *
 * The sender has an encoder and a tfrcsink for each group.  min-bitrate of the tfrcsink
 * is the lowest useful rate of the rung: slow receivers reduce the rate of the group down
 * to it, and it is the rate while there are no receivers.  Audio needs no ladder, but a
 * group of its own with a tfrcsrc.
 *
 * The elements inside are `rung_0`, the fastest, and so on, once
 * #GstTfrcLadderSrc:rungs is set: `rung_1::latency=200`, for one.
 *
 * ## Launch lines
 * |[
 * gst-launch-1.0 tfrcladdersrc rungs="tfrc://239.255.1.2:5006?multicast-iface=lo&encoding-name=H264 tfrc://239.255.1.3:5006?multicast-iface=lo&encoding-name=H264" ! rtph264depay ! avdec_h264 ! videoconvert ! autovideosink
 * ]| Receives the picture from the better of two groups.
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! tee name=t ! queue ! x264enc tune=zerolatency key-int-max=300 ! rtph264pay config-interval=-1 ! tfrcsink host=239.255.1.2 port=5006 multicast-iface=lo min-bitrate=1000000 max-bitrate=2000000 t. ! queue ! x264enc tune=zerolatency key-int-max=300 ! rtph264pay config-interval=-1 ! tfrcsink host=239.255.1.3 port=5006 multicast-iface=lo min-bitrate=150000 max-bitrate=250000
 * ]| Sends it to both.
 */

#include "bins/gsttfrcladdersrc.h"

#include <gst/rtp/rtp.h>
#include <gst/video/video.h>
#include <string.h>

#include "common/locks.h"
#include "common/rtp.h"
#include "common/pads.h"
#include "common/properties.h"
#include "net/sockets.h"

/* A sender sends at least once in this time. */
#define SILENCE (3 * GST_SECOND)

/* Twice the leave-timeout of the tfrcsrcs. */
#define TRIAL (4 * GST_SECOND)

/* Many encoders produce a key frame every ten seconds, and none on request. */
#define KEY_FRAME_TIME (15 * GST_SECOND)

/* Loss that shows that the link is overloaded, and the fewest packets to judge it by. */
#define MAX_LOSS 0.1
#define FEWEST_PACKETS 30

#define MAX_DOUBLINGS 4

/* A rung kept for this time was worth its trial. */
#define STAY (60 * GST_SECOND)

static void
listen_to (TfrcRungChoice *self, guint rung, GstClockTime now)
{
  self->current = rung;
  self->since = self->newest_at = self->waits_since = now;
  self->climbed = FALSE;
  self->tried = -1;
}

static void
wait_longer (TfrcRungChoice *self)
{
  self->wait = MIN (self->wait * 2, self->interval << MAX_DOUBLINGS);
}

void
tfrc_rung_choice_init (TfrcRungChoice *self, guint n_rungs,
    GstClockTime interval)
{
  *self = (TfrcRungChoice) {
    .n_rungs = n_rungs,
    .interval = interval,
    .tried = -1,
    .wait = interval,
  };
}

void
tfrc_rung_choice_begin (TfrcRungChoice *self, GstClockTime now)
{
  listen_to (self, self->current, now);
}

gboolean
tfrc_rung_choice_has (const TfrcRungChoice *self, guint rung)
{
  return rung == self->current || (gint) rung == self->tried;
}

gboolean
tfrc_rung_choice_needs_key_frame (const TfrcRungChoice *self, GstClockTime now)
{
  return self->tried >= 0 && self->tried_has_packets
      && now - self->tried_at >= TRIAL;
}

TfrcRungMove
tfrc_rung_choice_on_packet (TfrcRungChoice *self, guint rung,
    gboolean starts_key_frame, GstClockTime now)
{
  if (rung == self->current)
    self->newest_at = now;
  if ((gint) rung != self->tried)
    return TFRC_RUNG_MOVE_NONE;
  self->tried_has_packets = TRUE;
  if (!starts_key_frame || !tfrc_rung_choice_needs_key_frame (self, now))
    return TFRC_RUNG_MOVE_NONE;
  listen_to (self, rung, now);
  self->climbed = TRUE;
  return TFRC_RUNG_MOVE_UP;
}

static TfrcRungMove
give_up (TfrcRungChoice *self, GstClockTime now)
{
  self->tried = -1;
  self->waits_since = now;
  wait_longer (self);
  return TFRC_RUNG_MOVE_FAILED;
}

TfrcRungMove
tfrc_rung_choice_on_hopeless (TfrcRungChoice *self, guint rung,
    GstClockTime now)
{
  /* During a trial the load is that of both rungs, so only the trial fails. */
  if (self->tried >= 0)
    return tfrc_rung_choice_has (self, rung)
        ? give_up (self, now)
        : TFRC_RUNG_MOVE_NONE;
  if (rung != self->current || rung + 1 == self->n_rungs)
    return TFRC_RUNG_MOVE_NONE;
  if (self->climbed && now - self->since < STAY)
    wait_longer (self);
  listen_to (self, rung + 1, now);
  return TFRC_RUNG_MOVE_HOPELESS;
}

TfrcRungMove
tfrc_rung_choice_on_losses (TfrcRungChoice *self, guint64 received,
    guint64 lost, GstClockTime now)
{
  if (self->tried < 0 || !self->tried_has_packets
      || received + lost < FEWEST_PACKETS
      || (gdouble) lost <= MAX_LOSS * (gdouble) (received + lost))
    return TFRC_RUNG_MOVE_NONE;
  return give_up (self, now);
}

TfrcRungMove
tfrc_rung_choice_on_time (TfrcRungChoice *self, GstClockTime now)
{
  if (self->n_rungs == 1)
    return TFRC_RUNG_MOVE_NONE;
  if (now - self->newest_at >= SILENCE) {
    listen_to (self, (self->current + 1) % self->n_rungs, now);
    return TFRC_RUNG_MOVE_SILENT;
  }
  if (self->tried >= 0)
    return now - self->tried_at
            >= TRIAL + (self->tried_has_packets ? KEY_FRAME_TIME : SILENCE)
        ? give_up (self, now)
        : TFRC_RUNG_MOVE_NONE;
  if (now - self->since >= STAY && self->climbed)
    self->wait = self->interval;
  if (self->current == 0 || self->interval == 0
      || now - self->waits_since < self->wait)
    return TFRC_RUNG_MOVE_NONE;
  self->tried = (gint) self->current - 1;
  self->tried_at = now;
  self->tried_has_packets = FALSE;
  return TFRC_RUNG_MOVE_TRY;
}

GST_DEBUG_CATEGORY_STATIC (gst_tfrc_ladder_src_debug);
#define GST_CAT_DEFAULT gst_tfrc_ladder_src_debug

#define MAX_RUNGS 8
/* After this silence of its stream, another stream of a rung is used: for example, of a
 * sender that restarted with another payload type. */
#define STREAM_TIMEOUT (1 * GST_SECOND)
#define TICK (250 * GST_MSECOND)
#define LEAVE_TIMEOUT_MS 2000
#define DEFAULT_CLIMB_INTERVAL_MS 30000

enum
{
  PROP_FIELD = 1,
  PROP_RUNGS,
  PROP_SDP,
  PROP_RUNG,
  PROP_STATS
};

typedef struct
{
  GstTfrcLadderSrc *ladder;
  guint index;
  GstElement *src; /* tfrcsrc; locked in NULL while it is not joined */
  gboolean joined; /* under the state lock */

  /* Under the lock. */
  GstPad *selected;       /* of the input-selector; NULL: no stream yet */
  GstClockTime newest_at; /* newest packet of that stream */
  gboolean from_key;      /* packets before the next key frame are dropped */
  guint64 hopeless_at;    /* sender's rate when hopeless [bits/s]; 0 = never */
} Rung;

typedef struct
{
  gchar *uris, *sdp;    /* at most one is set */
  guint climb_interval; /* [ms] */
} Fields;

struct _GstTfrcLadderSrc
{
  GstBin parent;

  GstElement *selector;
  GstObject *joining; /* tfrcsrc that is being started; atomic, not owned */

  GMutex lock;      /* guards all below */
  Fields fields;    /* set while nothing streams */
  GstClockID ticks; /* PLAYING only */
  gchar *error;     /* why uris or sdp were refused, or NULL */
  Rung *rungs[MAX_RUNGS];
  guint n_rungs;
  TfrcRungChoice choice;
  guint64 moves[TFRC_RUNG_MOVE_UP + 1];
};

static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("application/x-rtp"));

#define gst_tfrc_ladder_src_parent_class parent_class
G_DEFINE_FINAL_TYPE_WITH_CODE (GstTfrcLadderSrc, gst_tfrc_ladder_src,
    GST_TYPE_BIN,
    GST_DEBUG_CATEGORY_INIT (gst_tfrc_ladder_src_debug, "tfrcladdersrc", 0,
        "TFMCC receiver of several groups"))
GST_ELEMENT_REGISTER_DEFINE (tfrcladdersrc, "tfrcladdersrc", GST_RANK_NONE,
    GST_TYPE_TFRC_LADDER_SRC)

static GstClockTime
get_time (GstTfrcLadderSrc *self)
{
  g_autoptr (GstClock) clock = gst_element_get_clock (GST_ELEMENT (self));

  return clock ? gst_clock_get_time (clock) : 0;
}

/* Joins and leaves */

/* The tfrcsrc of a rung, which the caller unrefs; NULL: there is no such rung. */
static GstElement *
get_src (GstTfrcLadderSrc *self, guint index)
{
  GstElement *src = NULL;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  if (index < self->n_rungs)
    src = gst_object_ref (self->rungs[index]->src);
  return src;
}

/* The same for the input-selector's pad of the rung's stream. */
static GstPad *
get_selected (GstTfrcLadderSrc *self, guint index)
{
  GstPad *selected = NULL;

  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  if (index < self->n_rungs && self->rungs[index]->selected)
    selected = gst_object_ref (self->rungs[index]->selected);
  return selected;
}

static void
select_rung (GstTfrcLadderSrc *self, guint index)
{
  g_autoptr (GstPad) selected = get_selected (self, index);

  if (selected)
    g_object_set (self->selector, "active-pad", selected, NULL);
}

static void
join (Rung *rung)
{
  rung->joined = TRUE;
  gst_element_set_locked_state (rung->src, FALSE);
  g_atomic_pointer_set (&rung->ladder->joining, GST_OBJECT (rung->src));
  gst_element_sync_state_with_parent (rung->src);
  g_atomic_pointer_set (&rung->ladder->joining, NULL);
}

static void
leave (Rung *rung)
{
  rung->joined = FALSE;
  gst_element_set_locked_state (rung->src, TRUE);
  gst_element_set_state (rung->src, GST_STATE_NULL);
}

/* Leaves before it joins, as the link may be full. */
static void
do_as_chosen (GstElement *element, gpointer unused)
{
  GstTfrcLadderSrc *self = GST_TFRC_LADDER_SRC (element);
  gboolean chosen[MAX_RUNGS];

  GST_STATE_LOCK (self);
  if (GST_STATE (self) != GST_STATE_PLAYING) {
    GST_STATE_UNLOCK (self);
    return;
  }
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->n_rungs; i++)
    chosen[i] = tfrc_rung_choice_has (&self->choice, i);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < self->n_rungs; i++)
    if (self->rungs[i]->joined && !chosen[i])
      leave (self->rungs[i]);
  for (guint i = 0; i < self->n_rungs; i++)
    if (!self->rungs[i]->joined && chosen[i])
      join (self->rungs[i]);
  GST_STATE_UNLOCK (self);
}

static void
report_move (GstTfrcLadderSrc *self, TfrcRungMove move, guint from, guint to)
{
  static const gchar *const reasons[] = { "", "hopeless", "silent", "try",
    "failed", "up" };

  GST_INFO_OBJECT (self, "event=rung reason=%s from=%u rung=%u", reasons[move],
      from, to);
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new ("tfrc-rung", "rung", G_TYPE_UINT, to, "from",
              G_TYPE_UINT, from, "reason", G_TYPE_STRING, reasons[move],
              NULL)));
  if (to != from)
    g_object_notify (G_OBJECT (self), "rung");
}

/* Call with the lock held, which is released.  `before`: the previous rung. */
static void
finish_move (GstTfrcLadderSrc *self, TfrcRungMove move, guint before)
{
  guint current = self->choice.current;

  self->moves[move]++;
  if (move == TFRC_RUNG_MOVE_HOPELESS || move == TFRC_RUNG_MOVE_SILENT)
    self->rungs[current]->from_key = TRUE;
  g_mutex_unlock (&self->lock);
  if (move == TFRC_RUNG_MOVE_NONE)
    return;
  if (current != before)
    select_rung (self, current);
  report_move (self, move, before, current);
  gst_element_call_async (GST_ELEMENT (self), do_as_chosen, NULL, NULL);
}

/* Checks the losses, as a tfrcsrc that just joined may not report within the trial
 * that it is hopeless. */
static void
judge_losses (GstTfrcLadderSrc *self, guint tried, GstClockID id)
{
  g_autoptr (GstElement) src = get_src (self, tried);
  g_autoptr (GstStructure) stats = NULL;
  guint64 received = 0, lost = 0;
  TfrcRungMove move;
  guint before;

  if (!src)
    return;
  g_object_get (src, "stats", &stats, NULL);
  gst_structure_get_uint64 (stats, "packets", &received);
  gst_structure_get_uint64 (stats, "packets-lost", &lost);
  g_mutex_lock (&self->lock);
  if (self->ticks != id || self->choice.tried != (gint) tried) {
    g_mutex_unlock (&self->lock);
    return;
  }
  before = self->choice.current;
  move = tfrc_rung_choice_on_losses (&self->choice, received, lost,
      get_time (self));
  finish_move (self, move, before);
}

/* May still run after PLAYING, when the rungs may have been removed. */
static gboolean
on_tick (GstClock *clock, GstClockTime time, GstClockID id, gpointer user_data)
{
  GstTfrcLadderSrc *self = user_data;
  GstClockTime now = gst_clock_get_time (clock);
  g_autoptr (GstPad) selected = NULL;
  gboolean needs_key_frame;
  TfrcRungMove move;
  guint before;
  gint tried;

  g_mutex_lock (&self->lock);
  if (self->ticks != id) {
    g_mutex_unlock (&self->lock);
    return TRUE;
  }
  before = self->choice.current;
  move = tfrc_rung_choice_on_time (&self->choice, now);
  needs_key_frame = tfrc_rung_choice_needs_key_frame (&self->choice, now);
  tried = self->choice.tried;
  finish_move (self, move, before);
  if (tried < 0)
    return TRUE;
  judge_losses (self, (guint) tried, id);
  if (needs_key_frame)
    selected = get_selected (self, (guint) tried);
  if (selected)
    gst_pad_push_event (selected,
        gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE,
            0));
  return TRUE;
}

/* Packets */

/* For encodings whose key frames are not recognized, each packet counts as one. */
static gboolean
starts_key_frame (GstPad *pad, GstBuffer *buffer)
{
  GstRTPBuffer rtp = GST_RTP_BUFFER_INIT;
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  const gchar *encoding = caps
      ? gst_structure_get_string (gst_caps_get_structure (caps, 0),
            "encoding-name")
      : NULL;
  gboolean starts = !tfrc_key_frame_is_known (encoding);

  if (!starts && gst_rtp_buffer_map (buffer, GST_MAP_READ, &rtp)) {
    starts = tfrc_key_frame_starts (encoding, gst_rtp_buffer_get_payload (&rtp),
        gst_rtp_buffer_get_payload_len (&rtp));
    gst_rtp_buffer_unmap (&rtp);
  }
  return starts;
}

/* With the lock held.  FALSE: the rung has another stream, which is still active. */
static gboolean
take_stream (Rung *rung, GstPad *pad, GstClockTime now, gboolean *changed)
{
  g_autoptr (GstPad) selected = gst_pad_get_peer (pad);

  *changed = selected != rung->selected
      && (!rung->selected || now - rung->newest_at >= STREAM_TIMEOUT);
  if (*changed) {
    rung->from_key |= rung->selected != NULL;
    rung->selected = selected;
  }
  return selected == rung->selected;
}

static GstPadProbeReturn
on_packet (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  Rung *rung = user_data;
  GstTfrcLadderSrc *self = rung->ladder;
  GstClockTime now = get_time (self);
  gboolean drops, changed, key_frame = FALSE;
  TfrcRungMove move;
  guint before;

  g_mutex_lock (&self->lock);
  if (!take_stream (rung, pad, now, &changed)) {
    g_mutex_unlock (&self->lock);
    return GST_PAD_PROBE_DROP;
  }
  rung->newest_at = now;
  before = self->choice.current;
  if (rung->from_key || rung->index != before)
    key_frame = starts_key_frame (pad, GST_PAD_PROBE_INFO_BUFFER (info));
  move = tfrc_rung_choice_on_packet (&self->choice, rung->index, key_frame,
      now);
  rung->from_key &= !key_frame;
  drops = rung->from_key || self->choice.current != rung->index;
  finish_move (self, move, before);
  if (changed && rung->index == before)
    select_rung (self, before);
  return drops ? GST_PAD_PROBE_DROP : GST_PAD_PROBE_OK;
}

/* A tfrcsrc has a pad for each payload type. */
static void
on_pad_added (GstElement *src, GstPad *pad, Rung *rung)
{
  g_autoptr (GstPad) selected =
      gst_element_request_pad_simple (rung->ladder->selector, "sink_%u");

  tfrc_packet_probe_add (pad, on_packet, rung, NULL);
  gst_pad_link (pad, selected);
}

/* With the lock held: notes the rate at which rung `i` was hopeless, and detects rungs
 * in the wrong order.  Returns the rate at which the next faster rung was hopeless
 * [bits/s] if that is lower, otherwise 0. */
static guint64
compare_with_above (GstTfrcLadderSrc *self, guint i, guint64 rate)
{
  guint64 above = i > 0 ? self->rungs[i - 1]->hopeless_at : 0;

  self->rungs[i]->hopeless_at = rate;
  return above < rate ? above : 0;
}

/* TRUE: the message is handled here; that of the slowest rung is for the application. */
static gboolean
on_hopeless (GstTfrcLadderSrc *self, GstMessage *message)
{
  guint64 rate = 0, above = 0;
  TfrcRungMove move;
  gboolean handled;
  guint i = 0, before;

  gst_structure_get_uint64 (gst_message_get_structure (message),
      "sending-bitrate", &rate);
  g_mutex_lock (&self->lock);
  while (i < self->n_rungs
      && !gst_object_has_as_ancestor (GST_MESSAGE_SRC (message),
          GST_OBJECT (self->rungs[i]->src)))
    i++;
  before = self->choice.current;
  move = i < self->n_rungs
      ? tfrc_rung_choice_on_hopeless (&self->choice, i, get_time (self))
      : TFRC_RUNG_MOVE_NONE;
  if (i < self->n_rungs)
    above = compare_with_above (self, i, rate);
  handled = i + 1 < self->n_rungs || move != TFRC_RUNG_MOVE_NONE;
  finish_move (self, move, before);
  if (above > 0)
    GST_ELEMENT_WARNING (self, RESOURCE, SETTINGS,
        ("rung_%u sends %" G_GUINT64_FORMAT " bits/s, and rung_%u above it "
         "%" G_GUINT64_FORMAT ": the fastest group has to be the first.",
            i, rate, i - 1, above),
        (NULL));
  return handled;
}

/* Turns an error into a warning, and takes ownership of it: a group that cannot be
 * joined is treated as silent, and another one is used. */
static GstMessage *
soften (GstMessage *message)
{
  GstMessage *warning;
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL;

  gst_message_parse_error (message, &error, &debug);
  warning = gst_message_new_warning (GST_MESSAGE_SRC (message), error, debug);
  gst_message_unref (message);
  return warning;
}

static void
gst_tfrc_ladder_src_handle_message (GstBin *bin, GstMessage *message)
{
  GstTfrcLadderSrc *self = GST_TFRC_LADDER_SRC (bin);

  if (gst_message_has_name (message, "tfmcc-hopeless")
      && on_hopeless (self, message)) {
    gst_message_unref (message);
    return;
  }
  if (GST_MESSAGE_TYPE (message) == GST_MESSAGE_ERROR
      && GST_MESSAGE_SRC (message) == g_atomic_pointer_get (&self->joining))
    message = soften (message);
  GST_BIN_CLASS (parent_class)->handle_message (bin, message);
}

/* States */

static gboolean
check (GstTfrcLadderSrc *self)
{
  if (!self->selector) {
    GST_ELEMENT_ERROR (self, CORE, MISSING_PLUGIN,
        ("There is no input-selector: install GStreamer's core elements."),
        (NULL));
    return FALSE;
  }
  if (self->n_rungs > 0 && !self->error)
    return TRUE;
  GST_ELEMENT_ERROR (self, RESOURCE, SETTINGS,
      ("%s",
          self->error ? self->error
                      : "Set rungs: the URIs of the groups, the fastest "
                        "first, with spaces between; or sdp."),
      (NULL));
  return FALSE;
}

/* While nothing streams: starts with the fastest rung. */
static void
begin_run (GstTfrcLadderSrc *self)
{
  gboolean moves;

  g_mutex_lock (&self->lock);
  moves = self->choice.current != 0;
  tfrc_rung_choice_init (&self->choice, self->n_rungs,
      self->fields.climb_interval * GST_MSECOND);
  memset (self->moves, 0, sizeof (self->moves));
  for (guint i = 0; i < self->n_rungs; i++) {
    self->rungs[i]->from_key = FALSE;
    self->rungs[i]->hopeless_at = 0;
  }
  g_mutex_unlock (&self->lock);
  self->rungs[0]->joined = TRUE;
  gst_element_set_locked_state (self->rungs[0]->src, FALSE);
  for (guint i = 1; i < self->n_rungs; i++)
    leave (self->rungs[i]);
  select_rung (self, 0);
  if (moves)
    g_object_notify (G_OBJECT (self), "rung");
}

/* Sets the other rungs to READY once, so that wrong settings are reported at once. */
static void
try_lower_rungs (GstTfrcLadderSrc *self)
{
  for (guint i = 1; i < self->n_rungs; i++) {
    GstElement *src = self->rungs[i]->src;

    g_atomic_pointer_set (&self->joining, GST_OBJECT (src));
    gst_element_set_state (src, GST_STATE_READY);
    g_atomic_pointer_set (&self->joining, NULL);
    gst_element_set_state (src, GST_STATE_NULL);
  }
}

static void
start_ticks (GstTfrcLadderSrc *self)
{
  g_autoptr (GstClock) clock = gst_element_get_clock (GST_ELEMENT (self));
  GstClockTime now = get_time (self);
  GstClockID ticks = clock ? gst_clock_new_periodic_id (clock, now + TICK, TICK)
                           : NULL;

  g_mutex_lock (&self->lock);
  tfrc_rung_choice_begin (&self->choice, now);
  self->ticks = ticks;
  g_mutex_unlock (&self->lock);
  gst_element_call_async (GST_ELEMENT (self), do_as_chosen, NULL, NULL);
  if (ticks)
    gst_clock_id_wait_async (ticks, on_tick, gst_object_ref (self),
        gst_object_unref);
}

static void
stop_ticks (GstTfrcLadderSrc *self)
{
  GstClockID ticks;

  g_mutex_lock (&self->lock);
  ticks = g_steal_pointer (&self->ticks);
  g_mutex_unlock (&self->lock);
  if (ticks)
    gst_clock_id_unschedule (ticks);
  g_clear_pointer (&ticks, gst_clock_id_unref);
}

static GstStateChangeReturn
gst_tfrc_ladder_src_change_state (GstElement *element,
    GstStateChange transition)
{
  GstTfrcLadderSrc *self = GST_TFRC_LADDER_SRC (element);
  GstStateChangeReturn result;

  if (transition == GST_STATE_CHANGE_NULL_TO_READY && !check (self))
    return GST_STATE_CHANGE_FAILURE;
  if (transition == GST_STATE_CHANGE_NULL_TO_READY
      || transition == GST_STATE_CHANGE_READY_TO_PAUSED)
    begin_run (self);
  if (transition == GST_STATE_CHANGE_NULL_TO_READY)
    try_lower_rungs (self);
  if (transition == GST_STATE_CHANGE_PLAYING_TO_PAUSED)
    stop_ticks (self);
  result = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition == GST_STATE_CHANGE_PAUSED_TO_PLAYING
      && result != GST_STATE_CHANGE_FAILURE)
    start_ticks (self);
  return result;
}

/* GObject */

static gboolean
release_pad (GstElement *selector, GstPad *pad, gpointer unused)
{
  gst_element_release_request_pad (selector, pad);
  return TRUE;
}

static void
remove_rungs (GstTfrcLadderSrc *self)
{
  guint n_rungs;

  g_mutex_lock (&self->lock);
  n_rungs = self->n_rungs;
  self->n_rungs = 0;
  g_mutex_unlock (&self->lock);
  for (guint i = 0; i < n_rungs; i++) {
    Rung *rung = self->rungs[i];

    gst_element_set_locked_state (rung->src, FALSE);
    gst_bin_remove (GST_BIN (self), rung->src);
    g_free (rung);
  }
  if (n_rungs > 0)
    gst_element_foreach_sink_pad (self->selector, release_pad, NULL);
}

/* Whether another rung has the same address and port, or another port of the same
 * group: a network delivers all ports of a joined group. */
static gboolean
is_taken (GstTfrcLadderSrc *self, GstElement *src)
{
  gboolean taken = FALSE;
  g_autofree gchar *host = NULL;
  guint port, other_port;

  g_object_get (src, "address", &host, "port", &port, NULL);
  for (guint i = 0; i < self->n_rungs && !taken; i++) {
    g_autofree gchar *other_host = NULL;

    g_object_get (self->rungs[i]->src, "address", &other_host, "port",
        &other_port, NULL);
    taken = (port == other_port || tfrc_address_names_group (host))
        && g_strcmp0 (host, other_host) == 0;
  }
  return taken;
}

/* Sets a URI or a session description; FALSE with an error. */
static gboolean
describe (GstElement *src, const gchar *text, GError **error)
{
  if (!g_str_has_prefix (text, "v="))
    return gst_uri_handler_set_uri (GST_URI_HANDLER (src), text, error);
  g_object_set (src, "sdp", text, NULL);
  return TRUE;
}

/* A tfrcsrc for the rung; NULL with an error. */
static GstElement *
make_src (GstTfrcLadderSrc *self, const gchar *text, GError **error)
{
  GstElement *src = gst_element_factory_make_full ("tfrcsrc", "leave-timeout",
      LEAVE_TIMEOUT_MS, NULL);
  g_autofree gchar *name = g_strdup_printf ("rung_%u", self->n_rungs);

  gst_object_set_name (GST_OBJECT (src), name);
  if (self->n_rungs == MAX_RUNGS)
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_REFERENCE,
        "There are more than %u rungs.", MAX_RUNGS);
  else if (describe (src, text, error) && is_taken (self, src))
    g_set_error (error, GST_URI_ERROR, GST_URI_ERROR_BAD_REFERENCE,
        "Two rungs are the same group: %s", text);
  else if (!*error)
    return src;
  gst_object_unref (gst_object_ref_sink (src));
  return NULL;
}

static void
add_rung (GstTfrcLadderSrc *self, GstElement *src)
{
  Rung *rung = g_new0 (Rung, 1);

  rung->ladder = self;
  rung->index = self->n_rungs;
  rung->src = src;
  gst_element_set_locked_state (src, TRUE);
  g_signal_connect (src, "pad-added", G_CALLBACK (on_pad_added), rung);
  gst_bin_add (GST_BIN (self), src);
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  self->rungs[self->n_rungs++] = rung;
}

/* In NULL. */
static void
set_rungs (GstTfrcLadderSrc *self, gchar **texts)
{
  g_autoptr (GError) error = NULL;

  remove_rungs (self);
  for (guint i = 0; texts[i] && !error; i++) {
    GstElement *src = *texts[i] ? make_src (self, texts[i], &error) : NULL;

    if (src)
      add_rung (self, src);
  }
  g_strfreev (texts);
  g_free (self->error);
  self->error = error ? g_strdup (error->message) : NULL;
}

/* Splits concatenated session descriptions, each of which begins with v= (RFC 2327
 * section 6). */
static gchar **
split_sdp (const gchar *sdp)
{
  gchar **parts = g_strsplit (sdp ? sdp : "", "\nv=", -1);

  for (guint i = 1; parts[0] && parts[i]; i++) {
    g_autofree gchar *rest = parts[i];

    parts[i] = g_strconcat ("v=", rest, NULL);
  }
  return parts;
}

static GstStructure *
get_stats (GstTfrcLadderSrc *self)
{
  GstStructure *stats;
  GstElement *src;

  g_mutex_lock (&self->lock);
  stats = gst_structure_new ("application/x-tfrc-ladder-stats", "rung",
      G_TYPE_UINT, self->choice.current, "hopeless", G_TYPE_UINT64,
      self->moves[TFRC_RUNG_MOVE_HOPELESS], "silent", G_TYPE_UINT64,
      self->moves[TFRC_RUNG_MOVE_SILENT], "tries", G_TYPE_UINT64,
      self->moves[TFRC_RUNG_MOVE_TRY], "failed", G_TYPE_UINT64,
      self->moves[TFRC_RUNG_MOVE_FAILED], "up", G_TYPE_UINT64,
      self->moves[TFRC_RUNG_MOVE_UP], NULL);
  g_mutex_unlock (&self->lock);
  for (guint i = 0; (src = get_src (self, i)) != NULL; i++) {
    g_autoptr (GstStructure) of_rung = NULL;

    g_object_get (src, "stats", &of_rung, NULL);
    gst_structure_set (stats, GST_OBJECT_NAME (src), GST_TYPE_STRUCTURE,
        of_rung, NULL);
    gst_object_unref (src);
  }
  return stats;
}

static void
gst_tfrc_ladder_src_set_property (GObject *object, guint id,
    const GValue *value, GParamSpec *pspec)
{
  GstTfrcLadderSrc *self = GST_TFRC_LADDER_SRC (object);
  const gchar *text;

  if (tfrc_properties_refuse_late (GST_ELEMENT (self), pspec, value))
    return;
  g_mutex_lock (&self->lock);
  if (id == PROP_RUNGS)
    g_clear_pointer (&self->fields.sdp, g_free);
  else if (id == PROP_SDP)
    g_clear_pointer (&self->fields.uris, g_free);
  tfrc_properties_set (&self->fields, pspec, value);
  g_mutex_unlock (&self->lock);
  text = id == PROP_FIELD ? NULL : g_value_get_string (value);
  if (id == PROP_RUNGS)
    set_rungs (self, g_strsplit_set (text ? text : "", " \t\n", -1));
  else if (id == PROP_SDP)
    set_rungs (self, split_sdp (text));
}

static void
gst_tfrc_ladder_src_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstTfrcLadderSrc *self = GST_TFRC_LADDER_SRC (object);

  if (id == PROP_STATS) {
    g_value_take_boxed (value, get_stats (self));
    return;
  }
  G_MUTEX_AUTO_LOCK (&self->lock, locker);
  if (id == PROP_RUNG)
    g_value_set_uint (value, self->choice.current);
  else
    tfrc_properties_get (&self->fields, pspec, value);
}

static void
gst_tfrc_ladder_src_dispose (GObject *object)
{
  GstTfrcLadderSrc *self = GST_TFRC_LADDER_SRC (object);

  remove_rungs (self);
  G_OBJECT_CLASS (parent_class)->dispose (object);
}

static void
gst_tfrc_ladder_src_finalize (GObject *object)
{
  GstTfrcLadderSrc *self = GST_TFRC_LADDER_SRC (object);

  tfrc_properties_clear (&self->fields, G_OBJECT_GET_CLASS (self));
  g_free (self->error);
  g_mutex_clear (&self->lock);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
install_properties (GObjectClass *klass)
{
  tfrc_properties_install (klass, PROP_RUNGS, G_STRUCT_OFFSET (Fields, uris),
      g_param_spec_string ("rungs", "Rungs",
          "URIs of the groups (see uri of tfrcsrc), the fastest first, with "
          "spaces between (default: NULL)",
          NULL, TFRC_PROPERTY_BEFORE_READY));
  tfrc_properties_install (klass, PROP_SDP, G_STRUCT_OFFSET (Fields, sdp),
      g_param_spec_string ("sdp", "SDP",
          "Instead of rungs: sdp of the tfrcsinks, that of the fastest first "
          "(default: NULL)",
          NULL, TFRC_PROPERTY_BEFORE_READY));
  tfrc_properties_install (klass, PROP_FIELD,
      G_STRUCT_OFFSET (Fields, climb_interval),
      g_param_spec_uint ("climb-interval", "Climb interval",
          "Time without a reason to go down after which the group above is "
          "tried; 0 = never (ms, default: 30000)",
          0, G_MAXINT32, DEFAULT_CLIMB_INTERVAL_MS,
          TFRC_PROPERTY_BEFORE_PAUSED));
  g_object_class_install_property (klass, PROP_RUNG,
      g_param_spec_uint ("rung", "Rung",
          "The group that is shown; 0 = the fastest (notified)", 0,
          MAX_RUNGS - 1, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, PROP_STATS,
      g_param_spec_boxed ("stats", "Statistics",
          "How often the group was changed and why, and the statistics of "
          "each tfrcsrc",
          GST_TYPE_STRUCTURE,
          G_PARAM_READABLE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_DOC_SHOW_DEFAULT));
}

static void
gst_tfrc_ladder_src_class_init (GstTfrcLadderSrcClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  object_class->set_property = gst_tfrc_ladder_src_set_property;
  object_class->get_property = gst_tfrc_ladder_src_get_property;
  object_class->dispose = gst_tfrc_ladder_src_dispose;
  object_class->finalize = gst_tfrc_ladder_src_finalize;
  element_class->change_state = gst_tfrc_ladder_src_change_state;
  GST_BIN_CLASS (klass)->handle_message = gst_tfrc_ladder_src_handle_message;
  install_properties (object_class);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "TFMCC ladder source",
      "Generic/Bin/Source/Network/RTP",
      "Receives the fastest of several multicast groups that its link can take",
      "gst-tfrc maintainers");
}

static void
gst_tfrc_ladder_src_init (GstTfrcLadderSrc *self)
{
  g_autoptr (GstPadTemplate) template =
      gst_static_pad_template_get (&src_template);
  g_autoptr (GstPad) pad = NULL;
  GstElement *queue;

  g_mutex_init (&self->lock);
  tfrc_properties_init (&self->fields, G_OBJECT_GET_CLASS (self));
  GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SOURCE);
  gst_bin_set_suppressed_flags (GST_BIN (self), GST_ELEMENT_FLAG_SOURCE);
  self->selector = gst_element_factory_make ("input-selector", NULL);
  if (!self->selector) {
    gst_element_add_pad (GST_ELEMENT (self),
        gst_ghost_pad_new_no_target_from_template ("src", template));
    return;
  }
  /* Otherwise the streams of the rungs wait for each other. */
  g_object_set (self->selector, "sync-streams", FALSE, NULL);
  /* Limited to 10 MB, the default; then the oldest packets are dropped. */
  queue = gst_element_factory_make ("queue", NULL);
  g_object_set (queue, "max-size-buffers", 0, "max-size-time", (guint64) 0,
      NULL);
  gst_util_set_object_arg (G_OBJECT (queue), "leaky", "downstream");
  gst_bin_add_many (GST_BIN (self), self->selector, queue, NULL);
  gst_element_link (self->selector, queue);
  pad = gst_element_get_static_pad (queue, "src");
  gst_element_add_pad (GST_ELEMENT (self),
      gst_ghost_pad_new_from_template ("src", pad, template));
}
