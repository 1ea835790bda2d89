/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "video-encoder.h"

#include <algorithm>
#include <cmath>
#include <ns3/simulator.h>

namespace {

/* Slice headers and the like: what a frame has at any rate. */
constexpr double LEAST_FRAME_BYTES = 20;

} // namespace

VideoEncoder::VideoEncoder(const FrameTrace& trace, double frames_per_s, ns3::Time delay)
  : m_trace(trace),
    m_frames_per_s(frames_per_s > 0 ? frames_per_s : trace.FramesPerSecond()),
    m_delay(delay)
{
}

void
VideoEncoder::SetTarget(double bit_s)
{
  /* Nothing is encoded before the first one. */
  if (m_target_bit_s == 0)
    m_target_bit_s = bit_s;
  else
    ns3::Simulator::Schedule(m_delay, [this, bit_s] { m_target_bit_s = bit_s; });
}

void
VideoEncoder::AskKeyFrame()
{
  ns3::Simulator::Schedule(m_delay, [this] { m_key_wanted = true; });
}

EncodedFrame
VideoEncoder::Encode()
{
  TracedFrame frame = m_trace.Next(m_key_wanted);
  double bytes = frame.size * m_target_bit_s / m_frames_per_s / 8;

  m_key_wanted = false;
  return {static_cast<uint32_t>(std::lround(std::max(bytes, LEAST_FRAME_BYTES))), frame.key};
}
