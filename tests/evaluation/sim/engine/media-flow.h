/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Live video and audio over TFRC (kind "media").  Parameters, besides those of
 * kind "tfrc":
 *   trace             of the encoder's frame sizes, see frame-trace.h
 *                     ("x264-scene")
 *   frames_per_s      (0: that of the trace)
 *   min_bit_s, start_bit_s, max_bit_s   of the encoder (150000, 150000,
 *                     1500000: RFC 8867 section 4.1)
 *   encoder_delay_ms  until a new target has its effect (100)
 *   max_queue_ms      of the pacer (200, as tfrcsink has it)
 *   audio_bit_s       (20000), in packets of 20 ms
 *   pauses_s          [[from, to], ...] by the clock of the run (none)
 *   key_requests      by the receiver after loss (true)
 * packet_bytes is the largest packet. */
#pragma once

#include "media-source.h"
#include "tfrc-flow.h"

class MediaFlow : public TfrcUdpFlow
{
public:
  void Install(const FlowPlace& place) override;
  void Finish() override;

protected:
  std::unique_ptr<PacketSource> MakeSource(const FlowPlace& place) override;

private:
  MediaSource* m_source = nullptr;      /* TfrcUdpFlow has it */
  Recorder* m_recorder = nullptr;
  uint32_t m_index = 0;
};
