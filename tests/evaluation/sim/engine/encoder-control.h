/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Encoder control of the elements without the encoder being an element: the
 * same target, limiter and measured share (gst/elements/encoder/target.h),
 * wired as encoder/encoder.c does. */
#pragma once

#include <functional>

#include "elements.h"

class EncoderControl
{
public:
  /* Rates [bits/s]; `set` is called with each new target, from Start on. */
  EncoderControl(uint64_t min_bitrate, uint64_t start_bitrate, uint64_t max_bitrate,
                 std::function<void(double)> set);

  void Start();
  /* The newest state of the flow. */
  void Update(const TfrcEncoderFlow& flow, TfrcTime now);
  /* The encoder made so much. */
  void OnOutput(uint32_t bytes, TfrcTime now);

  uint64_t Changes() const { return m_changes; }
  uint64_t MaxBitrate() const { return m_config.max_bitrate; }

private:
  void Consider(TfrcTime now);
  uint64_t Target() const;
  void Set();

  TfrcEncoderSettings m_config{};
  TfrcEncoderTargetLimiter m_limiter{};
  TfrcEncoderOutput m_output{};
  uint64_t m_wanted;            /* from the flow, before any clamp */
  uint64_t m_changes = 0;
  std::function<void(double)> m_set;
};
