/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "media-source.h"

#include <algorithm>
#include <ns3/simulator.h>

using ns3::MilliSeconds;
using ns3::Simulator;
using ns3::Time;

namespace {

/* IPv4, UDP, RTP, and its header extension (RFC 8285). */
constexpr uint32_t HEADER_BYTES = 20 + 8 + 12 + 12;
/* As send/flow.c tells the encoder of the rate. */
constexpr int64_t TURN_MS = 20;
constexpr int64_t AUDIO_PACKET_MS = 20;
constexpr guint32 VIDEO_SSRC = 1, AUDIO_SSRC = 2;

enum { VIDEO_EVENT, AUDIO_EVENT, TURN_EVENT, EVENTS };

TfrcTime
Now()
{
  return static_cast<TfrcTime>(Simulator::Now().GetNanoSeconds());
}

} // namespace

MediaSource::MediaSource(const MediaSettings& settings, const VideoEncoder& encoder,
                         uint64_t min_bitrate, uint64_t start_bitrate, uint64_t max_bitrate)
  : m_settings(settings),
    m_encoder(encoder),
    m_control(min_bitrate, start_bitrate, max_bitrate,
              [this](double bit_s) { m_encoder.SetTarget(bit_s); }),
    m_queue(tfrc_queue_new()),
    m_packets_missing(1),
    m_events(EVENTS)
{
  gst_mini_object_init(&m_object, 0, G_TYPE_NONE, nullptr, nullptr, nullptr);
  m_video = tfrc_queue_add_stream(m_queue, VIDEO_SSRC);
  m_audio = tfrc_queue_add_stream(m_queue, AUDIO_SSRC);
  m_audio->video = FALSE;
  tfrc_encoder_rate_init(&m_rate);
}

MediaSource::~MediaSource()
{
  tfrc_queue_free(m_queue);
}

void
MediaSource::Start(const TfrcSender& sender, std::function<void()> wake)
{
  m_sender = &sender;
  m_wake = std::move(wake);
  m_control.Start();
  EncodeVideo();
  if (m_settings.audio_bit_s > 0)
    EncodeAudio();
  Turn();
}

void
MediaSource::Stop()
{
  for (ns3::EventId& event : m_events)
    event.Cancel();
  tfrc_queue_drop_packets(m_queue);
}

uint32_t
MediaSource::NextPacketBytes() const
{
  const TfrcQueueItem* head = tfrc_queue_peek(m_queue);

  return head == nullptr ? 0 : head->size;
}

void
MediaSource::TakePacket(uint64_t number)
{
  TfrcQueueItem item;

  tfrc_queue_pop(m_queue, &item);
  gst_mini_object_unref(item.object);
  if (m_flying.empty())
    m_first_flying = number;
  m_flying.push_back({item.stream == m_video ? item.frame : 0,
                      static_cast<float>(tfrc_time_since(item.arrived_at, Now())) / 1e6f});
}

void
MediaSource::BeforeRateChange()
{
  tfrc_encoder_rate_advance(&m_rate, m_sender, Now());
}

void
MediaSource::OnReport()
{
  tfrc_encoder_rate_on_report(&m_rate, m_sender, Now());
}

void
MediaSource::OnDelivered(uint64_t number, Time delay)
{
  bool lost_video = false;

  /* Links keep the order: what is older was lost. */
  while (!m_flying.empty() && m_first_flying < number) {
    lost_video = lost_video || m_flying.front().frame != 0;
    m_flying.pop_front();
    m_first_flying++;
  }
  if (!m_flying.empty() && m_first_flying == number) {
    CountDelivered(m_flying.front(), delay);
    m_flying.pop_front();
    m_first_flying++;
  }
  if (lost_video)
    OnLoss();
}

void
MediaSource::EncodeVideo()
{
  bool paused = IsPaused();

  m_events[VIDEO_EVENT] = Simulator::Schedule(m_encoder.Interval(), &MediaSource::EncodeVideo, this);
  if (m_was_paused && !paused)
    m_encoder.RestartWithKeyFrame();
  m_was_paused = paused;
  if (paused)
    return;

  EncodedFrame frame = m_encoder.Encode();
  uint32_t room = m_settings.packet_bytes - HEADER_BYTES;

  m_timestamp++;
  m_counters.frames++;
  m_counters.key_frames += frame.key;
  m_counters.encoded_bytes += frame.bytes;
  m_packets_missing.push_back(static_cast<uint16_t>((frame.bytes + room - 1) / room));
  m_control.OnOutput(frame.bytes, Now());
  for (uint32_t left = frame.bytes; left > 0; left -= std::min(left, room))
    Push(m_video, std::min(left, room), frame.key);
  Trim();
  m_wake();
}

