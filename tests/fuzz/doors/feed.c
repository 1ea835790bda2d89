/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "feed.h"

#include "tfrc-wire-bytes.h"
#include "watch.h"

#define INTERVAL (20 * 1000)
#define LONG_INTERVAL (250 * 1000)

struct _Feed
{
  GstElement *sink;
  GThread *thread;
  GRand *rand;
  guint index;
  guint32 ssrc;
  guint16 seq;
  gint quit, busy, stale, wants_eos;
  GMutex lock;
  GstPad *pad; /* NULL: there is none now; with the lock */
};

static GstCaps *
make_caps (Feed *self)
{
  static const gchar *const kinds[] = {
    "media=video, encoding-name=H264, clock-rate=90000, payload=96",
    "media=audio, encoding-name=OPUS, clock-rate=48000, payload=97",
    "media=video, encoding-name=VP8, clock-rate=90000, payload=98"
  };
  gchar *text = g_strdup_printf ("application/x-rtp, %s",
      kinds[self->index % G_N_ELEMENTS (kinds)]);
  GstCaps *caps = gst_caps_from_string (text);

  if (self->index % 2 == 0)
    gst_caps_set_simple (caps, "ssrc", G_TYPE_UINT, self->ssrc, NULL);
  g_free (text);
  return caps;
}

static void
push_caps (Feed *self, GstPad *pad)
{
  GstCaps *caps = make_caps (self);

  gst_pad_push_event (pad, gst_event_new_caps (caps));
  gst_caps_unref (caps);
}

static void
begin_stream (Feed *self, GstPad *pad)
{
  GstSegment segment;
  gchar *id = g_strdup_printf ("feed-%u", self->index);

  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_push_event (pad, gst_event_new_stream_start (id));
  push_caps (self, pad);
  gst_pad_push_event (pad, gst_event_new_segment (&segment));
  g_free (id);
}

static GstBuffer *
make_packet (Feed *self)
{
  guint size = 12 + (guint) g_rand_int_range (self->rand, 20, 1200);
  guint8 *data = g_malloc0 (size);

  data[0] = 0x80;
  data[1] = (guint8) (0x80 | (96 + self->index % 3));
  tfrc_wire_put16 (data + 2, self->seq++);
  tfrc_wire_put32 (data + 4, 3000u * self->seq);
  tfrc_wire_put32 (data + 8, self->ssrc);
  data[12] = g_rand_boolean (self->rand) ? 0x65 : 0x41;
  return gst_buffer_new_wrapped (data, size);
}

static GstFlowReturn
push (Feed *self, GstPad *pad)
{
  GstBufferList *list;
  guint n = (guint) g_rand_int_range (self->rand, 1, 6);

  if (g_rand_int_range (self->rand, 0, 50) == 0)
    push_caps (self, pad);
  if (n == 1)
    return gst_pad_push (pad, make_packet (self));
  list = gst_buffer_list_new ();
  while (n-- > 0)
    gst_buffer_list_add (list, make_packet (self));
  return gst_pad_push_list (pad, list);
}

static GstPad *
ref_pad (Feed *self)
{
  GstPad *pad = NULL;

  g_mutex_lock (&self->lock);
  if (self->pad != NULL)
    pad = gst_object_ref (self->pad);
  g_mutex_unlock (&self->lock);
  return pad;
}

static gpointer
run (gpointer data)
{
  Feed *self = data;

  while (!g_atomic_int_get (&self->quit)) {
    GstPad *pad = ref_pad (self);

    if (pad != NULL) {
      if (g_atomic_int_compare_and_exchange (&self->stale, TRUE, FALSE))
        begin_stream (self, pad);
      if (g_atomic_int_compare_and_exchange (&self->wants_eos, TRUE, FALSE))
        gst_pad_push_event (pad, gst_event_new_eos ());
      if (push (self, pad) == GST_FLOW_FLUSHING)
        g_atomic_int_set (&self->stale, TRUE);
      gst_object_unref (pad);
    }
    g_usleep (g_atomic_int_get (&self->busy) ? INTERVAL : LONG_INTERVAL);
  }
  return NULL;
}

static void
take_pad (Feed *self)
{
  GstPad *sink = gst_element_request_pad_simple (self->sink, "sink_%u");
  GstPad *pad = gst_pad_new (NULL, GST_PAD_SRC);

  g_assert (sink != NULL);
  gst_object_ref_sink (pad);
  gst_pad_set_active (pad, TRUE);
  g_assert (gst_pad_link (pad, sink) == GST_PAD_LINK_OK);
  gst_object_unref (sink);
  g_atomic_int_set (&self->stale, TRUE);
  g_mutex_lock (&self->lock);
  self->pad = pad;
  g_mutex_unlock (&self->lock);
}

/* While packets may be on their way into it. */
static void
give_pad_back (Feed *self)
{
  GstPad *pad, *sink;

  g_mutex_lock (&self->lock);
  pad = self->pad;
  self->pad = NULL;
  g_mutex_unlock (&self->lock);
  sink = gst_pad_get_peer (pad);
  gst_element_release_request_pad (self->sink, sink);
  gst_object_unref (sink);
  gst_pad_set_active (pad, FALSE);
  gst_object_unref (pad);
}

Feed *
feed_new (GstElement *sink, guint index, guint32 seed)
{
  Feed *self = g_new0 (Feed, 1);

  self->sink = sink;
  self->index = index;
  self->rand = g_rand_new_with_seed (seed);
  self->ssrc = g_rand_int (self->rand);
  g_mutex_init (&self->lock);
  take_pad (self);
  self->thread = g_thread_new ("fuzz-feed", run, self);
  return self;
}

void
feed_free (Feed *self)
{
  g_atomic_int_set (&self->quit, TRUE);
  g_thread_join (self->thread);
  give_pad_back (self);
  g_rand_free (self->rand);
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
feed_set_busy (Feed *self, gboolean busy)
{
  g_atomic_int_set (&self->busy, busy);
}

void
feed_flush (Feed *self)
{
  guint slot = watch_begin ("flush", GST_OBJECT_NAME (self->sink));
  GstPad *pad = ref_pad (self);

  gst_pad_push_event (pad, gst_event_new_flush_start ());
  gst_pad_push_event (pad, gst_event_new_flush_stop (TRUE));
  g_atomic_int_set (&self->stale, TRUE);
  gst_object_unref (pad);
  watch_end (slot);
}

void
feed_restart (Feed *self)
{
  g_atomic_int_set (&self->wants_eos, FALSE);
  feed_flush (self);
}

void
feed_send_eos (Feed *self)
{
  g_atomic_int_set (&self->wants_eos, TRUE);
}

void
feed_change_pad (Feed *self)
{
  guint slot = watch_begin ("release of a pad", GST_OBJECT_NAME (self->sink));

  give_pad_back (self);
  g_usleep (INTERVAL);
  take_pad (self);
  watch_end (slot);
}
