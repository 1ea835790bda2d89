/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "group-flow.h"

#include <algorithm>

#include "group-branch.h"
#include "udp-pair.h"

using namespace ns3;

namespace {

/* Any: wrapping after 71 minutes is not what runs are about. */
constexpr uint32_t SenderOffsetUs = 0x12345678;

} // namespace

void
GroupFlow::Install(const FlowPlace& place)
{
  const Parameters& from = place.description.parameters;
  TfmccSenderConfig config = ReadGroupSenderConfig(place.description);

  config.timestamp_offset_us = SenderOffsetUs;
  tfmcc_sender_init(&m_sender, &config);
  m_check = {};
  m_receiver_config = ReadGroupReceiverConfig(place.description);
  m_description = &place.description;
  if (from.Has("synchronised_error_ms"))
    m_clock_error = tfrc_duration_from_seconds(from.Number("synchronised_error_ms", 0) / 1e3);
  m_granularity = config.round.granularity;
  m_unmeasured_rtt =
    tfrc_duration_from_seconds(from.Number("unmeasured_rtt_ms", 0) / 1e3);
  m_sample_interval = Seconds(from.Number("sample_ms", 1000) / 1e3);
  if (!m_sample_interval.IsStrictlyPositive())
    from.Refuse("sample_ms is not above 0");
  m_recorder = std::make_unique<GroupRecorder>(place.recorder, place.description.index, m_sender);
  MakeSockets(place);
  m_fan_out = MakeFanOut(place.description, [this](const TfmccReport& report) {
    m_end_socket->Send(MakeGroupReport(report));
  });
  Simulator::Schedule(place.start, &GroupFlow::Start, this);
  Simulator::Schedule(place.stop, &GroupFlow::Stop, this);
}

void
GroupFlow::Finish()
{
  m_recorder->Finish();
}

void
GroupFlow::AddBranch(GroupBranch& branch, bool at_sender)
{
  (at_sender ? m_branches_at_sender : m_branches_at_end).push_back(&branch);
}

std::unique_ptr<GroupFanOut>
GroupFlow::MakeFanOut(const FlowDescription& flow, std::function<void(const TfmccReport&)> send)
{
  auto fan_out = std::make_unique<GroupFanOut>(ReadMembers(flow), m_receiver_config,
                                               m_n_members + 1, std::move(send));

  if (m_clock_error != TFRC_TIME_NONE)
    fan_out->Synchronise(m_clock_error, SenderOffsetUs);
  m_n_members += static_cast<uint32_t>(fan_out->Count());
  m_fan_outs.push_back(fan_out.get());
  m_recorder->AddMembers(*fan_out, flow);
  return fan_out;
}

void
GroupFlow::PassReport(const TfmccReport& report, bool at_sender)
{
  if (at_sender)
    OnReport(report);
  else
    m_end_socket->Send(MakeGroupReport(report));
}

void
GroupFlow::MakeSockets(const FlowPlace& place)
{
  std::tie(m_sender_socket, m_end_socket) = MakeUdpPair(place);
  m_sender_socket->SetRecvCallback(MakeCallback(&GroupFlow::OnReportPacket, this));
  m_end_socket->SetRecvCallback(MakeCallback(&GroupFlow::OnData, this));
}

void
GroupFlow::Start()
{
  m_running = true;
  Send();
  Sample();
}

void
GroupFlow::Stop()
{
  m_running = false;
  m_send_alarm.Set(TFRC_TIME_NONE, nullptr, this);
  m_deadline_alarm.Set(TFRC_TIME_NONE, nullptr, this);
}

/* All that may leave by now, and when the next may. */
void
GroupFlow::Send()
{
  if (!m_running)
    return;
  while (tfmcc_sender_next_send_at(&m_sender) <= GetTime())
    SendPacket();
  m_recorder->OnSender();
  m_send_alarm.Set(tfmcc_sender_next_send_at(&m_sender), &GroupFlow::Send, this);
  m_deadline_alarm.Set(tfmcc_sender_next_deadline(&m_sender), &GroupFlow::OnDeadline, this);
}

/* As if R_max were over all receivers, those with an initial RTT among them. */
void
GroupFlow::BoundMaxRtt()
{
  bool bounds = std::any_of(m_fan_outs.begin(), m_fan_outs.end(),
                            [](const GroupFanOut* one) { return one->IsUnmeasured(); });

  m_sender.round.config.granularity = bounds ? m_unmeasured_rtt : m_granularity;
}

void
GroupFlow::SendPacket()
{
  if (m_unmeasured_rtt > 0)
    BoundMaxRtt();
  TfmccExtension extension = tfmcc_sender_on_sent(&m_sender, m_description->packet_bytes, true, GetTime());
  Ptr<Packet> packet = MakeGroupData(m_sent++, extension, m_description->packet_bytes);

  for (GroupBranch* branch : m_branches_at_sender)
    if (branch->IsListening())
      branch->Send(packet);
  m_sender_socket->Send(packet);
}

void
GroupFlow::OnDeadline()
{
  tfmcc_sender_on_deadline(&m_sender, GetTime());
  Send();
}

void
GroupFlow::OnReportPacket(Ptr<Socket> socket)
{
  OnReport(ReadGroupReport(socket->Recv()));
}

void
GroupFlow::OnReport(const TfmccReport& report)
{
  if (!m_running)
    return;
  m_recorder->BeforeReport(report);
  tfmcc_report_check_on_report(&m_check, &m_sender, &report, GetTime());
  Send();
}

void
GroupFlow::OnData(Ptr<Socket> socket)
{
  Ptr<Packet> packet = socket->Recv();

  m_fan_out->Receive(ReadGroupData(packet));
  for (GroupBranch* branch : m_branches_at_end)
    if (branch->IsListening())
      branch->Send(packet);
}

void
GroupFlow::Sample()
{
  m_recorder->Sample();
  if (m_running)
    Simulator::Schedule(m_sample_interval, &GroupFlow::Sample, this);
}
