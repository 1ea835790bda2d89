/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One run as the JSON text describes it, with groups of flows taken apart and
 * ranges drawn.  Units are in the names.  A text that is wrong throws a
 * DescriptionError.
 *
 * The draws of a flow depend on the seed, its group and its number alone: a
 * further flow changes nothing for the others. */
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "parameters.h"

struct QueueDescription
{
  std::string kind = "drop-tail";
  Parameters parameters;        /* all but the kind, e.g. packets */
};

/* A phase of a link's loss pattern, up to until_s. */
struct LossPhase
{
  double until_s = std::numeric_limits<double>::infinity();
  std::string kind = "none";
  Parameters parameters;        /* p, n, counts, ... */
};

/* Two directions with queues of their own: data go forward. */
struct LinkDescription
{
  uint32_t index = 0;
  double rate_bit_s = 0;
  double delay_ms = 0;          /* propagation, one way */
  std::string wifi_mode;        /* empty: a wire; see wifi-cell.h */
  uint32_t wifi_queue_packets = 0;
  double jitter_ms = 0;         /* standard deviation, see link.h */
  std::vector<std::pair<double, double>> schedule;  /* s, bit/s: forward */
  std::vector<std::pair<double, double>> reverse_schedule;
  QueueDescription queue, reverse_queue;
  std::vector<LossPhase> loss;  /* of forward data */
};

/* One flow: a sender and a receiver on hosts of their own. */
struct FlowDescription
{
  std::string name;             /* of its group */
  std::string kind;
  uint32_t index = 0;           /* among all flows of the run */
  uint32_t number = 0;          /* within its group */
  double start_s = 0;
  double stop_s = std::numeric_limits<double>::infinity();
  double rtt_ms = 0;            /* propagation, all links included */
  double overhead_ms = 0;       /* of the sending host, see host.h */
  bool reverse = false;         /* data go against the links' direction */
  bool trace = false;
  uint32_t from_link = 0, to_link = 0;  /* crosses these and those between */
  uint32_t packet_bytes = 1000; /* the IP packet */
  Parameters parameters;        /* of its kind */
};

struct RunDescription
{
  uint32_t seed = 1;
  double seconds = 0;
  double bin_ms = 10;
  bool core_time = false;       /* measure what gst/protocol takes */
  std::vector<LinkDescription> links;
  std::vector<FlowDescription> flows;
};

RunDescription ReadDescription(const std::string& json_text);
