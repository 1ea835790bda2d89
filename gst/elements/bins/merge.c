/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ghost pads in front of rtpfunnel, in a bin of their own.
 *
 * rtpfunnel hands on the first EOS that it gets and never a second segment of
 * the same pad, nor one after a flush.  So EOS waits here until every pad has
 * it, and a pad that starts anew gets a new pad of the funnel, which makes the
 * funnel send that pad's segment.
 *
 * A flush of one pad flushes all that lies behind the funnel.  The other pads
 * hold what they get until it is over, and start anew then, too: their
 * streaming threads would stop, or come out of it without a segment. */

#include "bins/merge.h"

#include <gst/video/video.h>

#define MAX_RETIRED 16

struct _TfrcMerge
{
  GstElement *bin;
  GstElement *funnel;
  GMutex lock;     /* guards all below and the pads' inputs */
  GCond flushed;   /* a flush or a push has ended */
  guint n_flushes; /* that have begun; wraps */
  guint n_pushing; /* threads that push into the funnel */
  guint n_waiting; /* threads that wait until none does */
  GList *pads;     /* GstGhostPad, owned by the bin */
  GQueue retired;  /* GstPad of the funnel, released, see there */
};

/* Of a pad, which has it as its private data; under the lock. */
typedef struct
{
  TfrcMerge *merge;
  gboolean eos;
  gboolean has_caps;
  gboolean has_segment;
  gboolean flushing; /* from FLUSH_START to FLUSH_STOP */
  gboolean stale;    /* behind the funnel its segment is not known */
} Input;

/* Of a push into the funnel. */
typedef struct
{
  TfrcMerge *merge;
  GstPad *pad;
  guint n_flushes; /* when it began */
} Push;

TfrcMerge *
tfrc_merge_new (void)
{
  GstElement *funnel = gst_element_factory_make ("rtpfunnel", "rtpfunnel");
  TfrcMerge *self;
  GstPad *target;

  if (!funnel)
    return NULL;
  self = g_new0 (TfrcMerge, 1);
  self->bin = gst_object_ref_sink (gst_bin_new ("merge"));
  self->funnel = funnel;
  g_mutex_init (&self->lock);
  g_cond_init (&self->flushed);
  gst_bin_add (GST_BIN (self->bin), funnel);
  target = gst_element_get_static_pad (funnel, "src");
  gst_element_add_pad (self->bin, gst_ghost_pad_new ("src", target));
  gst_object_unref (target);
  return self;
}

void
tfrc_merge_free (TfrcMerge *self)
{
  if (!self)
    return;
  g_list_free (self->pads);
  g_queue_clear_full (&self->retired, gst_object_unref);
  g_cond_clear (&self->flushed);
  g_mutex_clear (&self->lock);
  gst_object_unref (self->bin);
  g_free (self);
}

GstElement *
tfrc_merge_get_element (const TfrcMerge *self)
{
  return self->bin;
}

static Input *
get_input (gpointer pad)
{
  return gst_pad_get_element_private (pad);
}

/* With the lock held. */
static gboolean
is_held (TfrcMerge *self, GstPad *pad)
{
  GList *walk;

  for (walk = self->pads; walk; walk = walk->next) {
    if (walk->data != pad && get_input (walk->data)->flushing)
      return !GST_PAD_IS_FLUSHING (pad);
  }
  return FALSE;
}

/* Takes the reference.  The funnel knows the pad that came last by its address,
 * and does so after its release: such an address must not be taken by another
 * pad soon. */
static void
retire (TfrcMerge *self, GstPad *target)
{
  GstPad *forgotten = NULL;

  gst_element_release_request_pad (self->funnel, target);
  g_mutex_lock (&self->lock);
  g_queue_push_tail (&self->retired, target);
  if (self->retired.length > MAX_RETIRED)
    forgotten = g_queue_pop_head (&self->retired);
  g_mutex_unlock (&self->lock);
  gst_clear_object (&forgotten);
}

static void
renew_target (TfrcMerge *self, GstPad *pad)
{
  GstPad *old = gst_ghost_pad_get_target (GST_GHOST_PAD (pad));
  GstPad *target = gst_element_request_pad_simple (self->funnel, "sink_%u");

  gst_ghost_pad_set_target (GST_GHOST_PAD (pad), target);
  gst_object_unref (target);
  if (old)
    retire (self, old);
}

