#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The demo's receiver, which also keeps the pictures that it shows: I420, in the
order of its "shown" events.

    recording_receiver.py JSON

with the fields of examples/live/receiver.py, and pictures, the file."""

import json
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "examples"))

from live import receiver  # noqa: E402
from live.endpoint import Gst, GstVideo  # noqa: E402


def planes(buffer, layout):
    """Without what a decoder leaves around them."""
    meta = GstVideo.buffer_get_video_meta(buffer) or layout
    data = np.frombuffer(buffer.extract_dup(0, buffer.get_size()), np.uint8)
    for plane in range(3):
        half = plane > 0
        height, width = layout.height >> half, layout.width >> half
        stride, offset = meta.stride[plane], meta.offset[plane]
        rows = np.lib.stride_tricks.as_strided(
            data[offset:], (height, width), (stride, 1))
        yield np.ascontiguousarray(rows)


class RecordingReceiver(receiver.Receiver):

    def prepare(self):
        super().prepare()
        self.pictures = open(self.spec["pictures"], "wb")
        self.element("shown").get_static_pad("src").add_probe(
            Gst.PadProbeType.BUFFER, self.keep)

    def keep(self, pad, info):
        layout = GstVideo.VideoInfo.new_from_caps(pad.get_current_caps())
        for plane in planes(info.get_buffer(), layout):
            self.pictures.write(plane)
        return Gst.PadProbeReturn.OK

    def finish(self):
        super().finish()
        self.pictures.flush()


if __name__ == "__main__":
    sys.exit(RecordingReceiver(json.loads(sys.argv[1])).run())
