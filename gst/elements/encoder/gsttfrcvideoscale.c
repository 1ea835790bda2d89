/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcvideoscale: a bin of videoscale and a capsfilter, whose caps follow the bitrate of
 * the encoder downstream.  They change between two frames, in the streaming thread; the
 * bitrate may be set by any thread. */

/**
 * SECTION:element-tfrcvideoscale
 * @title: tfrcvideoscale
 *
 * Makes pictures smaller, or fewer (#GstTfrcVideoScale:degradation), while the bitrate of
 * the encoder downstream is too low for all of them, and larger again when it suffices: at
 * a low bitrate a small picture that is scaled up looks better than a large one.  Put it
 * directly before a video encoder whose bitrate follows a tfrcsink or an rtptfrcsend, which
 * announce each new bitrate by an event.  If something else sets the bitrate, set
 * #GstTfrcVideoScale:bitrate, too.
 *
 * Pictures are reduced after half a second in which the bitrate is too low, and enlarged
 * after four in which it is a quarter more than needed; each change makes the encoder begin
 * with a key frame.  Receivers need no setting: a decoder reads the size from the stream
 * (with rtph264pay and rtph265pay, config-interval=-1 lets late receivers do so, too).
 *
 * Each change is posted as an element message `tfrc-picture-size` with width, height,
 * framerate and bitrate.  With #GstTfrcVideoScale:passive it is only posted, and the
 * application changes the pictures itself.
 *
 * ## Launch lines
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! video/x-raw,width=1280,height=720 ! tfrcvideoscale ! x264enc tune=zerolatency ! rtph264pay config-interval=-1 ! tfrcsink host=127.0.0.1 port=5004
 * ]| Sends what the path can carry.
 * |[
 * gst-launch-1.0 tfrcsrc port=5004 encoding-name=H264 ! rtph264depay ! avdec_h264 ! videoconvert ! autovideosink
 * ]| Shows it.
 */

#include "encoder/gsttfrcvideoscale.h"

#include <gst/base/gstbasetransform.h>
#include <gst/pbutils/pbutils.h>

#include "common/locks.h"
#include "common/properties.h"
#include "encoder/binding.h"

/* Reduces soon, and enlarges late: each change costs a key frame, and a picture that
 * keeps changing its size is worse than a small one. */

/* The bitrates of encoders jitter within half a second. */
#define DOWN_TIME (500 * GST_MSECOND)
/* Below this part of the needed bitrate a key frame alone takes a second, so LEAST_TIME
 * does not apply. */
#define HOPELESS 0.5
/* A rate that was only probed has fallen back by then. */
#define UP_TIME (4 * GST_SECOND)
#define UP_MARGIN 1.25
#define LEAST_TIME (2 * GST_SECOND)

/* No smaller picture looks better at any bitrate (docs/encoders.md) [pixels]. */
#define LEAST_SIDE 240

TFRC_DEFINE_ENUM_TYPE (GstTfrcDegradation, gst_tfrc_degradation,
    { GST_TFRC_DEGRADATION_RESOLUTION, "Smaller pictures, as many of them",
        "maintain-framerate" },
    { GST_TFRC_DEGRADATION_FRAME_RATE, "Fewer pictures of the same size",
        "maintain-resolution" },
    { GST_TFRC_DEGRADATION_BALANCED, "Smaller and fewer pictures, alternately",
        "balanced" });

static const TfrcRung smaller[] = { { 1, 1, 1, 1 }, { 3, 4, 1, 1 },
  { 1, 2, 1, 1 }, { 3, 8, 1, 1 }, { 1, 4, 1, 1 }, { 0 } };
static const TfrcRung fewer[] = { { 1, 1, 1, 1 }, { 1, 1, 2, 3 },
  { 1, 1, 1, 2 }, { 1, 1, 1, 3 }, { 1, 1, 1, 4 }, { 0 } };
