/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Members of a group behind links of their own: a tail of the distribution
 * tree, see group-flow.h.  Without any who listens nothing is sent there, as
 * multicast routers prune. */
#pragma once

#include <ns3/socket.h>

#include "flow.h"
#include "group-fan-out.h"

class GroupFlow;

class GroupBranch : public Flow
{
public:
  void Install(const FlowPlace& place) override;

  bool IsListening() const { return m_fan_out->IsListening(); }
  /* A copy of a data packet, without UDP's header. */
  void Send(ns3::Ptr<const ns3::Packet> packet);

private:
  void OnData(ns3::Ptr<ns3::Socket> socket);
  void OnReportPacket(ns3::Ptr<ns3::Socket> socket);

  GroupFlow* m_group = nullptr;
  bool m_at_sender = false;
  std::unique_ptr<GroupFanOut> m_fan_out;
  ns3::Ptr<ns3::Socket> m_start_socket, m_end_socket;
};
