/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Descriptions of unresponsive flows to ns-3 applications. */
#include "udp-flow.h"

#include <ns3/data-rate.h>
#include <ns3/inet-socket-address.h>
#include <ns3/onoff-application.h>
#include <ns3/packet-sink.h>
#include <ns3/pointer.h>
#include <ns3/string.h>
#include <ns3/udp-socket-factory.h>
#include <ns3/uinteger.h>

#include "random-variable.h"
#include "udp-source.h"

using namespace ns3;

namespace {

constexpr uint32_t HeaderBytes = 28;    /* IPv4 and UDP */

uint32_t
PayloadBytes(const FlowDescription& description)
{
  if (description.packet_bytes <= HeaderBytes)
    description.parameters.Refuse("packet_bytes leaves no room for data");
  return description.packet_bytes - HeaderBytes;
}

RateWave
ReadWave(const Parameters& parameters)
{
  std::string wave = parameters.Text("wave", "");
  auto steps = parameters.Pairs("steps");

  if (!steps.empty())
    return RateWave::Stepped(steps);
  if (wave.empty())
    return RateWave::Constant(parameters.Number("rate_bit_s", 0));

  double low = parameters.Number("low_bit_s", 0);
  double high = parameters.Number("high_bit_s", 0);
  double period = parameters.Number("period_s", 0);

  if (low < 0 || high <= low || period <= 0)
    parameters.Refuse("a wave needs period_s > 0 and high_bit_s > low_bit_s >= 0");
  if (wave == "square")
    return RateWave::Square(low, high, period);
  if (wave == "sawtooth")
    return RateWave::Sawtooth(low, high, period);
  if (wave == "reverse-sawtooth")
    return RateWave::Sawtooth(high, low, period);
  parameters.Refuse("no wave is called " + wave);
}

/* `source` at the sender, and a socket that takes its packets. */
void
InstallPair(const FlowPlace& place, Ptr<Application> source)
{
  auto sink = CreateObject<PacketSink>();

  sink->SetAttribute("Protocol", TypeIdValue(UdpSocketFactory::GetTypeId()));
  sink->SetAttribute("Local",
      AddressValue(InetSocketAddress(Ipv4Address::GetAny(), place.port)));
  place.receiver->AddApplication(sink);
  source->SetStartTime(place.start);
  source->SetStopTime(place.stop);
  place.sender->AddApplication(source);
}

} // namespace

void
UdpFlow::Install(const FlowPlace& place)
{
  const Parameters& parameters = place.description.parameters;
  double jitter = parameters.Number("jitter", 0);
  /* Steps are instants of the run, waves begin with the flow. */
  double wave_start = parameters.Has("steps") ? 0 : place.start.GetSeconds();

  if (jitter < 0 || jitter > 1)
    parameters.Refuse("jitter is not within 0 to 1");

  UdpSource::Config config {ReadWave(parameters), wave_start,
      PayloadBytes(place.description), place.description.packet_bytes, jitter};

  InstallPair(place, CreateObject<UdpSource>(config,
      InetSocketAddress(place.receiver_address, place.port)));
}

void
OnOffFlow::Install(const FlowPlace& place)
{
  const Parameters& parameters = place.description.parameters;
  uint32_t payload = PayloadBytes(place.description);
  /* OnOffApplication counts payload only. */
  double rate = parameters.Number("rate_bit_s", 0) * payload
      / place.description.packet_bytes;
  auto source = CreateObject<OnOffApplication>();

  if (rate < 1)
    parameters.Refuse("rate_bit_s is missing");
  source->SetAttribute("Protocol", TypeIdValue(UdpSocketFactory::GetTypeId()));
  source->SetAttribute("Remote",
      AddressValue(InetSocketAddress(place.receiver_address, place.port)));
  source->SetAttribute("PacketSize", UintegerValue(payload));
  source->SetAttribute("DataRate",
      DataRateValue(DataRate(static_cast<uint64_t>(rate))));
  source->SetAttribute("OnTime",
      PointerValue(MakeRandomVariable(parameters.Part("on"))));
  source->SetAttribute("OffTime",
      PointerValue(MakeRandomVariable(parameters.Part("off"))));
  InstallPair(place, source);
}
