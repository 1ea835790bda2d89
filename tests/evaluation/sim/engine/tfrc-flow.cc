/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tfrc-flow.h"

#include <ns3/inet-socket-address.h>
#include <ns3/udp-socket-factory.h>

#include "tfrc-packet-bytes.h"
#include "tfrc-settings.h"

using namespace ns3;

namespace {

constexpr uint8_t EctZero = 2;  /* RFC 3168 section 5, in the TOS byte */
constexpr uint8_t EcnMask = 3, CongestionExperienced = 3;

void
WriteTraceRow(std::ostream& file, TfrcTraceSide side, const TfrcTrace& trace)
{
  size_t n_columns;
  const TfrcTraceColumn* columns = tfrc_trace_get_columns(&n_columns);

  for (size_t i = 0; i < n_columns; i++)
    if ((columns[i].sides & side) != 0)
      file << ',' << tfrc_trace_get_value(&trace, &columns[i]);
}

void
WriteTraceNames(std::ostream& file, TfrcTraceSide side, const std::string& prefix)
{
  size_t n_columns;
  const TfrcTraceColumn* columns = tfrc_trace_get_columns(&n_columns);

  for (size_t i = 0; i < n_columns; i++) {
    std::string name = prefix + columns[i].name;

    for (char& letter : name)
      letter = letter == '-' ? '_' : letter;
    if ((columns[i].sides & side) != 0)
      file << ',' << name;
  }
}

} // namespace

void
TfrcUdpFlow::Install(const FlowPlace& place)
{
  TfrcSenderConfig sender_config = ReadSenderConfig(place.description);
  TfrcReceiverConfig receiver_config = ReadReceiverConfig(place.description);

  TfrcSenderChecks sender_checks = ReadSenderChecks(place.description);
  TfrcReceiverChecks receiver_checks = tfrc_receiver_checks_default();

  receiver_checks.report_delays = sender_checks.delay_target > 0;
  tfrc_checked_sender_init(&m_sender, &sender_config, sender_checks);
  tfrc_checked_receiver_init(&m_receiver, &receiver_config, receiver_checks);
  m_description = &place.description;
  m_recorder = &place.recorder;
  m_core = CoreTimer(place.core_time ? &place.recorder : nullptr);
  m_ecn = place.description.parameters.Flag("ecn", false);
  m_packets_per_burst = place.description.parameters.Count("packets_per_burst", 1);
  m_source = MakeSource(place);
  MakeSockets(place);
  if (place.description.trace)
    OpenTrace();
  Simulator::Schedule(place.start, &TfrcUdpFlow::Start, this);
  Simulator::Schedule(place.stop, &TfrcUdpFlow::Stop, this);
}

void
TfrcUdpFlow::Finish()
{
  TfrcReceiverCounters receiver = tfrc_receiver_get_counters(&m_receiver.receiver);
  TfrcSenderCounters sender = m_sender.sender.counters;
  uint32_t flow = m_description->index;

  m_recorder->SetFlowValue(flow, "loss_events", static_cast<double>(receiver.loss_events));
  m_recorder->SetFlowValue(flow, "packets_lost", static_cast<double>(receiver.packets_lost));
  m_recorder->SetFlowValue(flow, "loss_event_rate", m_receiver.receiver.loss_event_rate);
  m_recorder->SetFlowValue(flow, "feedback", static_cast<double>(sender.feedback));
  m_recorder->SetFlowValue(flow, "nofeedback_expiries",
                           static_cast<double>(sender.nofeedback_expiries));
}

std::unique_ptr<PacketSource>
TfrcUdpFlow::MakeSource(const FlowPlace& place)
{
  return std::make_unique<GreedySource>(place.description.packet_bytes);
}

void
TfrcUdpFlow::MakeSockets(const FlowPlace& place)
{
  m_sender_socket = Socket::CreateSocket(place.sender, UdpSocketFactory::GetTypeId());
  m_sender_socket->Bind(InetSocketAddress(place.sender_address, place.port));
  m_sender_socket->Connect(InetSocketAddress(place.receiver_address, place.port));
  m_sender_socket->SetRecvCallback(MakeCallback(&TfrcUdpFlow::OnFeedback, this));
  m_receiver_socket = Socket::CreateSocket(place.receiver, UdpSocketFactory::GetTypeId());
  m_receiver_socket->Bind(InetSocketAddress(place.receiver_address, place.port));
  m_receiver_socket->Connect(InetSocketAddress(place.sender_address, place.port));
  m_receiver_socket->SetRecvCallback(MakeCallback(&TfrcUdpFlow::OnData, this));
  if (m_ecn) {
    m_sender_socket->SetIpTos(EctZero);
    m_receiver_socket->SetIpRecvTos(true);
  }
}

void
TfrcUdpFlow::OpenTrace()
{
  m_trace = m_recorder->OpenTrace(m_description->index);
  m_trace << "time_s";
  WriteTraceNames(m_trace, TFRC_TRACE_SENDER, "sender_");
  WriteTraceNames(m_trace, TFRC_TRACE_RECEIVER, "receiver_");
  m_trace << '\n';
}

