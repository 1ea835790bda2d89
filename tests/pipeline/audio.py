#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Opus and video in one flow over a link of 100 kbit/s: the pictures, which
want far more, neither push the audio out nor hold it up."""

import os
import statistics
import subprocess
import tempfile
import time
import unittest

from loopback import Gst, Pipeline, free_port, wait_for
from watched import WatchedTest

RELAY = os.path.join(os.environ.get("TFRC_BUILD_DIR", "build"),
                     "tests", "support", "tfrc-relay")
VIDEO_TYPE, AUDIO_TYPE = 96, 97
LINK = "rate_kbit_s 100\ndelay_ms 25\nqueue_ms 300\n"
# 24 kbit/s in packets of 20 ms, beside pictures that would take ten times what
# the link has left.  They may wait for longer than a busy machine stalls.
SENDER = """
    tfrcsink name=sink host=127.0.0.1 port={port} max-queue-time=500 {settings}
    videotestsrc is-live=true pattern=snow !
    video/x-raw,width=320,height=240,framerate=30/1 !
    x264enc tune=zerolatency speed-preset=ultrafast key-int-max=300 {encoder} !
    rtph264pay pt=96 ! sink.sink_0
    audiotestsrc is-live=true wave=pink-noise !
    opusenc bitrate=24000 bitrate-type=cbr !
    rtpopuspay pt=97 ! sink.sink_1
"""
RECEIVER = """
    tfrcsrc name=source port={port} latency=3000 caps="
        application/x-rtp,media=video,payload=96,clock-rate=90000,
        encoding-name=H264;
        application/x-rtp,media=audio,payload=97,clock-rate=48000,
        encoding-name=OPUS"
    source.src_96 ! fakesink sync=false async=false
    source.src_97 ! fakesink sync=false async=false
"""
# Until the rate has come to that of the link.
START_S = 5
COUNTED_S = 14
# At least; a machine that stalls takes longer for them.
N_COUNTED = 300
# What may be on its way still at the end.
LAST_S = 3
# Three times what the link takes.
FIXED = "encoder-control=false"
FIXED_ENCODER = "bitrate=300"


def packets_of(info):
    """Payload type, RTP time and size of each packet; numbers change on the
    way."""
    buffers = [info.get_buffer()] if info.type & Gst.PadProbeType.BUFFER \
        else [info.get_buffer_list().get(i)
              for i in range(info.get_buffer_list().length())]
    for buffer in buffers:
        header = buffer.extract_dup(0, 8)
        yield header[1] & 127, header[4:], buffer.get_size()


class AudioAndVideo:
    """Both ends and the link between them.  `settings` are of tfrcsink,
    `encoder` of x264enc; the link's schedule is that of `seconds`."""

    def __init__(self, link=LINK, settings="", encoder="", seconds=0):
        # Instants at which each packet of audio came to the pacer, left it and
        # arrived.
        self.came, self.left, self.arrived = {}, {}, {}
        self.video_bytes = 0
        port = free_port()
        self.receiver = Pipeline(RECEIVER.format(port=port))
        self.relay, relay_port = start_relay(link, port, seconds)
        self.sender = Pipeline(SENDER.format(
            port=relay_port, settings=settings, encoder=encoder))
        send, = self.sender.find("sink", "rtptfrcsend")
        receive, = self.receiver.find("source", "rtptfrcreceive")
        pads = [(pad, self.came) for pad in send.sinkpads
                if pad.get_name().startswith("sink_")]
        for pad, into in (*pads, (send.get_static_pad("src"), self.left),
                          (receive.get_static_pad("src"), self.arrived)):
            pad.add_probe(
                Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST,
                self.note, into)
        self.receiver.play()
        self.sender.play()

    def note(self, _pad, info, into):
        now = time.monotonic()
        for kind, rtp_time, size in packets_of(info):
            if kind == AUDIO_TYPE:
                into.setdefault(rtp_time, now)
            elif kind == VIDEO_TYPE and into is self.arrived:
                self.video_bytes += size
        return Gst.PadProbeReturn.OK

    def get_stats(self):
        return self.sender.get("sink").get_property("stats")

    def stop(self):
        self.sender.stop()
        self.receiver.stop()
        self.relay.terminate()
        self.relay.wait()
        self.relay.stdout.close()

    def counted(self):
        """The packets of audio that came late enough to count, and early enough
        to have arrived."""
        came = list(self.came.items())
        times = [at for _, at in came]
        begin, end = min(times) + START_S, max(times) - LAST_S
        return [key for key, at in came if begin < at < end]

    def waits(self):
        """At the pacer."""
        return [self.left[key] - self.came[key] for key in self.counted()
                if key in self.left]


def start_relay(link, port, seconds):
    with tempfile.NamedTemporaryFile("w", suffix=".link") as profile:
        profile.write(link)
        profile.flush()
        relay = subprocess.Popen(
            [RELAY, "--profile", profile.name, "--listen", "0", "--to",
             f"127.0.0.1:{port}", "--seconds", str(seconds), "--wait"],
            stdout=subprocess.PIPE, text=True)
        return relay, relay.stdout.readline().split()[1]


class Audio(WatchedTest):

    def run_flows(self, *flows):
        """Side by side, each with a link of its own."""
        running = [AudioAndVideo(*arguments) for arguments in flows]
        for both in running:
            self.addCleanup(both.stop)
        for both in running:
            self.assertTrue(wait_for(lambda: len(both.came) > 50))
        time.sleep(COUNTED_S)
        for both in running:
            self.assertTrue(wait_for(lambda: len(both.counted()) > N_COUNTED))
        return running

    def test_pictures_that_want_more_than_there_is_do_not_starve_it(self):
        """In one of two runs: on a machine that stalls all that waits grows too
        old."""
        for _ in range(2):
            both, = self.run_flows((LINK, FIXED, FIXED_ENCODER))
            n_known, waits = len(both.counted()), both.waits()
            # Of the pictures, of which the link takes a small part.
            self.assertGreater(both.get_stats()["packets-dropped"], 20)
            # Each waits for what came before it, for max-queue-time at most;
            # what is older is dropped, and none is.
            if len(waits) == n_known and statistics.median(waits) < 0.1:
                return
        self.fail(f"{n_known - len(waits)} of {n_known} packets dropped, "
                  f"median wait {statistics.median(waits):.3f} s")

    def test_it_leaves_before_pictures_of_an_encoder_that_does_not_follow(self):
        """Where it has no priority, most of it grows too old behind them.  What
        it leaves is theirs."""
        first, equal = self.run_flows(
            (LINK, FIXED, FIXED_ENCODER),
            (LINK, FIXED + " sink_1::priority=low", FIXED_ENCODER))
        self.assertGreater(self.dropped(equal), 0.2)
        self.assertLess(self.dropped(first), self.dropped(equal) / 4)
        # 14 s of the 60 kbit/s that it leaves of the link are 105 kB.
        self.assertGreater(first.video_bytes, 30000)

    @staticmethod
    def dropped(both):
        """At the sender, of the audio."""
        return 1 - len(both.waits()) / len(both.counted())


if __name__ == "__main__":
    unittest.main()
