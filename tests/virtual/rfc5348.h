/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TFRC as RFC 5348 has it: all that is ours is off. */
#pragma once

#include "tfrc/receiver.h"
#include "tfrc/sender.h"

static inline TfrcSenderConfig
tfrc_sender_config_rfc5348 (void)
{
  TfrcSenderConfig config = tfrc_sender_config_default ();

  config.max_credit = TFRC_TIME_NONE;
  config.probe_interval = 0;
  config.min_nofeedback_interval = 0;
  config.tcp = TFRC_TCP_RENO;
  config.fast_return = false;
  return config;
}

static inline TfrcReceiverConfig
tfrc_receiver_config_rfc5348 (void)
{
  TfrcReceiverConfig config = tfrc_receiver_config_default ();

  config.detect_outages = false;
  config.min_feedback_interval = 0;
  config.adaptive_reordering = false;
  config.recent_maximum = false;
  config.tcp = TFRC_TCP_RENO;
  config.fast_return = false;
  return config;
}
