/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "group-loss.h"

#include <algorithm>
#include <cmath>

GroupLoss::GroupLoss(double p, uint64_t seed)
{
  tfrc_rng_init(&m_random, seed, 2);
  SetProbability(p);
}

GroupLoss
GroupLoss::EveryNth(uint64_t n, uint64_t phase)
{
  GroupLoss loss;

  loss.m_n = n;
  loss.m_left = phase;
  return loss;
}

void
GroupLoss::SetProbability(double p)
{
  m_n = 0;
  m_p = p;
  Renew();
}

/* The packets between two losses are distributed geometrically. */
void
GroupLoss::Renew()
{
  if (m_n > 0)
    m_left = m_n - 1;
  else if (m_p > 0)
    m_left =
      static_cast<uint64_t>(std::log(tfrc_rng_uniform(&m_random)) / std::log1p(-m_p));
  else
    m_left = UINT64_MAX;
}

double
DrawRealisticLoss(uint64_t number, uint64_t count, double uniform)
{
  uint64_t high =
    std::max<uint64_t>(1, std::llround(std::log(static_cast<double>(count))));

  if (number < high)
    return 0.05 + 0.05 * uniform;
  if (number < 4 * high)
    return 0.02 + 0.03 * uniform;
  return 0.005 + 0.015 * uniform;
}
