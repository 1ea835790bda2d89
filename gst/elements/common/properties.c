/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The offset of a property's field is kept as data of its GParamSpec. */

#include "common/properties.h"

TFRC_DEFINE_ENUM_TYPE (GstTfrcMode, gst_tfrc_mode,
    { GST_TFRC_MODE_AUTO, "By the address or the caps", "auto" },
    { GST_TFRC_MODE_TFRC, "TFRC, one receiver (RFC 5348)", "tfrc" },
    { GST_TFRC_MODE_TFMCC, "TFMCC, a group of receivers (RFC 4654)", "tfmcc" });

TFRC_DEFINE_ENUM_TYPE (GstRtpTfrcFeedback, gst_rtp_tfrc_feedback,
    { GST_RTP_TFRC_FEEDBACK_AUTO, "What suits the other end", "auto" },
    { GST_RTP_TFRC_FEEDBACK_TFRC, "Reports of rtptfrcreceive", "tfrc" },
    { GST_RTP_TFRC_FEEDBACK_CCFB, "Congestion control feedback (RFC 8888)",
        "ccfb" },
    { GST_RTP_TFRC_FEEDBACK_TWCC, "Transport-wide feedback", "twcc" },
    { GST_RTP_TFRC_FEEDBACK_RR, "Reception reports of RTCP (RFC 3550)", "rr" },
    { GST_RTP_TFRC_FEEDBACK_NONE, "None: a fixed rate", "none" });

const gchar *
tfrc_feedback_get_name (GstRtpTfrcFeedback format)
{
  static const gchar *const names[] = {
    [GST_RTP_TFRC_FEEDBACK_AUTO] = "none",
    [GST_RTP_TFRC_FEEDBACK_TFRC] = "tfrc",
    [GST_RTP_TFRC_FEEDBACK_CCFB] = "ccfb",
    [GST_RTP_TFRC_FEEDBACK_TWCC] = "twcc",
    [GST_RTP_TFRC_FEEDBACK_RR] = "rr",
    [GST_RTP_TFRC_FEEDBACK_NONE] = "none",
  };

  return names[format];
}

TFRC_DEFINE_ENUM_TYPE (GstTfrcPriority, gst_tfrc_priority,
    { GST_TFRC_PRIORITY_AUTO, "High for audio, else low", "auto" },
    { GST_TFRC_PRIORITY_VERY_LOW, "Half of low's share", "very-low" },
    { GST_TFRC_PRIORITY_LOW, "As WebRTC has by default", "low" },
    { GST_TFRC_PRIORITY_MEDIUM, "Twice low's share", "medium" },
    { GST_TFRC_PRIORITY_HIGH, "Four times low's share", "high" });

guint
tfrc_priority_get_video_weight (GstTfrcPriority priority)
{
  if (priority == GST_TFRC_PRIORITY_AUTO)
    priority = GST_TFRC_PRIORITY_LOW;
  return 1u << (priority - GST_TFRC_PRIORITY_VERY_LOW);
}

void
tfrc_priority_install (GObjectClass *klass, guint id)
{
  g_object_class_install_property (klass, id,
      g_param_spec_enum ("priority", "Priority",
          "Share of the rate relative to other streams, while all have "
          "packets waiting: each level gets twice that of the one below "
          "(default: auto = high for audio, else low)",
          GST_TYPE_TFRC_PRIORITY, GST_TFRC_PRIORITY_AUTO,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_PLAYING));
}

static GQuark
get_quark (void)
{
  return g_quark_from_static_string ("tfrc-properties");
}

void
tfrc_properties_install (GObjectClass *klass, guint id, gsize offset,
    GParamSpec *pspec)
{
  /* NULL means no data, so offsets are stored plus 1. */
  g_param_spec_set_qdata (pspec, get_quark (), GSIZE_TO_POINTER (offset + 1));
  g_object_class_install_property (klass, id, pspec);
}

void
tfrc_properties_init (gpointer fields, GObjectClass *klass)
{
  guint n_pspecs;
  GParamSpec **pspecs = g_object_class_list_properties (klass, &n_pspecs);

  for (guint i = 0; i < n_pspecs; i++)
    tfrc_properties_set (fields, pspecs[i],
        g_param_spec_get_default_value (pspecs[i]));
  g_free (pspecs);
}

/* Takes ownership of `boxed`. */
static void
set_boxed (gpointer *field, GType type, gpointer boxed)
{
  if (*field != NULL)
    g_boxed_free (type, *field);
  *field = boxed;
}

