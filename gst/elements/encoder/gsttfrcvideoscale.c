/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tfrcvideoscale: a bin of videorate, videoscale and a capsfilter, whose caps follow
 * the bitrate of the encoder behind it.  They change between two frames, in the
 * streaming thread; the bitrate comes from any. */

/**
 * SECTION:element-tfrcvideoscale
 * @title: tfrcvideoscale
 *
 * Makes pictures smaller, or fewer (#GstTfrcVideoScale:degradation), while the encoder
 * behind it has too few bits for all of them, and larger again when it has enough: at
 * a low bitrate a small picture that is shown enlarged looks better than a large one.
 * It goes directly in front of a video encoder whose bitrate follows a tfrcsink or an
 * rtptfrcsend, which tell it each new bitrate by an event.  Who sets the bitrate
 * otherwise sets #GstTfrcVideoScale:bitrate as well.
 *
 * Down after half of a second in which the bitrate is too low, up after four in which
 * it is a quarter more than enough; each change makes the encoder begin with a key
 * frame.  Receivers follow by themselves: a decoder reads the size from the stream
 * (with rtph264pay and rtph265pay, config-interval=-1 lets those do so who come late).
 *
 * Each change is told by an element message `tfrc-picture-size` with width, height,
 * framerate and bitrate.  With #GstTfrcVideoScale:passive nothing but that happens, for
 * who makes other pictures himself.
 *
 * ## Launch lines
 * |[
 * gst-launch-1.0 videotestsrc is-live=true ! video/x-raw,width=1280,height=720 ! tfrcvideoscale ! x264enc tune=zerolatency ! rtph264pay config-interval=-1 ! tfrcsink host=127.0.0.1 port=5004
 * ]| Sends what the path has room for.
 * |[
 * gst-launch-1.0 tfrcsrc port=5004 encoding-name=H264 ! rtph264depay ! avdec_h264 ! videoconvert ! autovideosink
 * ]| Shows it.
 */

#include "encoder/gsttfrcvideoscale.h"

#include <gst/pbutils/pbutils.h>
#include <gst/video/video.h>

#include "common/properties.h"
#include "encoder/encoder.h"
#include "encoder/ladder.h"

GST_DEBUG_CATEGORY_STATIC (gst_tfrc_video_scale_debug);
#define GST_CAT_DEFAULT gst_tfrc_video_scale_debug

/* Of a source that does not say how often its frames come. */
#define USUAL_FRAME_RATE 30

enum
{
  PROP_0,
  PROP_DEGRADATION,
  PROP_BITS_PER_PIXEL,
  PROP_PASSIVE,
  PROP_BITRATE,
  PROP_WIDTH,
  PROP_HEIGHT,
};

typedef struct
{
  gint width, height;
  gint fps_n, fps_d;
} Picture;

struct _GstTfrcVideoScale
{
  GstBin parent;

  GstElement *filter;
  const gchar *missing; /* factory; NULL = none */

  /* Of the streaming thread. */
  Picture source;    /* width 0: no caps yet */
  gboolean scalable; /* its frames are in system memory */
  gboolean refused;  /* these cannot be changed */

