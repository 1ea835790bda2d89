/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The type of the property "priority" of pads. */

#include "common/priority.h"

#include "common/enum-type.h"

TFRC_DEFINE_ENUM_TYPE (GstTfrcPriority, gst_tfrc_priority,
    { GST_TFRC_PRIORITY_AUTO, "High for audio, else low", "auto" },
    { GST_TFRC_PRIORITY_VERY_LOW, "Half of low's share", "very-low" },
    { GST_TFRC_PRIORITY_LOW, "As WebRTC has by default", "low" },
    { GST_TFRC_PRIORITY_MEDIUM, "Twice low's share", "medium" },
    { GST_TFRC_PRIORITY_HIGH, "Four times low's share", "high" });
