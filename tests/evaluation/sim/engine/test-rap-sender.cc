/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RAP's rate over constructed sequences of packets, losses and ACKs.  The RTT
 * is 100 ms, so the rate begins with 10 packets/s. */
#include <cmath>
#include <cstdio>

#include "rap-sender.h"

namespace {

constexpr double Rtt = 0.1;
int failures = 0;

void
Expect(const char* what, double measured, double expected)
{
  if (std::abs(measured - expected) <= 1e-9 * std::abs(expected))
    return;
  std::printf("%s: %.9f instead of %.9f\n", what, measured, expected);
  failures++;
}

/* Sends packet 0 at 0 and acknowledges it after an RTT. */
RapSender
Started(double b)
{
  RapSender::Config config;

  config.b = b;
  RapSender sender(config);
  sender.OnSend(0);
  sender.OnAck({0, 0, 0}, Rtt);
  return sender;
}

/* The receiver got 0, 2 and 5: seen from 5 these are bits 4 and 2. */
void
AcksCarryWhatArrivedBefore()
{
  RapReceiver receiver;

  receiver.OnPacket(0);
  receiver.OnPacket(2);
  Expect("before 5", static_cast<double>(receiver.OnPacket(5).before), 16 + 4);
  Expect("late 3", static_cast<double>(receiver.OnPacket(3).before), 16 + 4 + 2);
  Expect("newest", static_cast<double>(receiver.OnPacket(100).newest), 100);
  Expect("forgotten", static_cast<double>(receiver.OnPacket(101).before), 1);
}

/* RAP(1/2): 1 packet per RTT more, 10 packets/s at this RTT; RAP(1/8): .3125
 * of that. */
void
GrowsByAEachRtt()
{
  RapSender half = Started(0.5), eighth = Started(0.125);

  Expect("first rate", half.Rate(), 10);
  half.OnSend(0.25);
  Expect("RAP(1/2) after one step", half.Rate(), 20);
  eighth.OnSend(0.25);
  Expect("RAP(1/8) after one step", eighth.Rate(), 13.125);
}

/* 1 and 2 of 1 to 8 are lost: the ACK of 4 settles 1, that of 5 settles 2,
 * which was under way with it. */
void
AClusterCountsOnce()
{
  RapSender sender = Started(0.5);

  for (int i = 1; i <= 8; i++)
    sender.OnSend(0.11);
  sender.OnAck({3, 3, 4}, 0.15);
  Expect("two packets after the hole", sender.Rate(), 10);
  sender.OnAck({4, 4, 9}, 0.15);
  Expect("three packets after it", sender.Rate(), 5);
  sender.OnAck({5, 5, 19}, 0.15);
  Expect("the second of the cluster", sender.Rate(), 5);
}

/* SRTT 100 ms with a deviation of 50: timeout 1.2 * 100 + 4 * 50 = 320 ms. */
void
SilenceIsALoss()
{
  RapSender sender = Started(0.5);

  sender.OnSend(0.11);
  sender.OnSend(0.42);          /* three steps of 10 */
  Expect("before the timeout", sender.Rate(), 40);
  sender.OnSend(0.44);
  Expect("after it", sender.Rate(), 20);
}

/* One ACK came in the RTT from 0.1 to 0.2: 10 packets/s.  Times C = 1.1 it is
 * less than 10 + 3.125; at a loss it is less than 7/8 of that. */
void
SelfClockingFollowsTheAcks()
{
  RapSender::Config config;

  config.b = 0.125;
  config.self_clocking = true;
  for (double factor : {1.1, 2.0}) {
    config.self_clocking_factor = factor;
    RapSender sender(config);
    sender.OnSend(0);
    sender.OnAck({0, 0, 0}, Rtt);
    for (int i = 1; i <= 8; i++)
      sender.OnSend(0.1);
    sender.OnAck({1, 1, 1}, 0.2);
    Expect("C times the ACKs", sender.Rate(), factor < 2 ? 11 : 13.125);
    sender.OnAck({5, 5, 24}, 0.2);      /* 2 is lost */
    Expect("a loss", sender.Rate(), factor < 2 ? 9.625 : 10);
  }
}

} // namespace

int
main()
{
  AcksCarryWhatArrivedBefore();
  GrowsByAEachRtt();
  AClusterCountsOnce();
  SilenceIsALoss();
  SelfClockingFollowsTheAcks();
  if (failures == 0)
    std::printf("RAP: all as computed\n");
  return failures != 0;
}
