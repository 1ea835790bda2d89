/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "tcp-socket.h"

#include <map>
#include <ns3/boolean.h>
#include <ns3/double.h>
#include <ns3/tcp-l4-protocol.h>
#include <ns3/tcp-linux-reno.h>
#include <ns3/tcp-recovery-ops.h>
#include <ns3/uinteger.h>

#include "tcp-bbr-mended.h"
#include "tcp-binomial.h"
#include "tcp-cubic-friendly.h"

using namespace ns3;

namespace {

constexpr uint32_t HeaderBytes = 40;    /* IPv4 and TCP */
constexpr uint32_t TimestampBytes = 12; /* RFC 7323 appendix A */
/* Linux' number of timeouts in a row before a connection is given up; ns-3's
 * own 6 end long flows where a tenth of the packets and more is lost. */
constexpr uint32_t DataRetries = 15;

struct Congestion
{
  TypeId (*type)();
  bool has_b;
};

const std::map<std::string, Congestion> congestions = {
  {"linux-reno", {TcpLinuxReno::GetTypeId, false}},
  {"newreno", {TcpNewReno::GetTypeId, false}},
  {"cubic", {TcpCubicFriendly::GetTypeId, false}},
  {"bbr", {TcpBbrMended::GetTypeId, false}},
  {"tcp-b", {TcpAimd::GetTypeId, true}},
  {"sqrt", {TcpSqrt::GetTypeId, true}},
  {"iiad", {TcpIiad::GetTypeId, true}},
};

} // namespace

TcpSettings::TcpSettings(const FlowDescription& flow)
{
  const Parameters& parameters = flow.parameters;
  std::string name = parameters.Text("congestion", "linux-reno");
  auto congestion = congestions.find(name);

  if (congestion == congestions.end())
    parameters.Refuse("there is no congestion '" + name + "'");
  m_congestion = congestion->second.type();
  m_has_b = congestion->second.has_b;
  m_b = m_has_b ? parameters.Number("b", 0.5) : 0;
  m_sack = parameters.Flag("sack", true);
  m_limited_transmit = parameters.Flag("limited_transmit", true);
  m_ecn = parameters.Flag("ecn", false);
  m_classic_recovery = parameters.Flag("classic_recovery", false);
  m_timestamps = parameters.Flag("timestamps", true);
  m_delayed_ack = static_cast<uint32_t>(parameters.Count("delayed_ack", 2));
  m_delayed_ack_ms = parameters.Number("delayed_ack_ms", 40);
  m_min_rto_ms = parameters.Number("min_rto_ms", 200);
  m_clock_granularity_ms = parameters.Number("clock_granularity_ms", 200);
  m_initial_window = static_cast<uint32_t>(parameters.Count("initial_window", 10));
  m_initial_ssthresh = static_cast<uint32_t>(parameters.Count("initial_ssthresh", 0));
  m_max_window_packets = static_cast<uint32_t>(parameters.Count("max_window_packets", 2000));
  m_segment_bytes = flow.packet_bytes - HeaderBytes - (m_timestamps ? TimestampBytes : 0);
  if (m_delayed_ack == 0 || m_initial_window == 0 || m_max_window_packets == 0)
    parameters.Refuse("delayed_ack, initial_window or max_window_packets is 0");
}

Ptr<TcpSocketBase>
TcpSettings::MakeSocket(Ptr<Node> node) const
{
  auto socket = DynamicCast<TcpSocketBase>(node->GetObject<TcpL4Protocol>()->CreateSocket());
  uint32_t buffer_bytes = m_max_window_packets * m_segment_bytes;

  socket->SetAttribute("SegmentSize", UintegerValue(m_segment_bytes));
  socket->SetAttribute("SndBufSize", UintegerValue(buffer_bytes));
  socket->SetAttribute("RcvBufSize", UintegerValue(buffer_bytes));
  socket->SetAttribute("InitialCwnd", UintegerValue(m_initial_window));
  if (m_initial_ssthresh > 0)
    socket->SetAttribute("InitialSlowStartThreshold",
                         UintegerValue(m_initial_ssthresh * m_segment_bytes));
  socket->SetAttribute("DelAckCount", UintegerValue(m_delayed_ack));
  socket->SetAttribute("DelAckTimeout", TimeValue(Seconds(m_delayed_ack_ms / 1e3)));
  socket->SetAttribute("Sack", BooleanValue(m_sack));
  socket->SetAttribute("LimitedTransmit", BooleanValue(m_limited_transmit));
  socket->SetAttribute("Timestamp", BooleanValue(m_timestamps));
  socket->SetAttribute("DataRetries", UintegerValue(DataRetries));
  socket->SetUseEcn(m_ecn ? TcpSocketState::On : TcpSocketState::Off);
  socket->SetMinRto(Seconds(m_min_rto_ms / 1e3));
  socket->SetClockGranularity(Seconds(m_clock_granularity_ms / 1e3));
  socket->SetCongestionControlAlgorithm(MakeCongestionControl());
  if (m_classic_recovery)
    socket->SetRecoveryAlgorithm(CreateObject<TcpClassicRecovery>());
  return socket;
}

Ptr<TcpCongestionOps>
TcpSettings::MakeCongestionControl() const
{
  ObjectFactory factory;

  factory.SetTypeId(m_congestion);
  if (m_has_b)
    factory.Set("B", DoubleValue(m_b));
  return factory.Create<TcpCongestionOps>();
}
