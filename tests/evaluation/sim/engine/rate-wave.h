/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rate of an unresponsive source over time: constant, a square wave, a
 * sawtooth, or steps at given instants.  Only arithmetic: it says when the next
 * packet is due and sends nothing.
 *
 * A wave is a row of segments in which the rate changes linearly, so that the
 * instant at which so many bits have been sent is exact, across steps too.
 *
 * Units: seconds, bits/s. */
#pragma once

#include <utility>
#include <vector>

class RateWave
{
public:
  /* [instant, rate from there on], by rising instants; 0 before the first. */
  using Steps = std::vector<std::pair<double, double>>;

  static RateWave Constant(double rate);

  /* The first half of each period at `high`, the second at `low`. */
  static RateWave Square(double low, double high, double period);

  /* From `from` to `to` in each period, then back at once: rising or falling
   * teeth. */
  static RateWave Sawtooth(double from, double to, double period);

  static RateWave Stepped(const Steps& steps);

  /* When `bits` have been sent if sending starts at `now`; infinite if never.
   * Times are on the scale of the wave: 0 is its start. */
  double TimeAfter(double bits, double now) const;

private:
  struct Segment
  {
    double start;
    double rate;                // at its start
    double slope;               // bits/s per second
  };

  explicit RateWave(std::vector<Segment> segments, double period);

  std::vector<Segment> m_segments;
  double m_period;              // after which the segments repeat; or infinite
};