void
MediaSource::EncodeAudio()
{
  double bytes = m_settings.audio_bit_s / 8 * AUDIO_PACKET_MS / 1000;

  m_events[AUDIO_EVENT] = Simulator::Schedule(MilliSeconds(AUDIO_PACKET_MS),
                                              &MediaSource::EncodeAudio, this);
  if (IsPaused())
    return;
  Push(m_audio, static_cast<uint32_t>(bytes + 0.5), false);
  m_wake();
}

void
MediaSource::Turn()
{
  guint32 ssrc;

  m_events[TURN_EVENT] = Simulator::Schedule(MilliSeconds(TURN_MS), &MediaSource::Turn, this);
  Trim();
  while (tfrc_queue_poll_key_request(m_queue, &ssrc, Now()))
    m_encoder.AskKeyFrame();
  MeasureFlow();
}

void
MediaSource::Push(TfrcSendStream* stream, uint32_t payload_bytes, bool key)
{
  TfrcQueueItem item{};

  item.object = gst_mini_object_ref(&m_object);
  item.stream = stream;
  item.timestamp = m_timestamp;
  item.size = payload_bytes + HEADER_BYTES;
  item.payload_size = payload_bytes;
  item.seq = stream == m_video ? m_video_seq++ : m_audio_seq++;
  item.key = key;
  tfrc_queue_push_packet(m_queue, &item, Now());
}

/* As long as two packets at the allowed rate take, at least; all records are of sources
 * that drop by age alone. */
void
MediaSource::Trim()
{
  uint32_t segment_bytes = tfrc_segment_size_get(&m_sender->segment_size);
  TfrcDuration two_packets = tfrc_rate_time_for(tfrc_sender_get_pacing_rate(m_sender),
                                                2 * segment_bytes);
  TfrcDuration bound = static_cast<TfrcDuration>(m_settings.max_queue_time.GetNanoSeconds());
  gboolean heard = m_sender->state != TFRC_SENDER_WAITING && m_sender->state != TFRC_SENDER_NO_FEEDBACK;

  tfrc_queue_trim(m_queue, tfrc_time_max(bound, two_packets), tfrc_time_max(bound, two_packets), heard, false, Now());
}

/* The rate, and how much of it the encoder cannot have. */
void
MediaSource::MeasureFlow()
{
  TfrcEncoderFlow flow{};

  tfrc_send_stream_measure(m_video, Now());
  tfrc_send_stream_measure(m_audio, Now());
  tfrc_encoder_rate_advance(&m_rate, m_sender, Now());
  if (!(tfrc_encoder_rate_get(&m_rate) > 0))
    return;
  flow.allowed_bitrate = tfrc_rate_to_bits(tfrc_encoder_rate_get(&m_rate));
  if (m_control.MaxBitrate() > 0)
    flow.allowed_bitrate = std::min<uint64_t>(flow.allowed_bitrate, m_control.MaxBitrate());
  flow.other_bitrate = tfrc_rate_to_bits(m_audio->rate);
  flow.overhead = m_video->payload_rate > 0 ? m_video->rate / m_video->payload_rate : 1.0;
  flow.queued_bytes = m_queue->bytes;
  m_control.Update(flow, Now());
}

bool
MediaSource::IsPaused() const
{
  double now_s = Simulator::Now().GetSeconds();

  return std::any_of(m_settings.pauses_s.begin(), m_settings.pauses_s.end(),
                     [now_s](const auto& pause) {
                       return now_s >= pause.first && now_s < pause.second;
                     });
}

/* The receiver asks for a key frame; the sender's own bound holds. */
void
MediaSource::OnLoss()
{
  if (m_settings.key_requests)
    Simulator::Schedule(m_settings.request_delay,
                        [this] { tfrc_queue_ask_key_frame(m_queue, m_video, Now()); });
}

void
MediaSource::CountDelivered(const Flying& packet, Time delay)
{
  if (packet.frame == 0)
    return;
  m_counters.queue_ms.push_back(packet.queue_ms);
  m_counters.delay_ms.push_back(packet.queue_ms + static_cast<float>(delay.GetSeconds() * 1000));
  if (--m_packets_missing[packet.frame] == 0)
    m_counters.frames_complete++;
}
