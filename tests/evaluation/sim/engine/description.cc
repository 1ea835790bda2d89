/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "description.h"

#include <nlohmann/json.hpp>
#include <random>

using nlohmann::json;

namespace {

/* What one flow draws, whatever the others are. */
class Draws
{
public:
  Draws(uint32_t seed, uint32_t group, uint32_t number)
  {
    std::seed_seq sequence{seed, group, number};
    m_generator.seed(sequence);
  }

  /* Uniform; by hand, as the library's distributions may differ. */
  double Between(std::pair<double, double> range)
  {
    double unit = static_cast<double>(m_generator() >> 11) * 0x1p-53;
    return range.first + unit * (range.second - range.first);
  }

private:
  std::mt19937_64 m_generator;
};

QueueDescription
ReadQueue(const Parameters& link, const std::string& key)
{
  QueueDescription queue;

  queue.parameters = link.Part(key);
  queue.kind = queue.parameters.Text("kind", queue.kind);
  return queue;
}

std::vector<LossPhase>
ReadLoss(const Parameters& link)
{
  std::vector<LossPhase> phases;

  for (const Parameters& part : link.Parts("loss")) {
    LossPhase phase;

    phase.parameters = part;
    phase.until_s = part.Number("until_s", phase.until_s);
    phase.kind = part.Text("kind", phase.kind);
    phases.push_back(phase);
  }
  return phases;
}

std::vector<std::pair<double, double>>
ReadSchedule(const Parameters& from, const std::string& key)
{
  std::vector<std::pair<double, double>> schedule = from.Pairs(key);

  for (const auto& [at_s, rate_bit_s] : schedule)
    if (!(at_s >= 0) || !(rate_bit_s > 0))
      from.Refuse(key + " has a time below 0 or a rate of 0 bit/s");
  return schedule;
}

/* Modes that ns-3 does not have end the program there. */
void
ReadWifi(const Parameters& from, LinkDescription& link)
{
  static const std::string family = "HtMcs";

  if (!from.Has("wifi_mode"))
    return;
  link.wifi_mode = from.Text("wifi_mode", "");
  link.wifi_queue_packets = static_cast<uint32_t>(from.Count("wifi_queue_packets", 0));
  for (int i = 0; i < 16; i++)
    if (link.wifi_mode == family + std::to_string(i) && link.wifi_queue_packets > 0)
      return;
  from.Refuse("wifi_mode is not HtMcs0 to HtMcs15, or wifi_queue_packets not above 0");
}

LinkDescription
ReadLink(const Parameters& from, uint32_t index)
{
  LinkDescription link;

  link.index = index;
  link.rate_bit_s = from.Number("rate_bit_s", 0);
  link.delay_ms = from.Number("delay_ms", 0);
  link.jitter_ms = from.Number("jitter_ms", 0);
  if (!(link.rate_bit_s > 0))
    from.Refuse("rate_bit_s is not above 0");
  if (!(link.delay_ms >= 0) || !(link.jitter_ms >= 0))
    from.Refuse("delay_ms or jitter_ms is below 0");
  ReadWifi(from, link);
  link.schedule = ReadSchedule(from, "schedule");
  link.reverse_schedule = ReadSchedule(from, "reverse_schedule");
  link.queue = ReadQueue(from, "queue");
  link.reverse_queue = ReadQueue(from, from.Has("reverse_queue") ? "reverse_queue" : "queue");
  link.loss = ReadLoss(from);
  from.RefuseUnread();
  return link;
}

double
LinksDelay(const RunDescription& run, const FlowDescription& flow)
{
  double delay_ms = 0;

  for (uint32_t i = flow.from_link; i <= flow.to_link; i++)
    delay_ms += run.links[i].delay_ms;
  return delay_ms;
}

/* What all flows of a group share. */
FlowDescription
ReadFlow(const RunDescription& run, const Parameters& from)
{
  FlowDescription flow;

  flow.kind = from.Text("kind", "");
  flow.name = from.Text("name", flow.kind);
  flow.reverse = from.Flag("reverse", false);
  flow.trace = from.Flag("trace", false);
  flow.overhead_ms = from.Number("overhead_ms", 0);
  flow.packet_bytes = static_cast<uint32_t>(from.Count("packet_bytes", 1000));
  flow.from_link = static_cast<uint32_t>(from.Count("from_link", 0));
  flow.to_link = static_cast<uint32_t>(from.Count("to_link", run.links.size() - 1));
  if (flow.kind.empty())
    from.Refuse("kind is missing");
  if (flow.from_link > flow.to_link || flow.to_link >= run.links.size())
    from.Refuse("from_link and to_link do not name links of the chain in order");
  if (flow.packet_bytes < 100 || flow.packet_bytes > 9000)
    from.Refuse("packet_bytes is not between 100 and 9000");
  if (!(flow.overhead_ms >= 0))
    from.Refuse("overhead_ms is below 0");
  return flow;
}

void
ReadGroup(RunDescription& run, const Parameters& from, uint32_t group)
{
  FlowDescription flow = ReadFlow(run, from);
  double least_rtt_ms = 2 * LinksDelay(run, flow);
  auto start_s = from.Range("start_s", 0);
  auto stop_s = from.Range("stop_s", flow.stop_s);
  auto rtt_ms = from.Range("rtt_ms", least_rtt_ms);
  uint64_t count = from.Count("count", 1);

  if (!(start_s.first >= 0))
    from.Refuse("start_s is below 0");
  if (rtt_ms.first < least_rtt_ms)
    from.Refuse("rtt_ms is less than the links take");
  for (uint32_t number = 0; number < count; number++) {
    Draws draws(run.seed, group, number);

    flow.index = static_cast<uint32_t>(run.flows.size());
    flow.number = number;
    flow.start_s = draws.Between(start_s);
    if (from.Has("stop_s"))
      flow.stop_s = draws.Between(stop_s);
    flow.rtt_ms = draws.Between(rtt_ms);
    /* Each flow tells for itself what it has read. */
    flow.parameters = from.Part("parameters");
    run.flows.push_back(flow);
  }
  from.RefuseUnread();
}

RunDescription
ReadRun(const Parameters& from)
{
  RunDescription run;
  uint32_t group = 0;

  run.seed = static_cast<uint32_t>(from.Count("seed", 1));
  run.seconds = from.Number("seconds", 0);
  run.bin_ms = from.Number("bin_ms", run.bin_ms);
  run.core_time = from.Flag("core_time", false);
  if (!(run.seconds > 0) || run.seconds > 1e6)
    from.Refuse("seconds is not above 0");
  if (!(run.bin_ms >= 0.1))
    from.Refuse("bin_ms is not 0.1 or more");
  for (const Parameters& part : from.Parts("links"))
    run.links.push_back(ReadLink(part, static_cast<uint32_t>(run.links.size())));
  if (run.links.empty())
    from.Refuse("there are no links");
  for (const Parameters& part : from.Parts("flows"))
    ReadGroup(run, part, group++);
  if (run.flows.empty())
    from.Refuse("there are no flows");
  if (from.Flag("trace", false))
    for (FlowDescription& flow : run.flows)
      flow.trace = true;
  from.RefuseUnread();
  return run;
}

} // namespace

RunDescription
ReadDescription(const std::string& json_text)
{
  json object;

  try {
    object = json::parse(json_text);
  } catch (const json::parse_error& error) {
    throw DescriptionError("this is not JSON: byte " + std::to_string(error.byte));
  }
  return ReadRun(Parameters(object, "run"));
}
