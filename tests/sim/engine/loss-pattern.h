/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets that a link loses of its own, whatever its queue: phases of random
 * or counted losses.  Asked once for every packet of data that is offered. */
#pragma once

#include <ns3/error-model.h>

#include "description.h"

/* Null when there are no phases. */
ns3::Ptr<ns3::ErrorModel> MakeLossPattern(const std::vector<LossPhase>& phases);
