/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counts what hosts and links do, and writes the result folder of a run.
 *
 * Hosts and links call the On functions; flows do not count themselves.  A
 * flow's "data" are the packets of its sender, whatever they carry; what its
 * receiver sends (ACKs, reports) is counted per link only.  A flow whose data
 * go against the links' direction is offered to, and dropped by, their reverse
 * queues.  Sizes are those of IP packets [bytes].
 *
 *   summary.json   flows, links and the engine
 *   received.txt   a row per bin, a column per flow: bytes at the receiver
 *   sent.txt       the same: bytes that the sender put on its first link
 *   arrivals.txt   packets of data offered to a link, to its loss pattern and
 *                  then to its queue; flows at link 0, then at link 1, ...
 *   drops.txt      the same: dropped of these, or marked
 *   queue.txt      a row per bin: mean and maximum of packets waiting in the
 *                  forward queue of link 0, then link 1, ...
 *   losses.txt     a row per dropped or marked packet of data: time [s], flow,
 *                  which packet of the flow [from 0]
 *   trace-N.csv, group-...-N.txt    of flow N, written by the flow itself */
#pragma once

#include <fstream>
#include <string>

#include "description.h"

class Recorder
{
public:
  Recorder(const RunDescription& run, std::string folder);

  /* A packet of data leaves its host; returns which of its flow's it is. */
  uint64_t OnSent(uint32_t flow, uint32_t bytes);
  void OnReceived(uint32_t flow, uint32_t bytes);

  /* A packet of data at a link. */
  void OnOffered(uint32_t link, uint32_t flow);
  void OnDropped(uint32_t link, uint32_t flow, uint64_t number);
  void OnMarked(uint32_t link, uint32_t flow, uint64_t number);

  /* Any packet in a direction of a link. */
  void OnTransmitted(uint32_t link, bool forward, uint32_t bytes, uint64_t busy_ns);
  void OnLost(uint32_t link, bool forward);
  void OnQueueLength(uint32_t link, bool forward, uint32_t packets);

  /* Time spent in gst/protocol, for so many data packets more. */
  void OnCoreTime(uint64_t ns, uint32_t data_packets);
  void OnCoreInterrupted(uint32_t data_packets);

  /* A flow's own value for summary.json. */
  void SetFlowValue(uint32_t flow, const std::string& name, double value);

  std::ofstream OpenTrace(uint32_t flow) const;
  /* Another file of the result folder. */
  std::ofstream OpenFile(const std::string& name) const { return Open(name); }

  /* After the simulation. */
  void Write(double wall_s, uint64_t events);

private:
  struct FlowCounts
  {
    uint64_t sent_packets = 0, sent_bytes = 0;
    uint64_t received_packets = 0, received_bytes = 0;
    uint64_t drops = 0, marks = 0;
    std::vector<std::pair<std::string, double>> values;
  };
  /* Packets in a queue, integrated over time. */
  struct QueueCounts
  {
    uint32_t packets = 0;
    uint64_t since_ns = 0;      /* area is complete up to here */
    std::vector<double> area;   /* in each bin [packets * ns] */
    std::vector<uint32_t> most;
  };
  struct DirectionCounts
  {
    uint64_t packets = 0, bytes = 0, busy_ns = 0, drops = 0;
    QueueCounts queue;
  };
  using Table = std::vector<uint32_t>;

  size_t GetBin() const;
  size_t GetLinkCell(uint32_t link, uint32_t flow) const;
  DirectionCounts& GetDirection(uint32_t link, bool forward);
  void CloseQueue(QueueCounts& queue, uint64_t now_ns) const;
  void AddLoss(uint32_t link, uint32_t flow, uint64_t number);

  std::ofstream Open(const std::string& name) const;
  void WriteTable(const std::string& name, const Table& table) const;
  void WriteQueues() const;
  void WriteSummary(double wall_s, uint64_t events) const;

  const RunDescription& m_run;
  std::string m_folder;
  uint64_t m_bin_ns;
  size_t m_n_bins;
  Table m_received, m_sent, m_arrivals, m_drops;        /* rows of bins */
  std::vector<FlowCounts> m_flows;
  std::vector<DirectionCounts> m_directions;    /* forward, reverse, ... */
  std::ofstream m_losses;
  uint64_t m_core_ns = 0, m_core_packets = 0, m_core_interruptions = 0;
};
