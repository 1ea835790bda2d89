/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the flow writes into a packet that leaves: the bytes of either
 * protocol's header extension. */
#pragma once

#include <glib.h>

#include "tfmcc-wire.h"
#include "tfrc-wire-extension.h"

typedef struct
{
  guint8 data[MAX (TFRC_WIRE_EXTENSION_SIZE, TFMCC_WIRE_EXTENSION_MAX)];
  guint size; /* of `data`; zeroes behind */
} TfrcStampBytes;
