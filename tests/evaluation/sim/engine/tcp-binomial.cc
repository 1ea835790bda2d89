/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tcp-binomial.h"

#include <algorithm>
#include <cmath>

#include <ns3/double.h>

using namespace ns3;

namespace {

/* Nothing below is of use: RFC 5681 equation (4) takes two segments. */
constexpr double MinWindow = 2.0;

/* a / d of every TCP-compatible binomial control with k + l = 1. */
constexpr double CompatibleRatio = 1.5;

} // namespace

NS_OBJECT_ENSURE_REGISTERED(TcpBinomial);
NS_OBJECT_ENSURE_REGISTERED(TcpAimd);
NS_OBJECT_ENSURE_REGISTERED(TcpSqrt);
NS_OBJECT_ENSURE_REGISTERED(TcpIiad);

TypeId
TcpBinomial::GetTypeId()
{
  static TypeId type
      = TypeId("TcpBinomial")
            .SetParent<TcpCongestionOps>()
            .AddAttribute("B", "decrease parameter b = 1/g",
                           DoubleValue(0.5),
                           MakeDoubleAccessor(&TcpBinomial::m_b),
                           MakeDoubleChecker<double>(0.0, 1.0));
  return type;
}

/* A loss in slow start says nothing about the window that b is meant for: the
 * last RTT has doubled it, so it is halved whatever b is, as ns-2 does. */
uint32_t
TcpBinomial::GetSsThresh(Ptr<const TcpSocketState> state, uint32_t)
{
  double segment = state->m_segmentSize;
  double window = std::max(state->m_cWnd.Get() / segment, m_recovery_window);

  window -= m_slow_start ? window / 2.0 : GetDecrease(window);
  window = std::max(window, MinWindow);
  m_slow_start = false;
  if (state->m_congState == TcpSocketState::CA_RECOVERY)
    m_recovery_window = window;
  return static_cast<uint32_t>(segment * window);
}

void
TcpBinomial::IncreaseWindow(Ptr<TcpSocketState> state,
                            uint32_t segments_acked)
{
  m_slow_start = state->m_cWnd < state->m_ssThresh;
  if (m_slow_start) {
    uint32_t missing = state->m_ssThresh.Get() - state->m_cWnd.Get();
    uint32_t segments = missing / state->m_segmentSize
        + (missing % state->m_segmentSize != 0);
    uint32_t used = std::min(segments, segments_acked);

    state->m_cWnd += std::min(used * state->m_segmentSize, missing);
    segments_acked -= used;
  }
  if (segments_acked > 0)
    GrowSlowly(state, segments_acked);
}

void
TcpBinomial::CongestionStateSet(Ptr<TcpSocketState>,
                                TcpSocketState::TcpCongState_t next)
{
  m_recovery_window = 0.0;
  if (next == TcpSocketState::CA_LOSS)
    m_slow_start = true;
}

/* One RTT is a window of acknowledged segments. */
void
TcpBinomial::GrowSlowly(Ptr<TcpSocketState> state, uint32_t segments_acked)
{
  double segment = state->m_segmentSize;
  double window = state->m_cWnd.Get() / segment;

  m_growth += segment * segments_acked * GetIncrease(window) / window;
  uint32_t whole = static_cast<uint32_t>(m_growth);
  state->m_cWnd += whole;
  m_growth -= whole;
}

TypeId
TcpAimd::GetTypeId()
{
  static TypeId type = TypeId("TcpAimd")
                           .SetParent<TcpBinomial>()
                           .AddConstructor<TcpAimd>();
  return type;
}

Ptr<TcpCongestionOps>
TcpAimd::Fork()
{
  return CopyObject<TcpAimd>(this);
}

double
TcpAimd::GetIncrease(double) const
{
  return 4.0 * (2.0 * GetB() - GetB() * GetB()) / 3.0;
}

double
TcpAimd::GetDecrease(double window) const
{
  return GetB() * window;
}

TypeId
TcpSqrt::GetTypeId()
{
  static TypeId type = TypeId("TcpSqrt")
                           .SetParent<TcpBinomial>()
                           .AddConstructor<TcpSqrt>();
  return type;
}

Ptr<TcpCongestionOps>
TcpSqrt::Fork()
{
  return CopyObject<TcpSqrt>(this);
}

double
TcpSqrt::GetIncrease(double window) const
{
  return CompatibleRatio * GetB() / std::sqrt(window);
}

double
TcpSqrt::GetDecrease(double window) const
{
  return GetB() * std::sqrt(window);
}

TypeId
TcpIiad::GetTypeId()
{
  static TypeId type = TypeId("TcpIiad")
                           .SetParent<TcpBinomial>()
                           .AddConstructor<TcpIiad>();
  return type;
}

Ptr<TcpCongestionOps>
TcpIiad::Fork()
{
  return CopyObject<TcpIiad>(this);
}

double
TcpIiad::GetIncrease(double window) const
{
  return CompatibleRatio * GetB() / window;
}

double
TcpIiad::GetDecrease(double) const
{
  return GetB();
}
