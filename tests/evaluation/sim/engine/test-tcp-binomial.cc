/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What one RTT without loss, a loss event and a timeout make of the window of
 * each binomial control.  Segments of 1000 bytes. */
#include <cmath>
#include <cstdio>

#include <ns3/double.h>
#include <ns3/tcp-socket-state.h>

#include "tcp-binomial.h"

using namespace ns3;

namespace {

int failures = 0;

void
Expect(const char *what, double measured, double expected, double tolerance)
{
  if (std::abs(measured - expected) <= tolerance)
    return;
  std::printf("%s: %.6f instead of %.6f\n", what, measured, expected);
  failures++;
}

template <typename Control>
Ptr<Control>
Make(double b)
{
  Ptr<Control> control = CreateObject<Control>();
  control->SetAttribute("B", DoubleValue(b));
  return control;
}

Ptr<TcpSocketState>
MakeState(double window, double threshold)
{
  Ptr<TcpSocketState> state = CreateObject<TcpSocketState>();
  state->m_segmentSize = 1000;
  state->m_cWnd = static_cast<uint32_t>(1000 * window);
  state->m_ssThresh = static_cast<uint32_t>(1000 * threshold);
  return state;
}

/* The window after one RTT of acknowledgements, one each. */
double
GrowOneRtt(Ptr<TcpBinomial> control, double window)
{
  Ptr<TcpSocketState> state = MakeState(window, 2.0);

  control->IncreaseWindow(state, static_cast<uint32_t>(window));
  return state->m_cWnd.Get() / 1000.0;
}

/* The window that a loss event leaves in congestion avoidance. */
double
LoseOne(Ptr<TcpBinomial> control, double window)
{
  Ptr<TcpSocketState> state = MakeState(window, 2.0);

  control->IncreaseWindow(state, 0);
  return control->GetSsThresh(state, 0) / 1000.0;
}

/* a = 4 (2 b - b^2) / 3: 1, 4 * 15 / 64 / 3 = 0.3125, 0.0104. */
void
AimdFollowsItsCompatibleIncrease()
{
  Expect("TCP(1/2) grows", GrowOneRtt(Make<TcpAimd>(0.5), 10), 11, 0.001);
  Expect("TCP(1/2) loses", LoseOne(Make<TcpAimd>(0.5), 10), 5, 0);
  Expect("TCP(1/8) grows", GrowOneRtt(Make<TcpAimd>(0.125), 16), 16.3125,
         0.001);
  Expect("TCP(1/8) loses", LoseOne(Make<TcpAimd>(0.125), 16), 14, 0);
  Expect("TCP(1/256) a", Make<TcpAimd>(1.0 / 256)->GetIncrease(50),
         0.010396, 1e-6);
}

/* SQRT(1/2): 1.5 * 0.5 / sqrt (16) more, 0.5 sqrt (16) less.
 * IIAD(2/3): 1.5 * 2 / 3 / 16 more, 2 / 3 less. */
void
BinomialsFollowTheirExponents()
{
  Expect("SQRT grows", GrowOneRtt(Make<TcpSqrt>(0.5), 16), 16.1875, 0.001);
  Expect("SQRT loses", LoseOne(Make<TcpSqrt>(0.5), 16), 14, 0);
  Expect("IIAD grows", GrowOneRtt(Make<TcpIiad>(2.0 / 3), 16), 16.0625,
         0.001);
  Expect("IIAD loses", LoseOne(Make<TcpIiad>(2.0 / 3), 16), 15.333, 0.001);
}

/* 100 RTTs of 50 segments at 0.0104 segments each: 1.04, though one
 * acknowledgement is a fifth of a byte. */
void
SmallIncreasesAddUp()
{
  Ptr<TcpAimd> control = Make<TcpAimd>(1.0 / 256);
  Ptr<TcpSocketState> state = MakeState(50, 2);

  for (int i = 0; i < 100 * 50; i++)
    control->IncreaseWindow(state, 1);
  Expect("TCP(1/256) over 100 RTTs", state->m_cWnd.Get() / 1000.0, 51.03,
         0.01);
}

/* 16 of threshold 18: two segments of slow start, then a / w for each of the
 * other six: 18 + 6 * 0.3125 / 18. */
void
SlowStartIsTcps()
{
  Ptr<TcpAimd> control = Make<TcpAimd>(0.125);
  Ptr<TcpSocketState> state = MakeState(16, 18);

  control->IncreaseWindow(state, 8);
  Expect("slow start", state->m_cWnd.Get() / 1000.0, 18.104, 0.001);

  Expect("loss in slow start", Make<TcpAimd>(0.125)->GetSsThresh(
              MakeState(40, 1000), 0) / 1000.0, 20, 0);
  Expect("least window", LoseOne(Make<TcpAimd>(0.5), 3), 2, 0);
}

/* Recovery of a window of 16 steers to 14, and cwnd is 9 on its way when the
 * timeout comes: 14 * 7 / 8.  The next loss finds slow start: 5 / 2. */
void
TimeoutsTakeTheWindowOfRecovery()
{
  Ptr<TcpAimd> control = Make<TcpAimd>(0.125);
  Ptr<TcpSocketState> state = MakeState(16, 2);

  control->IncreaseWindow(state, 0);
  control->CongestionStateSet(state, TcpSocketState::CA_RECOVERY);
  state->m_congState = TcpSocketState::CA_RECOVERY;
  Expect("recovery", control->GetSsThresh(state, 0) / 1000.0, 14, 0);
  state->m_cWnd = 9000;
  Expect("timeout", control->GetSsThresh(state, 0) / 1000.0, 12.25, 0);
  control->CongestionStateSet(state, TcpSocketState::CA_LOSS);
  state->m_congState = TcpSocketState::CA_LOSS;
  state->m_cWnd = 5000;
  Expect("loss after it", control->GetSsThresh(state, 0) / 1000.0, 2.5, 0);
}

} // namespace

int
main()
{
  AimdFollowsItsCompatibleIncrease();
  BinomialsFollowTheirExponents();
  SmallIncreasesAddUp();
  SlowStartIsTcps();
  TimeoutsTakeTheWindowOfRecovery();
  if (failures == 0)
    std::printf("binomial controls: all as computed\n");
  return failures != 0;
}
