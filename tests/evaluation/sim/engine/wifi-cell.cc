/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "wifi-cell.h"

#include <ns3/mobility-helper.h>
#include <ns3/ssid.h>
#include <ns3/sta-wifi-mac.h>
#include <ns3/string.h>
#include <ns3/uinteger.h>
#include <ns3/wifi-mac-helper.h>
#include <ns3/wifi-mac-queue.h>

using namespace ns3;

namespace {

/* Of HtMcs8 to HtMcs15. */
const uint32_t STREAMS = 2;

/* Which transmission a packet in the air is. */
class NumberTag : public Tag
{
public:
  explicit NumberTag(uint64_t its_number = 0)
    : number(its_number)
  {
  }
  static TypeId GetTypeId()
  {
    static TypeId id = TypeId("NumberTag").SetParent<Tag>().AddConstructor<NumberTag>();
    return id;
  }
  TypeId GetInstanceTypeId() const override { return GetTypeId(); }
  uint32_t GetSerializedSize() const override { return sizeof number; }
  void Serialize(TagBuffer buffer) const override { buffer.WriteU64(number); }
  void Deserialize(TagBuffer buffer) override { number = buffer.ReadU64(); }
  void Print(std::ostream& stream) const override { stream << number; }

  uint64_t number;
};

} // namespace

WifiCell::WifiCell(const LinkDescription& link)
  : m_link(link)
{
  m_phy.SetChannel(YansWifiChannelHelper::Default().Create());
  m_phy.Set("ChannelSettings", StringValue("{0, 20, BAND_5GHZ, 0}"));
  for (const char* name : {"Antennas", "MaxSupportedTxSpatialStreams",
                           "MaxSupportedRxSpatialStreams"})
    m_phy.Set(name, UintegerValue(STREAMS));
  m_wifi.SetStandard(WIFI_STANDARD_80211n);
  m_wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager", "DataMode",
                                 StringValue(link.wifi_mode), "ControlMode",
                                 StringValue(link.wifi_mode));
  m_access_point = Install(true);
}

/* On a node that has nothing else. */
Ptr<WifiNetDevice>
WifiCell::Install(bool is_access_point)
{
  Ptr<Node> node = CreateObject<Node>();
  WifiMacHelper mac;
  MobilityHelper mobility;
  auto places = CreateObject<ListPositionAllocator>();

  places->Add(Vector(is_access_point ? 0 : 1, 0, 0));
  mobility.SetPositionAllocator(places);
  mobility.Install(node);
  mac.SetType(is_access_point ? "ns3::ApWifiMac" : "ns3::StaWifiMac", "Ssid",
              SsidValue(Ssid("cell")), "QosSupported", BooleanValue(true),
              "BE_MaxAmpduSize", UintegerValue(0));
  auto device = DynamicCast<WifiNetDevice>(m_wifi.Install(m_phy, mac, node).Get(0));
  Ptr<WifiMacQueue> queue = device->GetMac()->GetTxopQueue(AC_BE);
  queue->SetMaxSize(QueueSize(QueueSizeUnit::PACKETS, 2 * m_link.wifi_queue_packets));
  queue->SetMaxDelay(Hours(1));
  device->SetReceiveCallback(MakeCallback(&WifiCell::OnReceived, this));
  device->GetMac()->TraceConnectWithoutContext("DroppedMpdu",
                                               MakeCallback(&WifiCell::OnDropped, this));
  return device;
}

void
WifiCell::AddStation(uint32_t flow)
{
  if (m_stations.count(flow) == 0)
    m_stations[flow] = Install(false);
}

/* The access point tells nothing of what it drops before. */
bool
WifiCell::IsAssociated(uint32_t flow) const
{
  return DynamicCast<StaWifiMac>(m_stations.at(flow)->GetMac())->IsAssociated();
}

void
WifiCell::Send(Ptr<RoutedPacket> packet, WifiLink& link, bool forward)
{
  Ptr<WifiNetDevice> station = m_stations.at(packet->route.flow);
  Ptr<WifiNetDevice> from = forward ? m_access_point : station;
  Ptr<WifiNetDevice> to = forward ? station : m_access_point;
  Ptr<Packet> bytes = packet->GetPacket()->Copy();
  uint64_t number = m_n_transmissions++;

  bytes->AddHeader(packet->GetHeader());
  bytes->AddPacketTag(NumberTag(number));
  m_transmissions[number] = {packet, &link};
  from->Send(bytes, to->GetAddress(), packet->GetProtocol());
}

bool
WifiCell::OnReceived(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address&)
{
  Transmission transmission = Take(packet);

  if (transmission.link)
    transmission.link->OnArrival(transmission.packet);
  return true;
}

/* Or it has arrived, and its acknowledgement has not. */
void
WifiCell::OnDropped(WifiMacDropReason, Ptr<const WifiMpdu> mpdu)
{
  Transmission transmission = Take(mpdu->GetPacket());

  if (transmission.link)
    transmission.link->OnDrop(transmission.packet);
}

WifiCell::Transmission
WifiCell::Take(Ptr<const Packet> packet)
{
  Transmission taken = {nullptr, nullptr};
  NumberTag tag;

  if (!packet->PeekPacketTag(tag))
    return taken;
  auto found = m_transmissions.find(tag.number);
  if (found == m_transmissions.end())
    return taken;
  taken = found->second;
  m_transmissions.erase(found);
  return taken;
}

WifiLink::WifiLink(std::shared_ptr<WifiCell> cell, bool forward, Recorder& recorder)
  : m_cell(cell),
    m_index(cell->m_link.index),
    m_forward(forward),
    m_recorder(recorder)
{
}

void
WifiLink::Receive(Ptr<RoutedPacket> packet)
{
  uint32_t flow = packet->route.flow;

  if (packet->route.is_data)
    m_recorder.OnOffered(m_index, flow);
  uint32_t& waiting = GetWaiting(flow);
  if (waiting >= m_cell->m_link.wifi_queue_packets || !m_cell->IsAssociated(flow)) {
    CountDrop(packet);
    return;
  }
  waiting++;
  m_recorder.OnQueueLength(m_index, m_forward, ++m_all_waiting);
  m_cell->Send(packet, *this, m_forward);
}

void
WifiLink::OnArrival(Ptr<RoutedPacket> packet)
{
  OnLeft(packet);
  m_recorder.OnTransmitted(m_index, m_forward, packet->GetSize(), 0);
  PassOn(packet, Seconds(m_cell->m_link.delay_ms / 1e3));
}

void
WifiLink::OnDrop(Ptr<RoutedPacket> packet)
{
  OnLeft(packet);
  CountDrop(packet);
}

/* The access point has one queue for all. */
uint32_t&
WifiLink::GetWaiting(uint32_t flow)
{
  return m_waiting[m_forward ? 0 : flow];
}

void
WifiLink::OnLeft(Ptr<RoutedPacket> packet)
{
  GetWaiting(packet->route.flow)--;
  m_recorder.OnQueueLength(m_index, m_forward, --m_all_waiting);
}

void
WifiLink::CountDrop(Ptr<RoutedPacket> packet)
{
  m_recorder.OnLost(m_index, m_forward);
  if (packet->route.is_data)
    m_recorder.OnDropped(m_index, packet->route.flow, packet->number);
}
