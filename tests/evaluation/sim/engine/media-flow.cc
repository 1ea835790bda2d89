/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "media-flow.h"

#include <algorithm>

using ns3::MilliSeconds;
using ns3::Seconds;

namespace {

/* Of samples in any order; 0 when there are none. */
double
Percentile(std::vector<float> samples, double share)
{
  if (samples.empty())
    return 0;

  auto nth = samples.begin() + static_cast<long>(share * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), nth, samples.end());
  return *nth;
}

} // namespace

void
MediaFlow::Install(const FlowPlace& place)
{
  m_recorder = &place.recorder;
  m_index = place.description.index;
  TfrcUdpFlow::Install(place);
}

std::unique_ptr<PacketSource>
MediaFlow::MakeSource(const FlowPlace& place)
{
  const Parameters& parameters = place.description.parameters;
  MediaSettings settings;

  settings.packet_bytes = place.description.packet_bytes;
  settings.max_queue_time = Seconds(parameters.Number("max_queue_ms", 200) / 1000);
  settings.audio_bit_s = parameters.Number("audio_bit_s", 20000);
  settings.pauses_s = parameters.Pairs("pauses_s");
  settings.key_requests = parameters.Flag("key_requests", true);
  settings.request_delay = Seconds(place.description.rtt_ms / 2 / 1000);

  VideoEncoder encoder(FrameTrace(parameters.Text("trace", "x264-scene")),
                       parameters.Number("frames_per_s", 0),
                       Seconds(parameters.Number("encoder_delay_ms", 100) / 1000));
  auto source = std::make_unique<MediaSource>(settings, encoder,
                                              parameters.Count("min_bit_s", 150000),
                                              parameters.Count("start_bit_s", 150000),
                                              parameters.Count("max_bit_s", 1500000));

  m_source = source.get();
  return source;
}

void
MediaFlow::Finish()
{
  const MediaCounters& counters = m_source->Counters();
  const std::pair<const char*, double> values[] = {
    {"frames", static_cast<double>(counters.frames)},
    {"frames_complete", static_cast<double>(counters.frames_complete)},
    {"frames_dropped", static_cast<double>(m_source->QueueCounters().frames_dropped)},
    {"key_frames", static_cast<double>(counters.key_frames)},
    {"encoded_bytes", static_cast<double>(counters.encoded_bytes)},
    {"target_changes", static_cast<double>(m_source->Control().Changes())},
    {"pacer_ms_p50", Percentile(counters.queue_ms, 0.5)},
    {"pacer_ms_p95", Percentile(counters.queue_ms, 0.95)},
    {"delay_ms_p50", Percentile(counters.delay_ms, 0.5)},
    {"delay_ms_p95", Percentile(counters.delay_ms, 0.95)},
  };

  for (const auto& [name, value] : values)
    m_recorder->SetFlowValue(m_index, name, value);
  TfrcUdpFlow::Finish();
}
