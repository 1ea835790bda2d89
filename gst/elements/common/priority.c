/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The type of the property "priority" of pads. */

#include "common/priority.h"

#include "common/properties.h"

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
          "Share of the rate beside the other streams, while all have packets "
          "waiting: each level gets twice that of the one below (default: auto "
          "= high for audio, else low)",
          GST_TYPE_TFRC_PRIORITY, GST_TFRC_PRIORITY_AUTO,
          G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS
              | GST_PARAM_MUTABLE_PLAYING));
}
