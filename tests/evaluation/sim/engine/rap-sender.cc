/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "rap-sender.h"

#include <algorithm>
#include <cmath>

namespace {

/* "A packet is considered lost if an ACK implies delivery of 3 packets after
 * the missing one". */
constexpr uint64_t PacketsAfterLoss = 3;

/* Timeout = mu SRTT + delta VarRTT; SRTT is TCP's. */
constexpr double TimeoutRttFactor = 1.2;
constexpr double TimeoutDeviationFactor = 4.0;
constexpr double RttGain = 1.0 / 8.0;
constexpr double DeviationGain = 1.0 / 4.0;

bool
WasReceived(const RapAck& ack, uint64_t number)
{
  if (number == ack.newest)
    return true;

  uint64_t place = ack.newest - 1 - number;
  /* What is too old for the map has been settled by an earlier ACK, or by so
   * many lost ACKs that the packet counts as lost as well. */
  return place < 64 && ((ack.before >> place) & 1);
}

} // namespace

RapAck
RapReceiver::OnPacket(uint64_t number)
{
  if (!m_started || number > m_newest) {
    uint64_t ahead = m_started ? number - m_newest : 0;

    m_before = ahead < 64 ? m_before << ahead : 0;
    if (ahead >= 1 && ahead <= 64)
      m_before |= 1ULL << (ahead - 1);
    m_newest = number;
    m_started = true;
  } else if (number < m_newest && m_newest - 1 - number < 64) {
    m_before |= 1ULL << (m_newest - 1 - number);
  }
  return {number, m_newest, m_before};
}

uint64_t
RapSender::OnSend(double now)
{
  if (FindTimeouts(now))
    OnLoss(now);
  else
    TakeSteps(now);
  m_outstanding.push_back({m_next_number, now, true});
  return m_next_number++;
}

void
RapSender::OnAck(const RapAck& ack, double now)
{
  auto acked = std::find_if(m_outstanding.begin(), m_outstanding.end(),
      [&](const Packet& packet) { return packet.number == ack.number; });

  if (acked != m_outstanding.end())
    UpdateRtt(now, now - acked->sent_at);
  CountAck(now);
  TakeSteps(now);
  if (FindHoles(ack))
    OnLoss(now);
}

void
RapSender::UpdateRtt(double now, double sample)
{
  if (!m_rtt_known) {
    m_rtt_known = true;
    m_rtt = sample;
    m_deviation = sample / 2.0;
    m_rate = 1.0 / m_rtt;
    m_step_at = now + m_rtt;
    m_acks_since = now;
    return;
  }
  m_deviation += DeviationGain * (std::abs(sample - m_rtt) - m_deviation);
  m_rtt += RttGain * (sample - m_rtt);
}

/* The rate of ACKs over one RTT after another. */
void
RapSender::CountAck(double now)
{
  if (now > m_acks_since)
    m_acks++;
  if (now - m_acks_since < m_rtt)
    return;
  m_ack_rate = static_cast<double>(m_acks) / (now - m_acks_since);
  m_acks = 0;
  m_acks_since = now;
}

/* One step is an SRTT: a / SRTT packets per second more. */
void
RapSender::TakeSteps(double now)
{
  double b = m_config.b;
  double increase = 4.0 * (2.0 * b - b * b) / 3.0;

  while (m_rtt_known && now >= m_step_at) {
    m_step_at += m_rtt;
    m_rate += increase / m_rtt;
    LimitToAcks(m_config.self_clocking_factor);
  }
}

bool
RapSender::FindTimeouts(double now)
{
  double timeout = m_rtt_known ? TimeoutRttFactor * m_rtt
      + TimeoutDeviationFactor * m_deviation : m_rtt;
  bool lost = false;

  while (!m_outstanding.empty()
         && m_outstanding.front().sent_at + timeout <= now) {
    lost = lost || m_outstanding.front().counts;
    m_outstanding.pop_front();
  }
  return lost;
}

/* Takes out what the ACK settles; true if a loss was among it. */
bool
RapSender::FindHoles(const RapAck& ack)
{
  bool lost = false;
  std::deque<Packet> open;

  for (const Packet& packet : m_outstanding) {
    if (packet.number > ack.newest)
      open.push_back(packet);
    else if (WasReceived(ack, packet.number))
      continue;
    else if (ack.newest - packet.number >= PacketsAfterLoss)
      lost = lost || packet.counts;
    else
      open.push_back(packet);
  }
  m_outstanding.swap(open);
  return lost;
}

/* All that is under way belongs to this cluster. */
void
RapSender::OnLoss(double now)
{
  m_rate *= 1.0 - m_config.b;
  LimitToAcks(1.0);
  for (Packet& packet : m_outstanding)
    packet.counts = false;
  m_step_at = now + m_rtt;
}

void
RapSender::LimitToAcks(double factor)
{
  /* At least a packet per RTT, or nothing would come back to go by. */
  if (m_config.self_clocking && m_rtt_known)
    m_rate = std::min(m_rate, std::max(factor * m_ack_rate, 1.0 / m_rtt));
}
