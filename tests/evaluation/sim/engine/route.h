/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the packets of one direction of a flow go: from a host over links to
 * another host.  A packet on its way carries its route, so nothing on the way
 * looks up addresses. */
#pragma once

#include <ns3/ipv4-queue-disc-item.h>
#include <ns3/nstime.h>
#include <vector>

class HostDevice;
class Link;
class RoutedPacket;

struct Route
{
  uint32_t flow;
  bool is_data;                 /* from the flow's sender */
  ns3::Time access_delay;       /* to the first link, and from the last */
  std::vector<Link*> links;
  HostDevice* receiver;

  void Deliver(ns3::Ptr<RoutedPacket> packet) const;
};

class RoutedPacket : public ns3::Ipv4QueueDiscItem
{
public:
  RoutedPacket(ns3::Ptr<ns3::Packet> packet, const ns3::Ipv4Header& header, const Route& its_route,
               uint64_t its_number);

  const Route& route;           /* lives as long as the simulation */
  const uint64_t number;        /* among the flow's data */
  size_t hop = 0;               /* the link it is at, of route.links */
};
