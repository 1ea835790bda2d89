/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A Wi-Fi link of the chain: ns-3's 802.11n with an access point and a station
 * for each flow, a metre from it, on one channel of 20 MHz at one mode.
 * Forward packets go from the access point to the flow's station, the others
 * back; both share the air, so what it carries depends on who sends: 22 Mbit/s
 * of 52 at the best, much as in RFC 8869, since packets are not aggregated.  Each device
 * has a drop-tail queue of wifi_queue_packets, which is kept here: with a limit in time
 * ns-3 3.37 loses the turn of a packet that expires, which is each one of a full
 * queue, and of what its own limit in packets drops it tells nothing.
 *
 * Stations associate within half a second: what is sent before is lost. */
#pragma once

#include <map>
#include <memory>
#include <ns3/wifi-helper.h>
#include <ns3/wifi-mac.h>
#include <ns3/wifi-net-device.h>
#include <ns3/yans-wifi-helper.h>

#include "description.h"
#include "link.h"
#include "recorder.h"

class WifiCell
{
public:
  explicit WifiCell(const LinkDescription& link);

private:
  friend class WifiLink;

  /* A packet that a device has, and the direction that is told of it. */
  struct Transmission
  {
    ns3::Ptr<RoutedPacket> packet;
    class WifiLink* link;
  };

  void AddStation(uint32_t flow);
  bool IsAssociated(uint32_t flow) const;
  void Send(ns3::Ptr<RoutedPacket> packet, class WifiLink& link, bool forward);
  ns3::Ptr<ns3::WifiNetDevice> Install(bool is_access_point);
  bool OnReceived(ns3::Ptr<ns3::NetDevice> device, ns3::Ptr<const ns3::Packet> packet,
                  uint16_t protocol, const ns3::Address& from);
  void OnDropped(ns3::WifiMacDropReason reason, ns3::Ptr<const ns3::WifiMpdu> mpdu);
  Transmission Take(ns3::Ptr<const ns3::Packet> packet);

  const LinkDescription& m_link;
  ns3::WifiHelper m_wifi;
  ns3::YansWifiPhyHelper m_phy;
  ns3::Ptr<ns3::WifiNetDevice> m_access_point;
  std::map<uint32_t, ns3::Ptr<ns3::WifiNetDevice>> m_stations;  /* by flow */
  std::map<uint64_t, Transmission> m_transmissions;             /* by number */
  uint64_t m_n_transmissions = 0;
};

/* One direction of a cell. */
class WifiLink : public Link
{
public:
  WifiLink(std::shared_ptr<WifiCell> cell, bool forward, Recorder& recorder);

  void AddFlow(uint32_t flow) override { m_cell->AddStation(flow); }
  void Receive(ns3::Ptr<RoutedPacket> packet) override;
  /* What became of it. */
  void OnArrival(ns3::Ptr<RoutedPacket> packet);
  void OnDrop(ns3::Ptr<RoutedPacket> packet);

private:
  uint32_t& GetWaiting(uint32_t flow);
  void OnLeft(ns3::Ptr<RoutedPacket> packet);
  void CountDrop(ns3::Ptr<RoutedPacket> packet);

  std::shared_ptr<WifiCell> m_cell;
  uint32_t m_index;
  bool m_forward;
  std::map<uint32_t, uint32_t> m_waiting;       /* packets in a device's queue */
  uint32_t m_all_waiting = 0;
  Recorder& m_recorder;
};
