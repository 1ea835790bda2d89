# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which pictures are the same, bit for bit."""

import hashlib

import gi
import numpy as np

gi.require_version("Gst", "1.0")
gi.require_version("GstVideo", "1.0")
from gi.repository import Gst, GstVideo  # noqa: E402


def fingerprint(buffer, caps):
    """Of what is seen of a raw picture: decoders leave room around it, with
    anything in it."""
    info = GstVideo.VideoInfo.new_from_caps(caps)
    meta = GstVideo.buffer_get_video_meta(buffer)
    digest = hashlib.md5(usedforsecurity=False)
    is_mapped, view = buffer.map(Gst.MapFlags.READ)
    if not is_mapped:
        return None
    try:
        data = np.frombuffer(view.data, np.uint8)
        for plane in range(info.finfo.n_planes):
            # Of the formats that the decoders give each component is a plane.
            height = info.height >> info.finfo.h_sub[plane]
            width = (info.width >> info.finfo.w_sub[plane]) \
                * info.finfo.pixel_stride[plane]
            offset = (meta or info).offset[plane]
            stride = (meta or info).stride[plane]
            rows = np.lib.stride_tricks.as_strided(
                data[offset:], (height, width), (stride, 1))
            digest.update(np.ascontiguousarray(rows))
    finally:
        buffer.unmap(view)
    return digest.hexdigest()


class Reference:
    """A decoder right behind the encoder: what each frame is where nothing is
    lost.  `tell_picture` gets the fingerprints."""

    def __init__(self, decoder, tell_picture):
        self.tell_picture = tell_picture
        self.pipeline = Gst.parse_launch(
            f"appsrc name=in format=time ! {decoder} "
            "! fakesink name=out sync=false async=false")
        self.source = self.pipeline.get_by_name("in")
        self.pipeline.get_by_name("out").get_static_pad("sink").add_probe(
            Gst.PadProbeType.BUFFER, self._on_decoded)
        self.pipeline.set_state(Gst.State.PLAYING)

    def push(self, buffer, caps):
        self.source.emit("push-sample", Gst.Sample.new(buffer, caps, None,
                                                       None))

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)

    def _on_decoded(self, pad, info):
        self.tell_picture(fingerprint(info.get_buffer(),
                                      pad.get_current_caps()))
        return Gst.PadProbeReturn.OK
