/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Descriptions of random variables to ns-3's objects. */
#include "random-variable.h"

#include <cmath>

#include <ns3/double.h>
#include <ns3/object-factory.h>

using namespace ns3;

namespace {

Ptr<RandomVariableStream>
MakeAroundMean(const std::string& kind, double mean, const Parameters& description)
{
  if (kind == "constant")
    return CreateObjectWithAttributes<ConstantRandomVariable>(
        "Constant", DoubleValue(mean));
  if (kind == "lognormal") {
    double sigma = description.Number("sigma", 1);

    return CreateObjectWithAttributes<LogNormalRandomVariable>(
        "Mu", DoubleValue(std::log(mean) - sigma * sigma / 2),
        "Sigma", DoubleValue(sigma));
  }

  DoubleValue bound(description.Number("bound", 0));

  if (kind == "exponential")
    return CreateObjectWithAttributes<ExponentialRandomVariable>(
        "Mean", DoubleValue(mean), "Bound", bound);
  if (kind == "pareto") {
    double shape = description.Number("shape", 0);

    if (shape <= 1)
      description.Refuse("only a shape above 1 has a mean");
    return CreateObjectWithAttributes<ParetoRandomVariable>(
        "Scale", DoubleValue(mean * (shape - 1) / shape),
        "Shape", DoubleValue(shape), "Bound", bound);
  }
  description.Refuse("no random variable is called '" + kind + "'");
}

} // namespace

Ptr<RandomVariableStream>
MakeRandomVariable(const Parameters& description)
{
  std::string kind = description.Text("kind", "");
  Ptr<RandomVariableStream> variable;

  if (kind == "uniform") {
    double low = description.Number("low", 0);
    double high = description.Number("high", 0);

    if (low > high)
      description.Refuse("low is above high");
    variable = CreateObjectWithAttributes<UniformRandomVariable>(
        "Min", DoubleValue(low), "Max", DoubleValue(high));
  } else {
    double mean = description.Number("mean", 0);

    if (mean <= 0)
      description.Refuse("a mean above 0 is wanted");
    variable = MakeAroundMean(kind, mean, description);
  }
  description.RefuseUnread();
  return variable;
}
