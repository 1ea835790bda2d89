/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding and setting an encoder's bitrate property, and the table of known video
 * encoders.
 *
 * Sources of the table: "element": property, unit and behaviour were observed on the
 * element, in the versions of Debian 12 (tests/evaluation/bench/bench-encoders measures
 * them again).  "source": from the property's declaration in GStreamer 1.22, or from the
 * element's source code, as such hardware was not available. */

#include "encoder/property.h"

#include <string.h>

GST_DEBUG_CATEGORY_EXTERN (tfrc_encoder_debug);
#define GST_CAT_DEFAULT tfrc_encoder_debug

/* The unit is kbit/s if the maximum is below this: no encoder is limited to 10 Mbit/s,
 * and 10 Gbit/s is out of reach. */
#define KBIT_RANGE_END G_GUINT64_CONSTANT (10000000)
/* Or if the default is below this: no encoder starts with 20 kbit/s. */
#define KBIT_DEFAULT_END G_GUINT64_CONSTANT (20000)

#define BIT 1
#define KBIT 1000

/* The first match counts, so single names come before the pattern of their family. */
static const TfrcEncoderEntry entries[] = {
  /* Software. */
  { "x264enc", "bitrate", NULL, KBIT, TRUE }, /* element */
  /* Opens libx265 anew: element, source. */
  { "x265enc", "bitrate", NULL, KBIT, TRUE, TFRC_ENCODER_KEY_FRAME },
  { "vp8enc", "target-bitrate", NULL, BIT, TRUE }, /* element */
  { "vp9enc", "target-bitrate", NULL, BIT, TRUE }, /* element */
  /* Follows, but two or three times too high, and not at all with its default
   * max-quantizer=0: element. */
  { "av1enc", "target-bitrate", NULL, KBIT, TRUE },
  /* Logs an error and ignores what is set once it has its format: source. */
  { "svtav1enc", "target-bitrate", NULL, KBIT, FALSE },
  /* Read when its caps come: source. */
  { "rav1enc", "bitrate", NULL, BIT, FALSE },
  /* Stays a third above for seconds after a step down; with enable-frame-skip it
   * stays at a third for longer, as it skips for what it made before: element. */
  { "openh264enc", "bitrate", NULL, BIT, TRUE },
  { "theoraenc", "bitrate", NULL, KBIT, TRUE }, /* element */
  { "mpeg2enc", "bitrate", NULL, KBIT, FALSE }, /* element */
  /* gst-libav refuses every property once the codec is open, and here the
   * bitrate had no effect before either: element. */
  { "avenc_*", "bitrate", NULL, BIT, FALSE },

  /* Hardware: all from source, of 1.22 and of August 2026.  Where some versions or drivers
   * need a key frame and others do not, it is what they cost at most. */
  { "nvv4l2*", "bitrate", NULL, BIT, TRUE }, /* Jetson, not nvcodec */
  { "nv*enc", "bitrate", NULL, KBIT, TRUE, TFRC_ENCODER_KEY_FRAME },
  { "vaapi*enc", "bitrate", NULL, KBIT, TRUE },
  { "va*enc", "bitrate", NULL, KBIT, TRUE, TFRC_ENCODER_KEY_FRAME },
  { "qsv*enc", "bitrate", NULL, KBIT, TRUE, TFRC_ENCODER_KEY_FRAME },
  { "msdk*enc", "bitrate", NULL, KBIT, TRUE, TFRC_ENCODER_RESTART },
  { "v4l2*enc", "extra-controls", "video_bitrate", BIT, TRUE },
  { "amf*enc", "bitrate", NULL, KBIT, TRUE, TFRC_ENCODER_KEY_FRAME },
  { "mf*enc", "bitrate", NULL, KBIT, TRUE },
  { "vtenc_*", "bitrate", NULL, KBIT, TRUE },
  { "mpp*enc", "bps", NULL, BIT, TRUE },       /* Rockchip */
  { "vpuenc_*", "bitrate", NULL, KBIT, TRUE }, /* i.MX, of NXP */
  { "omx*enc", "target-bitrate", NULL, BIT, TRUE },
  { "amcvidenc-*", "bitrate", NULL, BIT, TRUE }, /* Android */
};