  /* All below is guarded by the object lock. */
  GstTfrcDegradation degradation;
  gdouble bits_per_pixel; /* 0 = by the encoder */
  gboolean passive;
  guint64 bitrate;    /* [bits/s]; 0 = not told */
  gdouble of_encoder; /* bits per pixel */
  TfrcLadder ladder;
  Picture picture; /* that leave, or would be best */
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
is_same (const Picture *one, const Picture *other)
{
  return one->width == other->width && one->height == other->height
      && one->fps_n == other->fps_n && one->fps_d == other->fps_d;
}

static GstCaps *
make_caps (const Picture *source, const Picture *picture)
{
  GstCaps *caps = gst_caps_new_empty_simple ("video/x-raw");

  gst_caps_set_features (caps, 0, gst_caps_features_new_any ());
  if (picture->width != source->width || picture->height != source->height)
    gst_caps_set_simple (caps, "width", G_TYPE_INT, picture->width, "height",
        G_TYPE_INT, picture->height, NULL);
  if (picture->fps_n != source->fps_n || picture->fps_d != source->fps_d)
    gst_caps_set_simple (caps, "framerate", GST_TYPE_FRACTION, picture->fps_n,
        picture->fps_d, NULL);
  return caps;
}

static gboolean
is_taken (GstTfrcVideoScale *self, GstCaps *caps)
{
  GstPad *pad = gst_element_get_static_pad (self->filter, "src");
  GstCaps *taken = gst_pad_peer_query_caps (pad, caps);
  gboolean any = !gst_caps_is_empty (taken);

  gst_caps_unref (taken);
  gst_object_unref (pad);
  return any;
}

/* In the streaming thread, with no lock held.  FALSE: it cannot be had. */
static gboolean
apply (GstTfrcVideoScale *self, const Picture *picture)
{
  gboolean other_size = picture->width != self->source.width
      || picture->height != self->source.height;
  GstCaps *caps = make_caps (&self->source, picture);
  gboolean taken = (!other_size || self->scalable) && is_taken (self, caps);

  if (taken)
    g_object_set (self->filter, "caps", caps, NULL);
  else
    GST_ELEMENT_WARNING (self, STREAM, FORMAT,
        ("The pictures stay as they are: %s.",
            self->scalable
                ? "what is behind tfrcvideoscale takes no other size or frame "
                  "rate"
                : "they are not in system memory, where videoscale could scale "
                  "them: put a converter or downloader in front of "
                  "tfrcvideoscale"),
        ("%" GST_PTR_FORMAT, caps));
  self->refused = !taken;
  gst_caps_unref (caps);
  return taken;
}

static void
tell (GstTfrcVideoScale *self, const Picture *picture, guint64 bitrate)
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

/* With the object lock: what all of the source's pictures need [bits/s]. */
static guint64
get_full_bitrate (const GstTfrcVideoScale *self)
{
  const Picture *source = &self->source;
  gdouble rate = source->fps_n == 0
      ? USUAL_FRAME_RATE
      : (gdouble) source->fps_n / source->fps_d;

  return (guint64) (source->width * (gdouble) source->height * rate
      * (self->bits_per_pixel > 0 ? self->bits_per_pixel : self->of_encoder));
}

/* Before a frame, or caps, pass. */
static void
choose (GstTfrcVideoScale *self, GstClockTime now)
{
  gboolean passive;
  Picture picture;
  guint64 bitrate;

  GST_OBJECT_LOCK (self);
  if (GST_CLOCK_TIME_IS_VALID (now))
    tfrc_ladder_step (&self->ladder, self->bitrate, get_full_bitrate (self),
        now);
  picture = get_picture (&self->source, tfrc_ladder_get_rung (&self->ladder));
  passive = self->passive;
  bitrate = self->bitrate;
  GST_OBJECT_UNLOCK (self);
  if (is_same (&picture, &self->picture) || self->refused
      || (!passive && !apply (self, &picture)))
    return;
  GST_OBJECT_LOCK (self);
  self->picture = picture;
  GST_OBJECT_UNLOCK (self);
  tell (self, &picture, bitrate);
}

static void
on_caps (GstTfrcVideoScale *self, GstCaps *caps)
{
  GstVideoInfo info;

  if (!gst_video_info_from_caps (&info, caps))
    return;
  self->source = (Picture) {
    .width = info.width,
    .height = info.height,
    .fps_n = info.fps_n,
    .fps_d = info.fps_d,
  };
  self->scalable = gst_caps_features_is_equal (gst_caps_get_features (caps, 0),
      GST_CAPS_FEATURES_MEMORY_SYSTEM_MEMORY);
  self->refused = FALSE;
  GST_OBJECT_LOCK (self);
  tfrc_ladder_set_side (&self->ladder, MIN (info.width, info.height));
  GST_OBJECT_UNLOCK (self);
  choose (self, GST_CLOCK_TIME_NONE);
}

static GstPadProbeReturn
on_sink_data (GstPad *pad, GstPadProbeInfo *info, gpointer user_data)
{
  GstTfrcVideoScale *self = user_data;

  if (info->type & GST_PAD_PROBE_TYPE_BUFFER) {
    if (self->source.width != 0)
      choose (self, GST_BUFFER_PTS (GST_PAD_PROBE_INFO_BUFFER (info)));
  } else if (GST_EVENT_TYPE (GST_PAD_PROBE_INFO_EVENT (info))
      == GST_EVENT_CAPS) {
    GstCaps *caps;

    gst_event_parse_caps (GST_PAD_PROBE_INFO_EVENT (info), &caps);
    on_caps (self, caps);
  }
  return GST_PAD_PROBE_OK;
}

static void
on_bitrate (GstTfrcVideoScale *self, const GstStructure *told)
{
  guint64 bitrate;

  if (!gst_structure_get_uint64 (told, "bitrate", &bitrate))
    return;
  GST_OBJECT_LOCK (self);
  self->bitrate = bitrate;
  self->of_encoder =
      tfrc_ladder_get_bits_per_pixel (gst_structure_get_string (told,
          "media-type"));
  GST_OBJECT_UNLOCK (self);
}

/* What tells the bitrate ends here: it is of the encoder that comes next. */
static gboolean
on_src_event (GstPad *pad, GstObject *parent, GstEvent *event)
{
  const GstStructure *told = gst_event_get_structure (event);

  if (GST_EVENT_TYPE (event) != GST_EVENT_CUSTOM_UPSTREAM
      || !gst_structure_has_name (told, TFRC_ENCODER_BITRATE_EVENT))
    return gst_pad_event_default (pad, parent, event);
  on_bitrate (GST_TFRC_VIDEO_SCALE (parent), told);
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
  GST_OBJECT_LOCK (self);
  tfrc_ladder_init (&self->ladder, self->degradation);
  self->source = self->picture = (Picture) { 0 };
  GST_OBJECT_UNLOCK (self);
  g_object_set (self->filter, "caps", NULL, NULL);
  return ret;
}

static void
gst_tfrc_video_scale_set_property (GObject *object, guint id,
    const GValue *value, GParamSpec *pspec)
{
  GstTfrcVideoScale *self = GST_TFRC_VIDEO_SCALE (object);
  guint side;

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_DEGRADATION:
      self->degradation = g_value_get_enum (value);
      side = self->ladder.side;
      tfrc_ladder_init (&self->ladder, self->degradation);
      tfrc_ladder_set_side (&self->ladder, side);
      break;
    case PROP_BITS_PER_PIXEL:
      self->bits_per_pixel = g_value_get_double (value);
      break;
    case PROP_PASSIVE:
      self->passive = g_value_get_boolean (value);
      break;
    case PROP_BITRATE:
      self->bitrate = g_value_get_uint64 (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
gst_tfrc_video_scale_get_property (GObject *object, guint id, GValue *value,
    GParamSpec *pspec)
{
  GstTfrcVideoScale *self = GST_TFRC_VIDEO_SCALE (object);

  GST_OBJECT_LOCK (self);
  switch (id) {
    case PROP_DEGRADATION:
      g_value_set_enum (value, self->degradation);
      break;
    case PROP_BITS_PER_PIXEL:
      g_value_set_double (value, self->bits_per_pixel);
      break;
    case PROP_PASSIVE:
      g_value_set_boolean (value, self->passive);
      break;
    case PROP_BITRATE:
      g_value_set_uint64 (value, self->bitrate);
      break;
    case PROP_WIDTH:
      g_value_set_int (value, self->picture.width);
      break;
    case PROP_HEIGHT:
      g_value_set_int (value, self->picture.height);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
  GST_OBJECT_UNLOCK (self);
}

static void
install_properties (GObjectClass *klass)
{
  g_object_class_install_property (klass, PROP_DEGRADATION,
      g_param_spec_enum ("degradation", "Degradation",
          "What a low bitrate costs: the size of the pictures, their number, "
          "or both "
          "in turns",
          GST_TYPE_TFRC_DEGRADATION, GST_TFRC_DEGRADATION_RESOLUTION,
          TFRC_PROPERTY_ANY_STATE));
  g_object_class_install_property (klass, PROP_BITS_PER_PIXEL,
      g_param_spec_double ("bits-per-pixel", "Bits per pixel",
          "Bits of encoded video per pixel below which pictures become smaller "
          "or "
          "fewer (0 = 0.024, less for VP8, VP9 and H.265)",
          0, 10, 0, TFRC_PROPERTY_ANY_STATE));
  g_object_class_install_property (klass, PROP_PASSIVE,
      g_param_spec_boolean ("passive", "Passive",
          "Only tell by messages what pictures would be best", FALSE,
          TFRC_PROPERTY_ANY_STATE));
  g_object_class_install_property (klass, PROP_BITRATE,
      g_param_spec_uint64 ("bitrate", "Bitrate",
          "What the encoder may make in bits/s, as tfrcsink tells it (0 = not "
          "known: "
          "all of the pictures pass)",
          0, G_MAXUINT64, 0, TFRC_PROPERTY_ANY_STATE));
  g_object_class_install_property (klass, PROP_WIDTH,
      g_param_spec_int ("width", "Width",
          "Pixels in a row of the pictures that leave, or that would be best "
          "where "
          "passive (0 = none yet)",
          0, G_MAXINT, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
  g_object_class_install_property (klass, PROP_HEIGHT,
      g_param_spec_int ("height", "Height",
          "Rows of the pictures that leave, or that would be best where "
          "passive (0 = "
          "none yet)",
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
  GstPad *target = element != NULL
      ? gst_element_get_static_pad (element, name)
      : NULL;
  GstPad *pad = gst_ghost_pad_new_no_target_from_template (name,
      gst_element_get_pad_template (GST_ELEMENT (self), name));

  if (target != NULL)
    gst_ghost_pad_set_target (GST_GHOST_PAD (pad), target);
  gst_clear_object (&target);
  gst_element_add_pad (GST_ELEMENT (self), pad);
  return pad;
}

static void
gst_tfrc_video_scale_init (GstTfrcVideoScale *self)
{
  GstElement *rate = add_element (self, "videorate");
  GstElement *scale = add_element (self, "videoscale");

  self->filter = add_element (self, "capsfilter");
  self->of_encoder = tfrc_ladder_get_bits_per_pixel (NULL);
  tfrc_ladder_init (&self->ladder, self->degradation);
  if (self->missing == NULL) {
    g_object_set (rate, "drop-only", TRUE, NULL);
    gst_element_link_many (rate, scale, self->filter, NULL);
  }
  gst_pad_add_probe (add_pad (self, rate, "sink"),
      GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM,
      on_sink_data, self, NULL);
  gst_pad_set_event_function (add_pad (self, self->filter, "src"),
      on_src_event);
}
