/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TCP sockets as a flow's parameters want them; for every kind of flow that
 * has TCP in it.
 *
 * Parameters, all optional:
 *   congestion          "linux-reno" (default), "newreno", "cubic", "bbr", or
 *                       another name of the table in tcp-socket.cc
 *   b                   of "tcp-b", "sqrt" and "iiad"
 *   sack                true
 *   timestamps          true: 12 bytes of each packet
 *   delayed_ack         1 = no; 2 (default)
 *   min_rto_ms          200
 *   clock_granularity_ms  1, of the RTO
 *   initial_window      10 [packets]
 *   max_window_packets  default 10000 */
#pragma once

#include <ns3/tcp-socket-base.h>

#include "flow.h"

class TcpSettings
{
public:
  /* Reads the parameters of `flow`. */
  explicit TcpSettings(const FlowDescription& flow);

  /* A socket on `node`, for the sender or the receiver alike. */
  ns3::Ptr<ns3::TcpSocketBase> MakeSocket(ns3::Ptr<ns3::Node> node) const;

  /* TCP payload of a full packet [bytes]. */
  uint32_t SegmentBytes() const { return m_segment_bytes; }

private:
  std::string m_congestion;
  double m_b;
  bool m_sack, m_timestamps;
  uint32_t m_delayed_ack, m_initial_window, m_max_window_packets;
  uint32_t m_segment_bytes;
  double m_min_rto_ms, m_clock_granularity_ms;
};
