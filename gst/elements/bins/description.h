/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a tfrcsrc has been told about the streams that will come: one struct
 * and its GObject properties. */
#pragma once

#include "network/properties.h"
#include "bins/sdp.h"

G_BEGIN_DECLS

enum
{
  TFRC_DESCRIPTION_PROP_ENCODING_NAME = TFRC_NET_N_PROPS,
  TFRC_DESCRIPTION_PROP_CAPS,
  TFRC_DESCRIPTION_PROP_SDP,
  TFRC_DESCRIPTION_N_PROPS,
};

typedef struct
{
  gchar *encoding_name;
  GstCaps *caps;
  gchar *sdp;         /* as set; NULL = none */
  gchar *sdp_error;   /* why it was refused; NULL = it was not */
  gboolean needs_key; /* the SDP says SRTP */
} TfrcDescription;

void tfrc_description_clear (TfrcDescription *self);

void tfrc_description_install (GObjectClass *klass);

/* FALSE: no such property.  The caller holds the lock of the description.  The
 * SDP is read here and set with tfrc_description_set_sdp. */
gboolean tfrc_description_set (TfrcDescription *self, guint prop_id,
    const GValue *value);
gboolean tfrc_description_get (const TfrcDescription *self, guint prop_id,
    GValue *value);

/* Takes the caps of a session description (NULL = none) and sets `sdp`, which
 * the caller clears, to the rest.  FALSE: it tells nothing; what is wrong with
 * it is for tfrc_description_check to say. */
gboolean tfrc_description_set_sdp (TfrcDescription *self, const gchar *text,
    TfrcSdp *sdp);

/* What NULL to READY looks at: FALSE with an error for a refused SDP, or one
 * that wants a key where there is none. */
gboolean tfrc_description_check (const TfrcDescription *self, gboolean has_key,
    GError **error);

/* NULL = not known; the caller unrefs. */
GstCaps *tfrc_description_get_caps (const TfrcDescription *self,
    guint payload_type);

G_END_DECLS
