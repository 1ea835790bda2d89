/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The queue in front of a link: ns-3's queue discs by the names of the
 * description.  The packet being transmitted is no longer in it. */
#pragma once

#include <ns3/queue-disc.h>

#include "description.h"

/* Ready for use (initialised).  `rate_bit_s` and `delay_ms` of the link are
 * for queues whose averages depend on them. */
ns3::Ptr<ns3::QueueDisc> MakeBottleneckQueue(const QueueDescription& queue, double rate_bit_s,
                                             double delay_ms);
