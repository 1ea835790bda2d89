/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link.h"

#include <ns3/ipv4-l3-protocol.h>
#include <ns3/simulator.h>

using namespace ns3;

RoutedPacket::RoutedPacket(Ptr<Packet> packet, const Ipv4Header& header, const Route& its_route,
                           uint64_t its_number)
  : Ipv4QueueDiscItem(packet, Address(), Ipv4L3Protocol::PROT_NUMBER, header),
    route(its_route),
    number(its_number)
{
}

void
Link::PassOn(Ptr<RoutedPacket> packet, Time delay)
{
  const Route& route = packet->route;

  packet->hop++;
  if (packet->hop < route.links.size())
    Simulator::Schedule(delay, &Link::Receive, route.links[packet->hop], packet);
  else
    Simulator::Schedule(delay + route.access_delay, &Route::Deliver, &route, packet);
}
