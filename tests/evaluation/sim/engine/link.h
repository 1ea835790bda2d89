/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One direction of a link of the chain: a wire (wire.h) or the air
 * (wifi-cell.h). */
#pragma once

#include <ns3/nstime.h>
#include <ns3/ptr.h>

#include "route.h"

class Link
{
public:
  virtual ~Link() = default;

  /* A flow will cross it. */
  virtual void AddFlow(uint32_t) {}
  /* A packet comes to the end of the queue. */
  virtual void Receive(ns3::Ptr<RoutedPacket> packet) = 0;

protected:
  /* To the next link of its route, or to the host behind the last. */
  static void PassOn(ns3::Ptr<RoutedPacket> packet, ns3::Time delay);
};