static const TfrcRung both[] = { { 1, 1, 1, 1 }, { 3, 4, 1, 1 }, { 1, 2, 1, 1 },
  { 1, 2, 1, 2 }, { 3, 8, 1, 2 }, { 1, 4, 1, 2 }, { 0 } };

static const TfrcRung *const all_rungs[] = {
  [GST_TFRC_DEGRADATION_RESOLUTION] = smaller,
  [GST_TFRC_DEGRADATION_FRAME_RATE] = fewer,
  [GST_TFRC_DEGRADATION_BALANCED] = both,
};

void
tfrc_ladder_init (TfrcLadder *self, GstTfrcDegradation mode)
{
  *self = (TfrcLadder) {
    .mode = mode,
    .changed_at = GST_CLOCK_TIME_NONE,
    .poor_since = GST_CLOCK_TIME_NONE,
    .rich_since = GST_CLOCK_TIME_NONE,
  };
}

const TfrcRung *
tfrc_ladder_get_rung (const TfrcLadder *self)
{
  return &all_rungs[self->mode][self->index];
}

static gdouble
get_need (const TfrcRung *rung, gdouble full)
{
  gdouble size = (gdouble) rung->size_n / rung->size_d;

  return full * size * size * rung->rate_n / rung->rate_d;
}

static gboolean
is_there (const TfrcLadder *self, const TfrcRung *rung)
{
  return rung->size_n != 0
      && (rung->size_n == rung->size_d
          || self->side * rung->size_n >= LEAST_SIDE * rung->size_d);
}

/* The highest rung that `bitrate` suffices for; the lowest if it suffices for none. */
static guint
choose_rung (const TfrcLadder *self, gdouble bitrate, gdouble full)
{
  const TfrcRung *rungs = all_rungs[self->mode];
  guint i = 0;

  while (bitrate < get_need (&rungs[i], full) && is_there (self, &rungs[i + 1]))
    i++;
  return i;
}

static gboolean
is_over (GstClockTime *since, gboolean holds, GstClockTime time,
    GstClockTime now)
{
  if (!holds)
    *since = GST_CLOCK_TIME_NONE;
  else if (*since == GST_CLOCK_TIME_NONE || *since > now)
    *since = now;
  return holds && now - *since >= time;
}

static gboolean
change (TfrcLadder *self, guint index, GstClockTime now)
{
  self->index = index;
  self->changed_at = now;
  self->poor_since = self->rich_since = GST_CLOCK_TIME_NONE;
  return TRUE;
}

void
tfrc_ladder_set_side (TfrcLadder *self, guint side)
{
  self->side = side;
  while (self->index > 0 && !is_there (self, tfrc_ladder_get_rung (self)))
    self->index--;
}

static gboolean
may_fall (const TfrcLadder *self, gdouble bitrate, gdouble full,
    GstClockTime now)
{
  return self->changed_at == GST_CLOCK_TIME_NONE || now < self->changed_at
      || now - self->changed_at >= LEAST_TIME
      || bitrate < HOPELESS * get_need (tfrc_ladder_get_rung (self), full);
}

gboolean
tfrc_ladder_step (TfrcLadder *self, guint64 bitrate, guint64 full,
    GstClockTime now)
{
  gdouble budget = bitrate == 0 ? G_MAXDOUBLE : (gdouble) bitrate;
  guint does = choose_rung (self, budget, full);
  guint rich = choose_rung (self, budget, UP_MARGIN * (gdouble) full);

  if (self->rich_since == GST_CLOCK_TIME_NONE || rich > self->rich_index)
    self->rich_index = rich;
  if (is_over (&self->poor_since, does > self->index, DOWN_TIME, now)
      && may_fall (self, budget, full, now))
    return change (self, does, now);
  return is_over (&self->rich_since, rich < self->index, UP_TIME, now)
      && change (self, self->rich_index, now);
}

/* Bits per pixel that an encoder of this media type needs, that is, where a larger
 * picture begins to look better than a smaller one at the same bitrate (measured in
 * docs/encoders.md); those of H.264 if the type is NULL or not known. */
