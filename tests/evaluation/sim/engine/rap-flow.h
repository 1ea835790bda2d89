/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A greedy RAP(1/g) flow between two UDP sockets, see rap-sender.h.
 *
 * Parameters, all optional:
 *   b                     1/g, default 0.5
 *   self_clocking         false
 *   self_clocking_factor  C, default 1.1 */
#pragma once

#include <memory>

#include <ns3/event-id.h>
#include <ns3/socket.h>

#include "flow.h"
#include "rap-sender.h"

class RapFlow : public Flow
{
public:
  void Install(const FlowPlace& place) override;

private:
  void Send();
  void OnData(ns3::Ptr<ns3::Socket> socket);
  void OnAck(ns3::Ptr<ns3::Socket> socket);

  ns3::Ptr<ns3::Socket> m_sending, m_receiving;
  std::unique_ptr<RapSender> m_sender;
  RapReceiver m_receiver;
  uint32_t m_payload_bytes = 0;
  ns3::Time m_sent_at, m_stop;
  ns3::EventId m_next;          /* the next packet leaves */
};
