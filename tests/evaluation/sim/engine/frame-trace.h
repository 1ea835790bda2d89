/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The frames that a real encoder made at a constant target, see data/traces/:
 * each one's size as a multiple of what a frame may have at that target, so
 * that it serves for others. */
#pragma once

#include <string>
#include <vector>

struct TracedFrame
{
  double size = 1;              /* 1: target rate / frames per second */
  bool key = false;
};

class FrameTrace
{
public:
  /* The file of that name in data/traces/, without ".csv"; throws a
   * DescriptionError when there is none, or it is not a trace. */
  explicit FrameTrace(const std::string& name);

  /* The next frame, round and round; `key`: go on at the next key frame. */
  TracedFrame Next(bool key);

  double FramesPerSecond() const { return m_frames_per_s; }

private:
  std::vector<TracedFrame> m_frames;
  size_t m_next = 0;
  double m_frames_per_s = 0;
};