static gdouble
get_bits_per_pixel (const gchar *media_type)
{
  static const struct
  {
    const gchar *media_type;
    gdouble bits_per_pixel;
  } known[] = {
    { "video/x-h265", 0.006 },
    { "video/x-vp8", 0.018 },
    { "video/x-vp9", 0.008 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_strcmp0 (media_type, known[i].media_type) == 0)
      return known[i].bits_per_pixel;
  return 0.024;
}

GST_DEBUG_CATEGORY_STATIC (gst_tfrc_video_scale_debug);
#define GST_CAT_DEFAULT gst_tfrc_video_scale_debug

/* For a source without a frame rate in its caps. */
#define USUAL_FRAME_RATE 30

/* The id of all properties, as each is a field of Fields. */
#define PROP_FIELD 1

typedef struct
{
  gint width, height;
  gint fps_n, fps_d;
} Picture;

/* Properties that are set, and read-only ones. */
typedef struct
{
  GstTfrcDegradation degradation;
  gdouble bits_per_pixel; /* 0 = by the encoder */
  gboolean passive;
  guint64 bitrate;    /* [bits/s]; 0 = not known */
  gint width, height; /* of the output, or the best; 0 = none yet */
} Fields;

struct _GstTfrcVideoScale
{
  GstBin parent;

  GstElement *scale, *filter;
  GstPad *sink, *src;   /* the element's own */
  const gchar *missing; /* missing factory; NULL = none */

  /* Used by the streaming thread. */
  TfrcLadder ladder;
  Picture source;    /* width 0 = no caps yet */
  Picture wanted;    /* the newest that was posted */
  Picture applied;   /* what is sent ... */
  Picture refused;   /* ... and what downstream does not accept */
  gboolean scalable; /* the source's frames are in system memory */
  gboolean warned;   /* that pictures cannot be scaled */
  /* accumulates applied.fps_n * source.fps_d; a frame passes per source.fps_n *
   * applied.fps_d */
  guint64 turn;

  /* Guarded by the object lock. */
  Fields fields;
  gdouble of_encoder; /* bits per pixel */
};

#define gst_tfrc_video_scale_parent_class parent_class
G_DEFINE_FINAL_TYPE (GstTfrcVideoScale, gst_tfrc_video_scale, GST_TYPE_BIN)
GST_ELEMENT_REGISTER_DEFINE (tfrcvideoscale, "tfrcvideoscale", GST_RANK_NONE,
    GST_TYPE_TFRC_VIDEO_SCALE)

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw(ANY)"));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS ("video/x-raw(ANY)"));

static gint
scale_to_even (gint length, const TfrcRung *rung)
{
  gint scaled = gst_util_uint64_scale_int_round (length, rung->size_n,
      rung->size_d);

  return rung->size_n == rung->size_d ? length : MAX (scaled & ~1, 2);
}

static Picture
get_picture (const Picture *source, const TfrcRung *rung)
{
  Picture picture = {
    .width = scale_to_even (source->width, rung),
    .height = scale_to_even (source->height, rung),
  };

  if (source->fps_n == 0
      || !gst_util_fraction_multiply (source->fps_n, source->fps_d,
          rung->rate_n, rung->rate_d, &picture.fps_n, &picture.fps_d)) {
    picture.fps_n = source->fps_n;
    picture.fps_d = source->fps_d;
  }
  return picture;
}

static gboolean
is_as_frequent (const Picture *one, const Picture *other)
{
  return one->fps_n == other->fps_n && one->fps_d == other->fps_d;
}

static gboolean
is_same (const Picture *one, const Picture *other)
{
  return one->width == other->width && one->height == other->height
      && is_as_frequent (one, other);
}

static GstCaps *
make_caps (const Picture *source, const Picture *picture)
{
  GstCaps *caps = gst_caps_new_empty_simple ("video/x-raw");

  gst_caps_set_features (caps, 0, gst_caps_features_new_any ());
  if (picture->width != source->width || picture->height != source->height)
    gst_caps_set_simple (caps, "width", G_TYPE_INT, picture->width, "height",
        G_TYPE_INT, picture->height, NULL);
  if (!is_as_frequent (picture, source))
    gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, picture->fps_n,
        picture->fps_d, NULL);
  return caps;
}

