/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "flash-crowd.h"

#include <cmath>

#include <ns3/double.h>
#include <ns3/inet-socket-address.h>
#include <ns3/random-variable-stream.h>
#include <ns3/simulator.h>

#include "tcp-socket.h"
#include "web-session.h"

using namespace ns3;

namespace {

/* Closed connections leave soon, see web-flow.cc. */
constexpr double SegmentLifetime = 2;   /* s */

struct Transfer
{
  TcpSettings settings;
  Ptr<Node> node;
  InetSocketAddress peer;
  uint32_t bytes;
};

/* The send buffer holds all of it: the transfer needs nobody any more. */
void
WriteAll(uint32_t bytes, Ptr<Socket> socket)
{
  socket->Send(Create<Packet>(bytes));
  socket->Close();
}

void
StartTransfer(const Transfer& transfer)
{
  Ptr<TcpSocketBase> socket = transfer.settings.MakeSocket(transfer.node);

  socket->SetAttribute("MaxSegLifetime", DoubleValue(SegmentLifetime));
  socket->SetConnectCallback(MakeBoundCallback(&WriteAll, transfer.bytes),
      MakeNullCallback<void, Ptr<Socket>>());
  socket->Connect(transfer.peer);
}

} // namespace

void
FlashCrowd::Install(const FlowPlace& place)
{
  const Parameters& parameters = place.description.parameters;
  TcpSettings settings(place.description);
  double seconds = parameters.Number("seconds", 5);
  double transfers = parameters.Number("flows_per_s", 200) * seconds;
  auto packets = static_cast<uint32_t>(parameters.Count("packets", 10));
  auto starts = CreateObject<UniformRandomVariable>();

  if (!(seconds > 0 && transfers >= 1 && packets > 0))
    parameters.Refuse("a crowd needs flows_per_s, seconds and packets above 0");
  Transfer transfer {settings, place.sender,
      InetSocketAddress(place.receiver_address, place.port),
      packets * settings.GetSegmentBytes()};
  for (int i = 0; i < std::lround(transfers); i++) {
    Time start = place.start + Seconds(starts->GetValue(0, seconds));

    if (start < place.stop)
      Simulator::Schedule(start, &StartTransfer, transfer);
  }

  auto reader = CreateObject<WebReader>(settings.MakeSocket(place.receiver),
      InetSocketAddress(Ipv4Address::GetAny(), place.port));
  reader->SetStartTime(place.start);
  place.receiver->AddApplication(reader);
}
