/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "loss-pattern.h"

ns3::Ptr<ns3::ErrorModel>
MakeLossPattern(const std::vector<LossPhase>& phases)
{
  if (!phases.empty())
    phases.front().parameters.Refuse("there is no kind '" + phases.front().kind + "'");
  return nullptr;
}
