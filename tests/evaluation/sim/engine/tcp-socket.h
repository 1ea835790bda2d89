/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TCP sockets as a flow's parameters want them, for every kind of flow that
 * has TCP in it.
 *
 * Parameters, with what holds when they are absent:
 *   congestion            "linux-reno", or a name of the table in tcp-socket.cc
 *   b                     0.5, of "tcp-b", "sqrt" and "iiad"
 *   sack                  true
 *   ecn                   false
 *   classic_recovery      false: PRR (RFC 6937), as ns-3 has it; else the window
 *                         is that of RFC 6675 at once
 *   timestamps            true: 12 bytes of each packet
 *   limited_transmit      true: RFC 3042
 *   delayed_ack           2: packets per ACK; 1 = none is delayed
 *   delayed_ack_ms        40: how long at most
 *   min_rto_ms            200
 *   clock_granularity_ms  200: G of RFC 6298
 *   initial_window        10 [packets]
 *   initial_ssthresh      [packets]; 0 = slow start has no limit (default)
 *   max_window_packets    2000
 *
 * The timers are Linux's, whose RTO is at least 200 ms above SRTT and whose
 * receiver delays an ACK by 40 ms.  ns-3's own (1 ms and 200 ms) let the RTO
 * of a path with a steady RTT expire before each ACK of a single packet: after
 * a timeout such a TCP stays at one packet per RTO for ever. */
#pragma once

#include <ns3/tcp-socket-base.h>

#include "flow.h"

class TcpSettings
{
public:
  /* Reads the parameters of `flow`. */
  explicit TcpSettings(const FlowDescription& flow);

  /* A socket for the sender or the receiver. */
  ns3::Ptr<ns3::TcpSocketBase> MakeSocket(ns3::Ptr<ns3::Node> node) const;

  /* TCP payload of a full packet [bytes]. */
  uint32_t GetSegmentBytes() const { return m_segment_bytes; }

private:
  ns3::Ptr<ns3::TcpCongestionOps> MakeCongestionControl() const;

  ns3::TypeId m_congestion;
  bool m_has_b;
  double m_b;
  bool m_sack, m_ecn, m_classic_recovery, m_limited_transmit, m_timestamps;
  uint32_t m_delayed_ack, m_initial_window, m_initial_ssthresh, m_max_window_packets;
  uint32_t m_segment_bytes;
  double m_delayed_ack_ms, m_min_rto_ms, m_clock_granularity_ms;
};
