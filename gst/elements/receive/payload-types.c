/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Payload types to media. */

#include "receive/payload-types.h"

#include <string.h>

#include "common/fec.h"
#include "common/key-frame.h"
#include "common/retransmission.h"

static TfrcMedia
media_from_caps (const GstCaps *caps)
{
  TfrcMedia media = { FALSE, FALSE, FALSE, NULL };
  const GstStructure *structure;
  const gchar *kind, *encoding_name;

  if (!caps || gst_caps_get_size (caps) == 0)
    return media;
  structure = gst_caps_get_structure (caps, 0);
  kind = gst_structure_get_string (structure, "media");
  encoding_name = gst_structure_get_string (structure, "encoding-name");
  media.known = TRUE;
  media.encoding_name = g_intern_string (encoding_name);
  media.rtx = tfrc_rtx_is_caps (structure, NULL);
  if (media.rtx || tfrc_fec_is_caps (structure))
    return media;
  media.video = kind ? g_str_equal (kind, "video")
                     : tfrc_key_frame_is_known (encoding_name);
  return media;
}

void
tfrc_payload_types_set_caps (TfrcPayloadTypes *self, const GstCaps *caps)
{
  TfrcMedia media = media_from_caps (caps);
  gint type;

  memset (self, 0, sizeof (*self));
  if (media.known
      && gst_structure_get_int (gst_caps_get_structure (caps, 0), "payload",
          &type)
      && type >= 0 && type < TFRC_PAYLOAD_TYPES)
    self->types[type] = media;
  else
    self->any = media;
}

void
tfrc_payload_types_clear (TfrcPayloadTypes *self)
{
  memset (self->types, 0, sizeof (self->types));
}

void
tfrc_payload_types_set (TfrcPayloadTypes *self, guint8 type,
    const GstCaps *caps)
{
  g_return_if_fail (type < TFRC_PAYLOAD_TYPES);

  self->types[type] = caps ? media_from_caps (caps) : self->any;
  self->types[type].known = TRUE;
}
