/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A video encoder as the flow sees it: one frame per interval, of a size that
 * follows the target of a moment ago.
 *
 * The sizes are those of a FrameTrace scaled to the target.  A new target
 * takes effect after a delay, as RFC 8867 section 4.1 allows 100 ms; so does a
 * request for a key frame, for which the trace goes on at its next one, with
 * all that the real encoder saved behind it to make up for it. */
#pragma once

#include <cstdint>
#include <ns3/nstime.h>

#include "frame-trace.h"

struct EncodedFrame
{
  uint32_t bytes;
  bool key;
};

class VideoEncoder
{
public:
  /* frames_per_s 0: that of the trace. */
  VideoEncoder(const FrameTrace& trace, double frames_per_s, ns3::Time delay);

  /* [bits/s] */
  void SetTarget(double bit_s);
  void AskKeyFrame();
  /* The next frame is a key frame. */
  void RestartWithKeyFrame() { m_key_wanted = true; }

  EncodedFrame Encode();

  ns3::Time Interval() const { return ns3::Seconds(1 / m_frames_per_s); }

private:
  FrameTrace m_trace;
  double m_frames_per_s;
  ns3::Time m_delay;
  double m_target_bit_s = 0;    /* in effect */
  bool m_key_wanted = false;
};
