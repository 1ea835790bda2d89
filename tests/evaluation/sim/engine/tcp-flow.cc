/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tcp-flow.h"

#include <algorithm>
#include <ns3/inet-socket-address.h>
#include <ns3/packet.h>
#include <ns3/simulator.h>

using namespace ns3;

namespace {

void
DropAll(Ptr<Socket> socket)
{
  while (socket->GetRxAvailable() > 0)
    socket->Recv();
}

void
Accept(Ptr<Socket> socket, const Address&)
{
  socket->SetRecvCallback(MakeCallback(&DropAll));
}

} // namespace

void
TcpFlow::Install(const FlowPlace& place)
{
  TcpSettings settings(place.description);

  m_description = &place.description;
  m_recorder = &place.recorder;
  m_silence = place.silence_sender;
  m_segment_bytes = settings.GetSegmentBytes();
  m_bytes_left = place.description.parameters.Count("bytes", 0);
  m_endless = m_bytes_left == 0;

  m_listener = settings.MakeSocket(place.receiver);
  m_listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), place.port));
  m_listener->Listen();
  m_listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                MakeCallback(&Accept));
  m_sender = settings.MakeSocket(place.sender);
  m_sender->Bind();
  ConnectTraces();
  Simulator::Schedule(place.start, &TcpFlow::Start, this,
                      InetSocketAddress(place.receiver_address, place.port));
  Simulator::Schedule(place.stop, &TcpFlow::Stop, this);
}

void
TcpFlow::Finish()
{
  m_recorder->SetFlowValue(m_description->index, "fast_recoveries",
                           static_cast<double>(m_fast_recoveries));
  m_recorder->SetFlowValue(m_description->index, "timeouts", static_cast<double>(m_timeouts));
}

void
TcpFlow::Start(Address peer)
{
  m_sender->SetSendCallback(MakeCallback(&TcpFlow::Write, this));
  m_sender->Connect(peer);
}

/* At once: a closed socket would first send all that it holds. */
void
TcpFlow::Stop()
{
  m_sender->SetSendCallback(MakeNullCallback<void, Ptr<Socket>, uint32_t>());
  m_silence();
}

void
TcpFlow::Write(Ptr<Socket> socket, uint32_t space)
{
  while (m_endless || m_bytes_left > 0) {
    uint64_t bytes = m_segment_bytes;

    if (!m_endless)
      bytes = std::min(bytes, m_bytes_left);
    space = socket->GetTxAvailable();
    if (space < bytes || socket->Send(Create<Packet>(static_cast<uint32_t>(bytes))) < 0)
      return;
    if (m_endless)
      continue;
    m_bytes_left -= bytes;
    if (m_bytes_left == 0)
      socket->Close();
  }
}

void
TcpFlow::ConnectTraces()
{
  m_sender->TraceConnectWithoutContext("CongState",
                                       MakeCallback(&TcpFlow::OnCongestionState, this));
  if (!m_description->trace)
    return;
  m_trace = m_recorder->OpenTrace(m_description->index);
  m_trace << "time_s,cwnd_packets,rtt_s,ssthresh_packets\n";
  m_sender->TraceConnectWithoutContext("CongestionWindow", MakeCallback(&TcpFlow::OnWindow, this));
  m_sender->TraceConnectWithoutContext(
    "SlowStartThreshold", Callback<void, uint32_t, uint32_t>([this](uint32_t, uint32_t now) {
      m_slow_start_threshold = now;
    }));
  m_sender->TraceConnectWithoutContext(
    "RTT", Callback<void, Time, Time>([this](Time, Time now) { m_rtt = now; }));
}

void
TcpFlow::OnCongestionState(TcpSocketState::TcpCongState_t before,
                           TcpSocketState::TcpCongState_t now)
{
  if (now == TcpSocketState::CA_RECOVERY)
    m_fast_recoveries++;
  else if (now == TcpSocketState::CA_LOSS)
    m_timeouts++;
}

void
TcpFlow::OnWindow(uint32_t, uint32_t now)
{
  m_trace << Simulator::Now().GetSeconds() << ',' << now / double(m_segment_bytes) << ','
          << m_rtt.GetSeconds() << ',' << m_slow_start_threshold / double(m_segment_bytes) << '\n';
}