static void
begin_push (Push *push, GstPad *pad)
{
  TfrcMerge *self = get_input (pad)->merge;
  gboolean stale;

  g_mutex_lock (&self->lock);
  while (is_held (self, pad))
    g_cond_wait (&self->flushed, &self->lock);
  push->merge = self;
  push->pad = pad;
  push->n_flushes = self->n_flushes;
  self->n_pushing++;
  stale = get_input (pad)->stale;
  get_input (pad)->stale = FALSE;
  g_mutex_unlock (&self->lock);
  if (stale)
    renew_target (self, pad);
}

/* What another pad's flush has taken may have been a key frame. */
static GstFlowReturn
end_push (Push *push, GstFlowReturn flow)
{
  TfrcMerge *self = push->merge;
  gboolean taken;

  g_mutex_lock (&self->lock);
  self->n_pushing--;
  taken = flow == GST_FLOW_FLUSHING && push->n_flushes != self->n_flushes
      && !GST_PAD_IS_FLUSHING (push->pad);
  if (self->n_waiting > 0)
    g_cond_broadcast (&self->flushed);
  g_mutex_unlock (&self->lock);
  if (!taken)
    return flow;
  gst_pad_push_event (push->pad,
      gst_video_event_new_upstream_force_key_unit (GST_CLOCK_TIME_NONE, TRUE,
          0));
  return GST_FLOW_OK;
}

static GstFlowReturn
on_buffer (GstPad *pad, GstObject *parent, GstBuffer *buffer)
{
  Push push;

  begin_push (&push, pad);
  return end_push (&push, gst_proxy_pad_chain_default (pad, parent, buffer));
}

static GstFlowReturn
on_list (GstPad *pad, GstObject *parent, GstBufferList *list)
{
  Push push;

  begin_push (&push, pad);
  return end_push (&push, gst_proxy_pad_chain_list_default (pad, parent, list));
}

static gboolean
on_activate (GstPad *pad, GstObject *parent, GstPadMode mode, gboolean active)
{
  TfrcMerge *self = get_input (pad)->merge;

  /* A pad that is deactivated is flushing: its thread waits no longer. */
  g_mutex_lock (&self->lock);
  get_input (pad)->flushing = FALSE;
  g_cond_broadcast (&self->flushed);
  g_mutex_unlock (&self->lock);
  return gst_ghost_pad_activate_mode_default (pad, parent, mode, active);
}

static gboolean
start_flush (TfrcMerge *self, GstPad *pad, GstObject *parent, GstEvent *event)
{
  g_mutex_lock (&self->lock);
  get_input (pad)->flushing = TRUE;
  self->n_flushes++;
  g_cond_broadcast (&self->flushed);
  g_mutex_unlock (&self->lock);
  return gst_pad_event_default (pad, parent, event);
}

static gboolean
stop_flush (TfrcMerge *self, GstPad *pad, GstObject *parent, GstEvent *event)
{
  gboolean result;
  GList *walk;

  g_mutex_lock (&self->lock);
  /* They come back soon, empty-handed. */
  self->n_waiting++;
  while (get_input (pad)->flushing && self->n_pushing > 0)
    g_cond_wait (&self->flushed, &self->lock);
  self->n_waiting--;
  g_mutex_unlock (&self->lock);
  result = gst_pad_event_default (pad, parent, event);
  g_mutex_lock (&self->lock);
  for (walk = self->pads; walk; walk = walk->next)
    get_input (walk->data)->stale = get_input (walk->data)->has_segment;
  get_input (pad)->flushing = FALSE;
  get_input (pad)->eos = FALSE;
  g_cond_broadcast (&self->flushed);
  g_mutex_unlock (&self->lock);
  return result;
}

/* With the lock held. */
static gboolean
all_eos (TfrcMerge *self)
{
  GList *walk;

  for (walk = self->pads; walk; walk = walk->next) {
    if (!get_input (walk->data)->eos)
      return FALSE;
  }
  return self->pads != NULL;
}

