/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The type of the property "mode". */

#include "common/mode.h"

#include "common/properties.h"

TFRC_DEFINE_ENUM_TYPE (GstTfrcMode, gst_tfrc_mode,
    { GST_TFRC_MODE_AUTO, "By the address or the caps", "auto" },
    { GST_TFRC_MODE_TFRC, "TFRC, one receiver (RFC 5348)", "tfrc" },
    { GST_TFRC_MODE_TFMCC, "TFMCC, a group of receivers (RFC 4654)", "tfmcc" });
