/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rap-flow.h"

#include <cstring>

#include <ns3/inet-socket-address.h>
#include <ns3/simulator.h>
#include <ns3/udp-socket-factory.h>

using namespace ns3;

namespace {

constexpr uint32_t HeaderBytes = 28;    /* IPv4 and UDP */

/* Sender and receiver are one process: fields go as they are in memory. */
template <class Fields>
Ptr<Packet>
MakePacket(const Fields& fields, uint32_t bytes)
{
  Ptr<Packet> packet = Create<Packet>(
      reinterpret_cast<const uint8_t*>(&fields), sizeof fields);

  packet->AddPaddingAtEnd(bytes - sizeof fields);
  return packet;
}

template <class Fields>
Fields
ReadPacket(Ptr<Packet> packet)
{
  uint8_t bytes[sizeof(Fields)];
  Fields fields;

  packet->CopyData(bytes, sizeof bytes);
  std::memcpy(&fields, bytes, sizeof bytes);
  return fields;
}

double
NowSeconds()
{
  return Simulator::Now().GetSeconds();
}

} // namespace

void
RapFlow::Install(const FlowPlace& place)
{
  const FlowDescription& description = place.description;
  const Parameters& parameters = description.parameters;
  RapSender::Config config;

  config.b = parameters.Number("b", config.b);
  config.self_clocking = parameters.Flag("self_clocking", config.self_clocking);
  config.self_clocking_factor = parameters.Number("self_clocking_factor",
      config.self_clocking_factor);
  if (!(config.b > 0 && config.b < 1))
    parameters.Refuse("b is not within 0 to 1");
  if (description.packet_bytes < HeaderBytes + sizeof(uint64_t))
    parameters.Refuse("packet_bytes leaves no room for a number");
  m_sender = std::make_unique<RapSender>(config);
  m_payload_bytes = description.packet_bytes - HeaderBytes;
  m_stop = place.stop;

  m_receiving = Socket::CreateSocket(place.receiver,
      UdpSocketFactory::GetTypeId());
  m_receiving->Bind(InetSocketAddress(Ipv4Address::GetAny(), place.port));
  m_receiving->SetRecvCallback(MakeCallback(&RapFlow::OnData, this));
  m_sending = Socket::CreateSocket(place.sender, UdpSocketFactory::GetTypeId());
  m_sending->Bind();
  m_sending->Connect(InetSocketAddress(place.receiver_address, place.port));
  m_sending->SetRecvCallback(MakeCallback(&RapFlow::OnAck, this));
  m_next = Simulator::Schedule(place.start, &RapFlow::Send, this);
}

void
RapFlow::Send()
{
  if (Simulator::Now() >= m_stop)
    return;
  m_sending->Send(MakePacket(m_sender->OnSend(NowSeconds()), m_payload_bytes));
  m_sent_at = Simulator::Now();
  m_next = Simulator::Schedule(Seconds(m_sender->Gap()), &RapFlow::Send, this);
}

void
RapFlow::OnData(Ptr<Socket> socket)
{
  Address from;

  while (Ptr<Packet> packet = socket->RecvFrom(from)) {
    RapAck ack = m_receiver.OnPacket(ReadPacket<uint64_t>(packet));

    socket->SendTo(MakePacket(ack, sizeof ack), 0, from);
  }
}

void
RapFlow::OnAck(Ptr<Socket> socket)
{
  while (Ptr<Packet> packet = socket->Recv())
    m_sender->OnAck(ReadPacket<RapAck>(packet), NowSeconds());

  /* The first gap is one for a path without an RTT: do not sit it out. */
  Time due = Max(m_sent_at + Seconds(m_sender->Gap()), Simulator::Now());

  if (!m_next.IsExpired() && due < Time(m_next.GetTs())) {
    m_next.Cancel();
    m_next = Simulator::Schedule(due - Simulator::Now(), &RapFlow::Send, this);
  }
}
