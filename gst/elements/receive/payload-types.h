/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the payload types of a flow stand for: as the caps of the flow say, or
 * the caps that somebody gives for one of them.
 *
 * No locks: the owner has one. */
#pragma once

#include <gst/gst.h>

#define TFRC_PAYLOAD_TYPES 128

typedef struct
{
  gboolean known; /* asked for, whatever the answer was */
  gboolean video;
  gboolean rtx;               /* what it stands for is in other packets */
  const gchar *encoding_name; /* interned; NULL = not known */
} TfrcMedia;

typedef struct
{
  TfrcMedia types[TFRC_PAYLOAD_TYPES];
  TfrcMedia any; /* of caps that name no payload type */
} TfrcPayloadTypes;

/* Forgets all, and takes what the caps of the flow say; NULL: nothing. */
void tfrc_payload_types_set_caps (TfrcPayloadTypes *self, const GstCaps *caps);

/* Forgets what tfrc_payload_types_set said. */
void tfrc_payload_types_clear (TfrcPayloadTypes *self);

/* The caps of one type; NULL = not known either. `type` is below
 * TFRC_PAYLOAD_TYPES. */
void tfrc_payload_types_set (TfrcPayloadTypes *self, guint8 type,
    const GstCaps *caps);

static inline const TfrcMedia *
tfrc_payload_types_get (const TfrcPayloadTypes *self, guint8 type)
{
  return &self->types[type % TFRC_PAYLOAD_TYPES];
}
