/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How streams that share one flow share its rate: the levels of WebRTC, as in
 * GstWebRTCPriorityType. */
#pragma once

#include <gst/gst.h>

#define GST_TYPE_TFRC_PRIORITY (gst_tfrc_priority_get_type ())

/**
 * GstTfrcPriority:
 * @GST_TFRC_PRIORITY_AUTO: high for audio, else low
 * @GST_TFRC_PRIORITY_VERY_LOW: half of low's share
 * @GST_TFRC_PRIORITY_LOW: what WebRTC gives a stream that nothing is said of
 * @GST_TFRC_PRIORITY_MEDIUM: twice low's share
 * @GST_TFRC_PRIORITY_HIGH: four times low's share
 *
 * Shares of the rate that streams get while all of them have packets waiting
 * (RFC 8835 section 4.1); what one does not need is for the others.
 */
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
