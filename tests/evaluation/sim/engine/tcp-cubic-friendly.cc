/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tcp-cubic-friendly.h"

#include <algorithm>

using namespace ns3;

namespace {

constexpr double Beta = 0.7;    /* beta_cubic, also ns-3's default */
/* What lets AIMD with Beta send as much as Reno, section 4.3. */
constexpr double Alpha = 3 * (1 - Beta) / (1 + Beta);

} // namespace

TypeId
TcpCubicFriendly::GetTypeId()
{
  static TypeId type =
    TypeId("TcpCubicFriendly").SetParent<TcpCubic>().AddConstructor<TcpCubicFriendly>();
  return type;
}

void
TcpCubicFriendly::IncreaseWindow(Ptr<TcpSocketState> state, uint32_t segments_acked)
{
  uint32_t window = state->m_cWnd.Get();
  bool slow_start = window < state->m_ssThresh.Get();

  TcpCubic::IncreaseWindow(state, segments_acked);
  if (slow_start)
    return;

  /* After a timeout one ACK can be for far more than the window. */
  double segment = state->m_segmentSize;
  double windows_acked = std::min(segments_acked * segment / window, 1.0);
  if (m_estimate == 0)
    m_estimate = window / segment;
  m_estimate += Alpha * windows_acked;
  auto most = static_cast<uint32_t>(window * (1 + windows_acked / 2));
  auto friendly = static_cast<uint32_t>(m_estimate * segment);
  state->m_cWnd = std::max(std::min(state->m_cWnd.Get(), most), friendly);
}

uint32_t
TcpCubicFriendly::GetSsThresh(Ptr<const TcpSocketState> state, uint32_t bytes_in_flight)
{
  auto of_flight = static_cast<uint32_t>(Beta * bytes_in_flight);

  m_estimate = 0;
  of_flight = std::max(of_flight, 2 * state->m_segmentSize);
  return std::min(TcpCubic::GetSsThresh(state, bytes_in_flight), of_flight);
}

void
TcpCubicFriendly::CongestionStateSet(Ptr<TcpSocketState> state,
                                     TcpSocketState::TcpCongState_t next)
{
  if (next == TcpSocketState::CA_LOSS)
    m_estimate = 0;
  TcpCubic::CongestionStateSet(state, next);
}

Ptr<TcpCongestionOps>
TcpCubicFriendly::Fork()
{
  return CopyObject<TcpCubicFriendly>(this);
}
