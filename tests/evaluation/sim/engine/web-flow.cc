/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A web session between two hosts. */
#include "web-flow.h"

#include <ns3/double.h>
#include <ns3/inet-socket-address.h>

#include "random-variable.h"
#include "tcp-socket.h"
#include "web-session.h"

using namespace ns3;

namespace {

/* Closed connections wait for twice this: ns-3's own 120 s would fill a host
 * with them, and each is in the way of the search for a packet's socket. */
constexpr double SegmentLifetime = 2;   /* s */

Ptr<Socket>
MakeSocket(const TcpSettings& settings, Ptr<Node> node)
{
  auto socket = settings.MakeSocket(node);

  socket->SetAttribute("MaxSegLifetime", DoubleValue(SegmentLifetime));
  return socket;
}

} // namespace

void
WebFlow::Install(const FlowPlace& place)
{
  const Parameters& parameters = place.description.parameters;
  TcpSettings settings(place.description);
  Ptr<Node> sender = place.sender;
  Ptr<RandomVariableStream> objects = CreateObject<ConstantRandomVariable>();
  auto parallel = static_cast<uint32_t>(parameters.Count("parallel", 4));

  objects->SetAttribute("Constant", DoubleValue(1));
  if (parameters.Has("objects"))
    objects = MakeRandomVariable(parameters.Part("objects"));
  if (parallel == 0)
    parameters.Refuse("parallel is 0");

  WebSession::Config config {
      MakeRandomVariable(parameters.Part("pause")), objects,
      MakeRandomVariable(parameters.Part("object_bytes")), parallel,
      [settings, sender] { return MakeSocket(settings, sender); }};
  auto session = CreateObject<WebSession>(config,
      InetSocketAddress(place.receiver_address, place.port));
  auto reader = CreateObject<WebReader>(MakeSocket(settings, place.receiver),
      InetSocketAddress(Ipv4Address::GetAny(), place.port));

  session->SetStartTime(place.start);
  session->SetStopTime(place.stop);
  sender->AddApplication(session);
  place.receiver->AddApplication(reader);
}
