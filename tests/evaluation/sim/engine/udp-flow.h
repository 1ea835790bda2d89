/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* UDP sources that do not listen to the network.
 *
 * UdpFlow (kind "cbr") sends at a rate that only time changes.  Parameters:
 *   rate_bit_s    constant; or one of
 *   wave          "square" (the first half of each period high), "sawtooth"
 *                 (low to high, then back at once) or "reverse-sawtooth", with
 *                 period_s, low_bit_s, high_bit_s
 *   steps         [[t_s, rate_bit_s], ...] by the clock of the run
 *   jitter        0 to 1: share by which a gap is drawn shorter or longer
 *
 * OnOffFlow (kind "on-off") is ns-3's OnOffApplication.  Parameters:
 *   rate_bit_s    while it is on
 *   on, off       durations [s], see random-variable.h
 *
 * Rates count IP packets of packet_bytes. */
#pragma once

#include "flow.h"

class UdpFlow : public Flow
{
public:
  void Install(const FlowPlace& place) override;
};

class OnOffFlow : public Flow
{
public:
  void Install(const FlowPlace& place) override;
};
