/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which protocol an element speaks: TFRC with one receiver, TFMCC with a group
 * of them. */
#pragma once

#include <gst/gst.h>

#define GST_TYPE_TFRC_MODE (gst_tfrc_mode_get_type ())

/**
 * GstTfrcMode:
 * @GST_TFRC_MODE_AUTO: what the address says (bins), or the caps; else TFRC
 * @GST_TFRC_MODE_TFRC: TFRC, RFC 5348: one receiver
 * @GST_TFRC_MODE_TFMCC: TFMCC, RFC 4654: a group of receivers
 */
typedef enum
{
  GST_TFRC_MODE_AUTO,
  GST_TFRC_MODE_TFRC,
  GST_TFRC_MODE_TFMCC,
} GstTfrcMode;

GType gst_tfrc_mode_get_type (void);
