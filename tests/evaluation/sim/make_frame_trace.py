#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the frame-size traces of data/traces/ anew: what x264enc makes, frame
by frame, at a constant target, of the demo's scene or of a video file.

    tests/evaluation/sim/make_frame_trace.py scene > data/traces/x264-scene.csv
    tests/evaluation/sim/make_frame_trace.py CLIP.mp4 > data/traces/x264-clip.csv

The encoder is that of the demo (examples/live/codecs.py), with the buffer
that encoder tuning gives it (docs/encoders.md).  Columns: size of the frame
in bytes, 1 for a key frame."""

import sys
from pathlib import Path

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "examples"))
from live import codecs, scene  # noqa: E402

TARGET_KBIT_S = 1000
SECONDS = 60
VBV_MS = 133


def launch(head):
    return Gst.parse_launch(
        f"{head} ! {codecs.CODECS['x264'].encoder} ! "
        "appsink name=frames sync=false")


def push_scene(pipeline):
    """Feeds all frames: the queue of appsrc has no bound."""
    camera = pipeline.get_by_name("camera")
    picture = scene.Scene()
    for n in range(SECONDS * scene.FRAMES_PER_S):
        buffer = Gst.Buffer.new_wrapped(picture.frame(n))
        buffer.pts = n * Gst.SECOND // scene.FRAMES_PER_S
        buffer.duration = Gst.SECOND // scene.FRAMES_PER_S
        camera.emit("push-buffer", buffer)
    camera.emit("end-of-stream")


def frames(pipeline):
    sink = pipeline.get_by_name("frames")
    while True:
        sample = sink.emit("pull-sample")
        if sample is None:
            return
        buffer = sample.get_buffer()
        key = not buffer.has_flags(Gst.BufferFlags.DELTA_UNIT)
        yield buffer.get_size(), key


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    source = sys.argv[1]
    Gst.init(None)
    if source == "scene":
        what = "the demo's scene (examples/live/scene.py)"
        head = (f"appsrc name=camera format=time max-bytes=0 "
                f"caps={scene.CAPS}")
    else:
        what = Path(source).name
        head = (f"filesrc location={source} ! decodebin ! videoconvert ! "
                "videoscale ! videorate ! " + scene.CAPS)
    pipeline = launch(head)
    encoder = pipeline.get_by_name("encoder")
    encoder.set_property("bitrate", TARGET_KBIT_S)
    encoder.set_property("vbv-buf-capacity", VBV_MS)
    pipeline.set_state(Gst.State.PLAYING)
    if source == "scene":
        push_scene(pipeline)
    print(f"# x264enc on {what}, {scene.WIDTH}x{scene.HEIGHT}; "
          "tests/evaluation/sim/make_frame_trace.py")
    print(f"target_kbit_s,{TARGET_KBIT_S}")
    print(f"frames_per_s,{scene.FRAMES_PER_S}")
    print("size_bytes,key")
    for size, key in frames(pipeline):
        print(f"{size},{int(key)}")
    pipeline.set_state(Gst.State.NULL)


if __name__ == "__main__":
    main()
