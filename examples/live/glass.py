# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is on the screen, and since when: the time code of each frame that goes
to the sink, and the time at which the sink shows it.  That is its running time
and the pipeline's latency, as every sink that synchronises has it, or at once
where that is over."""

import gi
import numpy as np

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import Gst, GstVideo  # noqa: E402

from . import time_code  # noqa: E402

PROBES = (Gst.PadProbeType.BUFFER | Gst.PadProbeType.EVENT_UPSTREAM
          | Gst.PadProbeType.EVENT_DOWNSTREAM)


class Glass:

    def __init__(self, pipeline, pad, on_shown):
        """Frames of I420 pass `pad` to the sink of `pipeline`; `on_shown` gets a clock time in
        ns and the time code, or None, of each frame."""
        self.pipeline = pipeline
        self.on_shown = on_shown
        self.latency = 0
        self.segment = self.info = None
        pad.add_probe(PROBES, self._on_data)

    def _on_data(self, _pad, info):
        if info.type & Gst.PadProbeType.BUFFER:
            self._on_frame(info.get_buffer())
        else:
            self._on_event(info.get_event())
        return Gst.PadProbeReturn.OK

    def _on_event(self, event):
        if event.type == Gst.EventType.LATENCY:
            self.latency = event.parse_latency()
        elif event.type == Gst.EventType.SEGMENT:
            self.segment = event.parse_segment().copy()
        elif event.type == Gst.EventType.CAPS:
            self.info = GstVideo.VideoInfo.new_from_caps(event.parse_caps())

    def _on_frame(self, buffer):
        clock = self.pipeline.get_clock()
        due = (self.pipeline.get_base_time() + self.latency
               + self.segment.to_running_time(Gst.Format.TIME, buffer.pts))
        self.on_shown(max(clock.get_time(), due),
                      time_code.read(luma_of(buffer, self.info)))


def luma_of(buffer, info):
    """The first plane of an I420 frame."""
    meta = GstVideo.buffer_get_video_meta(buffer)
    stride, offset = (meta.stride[0], meta.offset[0]) if meta \
        else (info.stride[0], info.offset[0])
    data = buffer.extract_dup(offset, stride * info.height)
    return np.frombuffer(data, np.uint8).reshape(
        info.height, stride)[:, :info.width]
