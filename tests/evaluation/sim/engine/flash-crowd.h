/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Many short TCP transfers that all come within seconds (Bansal et al. 2001
 * section 4.1.2), between two hosts and counted as one flow.
 *
 * Parameters, besides those of tcp-socket.h:
 *   flows_per_s   200
 *   seconds       5: all transfers start within these
 *   packets       10, of each transfer
 * There are exactly flows_per_s * seconds transfers, at uniformly drawn
 * instants: a Poisson process whose count is known. */
#pragma once

#include "flow.h"

class FlashCrowd : public Flow
{
public:
  void Install(const FlowPlace& place) override;
};
