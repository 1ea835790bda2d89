/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ns-3's BBR with a lower bound on its pacing: the four packets per RTT that
 * its congestion window never goes below.
 *
 * After a timeout the bandwidth samples of ns-3.37's BBR are one packet per
 * RTO.  Once ten of them have replaced the earlier ones, the next packet is
 * paced later than the retransmission timer, which in ns-3 also runs while
 * nothing is in flight, expires: one packet per RTO for ever.  Linux' BBR
 * leaves that state because there the timer waits for the pacer. */
#pragma once

#include <ns3/tcp-bbr.h>

class TcpBbrPaced : public ns3::TcpBbr
{
public:
  static ns3::TypeId GetTypeId();
  void CongControl(ns3::Ptr<ns3::TcpSocketState> state,
                   const ns3::TcpRateOps::TcpRateConnection& connection,
                   const ns3::TcpRateOps::TcpRateSample& sample) override;
  ns3::Ptr<ns3::TcpCongestionOps> Fork() override;
};
