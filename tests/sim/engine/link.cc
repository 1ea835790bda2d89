/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link.h"

#include <algorithm>
#include <ns3/double.h>
#include <ns3/ipv4-l3-protocol.h>
#include <ns3/simulator.h>

#include "bottleneck-queue.h"
#include "loss-pattern.h"

using namespace ns3;

RoutedPacket::RoutedPacket(Ptr<Packet> packet, const Ipv4Header& header, const Route& its_route,
                           uint64_t its_number)
  : Ipv4QueueDiscItem(packet, Address(), Ipv4L3Protocol::PROT_NUMBER, header),
    route(its_route),
    number(its_number)
{
}

Link::Link(const LinkDescription& link, bool forward, Recorder& recorder)
  : m_index(link.index),
    m_forward(forward),
    m_recorder(recorder),
    m_rate_bit_s(link.rate_bit_s),
    m_delay(Seconds(link.delay_ms / 1e3)),
    m_jitter_s(link.jitter_ms / 1e3),
    m_queue(MakeBottleneckQueue(forward ? link.queue : link.reverse_queue, link.rate_bit_s,
                                link.delay_ms)),
    m_loss(forward ? MakeLossPattern(link.loss) : nullptr)
{
  if (m_jitter_s > 0) {
    m_jitter = CreateObject<NormalRandomVariable>();
    m_jitter->SetAttribute("Variance", DoubleValue(m_jitter_s * m_jitter_s));
    m_jitter->SetAttribute("Bound", DoubleValue(3 * m_jitter_s));
  }
  for (const auto& [at_s, rate_bit_s] : forward ? link.schedule : link.reverse_schedule)
    Simulator::Schedule(Seconds(at_s), &Link::SetRate, this, rate_bit_s);
  m_queue->TraceConnectWithoutContext("Drop", MakeCallback(&Link::OnDrop, this));
  m_queue->TraceConnectWithoutContext("Mark", MakeCallback(&Link::OnMark, this));
  m_queue->TraceConnectWithoutContext("PacketsInQueue", MakeCallback(&Link::OnLength, this));
}

void
Link::Receive(Ptr<RoutedPacket> packet)
{
  if (packet->route.is_data) {
    m_recorder.OnOffered(m_index, packet->route.flow);
    if (m_loss && m_loss->IsCorrupt(packet->GetPacket())) {
      OnDrop(packet);
      return;
    }
  }
  m_queue->Enqueue(packet);
  if (!m_busy)
    Transmit();
}

void
Link::Transmit()
{
  Ptr<QueueDiscItem> item = m_queue->Dequeue();

  m_busy = item != nullptr;
  if (!m_busy)
    return;
  Time busy = Seconds(item->GetSize() * 8.0 / m_rate_bit_s);
  m_recorder.OnTransmitted(m_index, m_forward, item->GetSize(),
                           static_cast<uint64_t>(busy.GetNanoSeconds()));
  Simulator::Schedule(busy, &Link::Finish, this, StaticCast<RoutedPacket>(item));
}

/* The last bit is on the line. */
void
Link::Finish(Ptr<RoutedPacket> packet)
{
  const Route& route = packet->route;
  Time delay = GetNextDelay();

  packet->hop++;
  if (packet->hop < route.links.size())
    Simulator::Schedule(delay, &Link::Receive, route.links[packet->hop], packet);
  else
    Simulator::Schedule(delay + route.access_delay, &Route::Deliver, &route, packet);
  Transmit();
}

Time
Link::GetNextDelay()
{
  if (!m_jitter)
    return m_delay;

  /* From -3 to 3 standard deviations, and the least of them is no delay. */
  Time delay = m_delay + Seconds(m_jitter->GetValue() + 3 * m_jitter_s);
  m_last_arrival = std::max(m_last_arrival, Simulator::Now() + delay);
  return m_last_arrival - Simulator::Now();
}

void
Link::OnDrop(Ptr<const QueueDiscItem> item)
{
  auto packet = static_cast<const RoutedPacket*>(PeekPointer(item));

  m_recorder.OnLost(m_index, m_forward);
  if (packet->route.is_data)
    m_recorder.OnDropped(m_index, packet->route.flow, packet->number);
}

void
Link::OnMark(Ptr<const QueueDiscItem> item, const char*)
{
  auto packet = static_cast<const RoutedPacket*>(PeekPointer(item));

  if (packet->route.is_data)
    m_recorder.OnMarked(m_index, packet->route.flow, packet->number);
}

void
Link::OnLength(uint32_t, uint32_t packets)
{
  m_recorder.OnQueueLength(m_index, m_forward, packets);
}