static gboolean
is_taken (GstTfrcVideoScale *self, GstCaps *caps)
{
  g_autoptr (GstCaps) taken = gst_pad_peer_query_caps (self->src, caps);

  return !gst_caps_is_empty (taken);
}

static void
warn (GstTfrcVideoScale *self, GstCaps *caps)
{
  const gchar *why = self->scalable
      ? "downstream of tfrcvideoscale accepts no other size or frame rate"
      : "they are not in system memory, as videoscale needs: put a "
        "converter or downloader before tfrcvideoscale";

  if (!self->warned)
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("The pictures stay as they are: %s.", why),
        ("%" GST_PTR_FORMAT, caps));
  self->warned = TRUE;
}

/* With no lock held.  A picture that is not possible is tried once. */
static void
apply (GstTfrcVideoScale *self, const Picture *picture)
{
  gboolean other_size = picture->width != self->source.width
      || picture->height != self->source.height;
  g_autoptr (GstCaps) caps = NULL;

  if (is_same (picture, &self->applied) || is_same (picture, &self->refused))
    return;
  caps = make_caps (&self->source, picture);
  if ((!other_size || self->scalable) && is_taken (self, caps)) {
    gst_structure_remove_field (gst_caps_get_structure (caps, 0), "framerate");
    g_object_set (self->filter, "caps", caps, NULL);
    self->applied = *picture;
    self->turn = 0;
  } else {
    warn (self, caps);
    self->refused = *picture;
  }
}

static void
send_picture (GstTfrcVideoScale *self, const Picture *picture, guint64 bitrate)
{
  GST_INFO_OBJECT (self,
      "event=picture-size width=%d height=%d framerate=%d/%d "
      "bitrate=%" G_GUINT64_FORMAT,
      picture->width, picture->height, picture->fps_n, picture->fps_d, bitrate);
  gst_element_post_message (GST_ELEMENT (self),
      gst_message_new_element (GST_OBJECT (self),
          gst_structure_new ("tfrc-picture-size", "width", G_TYPE_INT,
              picture->width, "height", G_TYPE_INT, picture->height,
              "framerate", GST_TYPE_FRACTION, picture->fps_n,
              MAX (picture->fps_d, 1), "bitrate", G_TYPE_UINT64, bitrate,
              NULL)));
  g_object_notify (G_OBJECT (self), "width");
  g_object_notify (G_OBJECT (self), "height");
}

/* The bitrate needed for the source at full size and rate [bits/s]. */
static guint64
get_full_bitrate (const Picture *source, gdouble bits_per_pixel)
{
  gdouble rate = source->fps_n == 0
      ? USUAL_FRAME_RATE
      : (gdouble) source->fps_n / source->fps_d;

  return (guint64) (source->width * (gdouble) source->height * rate
      * bits_per_pixel);
}

static Picture
choose (GstTfrcVideoScale *self, const Fields *fields, gdouble bits_per_pixel,
    GstClockTime now)
{
  if (self->ladder.mode != fields->degradation)
    tfrc_ladder_init (&self->ladder, fields->degradation);
  tfrc_ladder_set_side (&self->ladder,
      MIN (self->source.width, self->source.height));
  if (GST_CLOCK_TIME_IS_VALID (now))
    tfrc_ladder_step (&self->ladder, fields->bitrate,
        get_full_bitrate (&self->source, bits_per_pixel), now);
  return get_picture (&self->source, tfrc_ladder_get_rung (&self->ladder));
}

