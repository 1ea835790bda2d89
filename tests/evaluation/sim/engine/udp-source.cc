/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Packets on a UDP socket of ns-3, each sent when the wave has earned it. */
#include "udp-source.h"

#include <cmath>

#include <ns3/simulator.h>
#include <ns3/udp-socket-factory.h>

using namespace ns3;

UdpSource::UdpSource(const Config& config, const Address& peer)
  : m_config(config), m_peer(peer),
    m_uniform(CreateObject<UniformRandomVariable>())
{
}

void
UdpSource::DoDispose()
{
  m_socket = nullptr;
  Application::DoDispose();
}

void
UdpSource::StartApplication()
{
  m_socket = Socket::CreateSocket(GetNode(), UdpSocketFactory::GetTypeId());
  m_socket->Bind();
  m_socket->Connect(m_peer);
  m_socket->ShutdownRecv();
  ScheduleNext();
}

void
UdpSource::StopApplication()
{
  m_next.Cancel();
  if (m_socket)
    m_socket->Close();
}

void
UdpSource::ScheduleNext()
{
  double now = Simulator::Now().GetSeconds() - m_config.wave_start_s;
  double share = m_uniform->GetValue(1 - m_config.jitter, 1 + m_config.jitter);
  double due = m_config.wave.TimeAfter(8.0 * m_config.packet_bytes * share, now);

  if (std::isfinite(due))
    m_next = Simulator::Schedule(Seconds(due - now), &UdpSource::Send, this);
}

void
UdpSource::Send()
{
  m_socket->Send(Create<Packet>(m_config.payload_bytes));
  ScheduleNext();
}
