/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "recorder.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ns3/simulator.h>

using nlohmann::ordered_json;

namespace {

uint64_t
Now()
{
  return static_cast<uint64_t>(ns3::Simulator::Now().GetNanoSeconds());
}

/* The last one may be shorter; what is left of rounding is none. */
size_t
CountBins(double seconds, uint64_t bin_ns)
{
  return static_cast<size_t>(std::ceil(seconds * 1e9 / static_cast<double>(bin_ns) - 1e-6));
}

double
Share(double part, double whole)
{
  return whole > 0 ? part / whole : 0.0;
}

} // namespace

Recorder::Recorder(const RunDescription& run, std::string folder)
  : m_run(run),
    m_folder(std::move(folder)),
    m_bin_ns(static_cast<uint64_t>(std::llround(run.bin_ms * 1e6))),
    m_n_bins(CountBins(run.seconds, m_bin_ns)),
    m_received(m_n_bins * run.flows.size()),
    m_sent(m_received.size()),
    m_arrivals(m_received.size() * run.links.size()),
    m_drops(m_arrivals.size()),
    m_flows(run.flows.size()),
    m_directions(2 * run.links.size()),
    m_losses(Open("losses.txt"))
{
  for (DirectionCounts& direction : m_directions) {
    direction.queue.area.resize(m_n_bins);
    direction.queue.most.resize(m_n_bins);
  }
}

uint64_t
Recorder::OnSent(uint32_t flow, uint32_t bytes)
{
  FlowCounts& counts = m_flows[flow];

  m_sent[GetBin() * m_flows.size() + flow] += bytes;
  counts.sent_bytes += bytes;
  return counts.sent_packets++;
}

void
Recorder::OnReceived(uint32_t flow, uint32_t bytes)
{
  FlowCounts& counts = m_flows[flow];

  m_received[GetBin() * m_flows.size() + flow] += bytes;
  counts.received_bytes += bytes;
  counts.received_packets++;
}

void
Recorder::OnOffered(uint32_t link, uint32_t flow)
{
  m_arrivals[GetLinkCell(link, flow)]++;
}

void
Recorder::OnDropped(uint32_t link, uint32_t flow, uint64_t number)
{
  m_flows[flow].drops++;
  AddLoss(link, flow, number);
}

void
Recorder::OnMarked(uint32_t link, uint32_t flow, uint64_t number)
{
  m_flows[flow].marks++;
  AddLoss(link, flow, number);
}

void
Recorder::OnTransmitted(uint32_t link, bool forward, uint32_t bytes, uint64_t busy_ns)
{
  DirectionCounts& counts = GetDirection(link, forward);

  counts.packets++;
  counts.bytes += bytes;
  counts.busy_ns += busy_ns;
}

void
Recorder::OnLost(uint32_t link, bool forward)
{
  GetDirection(link, forward).drops++;
}

void
Recorder::OnQueueLength(uint32_t link, bool forward, uint32_t packets)
{
  QueueCounts& queue = GetDirection(link, forward).queue;

  CloseQueue(queue, Now());
  queue.packets = packets;
  queue.most[GetBin()] = std::max(queue.most[GetBin()], packets);
}

void
Recorder::OnCoreTime(uint64_t ns, uint32_t data_packets)
{
  m_core_ns += ns;
  m_core_packets += data_packets;
}

void
Recorder::OnCoreInterrupted(uint32_t data_packets)
{
  m_core_interruptions++;
  m_core_packets += data_packets;
}

void
Recorder::SetFlowValue(uint32_t flow, const std::string& name, double value)
{
  m_flows[flow].values.emplace_back(name, value);
}

std::ofstream
Recorder::OpenTrace(uint32_t flow) const
{
  return Open("trace-" + std::to_string(flow) + ".csv");
}

void
Recorder::Write(double wall_s, uint64_t events)
{
  for (DirectionCounts& direction : m_directions)
    CloseQueue(direction.queue, m_n_bins * m_bin_ns);
  m_losses.close();
  WriteTable("received.txt", m_received);
  WriteTable("sent.txt", m_sent);
  WriteTable("arrivals.txt", m_arrivals);
  WriteTable("drops.txt", m_drops);
  WriteQueues();
  WriteSummary(wall_s, events);
}

/* What happens at the very end belongs to the last bin. */
size_t
Recorder::GetBin() const
{
  return std::min(static_cast<size_t>(Now() / m_bin_ns), m_n_bins - 1);
}

