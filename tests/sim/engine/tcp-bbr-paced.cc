/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tcp-bbr-paced.h"

#include <algorithm>

using namespace ns3;

namespace {

constexpr double MinWindow = 4; /* BBR.MinPipeCwnd [packets] */

} // namespace

TypeId
TcpBbrPaced::GetTypeId()
{
  static TypeId type = TypeId("TcpBbrPaced").SetParent<TcpBbr>().AddConstructor<TcpBbrPaced>();
  return type;
}

void
TcpBbrPaced::CongControl(Ptr<TcpSocketState> state,
                         const TcpRateOps::TcpRateConnection& connection,
                         const TcpRateOps::TcpRateSample& sample)
{
  Time rtt = state->m_lastRtt.Get();

  TcpBbr::CongControl(state, connection, sample);
  if (rtt.IsZero())
    return;
  auto least_bit_s = static_cast<uint64_t>(MinWindow * state->m_segmentSize * 8 / rtt.GetSeconds());
  state->m_pacingRate = std::max(state->m_pacingRate.Get(), DataRate(least_bit_s));
}

Ptr<TcpCongestionOps>
TcpBbrPaced::Fork()
{
  return CopyObject<TcpBbrPaced>(this);
}
