/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One direction of a link: a loss pattern, a queue, a transmitter with a rate,
 * and the delay of propagation, as in ns-2.
 *
 * Jitter is a Gaussian of the given standard deviation, cut at three of them
 * (RFC 8868 section 4.5), added to the delay so that it is 0 or more; it never
 * reorders packets. */
#pragma once

#include <functional>
#include <ns3/error-model.h>
#include <ns3/ipv4-queue-disc-item.h>
#include <ns3/queue-disc.h>
#include <ns3/random-variable-stream.h>

#include "description.h"
#include "recorder.h"

class Link;

/* Where the packets of one direction of one flow go. */
struct Route
{
  uint32_t flow;
  bool is_data;                 /* from the flow's sender */
  ns3::Time access_delay;       /* before the first link, and after the last */
  std::vector<Link*> links;
  std::function<void(ns3::Ptr<ns3::Packet>)> deliver;
};

/* A packet on its way; remembers what the recorder asks for. */
class RoutedPacket : public ns3::Ipv4QueueDiscItem
{
public:
  RoutedPacket(ns3::Ptr<ns3::Packet> packet, const ns3::Ipv4Header& header, const Route& route,
               uint64_t sequence);

  const Route& route;
  uint64_t sequence;            /* among the packets of this direction */
  size_t hop = 0;               /* of route.links */
};

class Link
{
public:
  Link(const LinkDescription& link, bool forward, Recorder& recorder);

  /* A packet arrives at the link's queue. */
  void Receive(ns3::Ptr<RoutedPacket> packet);

private:
  void Transmit();
  void OnTransmitted(ns3::Ptr<RoutedPacket> packet);
  void SetRate(double rate_bit_s) { m_rate_bit_s = rate_bit_s; }
  ns3::Time NextDelay();
  void OnDrop(ns3::Ptr<const ns3::QueueDiscItem> item);
  void OnMark(ns3::Ptr<const ns3::QueueDiscItem> item, const char* reason);
  void OnLength(uint32_t before, uint32_t now);

  uint32_t m_index;
  bool m_forward;
  Recorder& m_recorder;
  double m_rate_bit_s;
  ns3::Time m_delay;
  double m_jitter_ms;
  ns3::Ptr<ns3::NormalRandomVariable> m_jitter;
  ns3::Time m_last_arrival;     /* at the far end */
  ns3::Ptr<ns3::QueueDisc> m_queue;
  ns3::Ptr<ns3::ErrorModel> m_loss;
  bool m_busy = false;
};

/* A packet leaves its host for the first link of its route. */
void SendOnRoute(ns3::Ptr<RoutedPacket> packet);
