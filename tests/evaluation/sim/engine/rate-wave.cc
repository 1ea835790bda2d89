/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Instants at which a source of changing rate has sent so many bits: each
 * segment is a parabola of bits over time, inverted in closed form. */
#include "rate-wave.h"

#include <cmath>
#include <limits>

namespace {

constexpr double Infinite = std::numeric_limits<double>::infinity();

/* The time in which a rate that changes by `slope` sends `bits`; infinite when
 * it falls to nothing before. */
double
TimeFor(double bits, double rate, double slope)
{
  double square = rate * rate + 2 * slope * bits;

  if (square < 0 || rate + std::sqrt(square) <= 0)
    return Infinite;
  return 2 * bits / (rate + std::sqrt(square));
}

} // namespace

RateWave::RateWave(std::vector<Segment> segments, double period)
  : m_segments(std::move(segments)), m_period(period)
{
}

RateWave
RateWave::Constant(double rate)
{
  return RateWave({{0, rate, 0}}, Infinite);
}

RateWave
RateWave::Square(double low, double high, double period)
{
  return RateWave({{0, high, 0}, {period / 2, low, 0}}, period);
}

RateWave
RateWave::Sawtooth(double from, double to, double period)
{
  return RateWave({{0, from, (to - from) / period}}, period);
}

RateWave
RateWave::Stepped(const Steps& steps)
{
  std::vector<Segment> segments {{0, 0, 0}};

  for (const auto & [start, rate] : steps)
    segments.push_back({start, rate, 0});
  return RateWave(std::move(segments), Infinite);
}

double
RateWave::TimeAfter(double bits, double now) const
{
  double cycle = std::isinf(m_period) ? 0
      : std::floor(now / m_period) * m_period;
  size_t i = 0;

  while (i + 1 < m_segments.size() && cycle + m_segments[i + 1].start <= now)
    i++;
  for (;;) {
    const Segment& segment = m_segments[i];
    bool last = i + 1 == m_segments.size();
    double end = cycle + (last ? m_period : m_segments[i + 1].start);
    double rate = segment.rate + segment.slope * (now - cycle - segment.start);
    double duration = TimeFor(bits, rate, segment.slope);

    if (now + duration <= end || std::isinf(end))
      return now + duration;
    bits -= (end - now) * (rate + segment.slope * (end - now) / 2);
    now = end;
    i = last ? 0 : i + 1;
    if (last)
      cycle += m_period;
  }
}
