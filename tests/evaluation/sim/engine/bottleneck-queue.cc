/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bottleneck-queue.h"

#include <ns3/boolean.h>
#include <ns3/data-rate.h>
#include <ns3/double.h>
#include <ns3/fq-codel-queue-disc.h>
#include <ns3/object-factory.h>
#include <ns3/queue-size.h>
#include <ns3/uinteger.h>

using namespace ns3;

namespace {

/* A packet where a limit is in bytes and thresholds are not. */
constexpr uint32_t MEAN_PACKET_BYTES = 1000;
/* What fq-codel gives each flow in turn: a packet of Ethernet, as Linux. */
constexpr uint32_t QUANTUM_BYTES = 1514;

QueueSize
Limit(const Parameters& parameters)
{
  if (parameters.Has("bytes"))
    return QueueSize(QueueSizeUnit::BYTES, parameters.Count("bytes", 0));
  return QueueSize(QueueSizeUnit::PACKETS, parameters.Count("packets", 100));
}

void
SetRed(ObjectFactory& factory, const Parameters& parameters, double rate_bit_s, double delay_ms)
{
  factory.SetTypeId("ns3::RedQueueDisc");
  factory.Set("Gentle", BooleanValue(parameters.Flag("gentle", true)));
  factory.Set("LInterm", DoubleValue(1 / parameters.Number("max_p", 0.1)));
  factory.Set("MeanPktSize", UintegerValue(MEAN_PACKET_BYTES));
  factory.Set("LinkBandwidth", DataRateValue(DataRate(static_cast<uint64_t>(rate_bit_s))));
  factory.Set("LinkDelay", TimeValue(Seconds(delay_ms / 1000)));
}

/* In the unit of the limit, as RedQueueDisc takes them. */
void
SetRedThresholds(ObjectFactory& factory, const Parameters& parameters)
{
  double unit = parameters.Has("bytes") ? MEAN_PACKET_BYTES : 1;

  factory.Set("MinTh", DoubleValue(unit * parameters.Number("min_packets", 5)));
  factory.Set("MaxTh", DoubleValue(unit * parameters.Number("max_packets", 15)));
  factory.Set("QW", DoubleValue(parameters.Number("weight", 0.002)));
}

/* Floyd, Gummadi and Shenker 2001. */
void
SetAdaptiveRed(ObjectFactory& factory, const Parameters& parameters, double rate_bit_s,
               double delay_ms)
{
  bool has_thresholds = parameters.Has("min_packets");

  SetRed(factory, parameters, rate_bit_s, delay_ms);
  if (has_thresholds)
    SetRedThresholds(factory, parameters);
  /* ARED is AdaptMaxP and thresholds of its own. */
  factory.Set(has_thresholds ? "AdaptMaxP" : "ARED", BooleanValue(true));
}

} // namespace

Ptr<QueueDisc>
MakeBottleneckQueue(const QueueDescription& description, double rate_bit_s, double delay_ms)
{
  const Parameters& parameters = description.parameters;
  ObjectFactory factory;

  if (description.kind == "drop-tail") {
    factory.SetTypeId("ns3::FifoQueueDisc");
  } else if (description.kind == "red") {
    SetRed(factory, parameters, rate_bit_s, delay_ms);
    SetRedThresholds(factory, parameters);
  } else if (description.kind == "adaptive-red") {
    SetAdaptiveRed(factory, parameters, rate_bit_s, delay_ms);
  } else if (description.kind == "codel") {
    factory.SetTypeId("ns3::CoDelQueueDisc");
  } else if (description.kind == "fq-codel") {
    factory.SetTypeId("ns3::FqCoDelQueueDisc");
  } else {
    parameters.Refuse("there is no kind '" + description.kind + "'");
  }
  if (description.kind != "drop-tail")
    factory.Set("UseEcn", BooleanValue(parameters.Flag("ecn", false)));
  factory.Set("MaxSize", QueueSizeValue(Limit(parameters)));
  parameters.RefuseUnread();

  Ptr<QueueDisc> queue = factory.Create<QueueDisc>();
  /* Without a device it has no MTU to take it from. */
  if (auto fair = DynamicCast<FqCoDelQueueDisc>(queue))
    fair->SetQuantum(QUANTUM_BYTES);
  queue->Initialize();
  return queue;
}
