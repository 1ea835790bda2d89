/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the engine knows of a flow: where it stands, and that it can be set up.
 * One object per flow; it lives as long as the simulation. */
#pragma once

#include <functional>
#include <memory>
#include <ns3/ipv4-address.h>
#include <ns3/node.h>
#include <ns3/nstime.h>
#include <ns3/ptr.h>

#include "description.h"
#include "recorder.h"

class Flow;

/* Hosts with IPv4, UDP and TCP that no other flow uses. */
struct FlowPlace
{
  const FlowDescription& description;
  Recorder& recorder;
  ns3::Ptr<ns3::Node> sender, receiver;
  ns3::Ipv4Address sender_address, receiver_address;
  uint16_t port;                /* free on both hosts, as are all others */
  ns3::Time start, stop;        /* stop: not later than the run's end */
  bool core_time;               /* measure what gst/protocol takes */
  /* From now on nothing leaves the sender, whatever its sockets still hold. */
  std::function<void()> silence_sender;
  /* The flow of that name, if it stands before this one; else null. */
  std::function<Flow*(const std::string& name)> find_flow;
};

class Flow
{
public:
  virtual ~Flow() = default;

  /* Reads all its parameters, makes sockets, schedules its start.  Random
   * numbers come from ns-3's RandomVariableStreams, made here. */
  virtual void Install(const FlowPlace& place) = 0;

  /* The simulation is over: values for summary.json. */
  virtual void Finish() {}
};

/* One of the kinds of flow-kinds.cc; throws a DescriptionError for others. */
std::unique_ptr<Flow> MakeFlow(const FlowDescription& description);
