/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ns-3.37's BBR without two faults that make it starve beside anything else,
 * once its estimates are low:
 *
 * - A delivery rate is measured over one ACK too many: what was delivered since
 *   priorTime, by the time since the ACK before that.  With 4 packets in flight
 *   and every other one acknowledged that is two thirds of the truth, which
 *   probing by 5/4 never makes up for.
 * - After timeouts a packet can be paced later than the retransmission timer,
 *   which in ns-3 also runs while nothing is in flight: one packet per RTO for
 *   ever.  So the pacing rate is at least the four packets per RTT that the
 *   window never goes below. */
#pragma once

#include <ns3/tcp-bbr.h>

class TcpBbrMended : public ns3::TcpBbr
{
public:
  static ns3::TypeId GetTypeId();
  void CongControl(ns3::Ptr<ns3::TcpSocketState> state,
                   const ns3::TcpRateOps::TcpRateConnection& connection,
                   const ns3::TcpRateOps::TcpRateSample& sample) override;
  ns3::Ptr<ns3::TcpCongestionOps> Fork() override;
};
