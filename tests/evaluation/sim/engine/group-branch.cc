/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "group-branch.h"

#include "group-flow.h"
#include "udp-pair.h"

using namespace ns3;

void
GroupBranch::Install(const FlowPlace& place)
{
  const Parameters& from = place.description.parameters;
  std::string at = from.Text("at", "end");

  m_group = dynamic_cast<GroupFlow*>(place.find_flow(from.Text("of", "")));
  if (m_group == nullptr)
    from.Refuse("'of' does not name a tfmcc flow that stands before the branch");
  if (at != "end" && at != "sender")
    from.Refuse("at is neither 'end' nor 'sender'");
  m_at_sender = at == "sender";
  std::tie(m_start_socket, m_end_socket) = MakeUdpPair(place);
  m_start_socket->SetRecvCallback(MakeCallback(&GroupBranch::OnReportPacket, this));
  m_end_socket->SetRecvCallback(MakeCallback(&GroupBranch::OnData, this));
  m_fan_out = m_group->MakeFanOut(place.description, [this](const TfmccReport& report) {
    m_end_socket->Send(MakeGroupReport(report));
  });
  m_group->AddBranch(*this, m_at_sender);
}

void
GroupBranch::Send(Ptr<const Packet> packet)
{
  m_start_socket->Send(packet->Copy());
}

void
GroupBranch::OnData(Ptr<Socket> socket)
{
  m_fan_out->Receive(ReadGroupData(socket->Recv()));
}

void
GroupBranch::OnReportPacket(Ptr<Socket> socket)
{
  m_group->PassReport(ReadGroupReport(socket->Recv()), m_at_sender);
}
