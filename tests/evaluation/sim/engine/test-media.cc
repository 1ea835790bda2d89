/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Unit tests of the live video: trace, encoder, control, and what waits. */
#include <cmath>
#include <cstdio>
#include <functional>
#include <ns3/simulator.h>

#include "media-source.h"
#include "parameters.h"

using ns3::MilliSeconds;
using ns3::Simulator;

namespace {

int failures = 0;

void
Expect(const char* what, double measured, double expected)
{
  if (std::abs(measured - expected) <= 1e-6 * std::abs(expected))
    return;
  std::printf("%s: %g instead of %g\n", what, measured, expected);
  failures++;
}

/* Lets `check` run at that time. */
void
At(int64_t ms, const std::function<void()>& check)
{
  Simulator::Schedule(MilliSeconds(ms), check);
}

void
Run(int64_t ms)
{
  Simulator::Stop(MilliSeconds(ms));
  Simulator::Run();
  Simulator::Destroy();
}

/* data/traces/x264-scene.csv: 12999 bytes and a key frame, then 345, at
 * 1000 kbit/s and 30 frames/s, where a frame may have 4166.7 bytes. */
void
TestTrace()
{
  FrameTrace trace("x264-scene");
  TracedFrame frame = trace.Next(false);

  Expect("size of the first frame", frame.size, 12999 / (1e6 / 30 / 8));
  Expect("it is a key frame", frame.key, 1);
  frame = trace.Next(false);
  Expect("size of the second frame", frame.size, 345 / (1e6 / 30 / 8));
  Expect("it is none", frame.key, 0);
  Expect("a key frame is found", trace.Next(true).key, 1);

  try {
    FrameTrace("no-such-trace");
    Expect("a missing trace is refused", 0, 1);
  } catch (const DescriptionError&) {
  }
}

/* 500 kbit/s: half of the trace's sizes.  At 15 frames/s each has twice as
 * many bytes.  A target set at 0 is in effect at 100 ms, not before. */
void
TestEncoder()
{
  VideoEncoder encoder(FrameTrace("x264-scene"), 0, MilliSeconds(100));
  VideoEncoder slow(FrameTrace("x264-scene"), 15, MilliSeconds(100));

  encoder.SetTarget(500000);
  slow.SetTarget(500000);
  Expect("interval", encoder.Interval().GetSeconds(), 1 / 30.0);
  Expect("interval of 15 frames/s", slow.Interval().GetSeconds(), 1 / 15.0);
  Expect("bytes at half the rate", encoder.Encode().bytes, std::lround(12999 / 2.0));
  Expect("bytes at half the frames", slow.Encode().bytes, 12999);
  encoder.SetTarget(1000000);
  encoder.AskKeyFrame();
  At(99, [&] { Expect("still the old target", encoder.Encode().bytes, std::lround(345 / 2.0)); });
  At(101, [&] {
    EncodedFrame frame = encoder.Encode();
    Expect("a key frame was asked for", frame.key, 1);
    Expect("that of frame 300 at the new target", frame.bytes, 14566);
  });
  Run(200);
}

/* Allowed 1 Mbit/s, overhead 1.25, others 200 kbit/s: 640 kbit/s (the case of
 * tests/elements/encoder/target.c), within 150 and 500; no sooner than
 * 100 ms after the last. */
void
TestControl()
{
  double target = 0;
  EncoderControl control(150000, 300000, 500000, [&](double bit_s) { target = bit_s; });
  TfrcEncoderFlow flow{};

  control.Start();
  Expect("starts with", target, 300000);
  flow.allowed_bitrate = 1000000;
  flow.other_bitrate = 200000;
  flow.overhead = 1.25;
  control.Update(flow, 1000 * TFRC_MILLISECOND);
  control.Update(flow, 1099 * TFRC_MILLISECOND);
  Expect("not yet", target, 300000);
  control.Update(flow, 1100 * TFRC_MILLISECOND);
  Expect("no more than the maximum", target, 500000);
  flow.allowed_bitrate = 200000;
  control.Update(flow, 1300 * TFRC_MILLISECOND);
  Expect("no less than the minimum", target, 150000);
  Expect("times it was set", static_cast<double>(control.Changes()), 3);
}

MediaSettings
Settings()
{
  MediaSettings settings;

  settings.packet_bytes = 1052;
  settings.max_queue_time = MilliSeconds(200);
  settings.request_delay = MilliSeconds(10);
  return settings;
}

MediaSource
Source(const MediaSettings& settings)
{
  return {settings, VideoEncoder(FrameTrace("x264-scene"), 0, MilliSeconds(100)), 1000000,
          1000000, 1000000};
}

/* 12999 bytes are 13 packets, the last of 999 bytes and headers of 52.  Taken
 * after 5 ms and 20 ms on the way; the second one is lost, so the frame is not
 * complete and a key frame is asked for. */
void
TestFrameInPackets()
{
  TfrcSender sender;
  TfrcSenderConfig config = tfrc_sender_config_default();
  MediaSource source = Source(Settings());
  int wakes = 0;

  tfrc_sender_init(&sender, &config);
  source.Start(sender, [&] { wakes++; });
  Expect("the frame wakes", wakes, 1);
  Expect("a full packet", source.NextPacketBytes(), 1052);
  At(5, [&] {
    for (uint64_t i = 0; i < 12; i++)
      source.TakePacket(i);
    Expect("the last packet", source.NextPacketBytes(), 999 + 52);
    source.TakePacket(12);
    Expect("nothing waits", source.NextPacketBytes(), 0);
  });
  At(25, [&] {
    for (uint64_t i = 0; i < 13; i++)
      if (i != 1)
        source.OnDelivered(i, MilliSeconds(20));
    Expect("packets that arrived", static_cast<double>(source.Counters().delay_ms.size()), 12);
    Expect("delay of the first", source.Counters().delay_ms[0], 25);
    Expect("of which in the pacer", source.Counters().queue_ms[0], 5);
    Expect("frames complete", static_cast<double>(source.Counters().frames_complete), 0);
  });
  At(30, [&] { Expect("one frame so far", static_cast<double>(source.Counters().frames), 1); });
  At(170, [&] {
    Expect("key frame on request", static_cast<double>(source.Counters().key_frames), 2);
    source.Stop();
  });
  Run(300);
}

/* Nobody takes a packet and the rate is high: after 200 ms and a frame the
 * pacer drops all but its newest key frame, the only one so far. */
void
TestDropping()
{
  TfrcSender sender;
  TfrcSenderConfig config = tfrc_sender_config_default();
  MediaSource source = Source(Settings());

  tfrc_sender_init(&sender, &config);
  sender.instant_rate = sender.rate = 1e6;
  source.Start(sender, [] {});
  At(230, [&] { Expect("dropped", static_cast<double>(source.QueueCounters().frames_dropped), 0); });
  At(990, [&] {
    Expect("frames made in a second", static_cast<double>(source.Counters().frames), 30);
    Expect("some were dropped", source.QueueCounters().frames_dropped >= 20, 1);
    Expect("a key frame is left", source.NextPacketBytes(), 1052);
    source.Stop();
  });
  Run(1100);
}

/* The same while reports come: the frames up to 233 ms go at 240 ms, a key frame is
 * asked for and made at 400 ms, those before it go on arrival; until 1240 ms none
 * can be asked for again. */
void
TestDroppingWhileHeard()
{
  TfrcSender sender;
  TfrcSenderConfig config = tfrc_sender_config_default();
  MediaSource source = Source(Settings());

  tfrc_sender_init(&sender, &config);
  sender.instant_rate = sender.rate = 1e6;
  sender.state = TFRC_SENDER_EQUATION;
  source.Start(sender, [] {});
  At(1230, [&] {
    Expect("dropped once", static_cast<double>(source.QueueCounters().frames_dropped), 11);
  });
  At(1290, [&] {
    Expect("dropped again", source.QueueCounters().frames_dropped > 10, 1);
    source.Stop();
  });
  Run(1300);
}

/* A pause from 100 to 200 ms: frames at 0, 33, 67, 200, ...; the first after
 * it is a key frame.  Audio of 20 kbit/s is 50 bytes in 20 ms. */
void
TestPauseAndAudio()
{
  TfrcSender sender;
  TfrcSenderConfig config = tfrc_sender_config_default();
  MediaSettings settings = Settings();
  settings.pauses_s = {{0.09, 0.19}};
  settings.audio_bit_s = 20000;
  MediaSource source = Source(settings);

  tfrc_sender_init(&sender, &config);
  source.Start(sender, [] {});
  At(195, [&] {
    Expect("frames before the pause", static_cast<double>(source.Counters().frames), 3);
    for (uint64_t i = 0; source.NextPacketBytes() > 102; i++)
      source.TakePacket(i);
    Expect("a packet of audio", source.NextPacketBytes(), 50 + 52);
  });
  At(205, [&] {
    Expect("the frame after it", static_cast<double>(source.Counters().frames), 4);
    Expect("is a key frame", static_cast<double>(source.Counters().key_frames), 2);
    source.Stop();
  });
  Run(300);
}

} // namespace

int
main()
{
  TestTrace();
  TestEncoder();
  TestControl();
  TestFrameInPackets();
  TestDropping();
  TestDroppingWhileHeard();
  TestPauseAndAudio();
  return failures == 0 ? 0 : 1;
}
