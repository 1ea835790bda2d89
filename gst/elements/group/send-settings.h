/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a user may set on a sender of TFMCC. */
#pragma once

#include <gst/gst.h>

#include "tfmcc/sender.h"

typedef struct
{
  gdouble feedback_rtts;      /* b [R_max] */
  gdouble feedback_packets;   /* c [packets] */
  gdouble suppression_margin; /* theta */
  guint initial_max_rtt;      /* [ms] */
} TfmccSendSettings;

/* Installs the properties, of settings that are at `offset` of those of the
 * element; see common/properties.h. */
void tfmcc_send_settings_install (GObjectClass *klass, guint id, gsize offset);

/* Sets what follows from these settings. */
void tfmcc_send_settings_configure (const TfmccSendSettings *self,
    TfmccSenderConfig *config);