/* With their defaults these encoders keep their rate over seconds, or not at all, which
 * is too bursty for a queue of 200 ms.  libvpx in VBR, the default, neither drops frames
 * nor corrects an overshoot, and its buffer of 6 s lets it exceed the rate by 6 s of
 * data.  rate-buffer of theoraenc is in frames; 0 = as many as between two key frames. */
static const TfrcEncoderTuning tunings[] = {
  { "x264enc", "vbv-buf-capacity", 600, 133, 67, TRUE },
  { "vp?enc", "end-usage", 0, 1, 0, TRUE }, /* vbr -> cbr */
  { "vp9enc", "lag-in-frames", 25, 0, 0, FALSE },
  { "vp?enc", "dropframe-threshold", 0, 30, 0, TRUE },
  { "vp?enc", "buffer-size", 6000, 500, 0, TRUE },
  { "vp?enc", "buffer-optimal-size", 5000, 400, 0, TRUE },
  { "vp?enc", "buffer-initial-size", 4000, 300, 0, TRUE },
  { "theoraenc", "rate-buffer", 0, 15, 0, FALSE },
};

const TfrcEncoderEntry *
tfrc_encoder_table_lookup (const gchar *factory)
{
  for (guint i = 0; i < G_N_ELEMENTS (entries); i++) {
    if (g_pattern_match_simple (entries[i].factory, factory))
      return &entries[i];
  }
  return NULL;
}

const TfrcEncoderTuning *
tfrc_encoder_table_next_tuning (const gchar *factory,
    const TfrcEncoderTuning *previous)
{
  const TfrcEncoderTuning *end = tunings + G_N_ELEMENTS (tunings);
  const TfrcEncoderTuning *tuning = previous ? previous + 1 : tunings;

  while (tuning < end && !g_pattern_match_simple (tuning->factory, factory))
    tuning++;
  return tuning < end ? tuning : NULL;
}

const gchar *
tfrc_encoder_get_factory_name (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  return factory != NULL ? GST_OBJECT_NAME (factory) : "";
}

typedef struct
{
  guint64 minimum;
  guint64 maximum;
  guint64 standard; /* the default */
} Range;

/* FALSE: it is not an integer. */
static gboolean
get_range (GParamSpec *pspec, Range *range)
{
#define READ_RANGE(TYPE, Type) \
  if (G_IS_PARAM_SPEC_##TYPE (pspec)) { \
    GParamSpec##Type *spec = G_PARAM_SPEC_##TYPE (pspec); \
    range->minimum = spec->minimum > 0 ? (guint64) spec->minimum : 0; \
    range->maximum = spec->maximum > 0 ? (guint64) spec->maximum : 0; \
    range->standard = spec->default_value > 0 \
        ? (guint64) spec->default_value \
        : 0; \
    return TRUE; \
  }
  READ_RANGE (INT, Int);
  READ_RANGE (UINT, UInt);
  READ_RANGE (INT64, Int64);
  READ_RANGE (UINT64, UInt64);
  READ_RANGE (LONG, Long);
  READ_RANGE (ULONG, ULong);
#undef READ_RANGE
  return FALSE;
}

static GParamSpec *
find_number (GstElement *encoder, const gchar *name)
{
  GParamSpec *pspec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (encoder), name);
  Range range;

  if (pspec == NULL || !(pspec->flags & G_PARAM_WRITABLE)
      || (pspec->flags & G_PARAM_CONSTRUCT_ONLY) || !get_range (pspec, &range))
    return NULL;
  return pspec;
}

static GstState
get_last_state (GParamSpec *pspec)
{
  if (pspec->flags & GST_PARAM_MUTABLE_PLAYING)
    return GST_STATE_PLAYING;
  if (pspec->flags & GST_PARAM_MUTABLE_PAUSED)
    return GST_STATE_PAUSED;
  if (pspec->flags & GST_PARAM_MUTABLE_READY)
    return GST_STATE_READY;
  return GST_STATE_PLAYING;
}

