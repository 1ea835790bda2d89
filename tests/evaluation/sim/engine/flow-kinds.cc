/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which class a flow's kind names: one line per kind. */
#include <map>

#include "flash-crowd.h"
#include "group-branch.h"
#include "group-flow.h"
#include "media-flow.h"
#include "rap-flow.h"
#include "tcp-flow.h"
#include "tfrc-flow.h"
#include "udp-flow.h"
#include "web-flow.h"

namespace {

template <class Kind>
std::unique_ptr<Flow>
Make()
{
  return std::make_unique<Kind>();
}

const std::map<std::string, std::unique_ptr<Flow> (*)()> kinds = {
  {"cbr", Make<UdpFlow>},
  {"flash-crowd", Make<FlashCrowd>},
  {"media", Make<MediaFlow>},
  {"on-off", Make<OnOffFlow>},
  {"rap", Make<RapFlow>},
  {"tcp", Make<TcpFlow>},
  {"tfmcc", Make<GroupFlow>},
  {"tfmcc-branch", Make<GroupBranch>},
  {"tfrc", Make<TfrcUdpFlow>},
  {"web", Make<WebFlow>},
};

} // namespace

std::unique_ptr<Flow>
MakeFlow(const FlowDescription& description)
{
  auto kind = kinds.find(description.kind);

  if (kind == kinds.end())
    throw DescriptionError("flow " + description.name + ": there is no kind '" + description.kind
                           + "'");
  return kind->second();
}
