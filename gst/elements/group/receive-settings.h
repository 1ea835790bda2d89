/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a user may set on a receiver of TFMCC: one struct and its GObject
 * properties.  Names, ranges, defaults and texts are here. */
#pragma once

#include <gst/gst.h>

#include "tfmcc/receiver.h"

G_BEGIN_DECLS

/* Property ids, from the one that they are installed at. */
typedef enum
{
  TFMCC_MEMBER_PROP_GROUP_SIZE,
  TFMCC_MEMBER_PROP_FEEDBACK_BIAS,
  TFMCC_MEMBER_PROP_FEEDBACK_RTTS,
  TFMCC_MEMBER_PROP_FEEDBACK_PACKETS,
  TFMCC_MEMBER_PROP_SLOW_START_FACTOR,
  TFMCC_MEMBER_PROP_LEAVE_TIMEOUT,
  TFMCC_MEMBER_PROP_AUTO_LEAVE,
  TFMCC_MEMBER_N_PROPS
} TfmccMemberProp;

typedef struct
{
  guint group_size;          /* N [receivers] */
  gdouble feedback_bias;     /* gamma */
  gdouble feedback_rtts;     /* b [R_max] */
  gdouble feedback_packets;  /* c [packets] */
  gdouble slow_start_factor; /* d */
  guint leave_timeout;       /* [ms]; 0 = never */
  gboolean auto_leave;
} TfmccMemberSettings;

void tfmcc_member_settings_init (TfmccMemberSettings *self);

/* Installs TFMCC_MEMBER_N_PROPS properties on an element class. */
void tfmcc_member_settings_install (GObjectClass *klass, guint first_id);

/* FALSE: no such setting. */
gboolean tfmcc_member_settings_set (TfmccMemberSettings *self, guint prop,
    const GValue *value);
gboolean tfmcc_member_settings_get (const TfmccMemberSettings *self, guint prop,
    GValue *value);

/* Sets what follows from these settings. */
void tfmcc_member_settings_configure (const TfmccMemberSettings *self,
    TfmccReceiverConfig *config);

G_END_DECLS
