/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cubic as Linux has it: ns-3.37's with the Reno-friendly region of RFC 9438
 * section 4.3, which ns-3 lacks; with the limit of section 4.2 on growth, half
 * a window per RTT; and with a decrease of what is in flight, section 4.6.
 *
 * Without the first Cubic gets far less than Reno wherever windows are small.
 * Without the others it sends forty times too much where a tenth of the packets
 * is lost: ns-3's recovery lets cwnd grow far above what is in flight. */
#pragma once

#include <ns3/tcp-cubic.h>

class TcpCubicFriendly : public ns3::TcpCubic
{
public:
  static ns3::TypeId GetTypeId();
  void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> state, uint32_t segments_acked) override;
  uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> state,
                       uint32_t bytes_in_flight) override;
  void CongestionStateSet(ns3::Ptr<ns3::TcpSocketState> state,
                          ns3::TcpSocketState::TcpCongState_t next) override;
  ns3::Ptr<ns3::TcpCongestionOps> Fork() override;

private:
  double m_estimate = 0;        /* W_est of section 4.3 [segments]; 0 = anew */
};
