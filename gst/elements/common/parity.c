/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* XOR of what a header and a payload have. */

#include "common/parity.h"

#include <string.h>

static void
xor_bytes (guint8 *to, const guint8 *from, guint size)
{
  for (guint i = 0; i < size; i++)
    to[i] ^= from[i];
}

void
tfrc_parity_add (TfrcParity *self, GstRTPBuffer *rtp)
{
  guint size = gst_rtp_buffer_get_payload_len (rtp);

  if (self->header.count == 0)
    self->header.first = gst_rtp_buffer_get_seq (rtp);
  self->header.count++;
  self->header.length ^= (guint16) size;
  self->header.payload_type ^= gst_rtp_buffer_get_payload_type (rtp);
  self->header.timestamp ^= gst_rtp_buffer_get_timestamp (rtp);
  self->marker ^= gst_rtp_buffer_get_marker (rtp);
  if (size > self->size) {
    self->payload = g_realloc (self->payload, size);
    memset (self->payload + self->size, 0, size - self->size);
    self->size = size;
  }
  if (size > 0)
    xor_bytes (self->payload, gst_rtp_buffer_get_payload (rtp), size);
}

void
tfrc_parity_clear (TfrcParity *self)
{
  g_free (self->payload);
  *self = (TfrcParity) { .payload = NULL };
}