/* In the streaming thread, before a frame or caps are passed on. */
static void
adapt (GstTfrcVideoScale *self, GstClockTime now)
{
  gdouble bits_per_pixel;
  Picture wanted, old;
  Fields fields;

  GST_OBJECT_LOCK (self);
  fields = self->fields;
  bits_per_pixel = fields.bits_per_pixel > 0
      ? fields.bits_per_pixel
      : self->of_encoder;
  GST_OBJECT_UNLOCK (self);
  wanted = choose (self, &fields, bits_per_pixel, now);
  apply (self, fields.passive ? &self->source : &wanted);
  if (!fields.passive)
    wanted = self->applied;
  old = self->wanted;
  self->wanted = wanted;
  if (is_same (&wanted, &old))
    return;
  GST_OBJECT_LOCK (self);
  self->fields.width = wanted.width;
  self->fields.height = wanted.height;
  GST_OBJECT_UNLOCK (self);
  send_picture (self, &wanted, fields.bitrate);
}

/* Starts anew, as the source has changed or another element was linked. */
static void
begin (GstTfrcVideoScale *self)
{
  self->applied = self->refused = (Picture) { 0 };
  self->warned = FALSE;
  apply (self, &self->source);
}

static void
on_caps (GstTfrcVideoScale *self, GstCaps *caps)
{
  const GstStructure *structure = gst_caps_get_structure (caps, 0);

  self->source = (Picture) { .fps_d = 1 };
  gst_structure_get_int (structure, "width", &self->source.width);
  gst_structure_get_int (structure, "height", &self->source.height);
  gst_structure_get_fraction (structure, "framerate", &self->source.fps_n,
      &self->source.fps_d);
  self->scalable = gst_caps_features_is_equal (gst_caps_get_features (caps, 0),
      GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY);
  begin (self);
  adapt (self, GST_CLOCK_TIME_NONE);
}

/* Passes on the source's caps, with the frame rate after dropping. */
static gboolean
push_caps (GstTfrcVideoScale *self, GstCaps *caps)
{
  g_autoptr (GstProxyPad) inside =
      gst_proxy_pad_get_internal (GST_PROXY_PAD (self->sink));
  g_autoptr (GstCaps) passing = gst_caps_copy (caps);

  if (!is_as_frequent (&self->applied, &self->source))
    gst_caps_set_simple (passing, "framerate", GST_TYPE_FRACTION,
        self->applied.fps_n, self->applied.fps_d, NULL);
  return gst_pad_push_event (GST_PAD (inside), gst_event_new_caps (passing));
}

static gboolean
on_sink_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  GstTfrcVideoScale *self = GST_TFRC_VIDEO_SCALE (parent);
  GstCaps *caps;
  gboolean done;

  if (GST_EVENT_TYPE (event) != GST_EVENT_CAPS)
    return gst_pad_event_default (pad, parent, event);
  gst_event_parse_caps (event, &caps);
  on_caps (self, caps);
  done = push_caps (self, caps);
  gst_event_unref (event);
  return done;
}

static gboolean
is_due (GstTfrcVideoScale *self)
{
  guint64 all = (guint64) self->source.fps_n * self->applied.fps_d;

  self->turn += (guint64) self->applied.fps_n * self->source.fps_d;
  if (self->turn < all)
    return FALSE;
  self->turn -= all;
  return TRUE;
}

static GstFlowReturn
on_frame (GstPad *pad, GstObject *parent, GstBuffer *frame)
{
  GstTfrcVideoScale *self = GST_TFRC_VIDEO_SCALE (parent);
  g_autoptr (GstCaps) caps = gst_pad_get_current_caps (pad);
  Picture before = self->applied;

  if (caps != NULL && gst_pad_check_reconfigure (self->src))
    begin (self);
  if (caps != NULL)
    adapt (self, GST_BUFFER_PTS (frame));
  if (!is_as_frequent (&self->applied, &before))
    push_caps (self, caps);
  if (is_due (self))
    return gst_proxy_pad_chain_default (pad, parent, frame);
  gst_buffer_unref (frame);
  return GST_FLOW_OK;
}

/* A source that can choose takes the first caps.  These must not be those of the size
 * sent now, which would be the largest from then on. */
