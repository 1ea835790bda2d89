#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""An application that embeds one end: `embed.py send HOST` or
`embed.py receive`, ended by Ctrl-C (or after --seconds).

The sender sets the encoder's bitrate itself, from what tfrcsink allows; the
receiver asks for the statistics when it wants them.  Both need the plugin in
GST_PLUGIN_PATH."""

import argparse
import signal
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

SENDER = """
    videotestsrc is-live=true pattern=smpte !
    video/x-raw,width=640,height=360,framerate=30/1 !
    vp8enc name=encoder deadline=1 cpu-used=8 keyframe-max-dist=300
        end-usage=cbr dropframe-threshold=30 buffer-size=500
        buffer-initial-size=300 buffer-optimal-size=400
        target-bitrate=300000 !
    rtpvp8pay !
    tfrcsink name=network encoder-control=false max-bitrate=2000000
        stats-interval=1000
"""
RECEIVER = """
    tfrcsrc name=network encoding-name=VP8 !
    rtpvp8depay ! vp8dec ! videoconvert ! {sink}
"""
# A tenth of the rate is left for RTP headers and to empty the queue.
ENCODER_SHARE = 0.9
MIN_ENCODER_BITS_S = 50000


class Application:
    def __init__(self, description):
        self.failed = False
        self.loop = GLib.MainLoop()
        self.pipeline = Gst.parse_launch(description)
        self.network = self.pipeline.get_by_name("network")
        bus = self.pipeline.get_bus()
        bus.add_signal_watch()
        bus.connect("message", self.on_message)

    def run(self, seconds):
        """Until Ctrl-C, an error, or the end of the seconds."""
        GLib.unix_signal_add(GLib.PRIORITY_DEFAULT, signal.SIGINT, self.end)
        if seconds:
            GLib.timeout_add_seconds(seconds, self.end)
        self.pipeline.set_state(Gst.State.PLAYING)
        self.loop.run()
        self.pipeline.set_state(Gst.State.NULL)
        return 1 if self.failed else 0

    def end(self):
        self.loop.quit()
        return GLib.SOURCE_REMOVE

    def on_message(self, bus, message):
        if message.type == Gst.MessageType.ERROR:
            print("error:", message.parse_error()[0].message, file=sys.stderr)
            self.failed = True
            self.loop.quit()
        elif message.type == Gst.MessageType.WARNING:
            print("warning:", message.parse_warning()[0].message,
                  file=sys.stderr)
        elif message.type == Gst.MessageType.LATENCY:
            self.pipeline.recalculate_latency()
        elif message.type == Gst.MessageType.EOS:
            self.loop.quit()


class Sender(Application):
    def __init__(self, host, port):
        super().__init__(SENDER)
        self.network.set_property("host", host)
        self.network.set_property("port", port)
        # notify::bitrate comes in a thread that sends packets; this brings it
        # to the main loop as a message.
        self.network.add_property_notify_watch("bitrate", True)

    def end(self):
        """Ends when the last packet is out, with an EOS message."""
        self.pipeline.send_event(Gst.Event.new_eos())
        return GLib.SOURCE_REMOVE

    def on_message(self, bus, message):
        if message.type == Gst.MessageType.PROPERTY_NOTIFY:
            _, name, bitrate = message.parse_property_notify()
            if name == "bitrate":
                self.set_encoder_bitrate(bitrate)
        elif message.type == Gst.MessageType.ELEMENT \
                and message.has_name("tfrc-stats"):
            stats = message.get_structure()
            print(f"allowed {stats['allowed-rate'] * 8e-3:.0f} kbit/s, "
                  f"RTT {stats['rtt-ns'] * 1e-6:.1f} ms, "
                  f"p {stats['loss-event-rate']:.4f}", flush=True)
        else:
            super().on_message(bus, message)

    def set_encoder_bitrate(self, bitrate):
        self.pipeline.get_by_name("encoder").set_property(
            "target-bitrate",
            max(int(bitrate * ENCODER_SHARE), MIN_ENCODER_BITS_S))


class Receiver(Application):
    def __init__(self, port, sink):
        super().__init__(RECEIVER.format(sink=sink))
        self.network.set_property("port", port)
        GLib.timeout_add_seconds(1, self.print_stats)

    def print_stats(self):
        stats = self.network.get_property("stats")
        print(f"received {stats['packets']} packets, "
              f"lost {stats['packets-lost']}, "
              f"{stats['receive-rate'] * 8e-3:.0f} kbit/s", flush=True)
        return GLib.SOURCE_CONTINUE


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=5022)
    parser.add_argument("--seconds", type=int, default=0)
    roles = parser.add_subparsers(dest="role", required=True)
    roles.add_parser("send").add_argument("host")
    roles.add_parser("receive").add_argument("sink", nargs="?",
                                             default="autovideosink")
    arguments = parser.parse_args()

    Gst.init(None)
    try:
        if arguments.role == "send":
            application = Sender(arguments.host, arguments.port)
        else:
            application = Receiver(arguments.port, arguments.sink)
    except GLib.Error as error:         # an element is missing
        print(f"error: {error.message}", file=sys.stderr)
        return 1
    return application.run(arguments.seconds)


if __name__ == "__main__":
    sys.exit(main())