/* FALSE: it does not go on. */
static gboolean
filter_event (TfrcMerge *self, GstPad *pad, GstEvent *event)
{
  gboolean forward = TRUE;

  g_mutex_lock (&self->lock);
  if (GST_EVENT_TYPE (event) == GST_EVENT_STREAM_START) {
    get_input (pad)->eos = FALSE;
    get_input (pad)->has_caps = FALSE;
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_CAPS) {
    get_input (pad)->has_caps = TRUE;
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT) {
    if (get_input (pad)->has_segment)
      get_input (pad)->stale = TRUE;
    get_input (pad)->has_segment = TRUE;
  } else if (GST_EVENT_TYPE (event) == GST_EVENT_EOS) {
    get_input (pad)->eos = TRUE;
    forward = all_eos (self);
  }
  g_mutex_unlock (&self->lock);
  return forward;
}

/* rtpfunnel 1.22 logs a critical message with each packet that has none. */
static void
complete_caps (GstPad *pad)
{
  TfrcMerge *self = get_input (pad)->merge;
  gboolean has_caps;
  GstCaps *caps;

  g_mutex_lock (&self->lock);
  has_caps = get_input (pad)->has_caps;
  g_mutex_unlock (&self->lock);
  if (has_caps)
    return;
  caps = gst_caps_new_empty_simple ("application/x-rtp");
  gst_pad_send_event (pad, gst_event_new_caps (caps));
  gst_caps_unref (caps);
}

/* Runs in the pad's streaming thread, except for flushes. */
static gboolean
on_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  TfrcMerge *self = get_input (pad)->merge;
  Push push;
  gboolean done;

  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_START)
    return start_flush (self, pad, parent, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    return stop_flush (self, pad, parent, event);
  if (!GST_EVENT_IS_SERIALIZED (event))
    return gst_pad_event_default (pad, parent, event);
  if (GST_EVENT_TYPE (event) == GST_EVENT_SEGMENT)
    complete_caps (pad);
  if (!filter_event (self, pad, event)) {
    gst_event_unref (event);
    return TRUE;
  }
  begin_push (&push, pad);
  done = gst_pad_event_default (pad, parent, event);
  return end_push (&push, done ? GST_FLOW_OK : GST_FLOW_FLUSHING)
      == GST_FLOW_OK;
}

GstPad *
tfrc_merge_add_pad (TfrcMerge *self)
{
  GstPad *target = gst_element_request_pad_simple (self->funnel, "sink_%u");
  Input *input = g_new0 (Input, 1);
  GstPad *pad = gst_ghost_pad_new (NULL, target);

  gst_object_unref (target);
  input->merge = self;
  gst_pad_set_element_private (pad, input);
  g_object_set_data_full (G_OBJECT (pad), "tfrc-input", input, g_free);
  gst_pad_set_chain_function (pad, on_buffer);
  gst_pad_set_chain_list_function (pad, on_list);
  gst_pad_set_event_function (pad, on_event);
  gst_pad_set_activatemode_function (pad, on_activate);
  g_mutex_lock (&self->lock);
  self->pads = g_list_append (self->pads, pad);
  g_mutex_unlock (&self->lock);
  gst_pad_set_active (pad, TRUE);
  gst_element_add_pad (self->bin, pad);
  return pad;
}

static void
send_eos (TfrcMerge *self)
{
  GstPad *src = gst_element_get_static_pad (self->bin, "src");
  GstPad *next = gst_pad_get_peer (src);

  if (next) {
    gst_pad_send_event (next, gst_event_new_eos ());
    gst_object_unref (next);
  }
  gst_object_unref (src);
}

void
tfrc_merge_remove_pad (TfrcMerge *self, GstPad *pad)
{
  GstPad *target;
  gboolean eos;

  g_mutex_lock (&self->lock);
  self->pads = g_list_remove (self->pads, pad);
  eos = !get_input (pad)->eos && all_eos (self);
  g_mutex_unlock (&self->lock);

  /* Its thread may be about to give it another target: which one it has is
   * known when that thread is out of it. */
  gst_pad_set_active (pad, FALSE);
  target = gst_ghost_pad_get_target (GST_GHOST_PAD (pad));
  gst_element_remove_pad (self->bin, pad);
  retire (self, target);
  /* It was the last one that the others' EOS waited for. */
  if (eos)
    send_eos (self);
}