static gboolean
on_sink_query (GstPad *pad, GstObject *parent, GstQuery *query)
{
  GstTfrcVideoScale *self = GST_TFRC_VIDEO_SCALE (parent);
  g_autoptr (GstCaps) all = gst_pad_get_pad_template_caps (self->src);
  g_autoptr (GstCaps) taken = NULL;
  g_autoptr (GstCaps) caps = NULL;
  GstCaps *filter;

  if (GST_QUERY_TYPE (query) != GST_QUERY_CAPS || self->missing != NULL)
    return gst_pad_query_default (pad, parent, query);
  gst_query_parse_caps (query, &filter);
  taken = gst_pad_peer_query_caps (self->src, all);
  caps = GST_BASE_TRANSFORM_GET_CLASS (self->scale)
             ->transform_caps (GST_BASE_TRANSFORM (self->scale), GST_PAD_SRC,
                 taken, filter);
  gst_query_set_caps_result (query, caps);
  return TRUE;
}

static void
on_bitrate (GstTfrcVideoScale *self, const GstStructure *structure)
{
  guint64 bitrate;

  if (!gst_structure_get_uint64 (structure, "bitrate", &bitrate))
    return;
  GST_OBJECT_LOCK (self);
  self->fields.bitrate = bitrate;
  self->of_encoder = get_bits_per_pixel (gst_structure_get_string (structure,
      "media-type"));
  GST_OBJECT_UNLOCK (self);
  g_object_notify (G_OBJECT (self), "bitrate");
}

/* The event with the bitrate is not passed on, as it is about the next encoder
 * downstream. */
static gboolean
on_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  const GstStructure *structure = gst_event_get_structure (event);

  if (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_UPSTREAM
      || !gst_structure_has_name (structure, TFRC_ENCODER_BITRATE_EVENT))
    return gst_pad_event_default (pad, parent, event);
  on_bitrate (GST_TFRC_VIDEO_SCALE (parent), structure);
  gst_event_unref (event);
  return TRUE;
}

static GstStateChangeReturn
gst_tfrc_video_scale_change_state (GstElement *element,
    GstStateChange transition)
{
  GstTfrcVideoScale *self = GST_TFRC_VIDEO_SCALE (element);
  GstStateChangeReturn ret;

  if (self->missing != NULL) {
    gst_element_post_message (element,
        gst_missing_element_message_new (element, self->missing));
    GST_ELEMENT_ERROR (self, CORE, MISSING_PLUGIN,
        ("There is no element '%s': install the base plugins of GStreamer.",
            self->missing),
        (NULL));
    return GST_STATE_CHANGE_FAILURE;
  }
  ret = GST_ELEMENT_CLASS (parent_class)->change_state (element, transition);
  if (transition != GST_STATE_CHANGE_PAUSED_TO_READY)
    return ret;
  tfrc_ladder_init (&self->ladder, self->ladder.mode);
  self->source = self->wanted = (Picture) { 0 };
  GST_OBJECT_LOCK (self);
  self->fields.width = self->fields.height = 0;
  GST_OBJECT_UNLOCK (self);
  g_object_set (self->filter, "caps", NULL, NULL);
  return ret;
}

static void
gst_tfrc_video_scale_set_property (GObject *object, guint id,
    const GValue *value, GParamSpec *pspec)
{
  GST_OBJECT_AUTO_LOCK (object, locker);
  tfrc_properties_set (&GST_TFRC_VIDEO_SCALE (object)->fields, pspec, value);
}

static void
gst_tfrc_video_scale_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GST_OBJECT_AUTO_LOCK (object, locker);
  tfrc_properties_get (&GST_TFRC_VIDEO_SCALE (object)->fields, pspec, value);
}

#define INSTALL(field, pspec) \
  tfrc_properties_install (klass, PROP_FIELD, G_STRUCT_OFFSET (Fields, field), \
      pspec)

