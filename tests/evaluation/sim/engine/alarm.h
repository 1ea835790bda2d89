/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The core's time in a simulation, and an instant at which a flow is called. */
#pragma once

#include <ns3/simulator.h>

#include "protocol.h"

inline TfrcTime
GetTime()
{
  return static_cast<TfrcTime>(ns3::Simulator::Now().GetNanoSeconds());
}

/* One instant at which something is to be called, or none. */
template <class Flow>
class Alarm
{
public:
  void
  Set(TfrcTime at, void (Flow::*action)(), Flow* flow)
  {
    if (at == m_at && !m_event.IsExpired())
      return;
    m_event.Cancel();
    m_at = at;
    if (at != TFRC_TIME_NONE)
      m_event = ns3::Simulator::Schedule(
          ns3::NanoSeconds(tfrc_time_since(GetTime(), at)), action, flow);
  }

private:
  ns3::EventId m_event;
  TfrcTime m_at = TFRC_TIME_NONE;
};
