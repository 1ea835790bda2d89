/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Measures what a run spends in gst/protocol, when it is asked to: the clock
 * is read before and after each call, and both readings count.
 *
 * A call of the core is a few hundred ns and never more than some us: its
 * tables are short and it waits for nothing.  What takes Interrupted or longer
 * is another process that had the CPU meanwhile; such calls are left out and
 * counted. */
#pragma once

#include <chrono>

#include "recorder.h"

class CoreTimer
{
public:
  /* Null: measures nothing. */
  explicit CoreTimer(Recorder* recorder = nullptr) : m_recorder(recorder) {}

  /* What `call` returns.  Such a call counts for this number of data packets:
   * 1 where there is one such call for each of them, else 0. */
  template <class Call>
  auto Run(uint32_t data_packets, Call call)
  {
    if (m_recorder == nullptr)
      return call();

    auto before = std::chrono::steady_clock::now();
    auto result = call();
    std::chrono::nanoseconds taken = std::chrono::steady_clock::now() - before;
    if (taken < Interrupted)
      m_recorder->OnCoreTime(static_cast<uint64_t>(taken.count()), data_packets);
    else
      m_recorder->OnCoreInterrupted(data_packets);
    return result;
  }

private:
  static constexpr std::chrono::microseconds Interrupted{100};

  Recorder* m_recorder;
};
