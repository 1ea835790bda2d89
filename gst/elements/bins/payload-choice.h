/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Payload types for streams of one RTP session, which a receiver tells apart by
 * them: all payloaders are at 96 by default. */
#pragma once

#include <gst/gst.h>

typedef struct
{
  gint fixed;  /* of the caps of the stream; -1 = none yet */
  gint wanted; /* of its payloader, below 128; -1 = not known */
} TfrcPayloadChoice;

/* The type to offer stream `index` of n, 96 to 127: where the one that it wants
 * is that of another stream already, or of one before it.  What is fixed stays,
 * and the outcome does not depend on who asks first.  -1: it may have what it
 * wants, or nothing is free. */
gint tfrc_payload_choice_make (const TfrcPayloadChoice *streams, gint n,
    gint index);
