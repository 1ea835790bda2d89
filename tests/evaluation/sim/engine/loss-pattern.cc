/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "loss-pattern.h"

#include <memory>
#include <ns3/random-variable-stream.h>
#include <ns3/simulator.h>

using namespace ns3;

namespace {

/* What a phase does, from its first packet on. */
class LossRule
{
public:
  virtual ~LossRule() = default;
  virtual bool TakesNext() = 0;
};

class NoLoss : public LossRule
{
public:
  bool TakesNext() override { return false; }
};

class RandomLoss : public LossRule
{
public:
  explicit RandomLoss(double p) : m_p(p), m_random(CreateObject<UniformRandomVariable>()) {}

  bool TakesNext() override { return m_random->GetValue() < m_p; }

private:
  double m_p;
  Ptr<UniformRandomVariable> m_random;
};

class CountedLoss : public LossRule
{
public:
  /* Not empty: the packets that pass in front of each loss. */
  explicit CountedLoss(std::vector<uint64_t> counts) : m_counts(std::move(counts)) {}

  bool TakesNext() override
  {
    if (m_passed < m_counts[m_next]) {
      m_passed++;
      return false;
    }
    m_passed = 0;
    m_next = (m_next + 1) % m_counts.size();
    return true;
  }

private:
  std::vector<uint64_t> m_counts;
  size_t m_next = 0;
  uint64_t m_passed = 0;
};

std::unique_ptr<LossRule>
MakeEveryNth(const Parameters& parameters)
{
  uint64_t n = parameters.Count("n", 0);

  if (n == 0)
    parameters.Refuse("n is missing, or 0");
  return std::make_unique<CountedLoss>(std::vector<uint64_t>{n - 1});
}

std::unique_ptr<LossRule>
MakePattern(const Parameters& parameters)
{
  std::vector<uint64_t> counts;

  for (double count : parameters.Numbers("counts")) {
    if (!(count >= 0))
      parameters.Refuse("a count is below 0");
    counts.push_back(static_cast<uint64_t>(count));
  }
  if (counts.empty())
    parameters.Refuse("counts are missing");
  return std::make_unique<CountedLoss>(std::move(counts));
}

std::unique_ptr<LossRule>
MakeRule(const LossPhase& phase)
{
  if (phase.kind == "none")
    return std::make_unique<NoLoss>();
  if (phase.kind == "bernoulli")
    return std::make_unique<RandomLoss>(phase.parameters.Number("p", 0));
  if (phase.kind == "every-nth")
    return MakeEveryNth(phase.parameters);
  if (phase.kind == "pattern")
    return MakePattern(phase.parameters);
  phase.parameters.Refuse("there is no kind '" + phase.kind + "'");
}

class LossPattern : public ErrorModel
{
public:
  explicit LossPattern(const std::vector<LossPhase>& phases)
  {
    for (const LossPhase& phase : phases) {
      m_phases.push_back({phase.until_s, MakeRule(phase)});
      phase.parameters.RefuseUnread();
    }
  }

private:
  struct Phase
  {
    double until_s;
    std::unique_ptr<LossRule> rule;
  };

  bool DoCorrupt(Ptr<Packet>) override
  {
    double now_s = Simulator::Now().GetSeconds();

    while (m_present < m_phases.size() && now_s >= m_phases[m_present].until_s)
      m_present++;
    return m_present < m_phases.size() && m_phases[m_present].rule->TakesNext();
  }
  /* Time does not run back, so neither does this. */
  void DoReset() override {}

  std::vector<Phase> m_phases;
  size_t m_present = 0;
};

} // namespace

Ptr<ErrorModel>
MakeLossPattern(const std::vector<LossPhase>& phases)
{
  if (phases.empty())
    return nullptr;
  return Ptr<ErrorModel>(new LossPattern(phases), false);
}
