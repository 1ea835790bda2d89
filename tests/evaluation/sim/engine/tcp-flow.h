/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TCP connection that sends for ever, or a number of bytes.
 *
 * Parameters: those of tcp-socket.h, and
 *   bytes   to send; 0 (default): endless
 *
 * summary.json gets fast_recoveries and timeouts: the loss events that TCP
 * has seen.  The trace has a row per change of the congestion window. */
#pragma once

#include "flow.h"
#include "tcp-socket.h"

class TcpFlow : public Flow
{
public:
  void Install(const FlowPlace& place) override;
  void Finish() override;

private:
  void Start(ns3::Address peer);
  void Stop();
  void Write(ns3::Ptr<ns3::Socket> socket, uint32_t space);
  void ConnectTraces();
  void OnCongestionState(ns3::TcpSocketState::TcpCongState_t before,
                         ns3::TcpSocketState::TcpCongState_t now);
  void OnWindow(uint32_t before, uint32_t now);

  const FlowDescription* m_description = nullptr;
  Recorder* m_recorder = nullptr;
  std::function<void()> m_silence;
  ns3::Ptr<ns3::TcpSocketBase> m_sender, m_listener;
  uint32_t m_segment_bytes = 0;
  bool m_endless = true;
  uint64_t m_bytes_left = 0;    /* of `bytes`, not yet given to the socket */
  uint64_t m_fast_recoveries = 0, m_timeouts = 0;
  std::ofstream m_trace;
  uint32_t m_slow_start_threshold = 0;  /* [bytes] */
  ns3::Time m_rtt;
};
