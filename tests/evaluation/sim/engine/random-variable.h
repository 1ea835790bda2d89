/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ns-3's random variables, described by their mean:
 *
 *   {"kind": "constant", "mean": 5}
 *   {"kind": "uniform", "low": 3, "high": 7}
 *   {"kind": "exponential", "mean": 5}
 *   {"kind": "pareto", "mean": 5, "shape": 1.5}        shape > 1
 *   {"kind": "lognormal", "mean": 5, "sigma": 1}       sigma of the logarithm
 *
 * "bound" caps an exponential or Pareto variable: what is above is drawn
 * again. */
#pragma once

#include <ns3/random-variable-stream.h>

#include "parameters.h"

ns3::Ptr<ns3::RandomVariableStream> MakeRandomVariable(const Parameters& description);
