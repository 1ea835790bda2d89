/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a TFRC flow has to send.  The flow asks before each packet; a source
 * that had nothing says so again by the callback it was given. */
#pragma once

#include <functional>
#include <ns3/nstime.h>

#include "protocol.h"

class PacketSource
{
public:
  virtual ~PacketSource() = default;

  /* The flow starts; `wake` is to be called when a packet has come.  `sender`
   * lives as long as the flow. */
  virtual void Start(const TfrcSender& sender, std::function<void()> wake) = 0;
  virtual void Stop() {}

  /* The size of the next packet [bytes of IP packet]; 0 = nothing waits. */
  virtual uint32_t NextPacketBytes() const = 0;
  /* That packet leaves, with this number of the flow's. */
  virtual void TakePacket(uint64_t number) = 0;

  /* A report or the nofeedback timer may change the sender's rates, now. */
  virtual void BeforeRateChange() {}
  /* The sender has accepted a report. */
  virtual void OnReport() {}
  /* A packet reached the receiver, so long after it left. */
  virtual void OnDelivered(uint64_t number, ns3::Time delay) {}
};

/* Always one more packet of the same size. */
class GreedySource : public PacketSource
{
public:
  explicit GreedySource(uint32_t packet_bytes) : m_packet_bytes(packet_bytes) {}

  void Start(const TfrcSender&, std::function<void()> wake) override { wake(); }
  uint32_t NextPacketBytes() const override { return m_packet_bytes; }
  void TakePacket(uint64_t) override {}

private:
  uint32_t m_packet_bytes;
};
