/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets that a link loses of its own, whatever its queue: phases of random
 * or counted losses.  Asked once for every packet of data that is offered. */
#pragma once

#include <ns3/error-model.h>

#include "description.h"

/* Null when there are no phases.  The kinds and their parameters:
 *
 *   none
 *   bernoulli   p        every packet with that probability
 *   every-nth   n        the last of every n packets
 *   pattern     counts   one packet after as many that pass, in a cycle
 *
 * After the last phase nothing is lost. */
ns3::Ptr<ns3::ErrorModel> MakeLossPattern(const std::vector<LossPhase>& phases);
