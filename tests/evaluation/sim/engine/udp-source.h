/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An ns-3 application that sends packets of one size at the rate of a wave,
 * whatever the network does to them.
 *
 * `jitter` j draws each gap uniformly from 1 - j to 1 + j times its length:
 * the mean rate stays, phase effects between constant sources go. */
#pragma once

#include <ns3/application.h>
#include <ns3/random-variable-stream.h>
#include <ns3/socket.h>

#include "rate-wave.h"

class UdpSource : public ns3::Application
{
public:
  struct Config
  {
    RateWave wave;
    double wave_start_s;        // where the wave's time is 0
    uint32_t payload_bytes;
    uint32_t packet_bytes;      // on the link: what the rate counts
    double jitter;              // 0 to 1
  };

  UdpSource(const Config& config, const ns3::Address& peer);

protected:
  void DoDispose() override;

private:
  void StartApplication() override;
  void StopApplication() override;
  void ScheduleNext();
  void Send();

  Config m_config;
  ns3::Address m_peer;
  ns3::Ptr<ns3::Socket> m_socket;
  ns3::Ptr<ns3::UniformRandomVariable> m_uniform;
  ns3::EventId m_next;
};
