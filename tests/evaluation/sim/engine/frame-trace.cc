/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "frame-trace.h"

#include <algorithm>
#include <fstream>

#include "parameters.h"

FrameTrace::FrameTrace(const std::string& name)
{
  std::ifstream file(std::string(TRACE_FOLDER "/") + name + ".csv");
  std::string line;
  double target_bit_s = 0;

  while (std::getline(file, line)) {
    size_t comma = line.find(',');
    std::string first = line.substr(0, comma);

    if (line.empty() || line[0] == '#' || comma == std::string::npos)
      continue;
    if (first == "target_kbit_s")
      target_bit_s = std::stod(line.substr(comma + 1)) * 1000;
    else if (first == "frames_per_s")
      m_frames_per_s = std::stod(line.substr(comma + 1));
    else if (first != "size_bytes")
      m_frames.push_back({std::stod(first) * 8 * m_frames_per_s / target_bit_s,
                          line.substr(comma + 1) == "1"});
  }
  if (m_frames.empty() || !m_frames.front().key || !(target_bit_s > 0))
    throw DescriptionError("there is no frame trace '" + name
                           + "' that begins with a key frame");
}

TracedFrame
FrameTrace::Next(bool key)
{
  /* There is one: the first. */
  while (key && !m_frames[m_next].key)
    m_next = (m_next + 1) % m_frames.size();

  TracedFrame frame = m_frames[m_next];
  m_next = (m_next + 1) % m_frames.size();
  return frame;
}