gboolean
tfrc_encoder_property_resolve (TfrcEncoderProperty *self, GstElement *encoder,
    const gchar *name, guint unit)
{
  const TfrcEncoderEntry *entry =
      tfrc_encoder_table_lookup (tfrc_encoder_get_factory_name (encoder));
  Range range = { 1, G_MAXINT, 0 }; /* for a field: controls are int */

  memset (self, 0, sizeof (*self));
  if (entry != NULL && name != NULL && strcmp (name, entry->property) != 0)
    entry = NULL;
  if (entry != NULL && entry->field != NULL) {
    self->pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (encoder),
        entry->property);
  } else if (entry != NULL) {
    self->pspec = find_number (encoder, entry->property);
  }
  /* Another version may name it differently; what the table says does not apply to that. */
  if (self->pspec == NULL) {
    entry = NULL;
    self->pspec = find_number (encoder, name ? name : "bitrate");
    if (self->pspec == NULL && name == NULL)
      self->pspec = find_number (encoder, "target-bitrate");
  }
  if (self->pspec == NULL)
    return FALSE;

  g_param_spec_ref (self->pspec);
  self->name = g_strdup (self->pspec->name);
  self->field = entry != NULL ? entry->field : NULL;
  if (self->field == NULL)
    get_range (self->pspec, &range);
  self->unit = unit != 0 ? unit
      : entry != NULL    ? entry->unit
                         : tfrc_encoder_property_guess_unit (self->pspec);
  self->unit_guessed = unit == 0 && entry == NULL;
  self->max_bitrate = MIN (range.maximum, G_MAXUINT64 / self->unit)
      * self->unit;
  self->min_bitrate = MIN (MAX (range.minimum, 1) * self->unit,
      self->max_bitrate);
  self->live = entry == NULL || entry->live;
  self->cost = entry != NULL ? entry->cost : TFRC_ENCODER_FREE;
  self->last_state = get_last_state (self->pspec);
  return TRUE;
}

void
tfrc_encoder_property_clear (TfrcEncoderProperty *self)
{
  g_clear_pointer (&self->name, g_free);
  g_clear_pointer (&self->pspec, g_param_spec_unref);
}

guint64
tfrc_encoder_property_quantize (const TfrcEncoderProperty *self,
    guint64 bitrate)
{
  bitrate = CLAMP (bitrate, self->min_bitrate, self->max_bitrate);
  return bitrate - bitrate % self->unit;
}

static gboolean
has_format (GstElement *encoder)
{
  g_autoptr (GstPad) sinkpad = gst_element_get_static_pad (encoder, "sink");

  return sinkpad != NULL && gst_pad_has_current_caps (sinkpad);
}

gboolean
tfrc_encoder_property_is_settable (const TfrcEncoderProperty *self,
    GstElement *encoder)
{
  GstState state;

  GST_OBJECT_LOCK (encoder);
  state = GST_STATE (encoder);
  GST_OBJECT_UNLOCK (encoder);
  /* The table is more reliable than the flags, which say READY for rav1enc and nothing
   * for avenc_*: both configure their codec when they get caps. */
  if (!self->live)
    return state <= GST_STATE_READY || !has_format (encoder);
  return state <= self->last_state;
}

gboolean
tfrc_encoder_property_get (const TfrcEncoderProperty *self, GstElement *encoder,
    guint64 *units)
{
  GValue value = G_VALUE_INIT;
  g_autoptr (GstStructure) controls = NULL;
  gint number = 0;

  if (self->field == NULL) {
    g_value_init (&value, G_TYPE_UINT64);
    g_object_get_property (G_OBJECT (encoder), self->name, &value);
    *units = g_value_get_uint64 (&value);
    return TRUE;
  }
  g_object_get (encoder, self->name, &controls, NULL);
  if (controls == NULL
      || !gst_structure_get_int (controls, self->field, &number))
    return FALSE;
  *units = (guint64) number;
  return TRUE;
}

