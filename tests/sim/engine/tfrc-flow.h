/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A TFRC flow: the sender and the receiver of gst/protocol, the objects that
 * the elements use, between two UDP sockets.  Turns their send times and
 * deadlines into ns-3 events and their packets into bytes; decides nothing.
 *
 * Parameters are the fields of TfrcSenderConfig and TfrcReceiverConfig, see
 * tfrc-flow.cc.  Others put their own data on top, see MakeSource. */
#pragma once

#include <memory>
#include <ns3/event-id.h>
#include <ns3/socket.h>

#include "flow.h"
#include "packet-source.h"
#include "protocol.h"

class TfrcUdpFlow : public Flow
{
public:
  void Install(const FlowPlace& place) override;
  void Finish() override;

protected:
  /* What to send; greedy unless a descendant has something else. */
  virtual std::unique_ptr<PacketSource> MakeSource(const FlowPlace& place);
};
