/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "udp-pair.h"

#include <ns3/inet-socket-address.h>
#include <ns3/udp-socket-factory.h>

using namespace ns3;

namespace {

Ptr<Socket>
MakeSocket(Ptr<Node> node, Ipv4Address here, Ipv4Address there, uint16_t port)
{
  Ptr<Socket> socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());

  socket->Bind(InetSocketAddress(here, port));
  socket->Connect(InetSocketAddress(there, port));
  return socket;
}

} // namespace

std::pair<Ptr<Socket>, Ptr<Socket>>
MakeUdpPair(const FlowPlace& place)
{
  return {
    MakeSocket(place.sender, place.sender_address, place.receiver_address, place.port),
    MakeSocket(place.receiver, place.receiver_address, place.sender_address, place.port),
  };
}
