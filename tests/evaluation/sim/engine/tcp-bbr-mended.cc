/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tcp-bbr-mended.h"

#include <algorithm>
#include <ns3/simulator.h>

using namespace ns3;

namespace {

constexpr double MinWindow = 4; /* BBR.MinPipeCwnd [packets] */

} // namespace

TypeId
TcpBbrMended::GetTypeId()
{
  static TypeId type = TypeId("TcpBbrMended").SetParent<TcpBbr>().AddConstructor<TcpBbrMended>();
  return type;
}

void
TcpBbrMended::CongControl(Ptr<TcpSocketState> state,
                          const TcpRateOps::TcpRateConnection& connection,
                          const TcpRateOps::TcpRateSample& sample)
{
  Time rtt = state->m_lastRtt.Get();
  TcpRateOps::TcpRateSample mended = sample;
  Time interval = std::max(Simulator::Now() - sample.m_priorTime, sample.m_sendElapsed);

  if (sample.m_deliveryRate.GetBitRate() > 0 && interval.IsStrictlyPositive())
    mended.m_deliveryRate =
      DataRate(static_cast<uint64_t>(sample.m_delivered * 8 / interval.GetSeconds()));
  TcpBbr::CongControl(state, connection, mended);
  if (rtt.IsZero())
    return;
  auto least_bit_s = static_cast<uint64_t>(MinWindow * state->m_segmentSize * 8 / rtt.GetSeconds());
  state->m_pacingRate = std::max(state->m_pacingRate.Get(), DataRate(least_bit_s));
}

Ptr<TcpCongestionOps>
TcpBbrMended::Fork()
{
  return CopyObject<TcpBbrMended>(this);
}
