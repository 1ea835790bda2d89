/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a user may set on a receiver of TFMCC: one struct and its GObject
 * properties.  Names, ranges, defaults and texts are here. */
#pragma once

#include <gst/gst.h>

#include "tfmcc/receiver.h"

typedef struct
{
  guint group_size;          /* N [receivers] */
  gdouble feedback_bias;     /* gamma */
  gdouble feedback_rtts;     /* b [R_max] */
  gdouble feedback_packets;  /* c [packets] */
  gdouble slow_start_factor; /* d */
  guint leave_timeout;       /* [ms]; 0 = never */
  gboolean auto_leave;
} TfmccReceiveSettings;

/* Installs the properties, all under one `id`; `offset` is that of the settings
 * in those of the element. */
void tfmcc_receive_settings_install (GObjectClass *klass, guint id,
    gsize offset);

/* Sets what follows from these settings. */
void tfmcc_receive_settings_configure (const TfmccReceiveSettings *self,
    TfmccReceiverConfig *config);