static void
install_properties (GObjectClass *klass)
{
  INSTALL (degradation,
      g_param_spec_enum ("degradation", "Degradation",
          "What is reduced at a low bitrate: size of the pictures, their "
          "number, or both alternately (default: maintain-framerate)",
          GST_TYPE_TFRC_DEGRADATION, GST_TFRC_DEGRADATION_RESOLUTION,
          TFRC_PROPERTY_ANY_STATE));
  INSTALL (bits_per_pixel,
      g_param_spec_double ("bits-per-pixel", "Bits per pixel",
          "Bits of video per pixel below which pictures become smaller or "
          "fewer (0 = 0.024, less for VP8, VP9 and H.265; default: 0)",
          0, 10, 0, TFRC_PROPERTY_ANY_STATE));
  INSTALL (passive,
      g_param_spec_boolean ("passive", "Passive",
          "Only post messages about which pictures would be best (default: "
          "false)",
          FALSE, TFRC_PROPERTY_ANY_STATE));
  INSTALL (bitrate,
      g_param_spec_uint64 ("bitrate", "Bitrate",
          "The encoder's bitrate, as set by tfrcsink (bits/s, 0 = not known: "
          "pictures are not changed, default: 0)",
          0, G_MAXUINT64, 0, TFRC_PROPERTY_ANY_STATE));
  INSTALL (width,
      g_param_spec_int ("width", "Width",
          "Width of the output pictures, or with passive of the best ones "
          "(pixels, 0 = none yet)",
          0, G_MAXINT, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  INSTALL (height,
      g_param_spec_int ("height", "Height",
          "Height of the output pictures, or with passive of the best ones "
          "(pixels, 0 = none yet)",
          0, G_MAXINT, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

static void
gst_tfrc_video_scale_class_init (GstTfrcVideoScaleClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  GST_DEBUG_CATEGORY_INIT (gst_tfrc_video_scale_debug, "tfrcvideoscale", 0,
      "Pictures by the bitrate");
  object_class->set_property = gst_tfrc_video_scale_set_property;
  object_class->get_property = gst_tfrc_video_scale_get_property;
  element_class->change_state = gst_tfrc_video_scale_change_state;
  install_properties (object_class);
  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "TFRC video scaler",
      "Filter/Converter/Video/Scaler",
      "Makes pictures smaller or fewer while the encoder's bitrate is low",
      "gst-tfrc maintainers");
}

static GstElement *
add_element (GstTfrcVideoScale *self, const gchar *factory)
{
  GstElement *element = gst_element_factory_make (factory, NULL);

  if (element != NULL)
    gst_bin_add (GST_BIN (self), element);
  else
    self->missing = factory;
  return element;
}

static GstPad *
add_pad (GstTfrcVideoScale *self, GstElement *element, const gchar *name)
{
  g_autoptr (GstPad) target = element != NULL
      ? gst_element_get_static_pad (element, name)
      : NULL;
  GstPad *pad = gst_ghost_pad_new_no_target_from_template (name,
      gst_element_get_pad_template (GST_ELEMENT (self), name));

  if (target != NULL)
    gst_ghost_pad_set_target (GST_GHOST_PAD (pad), target);
  gst_element_add_pad (GST_ELEMENT (self), pad);
  return pad;
}

static void
gst_tfrc_video_scale_init (GstTfrcVideoScale *self)
{
  self->scale = add_element (self, "videoscale");
  self->filter = add_element (self, "capsfilter");
  tfrc_properties_init (&self->fields, G_OBJECT_GET_CLASS (self));
  self->of_encoder = get_bits_per_pixel (NULL);
  tfrc_ladder_init (&self->ladder, self->fields.degradation);
  if (self->missing == NULL)
    gst_element_link (self->scale, self->filter);
  self->sink = add_pad (self, self->scale, "sink");
  self->src = add_pad (self, self->filter, "src");
  gst_pad_set_event_function (self->sink, on_sink_event);
  gst_pad_set_query_function (self->sink, on_sink_query);
  gst_pad_set_chain_function (self->sink, on_frame);
  gst_pad_set_event_function (self->src, on_src_event);
}