/* NULL: the property is not one of the fields. */
static gpointer
find_field (gconstpointer fields, GParamSpec *pspec)
{
  const gsize place = GPOINTER_TO_SIZE (g_param_spec_get_qdata (pspec,
      get_quark ()));

  return place == 0 ? NULL : (guint8 *) fields + place - 1;
}

void
tfrc_properties_clear (gpointer fields, GObjectClass *klass)
{
  guint n_pspecs;
  GParamSpec **pspecs = g_object_class_list_properties (klass, &n_pspecs);

  for (guint i = 0; i < n_pspecs; i++) {
    gpointer *field = find_field (fields, pspecs[i]);
    GType type = pspecs[i]->value_type;

    if (field == NULL)
      continue;
    if (type == G_TYPE_STRING)
      g_clear_pointer (field, g_free);
    else if (G_TYPE_IS_BOXED (type))
      set_boxed (field, type, NULL);
  }
  g_free (pspecs);
}

/* Types copied by value: of the property, of the field, and the name in functions of
 * GValue. */
#define PLAIN_TYPES(X) \
  X (G_TYPE_BOOLEAN, gboolean, boolean) \
  X (G_TYPE_INT, gint, int) \
  X (G_TYPE_UINT, guint, uint) \
  X (G_TYPE_UINT64, guint64, uint64) \
  X (G_TYPE_ENUM, gint, enum) \
  X (G_TYPE_DOUBLE, gdouble, double)

gboolean
tfrc_properties_set (gpointer fields, GParamSpec *pspec, const GValue *value)
{
  gpointer field = find_field (fields, pspec);

  if (field == NULL)
    return FALSE;
  switch (G_TYPE_FUNDAMENTAL (pspec->value_type)) {
#define SET_PLAIN(TYPE, Field, name) \
  case TYPE: \
    *(Field *) field = g_value_get_##name (value); \
    return TRUE;
    PLAIN_TYPES (SET_PLAIN)
    case G_TYPE_STRING:
      g_free (*(gchar **) field);
      *(gchar **) field = g_value_dup_string (value);
      return TRUE;
    case G_TYPE_BOXED:
      set_boxed (field, pspec->value_type, g_value_dup_boxed (value));
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
tfrc_properties_get (gconstpointer fields, GParamSpec *pspec, GValue *value)
{
  gconstpointer field = find_field (fields, pspec);

  if (field == NULL)
    return FALSE;
  switch (G_TYPE_FUNDAMENTAL (pspec->value_type)) {
#define GET_PLAIN(TYPE, Field, name) \
  case TYPE: \
    g_value_set_##name (value, *(const Field *) field); \
    return TRUE;
    PLAIN_TYPES (GET_PLAIN)
    case G_TYPE_STRING:
      g_value_set_string (value, *(gchar *const *) field);
      return TRUE;
    case G_TYPE_BOXED:
      g_value_set_boxed (value, *(const gconstpointer *) field);
      return TRUE;
    default:
      return FALSE;
  }
}

gboolean
tfrc_properties_refuse (GError **error, const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  if (error != NULL)
    *error = g_error_new_valist (GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_SETTINGS, format, arguments);
  va_end (arguments);
  return FALSE;
}

static gboolean
is_unchanged (GObject *object, GParamSpec *pspec, const GValue *value)
{
  GValue old = G_VALUE_INIT;
  gboolean equal;

  g_value_init (&old, pspec->value_type);
  g_object_get_property (object, pspec->name, &old);
  equal = g_param_values_cmp (pspec, &old, value) == 0;
  g_value_unset (&old);
  return equal;
}

gboolean
tfrc_properties_refuse_late (GstElement *element, GParamSpec *pspec,
    const GValue *value)
{
  GstState last = (pspec->flags & GST_PARAM_MUTABLE_PLAYING) ? GST_STATE_PLAYING
      : (pspec->flags & GST_PARAM_MUTABLE_READY)
      ? GST_STATE_READY
      : GST_STATE_NULL;
  GstState state;

  GST_OBJECT_LOCK (element);
  state = MAX (GST_STATE (element), GST_STATE_NEXT (element));
  GST_OBJECT_UNLOCK (element);
  if (state <= last || is_unchanged (G_OBJECT (element), pspec, value))
    return FALSE;
  gst_element_message_full (element, GST_MESSAGE_WARNING, GST_LIBRARY_ERROR,
      GST_LIBRARY_ERROR_SETTINGS,
      g_strdup_printf ("%s cannot change in %s, and stays as it is: set it in "
                       "%s.",
          pspec->name, gst_element_state_get_name (state),
          gst_element_state_get_name (last)),
      NULL, __FILE__, GST_FUNCTION, __LINE__);
  return TRUE;
}
