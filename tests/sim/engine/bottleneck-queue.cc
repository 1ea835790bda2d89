/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bottleneck-queue.h"

#include <ns3/fifo-queue-disc.h>
#include <ns3/queue-size.h>

using namespace ns3;

namespace {

QueueSize
Limit(const Parameters& parameters)
{
  if (parameters.Has("bytes"))
    return QueueSize(QueueSizeUnit::BYTES, parameters.Count("bytes", 0));
  return QueueSize(QueueSizeUnit::PACKETS, parameters.Count("packets", 100));
}

} // namespace

Ptr<QueueDisc>
MakeBottleneckQueue(const QueueDescription& description, double, double)
{
  Ptr<QueueDisc> queue;

  if (description.kind == "drop-tail")
    queue = CreateObject<FifoQueueDisc>();
  else
    description.parameters.Refuse("there is no kind '" + description.kind + "'");
  queue->SetMaxSize(Limit(description.parameters));
  description.parameters.RefuseUnread();
  queue->Initialize();
  return queue;
}
