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
AUDIO_TYPE = 97
# 24 kbit/s in packets of 20 ms, beside pictures that would take ten times what
# the link has left.
SENDER = """
    tfrcsink name=sink host=127.0.0.1 port={port}
    videotestsrc is-live=true pattern=snow !
    video/x-raw,width=320,height=240,framerate=30/1 !
    x264enc tune=zerolatency speed-preset=ultrafast key-int-max=300 !
    rtph264pay pt=96 ! sink.
    audiotestsrc is-live=true wave=pink-noise !
    opusenc bitrate=24000 bitrate-type=cbr !
    rtpopuspay pt=97 ! sink.
"""
RECEIVER = """
    tfrcsrc name=source port={port} latency=3000 caps="
        application/x-rtp,media=video,payload=96,clock-rate=90000,
        encoding-name=H264;
        application/x-rtp,media=audio,payload=97,clock-rate=48000,
        encoding-name=OPUS"
    source.src_96 ! fakesink sync=false async=false
    source.src_97 ! fakesink name=audio sync=false async=false
"""
# Until the rate has come to that of the link.
START_S = 5
COUNTED_S = 14


def packets_of(info):
    """The RTP time of each packet of audio; numbers change on the way."""
    buffers = [info.get_buffer()] if info.type & Gst.PadProbeType.BUFFER \
        else [info.get_buffer_list().get(i)
              for i in range(info.get_buffer_list().length())]
    for buffer in buffers:
        header = buffer.extract_dup(0, 8)
        if header[1] & 127 == AUDIO_TYPE:
            yield header[4:]


class Audio(WatchedTest):

    def test_pictures_that_want_more_than_there_is_do_not_starve_it(self):
        """In one of two runs: on a machine that stalls the encoder hears late
        of a lower rate, and all that waits grows too old."""
        for _ in range(2):
            n_known, waits, dropped = self.run_both()
            self.assertGreater(n_known, 300)
            # Of the pictures, of which the link takes a small part.
            self.assertGreater(dropped, 20)
            # Each waits for what came before it, for max-queue-time at most;
            # what is older is dropped, and none is.
            if len(waits) == n_known and statistics.median(waits) < 0.1:
                return
        self.fail(f"{n_known - len(waits)} of {n_known} packets dropped, "
                  f"median wait {statistics.median(waits):.3f} s")

    def run_both(self):
        port = free_port()
        came, left, arrived = {}, {}, set()

        def note(into):
            def probe(_pad, info):
                for key in packets_of(info):
                    into.setdefault(key, time.monotonic())
                return Gst.PadProbeReturn.OK
            return probe

        def on_arrival(_pad, info):
            arrived.update(packets_of(info))
            return Gst.PadProbeReturn.OK

        data = Gst.PadProbeType.BUFFER | Gst.PadProbeType.BUFFER_LIST
        receiver = Pipeline(RECEIVER.format(port=port))
        self.addCleanup(receiver.stop)
        sender = Pipeline(SENDER.format(port=self.start_relay(port)))
        self.addCleanup(sender.stop)
        receiver.get("audio").get_static_pad("sink").add_probe(
            data, on_arrival)
        element, = sender.find("sink", "rtptfrcsend")
        element.get_static_pad("sink").add_probe(data, note(came))
        element.get_static_pad("src").add_probe(data, note(left))
        receiver.play()
        sender.play()
        self.assertTrue(wait_for(lambda: len(arrived) > 50))
        time.sleep(COUNTED_S)
        # Without what may be on its way still.
        begun = min(came.values()) + START_S
        known = [key for key in sorted(came, key=came.get)[:-150]
                 if came[key] > begun]
        waits = [left[key] - came[key] for key in known if key in left]
        dropped = sender.get("sink").get_property("stats")["packets-dropped"]
        sender.stop()
        receiver.stop()
        return len(known), waits, dropped

    def start_relay(self, port):
        profile = tempfile.NamedTemporaryFile("w", suffix=".link")
        self.addCleanup(profile.close)
        profile.write("rate_kbit_s 100\ndelay_ms 25\nqueue_ms 300\n")
        profile.flush()
        relay = subprocess.Popen(
            [RELAY, "--profile", profile.name, "--listen", "0", "--to",
             f"127.0.0.1:{port}"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(relay.stdout.close)
        self.addCleanup(relay.wait)
        self.addCleanup(relay.terminate)
        return relay.stdout.readline().split()[1]


if __name__ == "__main__":
    unittest.main()
