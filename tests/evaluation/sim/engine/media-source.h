/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Live video, with audio beside it, above a TFRC sender: an encoder that
 * follows the allowed rate, and the pacer's queue, which drops whole frames.
 *
 * The queue, its dropping and its requests for key frames, the rate that the
 * encoder follows and the target made from it are those of the elements
 * (elements.h); here they are fed as send/pacer.c does it.  Audio is
 * constant and shares the flow with the video.  Nothing is made in a pause;
 * the first frame after it is a key frame. */
#pragma once

#include <deque>
#include <memory>
#include <ns3/event-id.h>
#include <vector>

#include "encoder-control.h"
#include "packet-source.h"
#include "video-encoder.h"

struct MediaSettings
{
  uint32_t packet_bytes = 1000;         /* largest IP packet */
  ns3::Time max_queue_time;
  double audio_bit_s = 0;               /* encoded; 0 = no audio */
  std::vector<std::pair<double, double>> pauses_s;  /* [from, to) of the run */
  bool key_requests = true;             /* after loss, by the receiver */
  ns3::Time request_delay;              /* from there to the sender */
};

struct MediaCounters
{
  uint64_t frames = 0;                  /* encoded */
  uint64_t frames_complete = 0;         /* of which every packet arrived */
  uint64_t key_frames = 0;
  uint64_t encoded_bytes = 0;
  std::vector<float> queue_ms;          /* of delivered video: in the pacer */
  std::vector<float> delay_ms;          /* and with the network's */
};

class MediaSource : public PacketSource
{
public:
  MediaSource(const MediaSettings& settings, const VideoEncoder& encoder, uint64_t min_bitrate,
              uint64_t start_bitrate, uint64_t max_bitrate);
  ~MediaSource() override;

  void Start(const TfrcSender& sender, std::function<void()> wake) override;
  void Stop() override;
  uint32_t NextPacketBytes() const override;
  void TakePacket(uint64_t number) override;
  void BeforeRateChange() override;
  void OnReport() override;
  void OnDelivered(uint64_t number, ns3::Time delay) override;

  const MediaCounters& Counters() const { return m_counters; }
  TfrcQueueCounters QueueCounters() const { return m_queue->counters; }
  const EncoderControl& Control() const { return m_control; }

private:
  /* A packet that has left. */
  struct Flying
  {
    uint64_t frame;             /* 0 = audio */
    float queue_ms;
  };

  void EncodeVideo();
  void EncodeAudio();
  void Turn();
  void Push(TfrcSendStream* stream, uint32_t payload_bytes, bool key);
  void Trim();
  void MeasureFlow();
  bool IsPaused() const;
  void OnLoss();
  void CountDelivered(const Flying& packet, ns3::Time delay);

  MediaSettings m_settings;
  VideoEncoder m_encoder;
  EncoderControl m_control;
  MediaCounters m_counters;
  const TfrcSender* m_sender = nullptr;
  TfrcEncoderRate m_rate;
  std::function<void()> m_wake;
  GstMiniObject m_object;       /* stands for every packet in the queue */
  TfrcQueue* m_queue;
  TfrcSendStream* m_video;
  TfrcSendStream* m_audio;
  uint32_t m_timestamp = 0;
  uint16_t m_video_seq = 0, m_audio_seq = 0;
  bool m_was_paused = false;
  std::vector<uint16_t> m_packets_missing;      /* of each frame, from 1 on */
  std::deque<Flying> m_flying;
  uint64_t m_first_flying = 0;  /* its number */
  std::vector<ns3::EventId> m_events;           /* video, audio, turn */
};
