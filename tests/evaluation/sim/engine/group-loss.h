/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What one receiver of a group loses on its own path: each packet with
 * probability p, independently, or each n-th.  Costs a comparison per packet.
 * It does not know of what the links lose. */
#pragma once

#include <random>

#include "protocol.h"

class GroupLoss
{
public:
  GroupLoss() = default;
  /* 0 <= p < 1. */
  GroupLoss(double p, uint64_t seed);
  /* After `phase` others; n > 0 and phase < n. */
  static GroupLoss EveryNth(uint64_t n, uint64_t phase);

  /* Whether the next packet is lost. */
  bool Next()
  {
    if (m_left-- > 0)
      return false;
    Renew();
    return true;
  }

  /* Another probability from the next packet on. */
  void SetProbability(double p);
  double GetProbability() const { return m_n > 0 ? 1.0 / static_cast<double>(m_n) : m_p; }

private:
  void Renew();

  uint64_t m_left = UINT64_MAX; /* packets before the next one that is lost */
  uint64_t m_n = 0;             /* 0: at random */
  double m_p = 0;
  TfrcRng m_random = {};
};

/* Widmer and Handley 2001 section 3: "a small number of receivers
 * (proportional to a log(n) ...) is in the high loss range of 5-10 %, some
 * more are in the range of 2 %-5 %, and the vast majority have loss rates
 * between 0.5 % and 2 %".  Here ln n of n receivers, at least one, are in the
 * first range and three times as many in the second, each uniformly; the
 * first numbers are the worst. */
double DrawRealisticLoss(uint64_t number, uint64_t count, double uniform);
