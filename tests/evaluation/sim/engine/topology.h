/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The network of a run: a chain of links, and for every flow two hosts that
 * are joined to it by as much delay as the flow's RTT asks for.
 *
 *   sender --delay--> link from_link .. link to_link --delay--> receiver
 *
 * There are no routers: a flow's packets know their links (see route.h).  With
 * thousands of hosts an ns-3 router would look through as many interfaces for
 * each packet. */
#pragma once

#include <memory>
#include <vector>

#include "flow.h"
#include "link.h"

class Topology
{
public:
  /* Builds everything; what the description has wrong is thrown here. */
  Topology(const RunDescription& run, Recorder& recorder);
  ~Topology();

  /* Simulates to the end and returns the number of events it took. */
  uint64_t Run();

private:
  void AddLink(const LinkDescription& link);
  void AddFlow(const FlowDescription& flow);
  Flow* FindFlow(const std::string& name) const;
  std::vector<Link*> GetLinks(const FlowDescription& flow, bool from_sender) const;
  ns3::Time GetAccessDelay(const FlowDescription& flow) const;

  const RunDescription& m_run;
  Recorder& m_recorder;
  std::vector<std::unique_ptr<Link>> m_links;       /* forward, reverse, ... */
  std::vector<std::unique_ptr<Route>> m_routes;
  std::vector<std::unique_ptr<Flow>> m_flows;
};
