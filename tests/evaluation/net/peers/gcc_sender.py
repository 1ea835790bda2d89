#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demo's sender with Google congestion control in place of tfrcsink: pictures,
encoder, payloader, rtpgccbwe, and an rtpbin that takes transport-wide feedback.

    gcc_sender.py JSON

with the fields of examples/live/sender.py, rates: lowest, highest and first
[bit/s], buffer_ms, that of the encoder, and plugins, the folder where gcc/build.sh put rtpgccbwe."""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[3] / "examples")]

from gi.repository import Gio  # noqa: E402

from live import sender  # noqa: E402
from live.endpoint import Gst  # noqa: E402

MEDIA_SHARE = 0.95
EXTENSION = ("extmap-1=(string)http://www.ietf.org/id/"
             "draft-holmer-rmcat-transport-wide-cc-extensions-01")
UDPSINK = "udpsink sync=false async=false bind-address=0.0.0.0"


def description(spec):
    rates = spec["rates"]
    return (f"{sender.encoded(spec)} ! application/x-rtp,{EXTENSION} "
            f"! rtpgccbwe name=control min-bitrate={rates['lowest']} "
            f"max-bitrate={rates['highest']} "
            f"estimated-bitrate={rates['first']} ! bin.send_rtp_sink_0 "
            "rtpbin name=bin rtp-profile=avpf "
            f"bin.send_rtp_src_0 ! {UDPSINK} name=rtp host={spec['host']} "
            f"port={spec['port']} "
            f"bin.send_rtcp_src_0 ! {UDPSINK} name=rtcp host={spec['host']} "
            f"port={spec['port']} "
            "udpsrc name=feedback caps=application/x-rtcp "
            "! bin.recv_rtcp_sink_0")


class GccSender(sender.Sender):

    def __init__(self, spec):
        Gst.Registry.get().scan_path(spec["plugins"])
        super().__init__(spec, description(spec))

    def prepare(self):
        super().prepare()
        self.element("encoder").set_property("vbv-buf-capacity",
                                             self.spec["buffer_ms"])
        # RTP and RTCP on one port, as the receiver has it.
        one = Gio.Socket.new(Gio.SocketFamily.IPV4, Gio.SocketType.DATAGRAM,
                             Gio.SocketProtocol.UDP)
        one.bind(Gio.InetSocketAddress.new_from_string("0.0.0.0", 0), False)
        for name in ("rtp", "rtcp", "feedback"):
            self.element(name).set_property("socket", one)
        control = self.element("control")
        control.connect("notify::estimated-bitrate", self.set_encoder)
        self.set_encoder(control)

    def set_encoder(self, control, _spec=None):
        rate = MEDIA_SHARE * control.get_property("estimated-bitrate")
        self.element("encoder").set_property("bitrate",
                                             max(1, int(rate / 1000)))


if __name__ == "__main__":
    sys.exit(GccSender(json.loads(sys.argv[1])).run())
