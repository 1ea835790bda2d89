/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Looks at each result of the extension's id. */

#include "receive/stamp-reader.h"

GST_DEBUG_CATEGORY_EXTERN (gst_rtp_tfrc_receive_debug);
#define GST_CAT_DEFAULT gst_rtp_tfrc_receive_debug

void
tfrc_stamp_reader_init (TfrcStampReader *self, GstElement *owner,
    GstTfrcMode mode)
{
  self->owner = owner;
  tfrc_extension_id_init (&self->id);
  tfrc_extension_id_set_mode (&self->id, mode);
  self->warned_of_unstamped = FALSE;
  self->malformed = 0;
  self->rejected = 0;
}

TfrcExtensionResult
tfrc_stamp_reader_read (TfrcStampReader *self, GstRTPBuffer *rtp,
    TfrcExtensionStamp *stamp, TfrcTime now)
{
  TfrcExtensionResult result = tfrc_extension_id_read (&self->id, rtp, stamp,
      now);
  guint32 ssrc = gst_rtp_buffer_get_ssrc (rtp);
  guint seq = gst_rtp_buffer_get_seq (rtp);

  switch (result) {
    case TFRC_EXTENSION_STAMP:
      break;
    case TFRC_EXTENSION_MALFORMED:
      if (self->malformed++ == 0)
        GST_WARNING_OBJECT (self->owner,
            "event=malformed-extension id=%u "
            "ssrc=%08x seq=%u (said once)",
            tfrc_extension_id_get (&self->id), ssrc, seq);
      break;
    case TFRC_EXTENSION_REJECTED:
      if (self->rejected++ == 0)
        GST_WARNING_OBJECT (self->owner,
            "event=foreign-extension ssrc=%08x "
            "seq=%u (said once)",
            ssrc, seq);
      break;
    case TFRC_EXTENSION_NONE:
      if (!self->warned_of_unstamped)
        GST_WARNING_OBJECT (self->owner,
            "event=no-extension ssrc=%08x seq=%u: "
            "no feedback on such packets (said once)",
            ssrc, seq);
      self->warned_of_unstamped = TRUE;
      break;
  }
  return result;
}
