/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the stamps of a flow, receive/extension-id.h, and tells what is wrong with
 * them: counts it, and warns once of each kind.
 *
 * No clock, no locks: the owner has both.  Its warnings are the owner's. */
#pragma once

#include <gst/gst.h>

#include "receive/extension-id.h"

G_BEGIN_DECLS

typedef struct
{
  GstElement *owner; /* not referenced */
  TfrcExtensionId id;
  gboolean warned_of_unstamped;
  guint64 malformed;
  guint64 rejected;
} TfrcStampReader;

/* `owner` outlives this.  Of the mode see tfrc_extension_id_set_mode. */
void tfrc_stamp_reader_init (TfrcStampReader *self, GstElement *owner,
    GstTfrcMode mode);

/* *stamp is set with TFRC_EXTENSION_STAMP. */
TfrcExtensionResult tfrc_stamp_reader_read (TfrcStampReader *self,
    GstRTPBuffer *rtp, TfrcExtensionStamp *stamp, TfrcTime now);

G_END_DECLS
