/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of an object whose values are the fields of a struct; name, range, default
 * and text are those of the GParamSpec.
 *
 * A field has the type of its property: gboolean, gint, guint, guint64, gdouble, an enum,
 * or a gchar * or boxed pointer that the struct owns.  No lock: the owner holds one
 * around set and get. */
#pragma once

#include <gst/gst.h>

/* Enumerations that are values of properties of several elements. */

/* The protocol of an element: TFRC with one receiver, TFMCC with a group. */
#define GST_TYPE_TFRC_MODE (gst_tfrc_mode_get_type ())

typedef enum
{
  GST_TFRC_MODE_AUTO,
  GST_TFRC_MODE_TFRC,
  GST_TFRC_MODE_TFMCC,
} GstTfrcMode;

GType gst_tfrc_mode_get_type (void);

/* The formats of reports by which a sender learns what arrived: as values of the property
 * "feedback" of both ends, the best first, and as names. */
#define GST_TYPE_RTP_TFRC_FEEDBACK (gst_rtp_tfrc_feedback_get_type ())

typedef enum
{
  GST_RTP_TFRC_FEEDBACK_AUTO,
  GST_RTP_TFRC_FEEDBACK_TFRC,
  GST_RTP_TFRC_FEEDBACK_CCFB,
  GST_RTP_TFRC_FEEDBACK_TWCC,
  GST_RTP_TFRC_FEEDBACK_RR,
  GST_RTP_TFRC_FEEDBACK_NONE,
} GstRtpTfrcFeedback;

GType gst_rtp_tfrc_feedback_get_type (void);

/* The name, as in the property; that of AUTO is "none". */
const gchar *tfrc_feedback_get_name (GstRtpTfrcFeedback format);

/* The shares of streams in the rate of one flow while all have packets waiting (RFC 8835
 * section 4.1): the levels of GstWebRTCPriorityType.  What one stream does not need is
 * available to others. */
#define GST_TYPE_TFRC_PRIORITY (gst_tfrc_priority_get_type ())

typedef enum
{
  GST_TFRC_PRIORITY_AUTO,
  GST_TFRC_PRIORITY_VERY_LOW,
  GST_TFRC_PRIORITY_LOW,
  GST_TFRC_PRIORITY_MEDIUM,
  GST_TFRC_PRIORITY_HIGH,
} GstTfrcPriority;

GType gst_tfrc_priority_get_type (void);

/* The weight of video of this priority, from 1 to 8; AUTO = LOW. */
guint tfrc_priority_get_video_weight (GstTfrcPriority priority);

/* Installs the property "priority" on a class of pads. */
void tfrc_priority_install (GObjectClass *klass, guint id);

/* When a property may be set: in any state, in READY, or in NULL. */
#define TFRC_PROPERTY_ANY_STATE \
  (TFRC_PROPERTY_BEFORE_READY | GST_PARAM_MUTABLE_PLAYING)
#define TFRC_PROPERTY_BEFORE_PAUSED \
  (TFRC_PROPERTY_BEFORE_READY | GST_PARAM_MUTABLE_READY)
#define TFRC_PROPERTY_BEFORE_READY (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)

/* Installs a property whose value is at `offset` in the struct.  All of a class may have
 * the same `id`, as they are told apart by their GParamSpec. */
void tfrc_properties_install (GObjectClass *klass, guint id, gsize offset,
    GParamSpec *pspec);

/* Sets the fields of all properties of the class to their defaults. */
void tfrc_properties_init (gpointer fields, GObjectClass *klass);

/* Frees what the fields own. */
void tfrc_properties_clear (gpointer fields, GObjectClass *klass);

/* Set or get a field.  FALSE: the property is not one of them. */
gboolean tfrc_properties_set (gpointer fields, GParamSpec *pspec,
    const GValue *value);
gboolean tfrc_properties_get (gconstpointer fields, GParamSpec *pspec,
    GValue *value);

/* Whether it is too late to set `value`, by the flags above; then a warning on the bus
 * says when the property may be set, and the caller must not set it.  FALSE for the
 * present value.  Call it without locks. */
gboolean tfrc_properties_refuse_late (GstElement *element, GParamSpec *pspec,
    const GValue *value);

/* Sets an error (GST_RESOURCE_ERROR_SETTINGS) that says why settings are not possible,
 * and returns FALSE. */
gboolean tfrc_properties_refuse (GError **error, const gchar *format, ...)
    G_GNUC_PRINTF (2, 3);

/* Defines name_get_type () of an enumeration in the plugin's API.  The arguments after
 * the names are GEnumValues: value, text, nick.  Must be followed by a semicolon. */
#define TFRC_DEFINE_ENUM_TYPE(TypeName, name, ...) \
  GType name##_get_type (void) \
  { \
    static const GEnumValue values[] = { __VA_ARGS__, { 0, NULL, NULL } }; \
    static gsize type; \
\
    if (g_once_init_enter (&type)) { \
      GType registered = g_enum_register_static (#TypeName, values); \
\
      gst_type_mark_as_plugin_api (registered, 0); \
      g_once_init_leave (&type, registered); \
    } \
    return type; \
  } \
  GType name##_get_type (void)
