/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "wire.h"

#include <algorithm>
#include <ns3/double.h>
#include <ns3/simulator.h>

#include "bottleneck-queue.h"
#include "loss-pattern.h"

using namespace ns3;

Wire::Wire(const LinkDescription& link, bool forward, Recorder& recorder)
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
    Simulator::Schedule(Seconds(at_s), &Wire::SetRate, this, rate_bit_s);
  m_queue->TraceConnectWithoutContext("Drop", MakeCallback(&Wire::OnDrop, this));
  m_queue->TraceConnectWithoutContext("Mark", MakeCallback(&Wire::OnMark, this));
  m_queue->TraceConnectWithoutContext("PacketsInQueue", MakeCallback(&Wire::OnLength, this));
}

void
Wire::Receive(Ptr<RoutedPacket> packet)
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
Wire::Transmit()
{
  Ptr<QueueDiscItem> item = m_queue->Dequeue();

  m_busy = item != nullptr;
  if (!m_busy)
    return;
  Time busy = Seconds(item->GetSize() * 8.0 / m_rate_bit_s);
  m_recorder.OnTransmitted(m_index, m_forward, item->GetSize(),
                           static_cast<uint64_t>(busy.GetNanoSeconds()));
  Simulator::Schedule(busy, &Wire::Finish, this, StaticCast<RoutedPacket>(item));
}

/* The last bit is on the line. */
void
Wire::Finish(Ptr<RoutedPacket> packet)
{
  PassOn(packet, GetNextDelay());
  Transmit();
}

Time
Wire::GetNextDelay()
{
  if (!m_jitter)
    return m_delay;

  /* From -3 to 3 standard deviations, and the least of them is no delay. */
  Time delay = m_delay + Seconds(m_jitter->GetValue() + 3 * m_jitter_s);
  m_last_arrival = std::max(m_last_arrival, Simulator::Now() + delay);
  return m_last_arrival - Simulator::Now();
}

void
Wire::OnDrop(Ptr<const QueueDiscItem> item)
{
  auto packet = static_cast<const RoutedPacket*>(PeekPointer(item));

  m_recorder.OnLost(m_index, m_forward);
  if (packet->route.is_data)
    m_recorder.OnDropped(m_index, packet->route.flow, packet->number);
}

void
Wire::OnMark(Ptr<const QueueDiscItem> item, const char*)
{
  auto packet = static_cast<const RoutedPacket*>(PeekPointer(item));

  if (packet->route.is_data)
    m_recorder.OnMarked(m_index, packet->route.flow, packet->number);
}

void
Wire::OnLength(uint32_t, uint32_t packets)
{
  m_recorder.OnQueueLength(m_index, m_forward, packets);
}
