/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One direction of a link as in ns-2: a loss pattern, a queue, a transmitter
 * with a rate, and the delay of propagation.  The packet in the transmitter is
 * no longer in the queue.
 *
 * Jitter (RFC 8868 section 4.5.1) is a Gaussian of the given standard deviation
 * cut at three of them, and so much is added to the delay that it is never
 * negative; packets stay in order. */
#pragma once

#include <ns3/error-model.h>
#include <ns3/ipv4-queue-disc-item.h>
#include <ns3/queue-disc.h>
#include <ns3/random-variable-stream.h>

#include "description.h"
#include "link.h"
#include "recorder.h"

class Wire : public Link
{
public:
  Wire(const LinkDescription& link, bool forward, Recorder& recorder);

  void Receive(ns3::Ptr<RoutedPacket> packet) override;

private:
  void SetRate(double rate_bit_s) { m_rate_bit_s = rate_bit_s; }
  void Transmit();
  void Finish(ns3::Ptr<RoutedPacket> packet);
  ns3::Time GetNextDelay();
  void OnDrop(ns3::Ptr<const ns3::QueueDiscItem> item);
  void OnMark(ns3::Ptr<const ns3::QueueDiscItem> item, const char* reason);
  void OnLength(uint32_t before, uint32_t packets);

  uint32_t m_index;
  bool m_forward;
  Recorder& m_recorder;
  double m_rate_bit_s;          /* of the next packet */
  ns3::Time m_delay;
  double m_jitter_s;
  ns3::Ptr<ns3::NormalRandomVariable> m_jitter; /* null: none */
  ns3::Time m_last_arrival;     /* at the far end, when there is jitter */
  ns3::Ptr<ns3::QueueDisc> m_queue;
  ns3::Ptr<ns3::ErrorModel> m_loss;     /* null: none */
  bool m_busy = false;
};
