/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts what hosts and links do, and writes the result folder of a run.
 *
 * Hosts and links call the On functions; flows do not count themselves.  A
 * flow's "data" are the packets of its sender, whatever they carry; the
 * packets of its receiver (ACKs, reports) are counted per link only.
 *
 *   summary.json   flows, links and the engine
 *   received.txt   a row per bin, a column per flow (or group that asked for
 *                  one together): IP bytes of data at the receiver
 *   sent.txt       the same, put on the first link by the sender
 *   arrivals.txt   packets of data offered to a link, its loss pattern
 *                  included; the columns of link 0, then those of link 1, ...
 *   drops.txt      the same: dropped (or marked) of these
 *   queue.txt      a row per bin; forward queue: mean * 1000 and maximum of
 *                  packets waiting, link 0, then link 1, ...
 *   losses.txt     a line per dropped packet of data: time [us], flow's index,
 *                  which of the flow's packets [from 0], link, 1 = marked only
 *   trace-<flow index>.csv   written by the flow, see OpenTrace */
#pragma once

#include <fstream>
#include <string>

#include "description.h"

class Recorder
{
public:
  Recorder(const RunDescription& run, std::string folder);

  /* A packet of data leaves its host: says which of its flow it is. */
  uint64_t OnSent(uint32_t flow, uint32_t bytes);
  void OnReceived(uint32_t flow, uint32_t bytes);

  /* A link's direction towards `flow`'s receiver. */
  void OnOffered(uint32_t link, uint32_t flow);
  void OnDropped(uint32_t link, uint32_t flow, uint64_t sequence);
  void OnMarked(uint32_t link, uint32_t flow, uint64_t sequence);
  /* The opposite packets of flows. */
  void OnReturnDropped(uint32_t link);
  /* A whole direction, whoever uses it. */
  void OnTransmitted(uint32_t link, bool forward, uint32_t bytes, double seconds);
  void OnQueueLength(uint32_t link, bool forward, uint32_t packets);

  /* Time inside gst/protocol, and the data packets it was spent on. */
  void OnCoreTime(uint64_t ns) { m_core_ns += ns; }
  void OnCorePacket() { m_core_packets++; }
  bool MeasuresCoreTime() const { return m_core_time; }

  /* A flow's own value for summary.json, e.g. "retransmissions". */
  void SetFlowValue(uint32_t flow, const std::string& name, double value);
  std::ofstream OpenTrace(uint32_t flow) const;

  /* At the end of the simulation. */
  void Write(double wall_s, uint64_t events);

private:
  struct FlowCounts
  {
    uint64_t packets_sent = 0, bytes_sent = 0;
    uint64_t packets_received = 0, bytes_received = 0;
    uint64_t drops = 0, marks = 0;
    std::vector<std::pair<std::string, double>> values;
  };
  struct DirectionCounts
  {
    uint64_t packets_out = 0, bytes_out = 0, drops = 0, marks = 0;
    double busy_s = 0;
    uint32_t queue = 0, queue_max = 0;
    uint64_t queue_since_ns = 0;
    double queue_area = 0;      /* packets * ns */
  };
  struct LinkCounts
  {
    DirectionCounts forward, reverse;
    uint64_t return_drops = 0;
  };
  struct QueueBins
  {
    std::vector<double> area;   /* packets * ns */
    std::vector<uint32_t> most;
  };
  using Table = std::vector<uint32_t>;

  size_t Bin() const;
  size_t Cell(uint32_t flow) const;
  size_t LinkCell(uint32_t link, uint32_t flow) const;
  DirectionCounts& Direction(uint32_t link, uint32_t flow);
  void AddQueueTime(uint32_t link, DirectionCounts& direction, bool forward);
  void WriteLoss(uint32_t link, uint32_t flow, uint64_t sequence, bool marked);
  void WriteTable(const char* name, const Table& table, size_t width) const;
  void WriteQueues() const;
  void WriteSummary(double wall_s, uint64_t events) const;

  const RunDescription& m_run;
  std::string m_folder;
  uint64_t m_bin_ns;
  size_t m_bins;
  bool m_core_time;
  uint64_t m_core_ns = 0, m_core_packets = 0;
  Table m_received, m_sent, m_arrivals, m_drops;
  std::vector<QueueBins> m_queues;
  std::vector<FlowCounts> m_flows;
  std::vector<LinkCounts> m_links;
  std::ofstream m_losses;
};
