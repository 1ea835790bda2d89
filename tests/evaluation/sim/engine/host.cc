/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "host.h"

#include <algorithm>
#include <ns3/arp-l3-protocol.h>
#include <ns3/double.h>
#include <ns3/icmpv4-l4-protocol.h>
#include <ns3/ipv4-l3-protocol.h>
#include <ns3/ipv4-static-routing.h>
#include <ns3/simulator.h>
#include <ns3/tcp-l4-protocol.h>
#include <ns3/traffic-control-layer.h>
#include <ns3/udp-l4-protocol.h>

#include "link.h"

using namespace ns3;

HostDevice::HostDevice(Recorder& recorder, Time overhead)
  : m_recorder(recorder)
{
  if (overhead.IsZero())
    return;
  m_overhead = CreateObject<UniformRandomVariable>();
  m_overhead->SetAttribute("Max", DoubleValue(overhead.GetSeconds()));
}

bool
HostDevice::Send(Ptr<Packet> packet, const Address&, uint16_t)
{
  Ipv4Header header;

  if (m_silent)
    return true;
  uint32_t bytes = packet->GetSize();
  uint64_t number = m_route->is_data ? m_recorder.OnSent(m_route->flow, bytes) : 0;
  packet->RemoveHeader(header);
  Simulator::Schedule(GetNextOverhead() + m_route->access_delay, &Link::Receive,
                      m_route->links.front(),
                      Create<RoutedPacket>(packet, header, *m_route, number));
  return true;
}

bool
HostDevice::SendFrom(Ptr<Packet> packet, const Address&, const Address& to, uint16_t protocol)
{
  return Send(packet, to, protocol);
}

/* Larger than any packet of a run: nothing is fragmented. */
uint16_t
HostDevice::GetMtu() const
{
  return 10000;
}

void
HostDevice::Receive(Ptr<RoutedPacket> packet)
{
  if (packet->route.is_data)
    m_recorder.OnReceived(packet->route.flow, packet->GetSize());
  packet->AddHeader();
  m_receive(this, packet->GetPacket(), Ipv4L3Protocol::PROT_NUMBER, Address());
}

void
HostDevice::DoDispose()
{
  m_node = nullptr;
  m_receive.Nullify();
  NetDevice::DoDispose();
}

Time
HostDevice::GetNextOverhead()
{
  if (!m_overhead)
    return Time();
  m_last_departure =
    std::max(m_last_departure, Simulator::Now() + Seconds(m_overhead->GetValue()));
  return m_last_departure - Simulator::Now();
}

void
Route::Deliver(Ptr<RoutedPacket> packet) const
{
  receiver->Receive(packet);
}

Ptr<Node>
MakeHost(Ptr<HostDevice> device, Ipv4Address address)
{
  Ptr<Node> node = CreateObject<Node>();
  Ptr<Ipv4L3Protocol> ipv4 = CreateObject<Ipv4L3Protocol>();
  Ptr<Ipv4StaticRouting> routing = CreateObject<Ipv4StaticRouting>();

  node->AggregateObject(CreateObject<ArpL3Protocol>());
  node->AggregateObject(ipv4);
  node->AggregateObject(CreateObject<Icmpv4L4Protocol>());
  node->AggregateObject(CreateObject<TrafficControlLayer>());
  node->AggregateObject(CreateObject<UdpL4Protocol>());
  node->AggregateObject(CreateObject<TcpL4Protocol>());
  ipv4->SetRoutingProtocol(routing);

  node->AddDevice(device);
  uint32_t interface = ipv4->AddInterface(device);
  ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, Ipv4Mask::GetOnes()));
  ipv4->SetUp(interface);
  routing->SetDefaultRoute(Ipv4Address::GetAny(), interface);
  return node;
}
