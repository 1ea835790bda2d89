/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a user may set on a sender of TFMCC: one struct and its GObject
 * properties.  Names, ranges, defaults and texts are here. */
#pragma once

#include <gst/gst.h>

#include "tfmcc/sender.h"

G_BEGIN_DECLS

/* Property ids, from the one that they are installed at. */
typedef enum
{
  TFMCC_GROUP_PROP_FEEDBACK_RTTS,
  TFMCC_GROUP_PROP_FEEDBACK_PACKETS,
  TFMCC_GROUP_PROP_SUPPRESSION_MARGIN,
  TFMCC_GROUP_PROP_INITIAL_MAX_RTT,
  TFMCC_GROUP_N_PROPS
} TfmccGroupProp;

typedef struct
{
  gdouble feedback_rtts;      /* b [R_max] */
  gdouble feedback_packets;   /* c [packets] */
  gdouble suppression_margin; /* theta */
  guint initial_max_rtt;      /* [ms] */
} TfmccGroupSettings;

void tfmcc_group_settings_init (TfmccGroupSettings *self);

/* Installs TFMCC_GROUP_N_PROPS properties on an element class. */
void tfmcc_group_settings_install (GObjectClass *klass, guint first_id);

/* FALSE: no such setting. */
gboolean tfmcc_group_settings_set (TfmccGroupSettings *self, guint prop,
    const GValue *value);
gboolean tfmcc_group_settings_get (const TfmccGroupSettings *self, guint prop,
    GValue *value);

/* Sets what follows from these settings. */
void tfmcc_group_settings_configure (const TfmccGroupSettings *self,
    TfmccSenderConfig *config);

G_END_DECLS
