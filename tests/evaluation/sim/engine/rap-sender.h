/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RAP(1/g): AIMD on a rate (Rejaie, Handley and Estrin, INFOCOM 1999).  Each
 * packet is acknowledged; the rate grows by a packets per RTT in each RTT and
 * loses the share b with each cluster of losses, a as for TCP(1/g).  Only
 * arithmetic: no sockets, no clock.
 *
 * Left out: the fine-grain adaptation to short-term RTTs, which is off in ns-2
 * too.  There is no slow start in RAP.
 *
 * Self-clocking is no part of RAP either: Bansal et al. 2001 section 4.1.1 on
 * TFRC, here for the rate of acknowledgements.
 *
 * Times are seconds, rates packets per second. */
#pragma once

#include <cstdint>
#include <deque>

/* What the receiver knows when it acknowledges `number`. */
struct RapAck
{
  uint64_t number;
  uint64_t newest;              /* highest number received */
  uint64_t before;              /* bit i: newest - 1 - i was received */
};

class RapReceiver
{
public:
  RapAck OnPacket(uint64_t number);

private:
  bool m_started = false;
  uint64_t m_newest = 0;
  uint64_t m_before = 0;
};

class RapSender
{
public:
  struct Config
  {
    double b = 0.5;
    bool self_clocking = false;
    double self_clocking_factor = 1.1;
  };

  explicit RapSender(const Config& config) : m_config(config) {}

  /* A packet leaves: its number.  Looks for timeouts first. */
  uint64_t OnSend(double now);
  void OnAck(const RapAck& ack, double now);

  /* To the next packet. */
  double Gap() const { return 1.0 / m_rate; }
  double Rate() const { return m_rate; }
  double Rtt() const { return m_rtt; }

private:
  struct Packet
  {
    uint64_t number;
    double sent_at;
    bool counts;                /* its loss is not in an earlier cluster */
  };

  void UpdateRtt(double now, double sample);
  void CountAck(double now);
  void TakeSteps(double now);
  bool FindTimeouts(double now);
  bool FindHoles(const RapAck& ack);
  void OnLoss(double now);
  void LimitToAcks(double factor);

  Config m_config;
  std::deque<Packet> m_outstanding;     /* in the order they were sent */
  uint64_t m_next_number = 0;
  double m_rate = 0.5;          /* until there is an RTT, as in ns-2 */
  bool m_rtt_known = false;
  double m_rtt = 2.0;
  double m_deviation = 0.0;
  double m_step_at = 0.0;       /* end of the step that runs */
  double m_acks_since = 0.0;
  uint64_t m_acks = 0;          /* after that */
  double m_ack_rate = 0.0;      /* of the RTT before */
};