size_t
Recorder::GetLinkCell(uint32_t link, uint32_t flow) const
{
  return (GetBin() * m_run.links.size() + link) * m_flows.size() + flow;
}

Recorder::DirectionCounts&
Recorder::GetDirection(uint32_t link, bool forward)
{
  return m_directions[2 * link + (forward ? 0 : 1)];
}

/* Integrates a length that has not changed since the last time. */
void
Recorder::CloseQueue(QueueCounts& queue, uint64_t now_ns) const
{
  while (queue.since_ns < now_ns) {
    size_t bin = std::min(static_cast<size_t>(queue.since_ns / m_bin_ns), m_n_bins - 1);
    uint64_t end_ns = std::min(now_ns, (bin + 1) * m_bin_ns);

    if (end_ns <= queue.since_ns)       /* behind the last bin */
      return;
    queue.area[bin] += queue.packets * static_cast<double>(end_ns - queue.since_ns);
    queue.most[bin] = std::max(queue.most[bin], queue.packets);
    queue.since_ns = end_ns;
  }
}

void
Recorder::AddLoss(uint32_t link, uint32_t flow, uint64_t number)
{
  m_drops[GetLinkCell(link, flow)]++;
  m_losses << static_cast<double>(Now()) / 1e9 << ' ' << flow << ' ' << number << '\n';
}

std::ofstream
Recorder::Open(const std::string& name) const
{
  std::ofstream file;

  file.exceptions(std::ios::failbit | std::ios::badbit);
  file.open(m_folder + "/" + name);
  file.precision(12);
  return file;
}

/* Streams are too slow for millions of numbers. */
void
Recorder::WriteTable(const std::string& name, const Table& table) const
{
  std::ofstream file = Open(name);
  size_t width = table.size() / m_n_bins;
  std::vector<char> line(width * 11);

  for (size_t row = 0; row < m_n_bins; row++) {
    char* end = line.data();

    for (size_t column = 0; column < width; column++) {
      end = std::to_chars(end, end + 10, table[row * width + column]).ptr;
      *end++ = column + 1 < width ? ' ' : '\n';
    }
    file.write(line.data(), end - line.data());
  }
}

void
Recorder::WriteQueues() const
{
  std::ofstream file = Open("queue.txt");

  file.precision(6);
  for (size_t bin = 0; bin < m_n_bins; bin++) {
    for (size_t link = 0; link < m_run.links.size(); link++) {
      const QueueCounts& queue = m_directions[2 * link].queue;

      file << (link == 0 ? "" : " ") << queue.area[bin] / static_cast<double>(m_bin_ns) << ' '
           << queue.most[bin];
    }
    file << '\n';
  }
}

void
Recorder::WriteSummary(double wall_s, uint64_t events) const
{
  ordered_json summary;

  for (const FlowDescription& flow : m_run.flows) {
    const FlowCounts& counts = m_flows[flow.index];
    ordered_json entry = {
      {"name", flow.name}, {"kind", flow.kind}, {"index", flow.index},
      {"start_s", flow.start_s}, {"rtt_ms", flow.rtt_ms},
      {"sent_packets", counts.sent_packets}, {"sent_bytes", counts.sent_bytes},
      {"received_packets", counts.received_packets}, {"received_bytes", counts.received_bytes},
      {"drops", counts.drops}, {"marks", counts.marks},
    };

    for (const auto& [name, value] : counts.values)
      entry[name] = value;
    summary["flows"].push_back(entry);
  }
  for (size_t i = 0; i < m_directions.size(); i++) {
    const DirectionCounts& counts = m_directions[i];
    const QueueCounts& queue = counts.queue;
    double area = 0;

    for (double bin : queue.area)
      area += bin;
    summary[i % 2 == 0 ? "links" : "reverse_links"].push_back({
      {"packets", counts.packets}, {"bytes", counts.bytes}, {"drops", counts.drops},
      {"busy", static_cast<double>(counts.busy_ns) / 1e9 / m_run.seconds},
      {"queue_mean", area / 1e9 / m_run.seconds},
      {"queue_max", *std::max_element(queue.most.begin(), queue.most.end())},
    });
  }
  summary["engine"] = {
    {"seconds", m_run.seconds}, {"events", events}, {"wall_s", wall_s},
    {"core_ns", m_core_ns}, {"core_packets", m_core_packets},
    {"core_interruptions", m_core_interruptions},
    {"core_ns_per_packet",
     Share(static_cast<double>(m_core_ns), static_cast<double>(m_core_packets))},
  };
  Open("summary.json") << summary.dump(1) << '\n';
}
