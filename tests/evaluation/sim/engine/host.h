/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A host of one flow: an ns-3 node with IPv4, UDP and TCP, and a device that
 * hands its packets to a route without a rate limit.
 *
 * `overhead` delays each packet by a uniform draw from 0 to that, in order, as
 * the processing of real hosts does (overhead_ of ns-2's TCP): without it
 * flows of equal RTT lock into each other's phase at a drop-tail queue. */
#pragma once

#include <ns3/channel.h>
#include <ns3/ipv4-address.h>
#include <ns3/net-device.h>
#include <ns3/node.h>
#include <ns3/random-variable-stream.h>

#include "recorder.h"
#include "route.h"

class HostDevice : public ns3::NetDevice
{
public:
  HostDevice(Recorder& recorder, ns3::Time overhead);

  /* Where what the host sends goes. */
  void SetRoute(const Route& route) { m_route = &route; }
  /* From now on nothing leaves the host. */
  void Silence() { m_silent = true; }
  /* A packet reaches the host. */
  void Receive(ns3::Ptr<RoutedPacket> packet);

  bool Send(ns3::Ptr<ns3::Packet> packet, const ns3::Address& to, uint16_t protocol) override;
  bool SendFrom(ns3::Ptr<ns3::Packet> packet, const ns3::Address& from, const ns3::Address& to,
                uint16_t protocol) override;
  void SetReceiveCallback(ReceiveCallback callback) override { m_receive = callback; }
  ns3::Ptr<ns3::Node> GetNode() const override { return m_node; }
  void SetNode(ns3::Ptr<ns3::Node> node) override { m_node = node; }
  void SetIfIndex(uint32_t index) override { m_if_index = index; }
  uint32_t GetIfIndex() const override { return m_if_index; }
  uint16_t GetMtu() const override;

  /* An ever working point-to-point line without addresses. */
  ns3::Ptr<ns3::Channel> GetChannel() const override { return nullptr; }
  void SetAddress(ns3::Address) override {}
  ns3::Address GetAddress() const override { return ns3::Address(); }
  bool SetMtu(uint16_t) override { return false; }
  bool IsLinkUp() const override { return true; }
  void AddLinkChangeCallback(ns3::Callback<void>) override {}
  bool IsBroadcast() const override { return false; }
  ns3::Address GetBroadcast() const override { return ns3::Address(); }
  bool IsMulticast() const override { return false; }
  ns3::Address GetMulticast(ns3::Ipv4Address) const override { return ns3::Address(); }
  ns3::Address GetMulticast(ns3::Ipv6Address) const override { return ns3::Address(); }
  bool IsPointToPoint() const override { return true; }
  bool IsBridge() const override { return false; }
  bool NeedsArp() const override { return false; }
  void SetPromiscReceiveCallback(PromiscReceiveCallback) override {}
  bool SupportsSendFrom() const override { return false; }

private:
  void DoDispose() override;
  ns3::Time GetNextOverhead();

  Recorder& m_recorder;
  ns3::Ptr<ns3::UniformRandomVariable> m_overhead;      /* null: none */
  ns3::Time m_last_departure;
  const Route* m_route = nullptr;
  bool m_silent = false;
  ns3::Ptr<ns3::Node> m_node;
  uint32_t m_if_index = 0;
  ReceiveCallback m_receive;
};

/* A node with `device` and `address` that reaches all others through it. */
ns3::Ptr<ns3::Node> MakeHost(ns3::Ptr<HostDevice> device, ns3::Ipv4Address address);