void
TfrcUdpFlow::Start()
{
  m_running = true;
  m_source->Start(m_sender.sender, [this] { Send(); });
}

void
TfrcUdpFlow::Stop()
{
  m_running = false;
  m_source->Stop();
  m_send_alarm.Set(TFRC_TIME_NONE, nullptr, this);
  m_sender_alarm.Set(TFRC_TIME_NONE, nullptr, this);
}

/* All that may leave by now, and when the next may. */
void
TfrcUdpFlow::Send()
{
  TfrcTime next_at = TFRC_TIME_NONE;

  while (m_running && m_source->NextPacketBytes() > 0) {
    next_at = m_core.Run(0, [this] { return tfrc_sender_next_send_at(&m_sender.sender); });
    if (next_at > GetTime())
      break;
    next_at = TFRC_TIME_NONE;
    SendBurst();
  }
  m_send_alarm.Set(next_at, &TfrcUdpFlow::Send, this);
  UpdateSenderDeadline();
}

/* The packets after the first one leave early; the core then has the next
 * wait for as many intervals. */
void
TfrcUdpFlow::SendBurst()
{
  for (uint64_t i = 0; i < m_packets_per_burst; i++) {
    uint32_t bytes = m_source->NextPacketBytes();

    if (bytes == 0)
      return;
    m_source->TakePacket(m_sent);
    SendPacket(bytes);
  }
}

void
TfrcUdpFlow::SendPacket(uint32_t bytes)
{
  bool backlog = m_source->NextPacketBytes() > 0;
  TfrcExtension extension =
    m_core.Run(1, [&] { return tfrc_checked_sender_on_sent(&m_sender, bytes, backlog, GetTime()); });

  m_sender_socket->Send(MakeDataPacket(m_sent, extension, bytes));
  m_sent++;
}

void
TfrcUdpFlow::OnSenderDeadline()
{
  m_source->BeforeRateChange();
  m_core.Run(0, [this] {
    tfrc_checked_sender_on_deadline(&m_sender, GetTime());
    return 0;
  });
  Send();
}

void
TfrcUdpFlow::OnFeedback(Ptr<Socket> socket)
{
  TfrcFeedback feedback = ReadFeedbackPacket(socket->Recv());

  if (!m_running)
    return;
  m_source->BeforeRateChange();
  TfrcResult result =
    m_core.Run(0, [&] { return tfrc_checked_sender_on_feedback(&m_sender, &feedback, GetTime()); });
  if (result == TFRC_OK) {
    m_source->OnReport();
    WriteTrace();
  }
  Send();
}

void
TfrcUdpFlow::UpdateSenderDeadline()
{
  if (m_running)
    m_sender_alarm.Set(tfrc_checked_sender_next_deadline(&m_sender), &TfrcUdpFlow::OnSenderDeadline, this);
}

void
TfrcUdpFlow::OnData(Ptr<Socket> socket)
{
  Ptr<Packet> packet = socket->Recv();
  SocketIpTosTag tos;
  TfrcDataPacket data;
  uint64_t number = ReadDataPacket(packet, data);
  uint32_t delay_us = static_cast<uint32_t>(GetTime() / TFRC_MICROSECOND) - data.extension.send_time_us;

  if (m_ecn && packet->PeekPacketTag(tos))
    data.congestion_marked = (tos.GetTos() & EcnMask) == CongestionExperienced;
  m_core.Run(0, [&] { return tfrc_checked_receiver_on_packet(&m_receiver, &data, GetTime()); });
  m_source->OnDelivered(number, MicroSeconds(delay_us));
  SendFeedback();
}

void
TfrcUdpFlow::OnReceiverDeadline()
{
  m_core.Run(0, [this] {
    tfrc_receiver_on_deadline(&m_receiver.receiver, GetTime());
    return 0;
  });
  SendFeedback();
}

/* What is due, and when the receiver wants to be called again. */
void
TfrcUdpFlow::SendFeedback()
{
  TfrcFeedback feedback;

  while (m_core.Run(0, [&] {
    return tfrc_receiver_poll_feedback(&m_receiver.receiver, &feedback, GetTime());
  })) {
    tfrc_checked_receiver_add_delay(&m_receiver, &feedback);
    m_receiver_socket->Send(MakeFeedbackPacket(feedback));
  }
  TfrcTime wakeup_at = m_core.Run(0, [this] { return tfrc_receiver_next_wakeup(&m_receiver.receiver); });
  m_receiver_alarm.Set(wakeup_at, &TfrcUdpFlow::OnReceiverDeadline, this);
}

void
TfrcUdpFlow::WriteTrace()
{
  TfrcTrace trace = {};

  if (!m_trace.is_open())
    return;
  m_trace << Simulator::Now().GetSeconds();
  tfrc_checked_sender_get_trace(&m_sender, &trace, GetTime());
  WriteTraceRow(m_trace, TFRC_TRACE_SENDER, trace);
  trace = {};
  tfrc_receiver_get_trace(&m_receiver.receiver, &trace, GetTime());
  WriteTraceRow(m_trace, TFRC_TRACE_RECEIVER, trace);
  m_trace << '\n';
}
