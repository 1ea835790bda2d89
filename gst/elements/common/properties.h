/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Properties of an object that are the fields of a struct: name, range, default
 * and text are those of the specification, and the value is in the struct.
 *
 * A field has the type of its property: gboolean, gint, guint, guint64, gdouble,
 * an enum, or a gchar * or boxed pointer that the struct owns.  No lock: the
 * owner holds one around set and get. */
#pragma once

#include <gst/gst.h>

/* Enumerations that are values of properties of several elements. */

/* Which protocol an element speaks: TFRC with one receiver, TFMCC with a group
 * of them. */
#define GST_TYPE_TFRC_MODE (gst_tfrc_mode_get_type ())

typedef enum
{
  GST_TFRC_MODE_AUTO,
  GST_TFRC_MODE_TFRC,
  GST_TFRC_MODE_TFMCC,
} GstTfrcMode;

GType gst_tfrc_mode_get_type (void);

/* The formats of reports, by which a sender knows what arrived: as values of the
 * properties "feedback" of both ends, the best first, and as names. */
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

/* As in the property; AUTO is "none". */
const gchar *tfrc_feedback_get_name (GstRtpTfrcFeedback format);

/* Shares of the rate of one flow that streams get while all of them have packets waiting
 * (RFC 8835 section 4.1), the levels of GstWebRTCPriorityType; what one does not need is
 * for the others. */
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

/* Of video: the highest level has 8. */
guint tfrc_priority_get_video_weight (GstTfrcPriority priority);

/* The property "priority" of a class of pads. */
void tfrc_priority_install (GObjectClass *klass, guint id);

/* When a property may be set: in any state, in READY, or in NULL. */
#define TFRC_PROPERTY_ANY_STATE \
  (TFRC_PROPERTY_BEFORE_READY | GST_PARAM_MUTABLE_PLAYING)
#define TFRC_PROPERTY_BEFORE_PAUSED \
  (TFRC_PROPERTY_BEFORE_READY | GST_PARAM_MUTABLE_READY)
#define TFRC_PROPERTY_BEFORE_READY (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)

/* Installs the property whose value is at `offset` of the struct.  All of a
 * class may have the same `id`: what tells them apart is the specification. */
void tfrc_properties_install (GObjectClass *klass, guint id, gsize offset,
    GParamSpec *pspec);

/* Sets the fields of all properties of the class to their defaults. */
void tfrc_properties_init (gpointer fields, GObjectClass *klass);

/* Frees what the fields own. */
void tfrc_properties_clear (gpointer fields, GObjectClass *klass);

/* FALSE: the property is none of the fields. */
gboolean tfrc_properties_set (gpointer fields, GParamSpec *pspec,
    const GValue *value);
gboolean tfrc_properties_get (gconstpointer fields, GParamSpec *pspec,
    GValue *value);

/* Whether `value` comes too late, by the flags above: then it is not to be set, and a
 * warning on the bus says when it may.  What changes nothing never does.  No lock may be
 * held. */
gboolean tfrc_properties_refuse_late (GstElement *element, GParamSpec *pspec,
    const GValue *value);

/* What is set cannot be: an error (GST_RESOURCE_ERROR_SETTINGS) that says why; FALSE. */
gboolean tfrc_properties_refuse (GError **error, const gchar *format, ...)
    G_GNUC_PRINTF (2, 3);

/* Defines name_get_type (), the type of an enumeration of the plugin's API.
 * After the names come its GEnumValues: value, text, nick.  A semicolon ends
 * it. */
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
