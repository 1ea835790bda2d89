/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The members of a group as the description has them (simulation.py, class
 * Members), one by one with their ranges drawn, and the configuration of the
 * sender and the receivers.
 *
 * What a member draws depends on the seed, the flow, its part of `members` and
 * its number in there alone. */
#pragma once

#include <limits>

#include "description.h"
#include "group-loss.h"
#include "protocol.h"

struct MemberDescription
{
  double delay_ms = 0;          /* each way, whole ms */
  double join_s = 0;
  double leave_s = std::numeric_limits<double>::infinity();
  bool killed = false;          /* it leaves without a word */
  double report_loss = 0;
  GroupLoss loss;
  uint64_t seed = 0;            /* of the receiver */
  uint32_t timestamp_offset_us = 0;
  std::vector<std::pair<double, double>> delays, losses;        /* s, ms or p */
};

std::vector<MemberDescription> ReadMembers(const FlowDescription& flow);

TfmccSenderConfig ReadGroupSenderConfig(const FlowDescription& flow);
/* But for what each receiver has of its own. */
TfmccReceiverConfig ReadGroupReceiverConfig(const FlowDescription& flow);
