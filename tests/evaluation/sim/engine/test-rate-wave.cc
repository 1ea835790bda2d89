/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* When a source of each kind of wave has earned its next bits. */
#include "rate-wave.h"

#include <cmath>
#include <cstdio>
#include <limits>

namespace {

constexpr double Never = std::numeric_limits<double>::infinity();

struct Case
{
  const char* what;
  RateWave wave;
  double bits, now, expected;
};

const Case cases[] = {
  {"100 bits at 50 bits/s", RateWave::Constant(50), 100, 3, 5},
  {"nothing is ever sent at 0 bits/s", RateWave::Constant(0), 100, 3, Never},

  /* High from 0 to 2 and from 4 to 6, low in between. */
  {"within the high half", RateWave::Square(10, 100, 4), 100, 0.5, 1.5},
  {"50 bits at the end of the high half, 10 in 1 s of the low one",
   RateWave::Square(10, 100, 4), 60, 1.5, 3},
  {"20 bits in the low half, 100 in the next high one",
   RateWave::Square(10, 100, 4), 120, 2, 5},
  {"a low half without packets", RateWave::Square(0, 100, 4), 100, 1.5, 4.5},
  {"over two whole periods of 200 bits", RateWave::Square(0, 100, 4), 450, 0, 8.5},

  /* From 0 to 100 in 2 s: 25 t^2 bits. */
  {"half of a rising tooth", RateWave::Sawtooth(0, 100, 2), 25, 0, 1},
  {"a whole tooth and half of the next one", RateWave::Sawtooth(0, 100, 2), 125, 0, 3},
  /* From 100 to 0: 100 t - 25 t^2 bits, 75 in the first second. */
  {"half of a falling tooth", RateWave::Sawtooth(100, 0, 2), 75, 0, 1},
  {"its other half and the first of the next", RateWave::Sawtooth(100, 0, 2), 100, 1, 3},

  {"before the first step", RateWave::Stepped({{2, 10}, {3, 40}}), 10, 0, 3},
  {"across a step: 10 bits in 1 s, 20 in half a second",
   RateWave::Stepped({{2, 10}, {3, 40}}), 30, 2, 3.5},
  {"a pause between steps", RateWave::Stepped({{0, 10}, {1, 0}, {5, 10}}), 15, 0, 5.5},
  {"after the last step to 0", RateWave::Stepped({{0, 10}, {1, 0}}), 15, 0, Never},
};

} // namespace

int
main()
{
  int failures = 0;

  for (const Case& one : cases) {
    double due = one.wave.TimeAfter(one.bits, one.now);

    if (due == one.expected || std::abs(due - one.expected) < 1e-9)
      continue;
    std::printf("%s: %f instead of %f\n", one.what, due, one.expected);
    failures++;
  }
  return failures > 0;
}
