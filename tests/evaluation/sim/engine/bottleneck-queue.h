/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The queue in front of a link: ns-3's queue discs by the names of the
 * description.  The packet being transmitted is no longer in it. */
#pragma once

#include <ns3/queue-disc.h>

#include "description.h"

/* Ready for use (initialised).  `rate_bit_s` and `delay_ms` of the link are
 * for queues whose averages depend on them.
 *
 *   drop-tail      packets (100) or bytes: the limit, of all kinds
 *   red            min_packets (5), max_packets (15), max_p (.1), weight
 *                  (.002), gentle (true), ecn (false): ns-2's defaults.  The
 *                  thresholds hold for the average queue without what is
 *                  being transmitted
 *   adaptive-red   the same, and max_p follows the average queue; without
 *                  min_packets thresholds and weight follow the link's rate
 *   codel          ecn; target 5 ms, interval 100 ms
 *   fq-codel       the same with a queue for each flow */
ns3::Ptr<ns3::QueueDisc> MakeBottleneckQueue(const QueueDescription& queue, double rate_bit_s,
                                             double delay_ms);
