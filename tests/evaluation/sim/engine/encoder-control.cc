/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "encoder-control.h"

EncoderControl::EncoderControl(uint64_t min_bitrate, uint64_t start_bitrate, uint64_t max_bitrate,
                               std::function<void(double)> set)
  : m_wanted(start_bitrate),
    m_set(std::move(set))
{
  m_config.min_bitrate = min_bitrate;
  m_config.start_bitrate = start_bitrate;
  m_config.max_bitrate = max_bitrate;
}

void
EncoderControl::Start()
{
  tfrc_encoder_target_limiter_reset(&m_limiter, Target());
  Set();
}

void
EncoderControl::Update(const TfrcEncoderFlow& flow, TfrcTime now)
{
  m_wanted = tfrc_encoder_target_from_flow(&flow);
  Consider(now);
}

void
EncoderControl::OnOutput(uint32_t bytes, TfrcTime now)
{
  Consider(now);
  m_output.open.bytes += bytes;
}

void
EncoderControl::Consider(TfrcTime now)
{
  tfrc_encoder_output_advance(&m_output, now);
  if (tfrc_encoder_target_limiter_pass(&m_limiter, Target(), now))
    Set();
}

uint64_t
EncoderControl::Target() const
{
  return tfrc_encoder_target_request(&m_config, m_wanted, tfrc_encoder_output_get_share(&m_output));
}

void
EncoderControl::Set()
{
  tfrc_encoder_output_set_target(&m_output, m_limiter.bitrate);
  m_changes++;
  m_set(static_cast<double>(m_limiter.bitrate));
}
