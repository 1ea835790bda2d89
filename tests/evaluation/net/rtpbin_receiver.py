#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""A receiver of uncompressed audio as the manual of rtpbin has it, which knows
nothing of TFRC.

    rtpbin_receiver.py JSON

with the fields port (that of RTP; RTCP comes to the next), host and feedback_port
(where its RTCP goes), caps, profile of RTP, and session, properties of its
rtpsession."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3]
                       / "examples"))

from live.endpoint import Endpoint  # noqa: E402


def description(spec):
    return (
        f"rtpbin name=bin rtp-profile={spec['profile']} "
        f"udpsrc port={spec['port']} caps=\"{spec['caps']}\" "
        "! bin.recv_rtp_sink_0 "
        f"udpsrc port={spec['port'] + 1} caps=application/x-rtcp "
        "! bin.recv_rtcp_sink_0 bin.send_rtcp_src_0 "
        f"! udpsink host={spec['host']} port={spec['feedback_port']} "
        "sync=false async=false bin. ! fakesink async=false")


class Receiver(Endpoint):

    def __init__(self, spec):
        self.spec = spec
        super().__init__(description(spec))

    def prepare(self):
        session = self.element("bin").emit("get-internal-session", 0)
        for name, value in self.spec["session"].items():
            session.set_property(name, value)


if __name__ == "__main__":
    sys.exit(Receiver(json.loads(sys.argv[1])).run())
