/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TFRC or TFMCC. */

#include "send/mode.h"

#include "send/stamper.h"

static void start_parts (TfrcSendMode *self, guint mtu);

void
tfrc_send_mode_start (TfrcSendMode *self, const TfrcFlowConfig *config,
    guint mtu)
{
  self->config = *config;
  self->choosing = config->mode == GST_TFRC_MODE_AUTO;
  start_parts (self, mtu);
  /* TFMCC's header extension is larger. */
  if (!self->choosing)
    tfrc_send_intake_limit_mtu (self->intake);
}

gboolean
tfrc_send_mode_choose (TfrcSendMode *self, const GstCaps *caps)
{
  if (!self->choosing)
    return FALSE;
  self->choosing = FALSE;
  if (!tfrc_stamper_caps_name_tfmcc (caps))
    return FALSE;
  self->config.mode = GST_TFRC_MODE_TFMCC;
  start_parts (self, self->intake->mtu);
  return TRUE;
}

static void
start_parts (TfrcSendMode *self, guint mtu)
{
  /* RFC 6679 section 7.2.3: in a group nobody knows who reads the marks. */
  tfrc_send_ecn_start (self->ecn,
      self->config.ecn && self->config.mode != GST_TFRC_MODE_TFMCC);
  tfrc_flow_start (self->flow, &self->config);
  tfrc_send_intake_start (self->intake, self->config.mode, mtu);
}
