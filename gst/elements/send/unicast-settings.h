/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a user may set on a sender of TFRC: one struct and its GObject
 * properties.  Names, ranges, defaults and texts are here. */
#pragma once

#include <gst/gst.h>

#include "tfrc/sender.h"

G_BEGIN_DECLS

#define GST_TYPE_RTP_TFRC_RTO_MODE (gst_rtp_tfrc_rto_mode_get_type ())
GType gst_rtp_tfrc_rto_mode_get_type (void);

/* Property ids, from the one that they are installed at. */
typedef enum
{
  TFRC_UNICAST_PROP_SELF_CLOCKING,
  TFRC_UNICAST_PROP_RTO_MODE,
  TFRC_UNICAST_PROP_RTO_SCALE,
  TFRC_UNICAST_PROP_RTO_FLOOR,
  TFRC_UNICAST_PROP_RATE_SCALE,
  TFRC_UNICAST_PROP_OSCILLATION_DAMPING,
  TFRC_UNICAST_PROP_PROBE_INTERVAL,
  TFRC_UNICAST_N_PROPS
} TfrcUnicastProp;

typedef struct
{
  gboolean self_clocking;
  TfrcRtoMode rto_mode;
  gdouble rto_scale;
  guint rto_floor; /* [ms] */
  gdouble rate_scale;
  gboolean oscillation_damping;
  guint probe_interval; /* [ms] */
} TfrcUnicastSettings;

void tfrc_unicast_settings_init (TfrcUnicastSettings *self);

/* Installs TFRC_UNICAST_N_PROPS properties on an element class. */
void tfrc_unicast_settings_install (GObjectClass *klass, guint first_id);

/* FALSE: no such setting. */
gboolean tfrc_unicast_settings_set (TfrcUnicastSettings *self, guint prop,
    const GValue *value);
gboolean tfrc_unicast_settings_get (const TfrcUnicastSettings *self, guint prop,
    GValue *value);

/* Sets what follows from these settings. */
void tfrc_unicast_settings_configure (const TfrcUnicastSettings *self,
    TfrcSenderConfig *config);

G_END_DECLS