void
tfrc_encoder_property_set_units (const TfrcEncoderProperty *self,
    GstElement *encoder, guint64 units)
{
  GValue value = G_VALUE_INIT;
  g_autoptr (GstStructure) controls = NULL;

  if (self->field == NULL) {
    /* GObject converts it to the property's type, whose range includes `units`. */
    g_value_init (&value, G_TYPE_UINT64);
    g_value_set_uint64 (&value, units);
    g_object_set_property (G_OBJECT (encoder), self->name, &value);
    return;
  }
  /* Keeps the other fields of the structure. */
  g_object_get (encoder, self->name, &controls, NULL);
  if (controls == NULL)
    controls = gst_structure_new_empty ("controls");
  gst_structure_set (controls, self->field, G_TYPE_INT, (gint) units, NULL);
  g_object_set (encoder, self->name, controls, NULL);
}

void
tfrc_encoder_property_set (const TfrcEncoderProperty *self, GstElement *encoder,
    guint64 bitrate)
{
  tfrc_encoder_property_set_units (self, encoder,
      tfrc_encoder_property_quantize (self, bitrate) / self->unit);
}

static gboolean
names_any (const gchar *text, const gchar *const *units)
{
  for (; *units != NULL; units++) {
    if (strstr (text, *units) != NULL)
      return TRUE;
  }
  return FALSE;
}

guint
tfrc_encoder_property_guess_unit (GParamSpec *pspec)
{
  static const gchar *const mega[] = { "mbit", "mbps", "mb/s", "megabit",
    NULL };
  static const gchar *const kilo[] = { "kbit", "kbps", "kb/s", "kilobit",
    NULL };
  static const gchar *const one[] = { "bits per sec", "bits/s", "bit/s", "bps",
    "bits per second", "bit per second", NULL };
  const gchar *blurb = g_param_spec_get_blurb (pspec);
  g_autofree gchar *text = g_ascii_strdown (blurb != NULL ? blurb : "", -1);
  Range range;

  /* "kbit/s" contains "bit/s", so the longer names come first. */
  if (names_any (text, mega))
    return 1000000;
  if (names_any (text, kilo))
    return 1000;
  if (names_any (text, one))
    return 1;
  /* Without any clue kbit/s is safe for the network: the true rate may only be lower. */
  if (get_range (pspec, &range) && range.maximum >= KBIT_RANGE_END
      && range.standard >= KBIT_DEFAULT_END)
    return 1;
  return 1000;
}

/* GObject converts between int64 and the property's own type, enums too. */
static void
tune_property (const TfrcEncoderTuning *tuning, GstElement *encoder,
    gboolean delay_controlled, GstElement *owner)
{
  gint64 to = delay_controlled && tuning->to_with_delay_control != 0
      ? tuning->to_with_delay_control
      : tuning->to;
  GParamSpec *pspec =
      g_object_class_find_property (G_OBJECT_GET_CLASS (encoder),
          tuning->property);
  GValue value = G_VALUE_INIT;
  GstState state;

  if (pspec == NULL)
    return;
  g_value_init (&value, G_TYPE_INT64);
  g_object_get_property (G_OBJECT (encoder), tuning->property, &value);
  if (g_value_get_int64 (&value) != tuning->from)
    return;

  GST_OBJECT_LOCK (encoder);
  state = GST_STATE (encoder);
  GST_OBJECT_UNLOCK (encoder);
  if (state > get_last_state (pspec)
      || (!tuning->live && has_format (encoder))) {
    GST_INFO_OBJECT (owner, "encoder=%s property=%s too late to tune",
        GST_OBJECT_NAME (encoder), tuning->property);
    return;
  }
  g_value_set_int64 (&value, to);
  g_object_set_property (G_OBJECT (encoder), tuning->property, &value);
  GST_INFO_OBJECT (owner,
      "encoder=%s property=%s tuned from=%" G_GINT64_FORMAT
      " to=%" G_GINT64_FORMAT,
      GST_OBJECT_NAME (encoder), tuning->property, tuning->from, to);
}

void
tfrc_encoder_property_tune (GstElement *encoder, gboolean early,
    gboolean delay_controlled, GstElement *owner)
{
  const gchar *factory = tfrc_encoder_get_factory_name (encoder);
  const TfrcEncoderTuning *tuning = NULL;

  while ((tuning = tfrc_encoder_table_next_tuning (factory, tuning)) != NULL)
    if (!early || (!tuning->live && !has_format (encoder)))
      tune_property (tuning, encoder, delay_controlled, owner);
}
