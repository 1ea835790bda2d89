/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Binomial congestion control (Bansal and Balakrishnan, INFOCOM 2001) for
 * ns-3's TCP: per RTT without loss w grows by a / w^k, a loss event takes
 * d w^l from it.
 *
 *   TCP(1/g)   k = 0    l = 1    a = 4 (2 b - b^2) / 3   d = b    b = 1/g
 *   SQRT(1/g)  k = 1/2  l = 1/2  a = 1.5 b               d = b
 *   IIAD(1/g)  k = 1    l = 0    a = 1.5 b               d = b
 *
 * These a are what make each of them TCP-compatible: for AIMD the exact one of
 * Bansal et al. 2001 section 2, for k + l = 1 the one from the throughput
 * sqrt (a / (d p)) of the binomial paper against TCP's sqrt (1.5 / p).
 *
 * Slow start, and the halving of the window that ends it, stay TCP's own, as
 * do loss recovery and timeouts.  Windows are in segments. */
#pragma once

#include <string>

#include <ns3/tcp-congestion-ops.h>

class TcpBinomial : public ns3::TcpCongestionOps
{
public:
  static ns3::TypeId GetTypeId();

  uint32_t GetSsThresh(ns3::Ptr<const ns3::TcpSocketState> state,
                       uint32_t bytes_in_flight) override;
  void IncreaseWindow(ns3::Ptr<ns3::TcpSocketState> state,
                      uint32_t segments_acked) override;
  void CongestionStateSet(ns3::Ptr<ns3::TcpSocketState> state,
                          ns3::TcpSocketState::TcpCongState_t next) override;

  /* What one RTT without loss adds to a window, and what a loss event takes
   * from it [segments]. */
  virtual double GetIncrease(double window) const = 0;
  virtual double GetDecrease(double window) const = 0;

protected:
  double GetB() const { return m_b; }

private:
  void GrowSlowly(ns3::Ptr<ns3::TcpSocketState> state,
                  uint32_t segments_acked);

  double m_b = 0.5;
  double m_growth = 0.0;     /* not yet in cwnd [bytes], below 1 */
  bool m_slow_start = true;  /* cwnd grows towards ssthresh */
  /* What recovery steers cwnd to, while it moves it about; else 0. */
  double m_recovery_window = 0.0;
};

/* TCP(1/g). */
class TcpAimd : public TcpBinomial
{
public:
  static ns3::TypeId GetTypeId();
  std::string GetName() const override { return "TcpAimd"; }
  ns3::Ptr<ns3::TcpCongestionOps> Fork() override;
  double GetIncrease(double window) const override;
  double GetDecrease(double window) const override;
};

/* SQRT(1/g). */
class TcpSqrt : public TcpBinomial
{
public:
  static ns3::TypeId GetTypeId();
  std::string GetName() const override { return "TcpSqrt"; }
  ns3::Ptr<ns3::TcpCongestionOps> Fork() override;
  double GetIncrease(double window) const override;
  double GetDecrease(double window) const override;
};

/* IIAD(1/g). */
class TcpIiad : public TcpBinomial
{
public:
  static ns3::TypeId GetTypeId();
  std::string GetName() const override { return "TcpIiad"; }
  ns3::Ptr<ns3::TcpCongestionOps> Fork() override;
  double GetIncrease(double window) const override;
  double GetDecrease(double window) const override;
};
