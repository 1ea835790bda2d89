# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures at the pace of the clock: feeds an appsrc one frame per frame
interval, from the synthetic scene or from a file that is played in a loop."""

import threading

from gi.repository import Gst

from . import scene

FRAME_NS = Gst.SECOND // scene.FRAMES_PER_S
DECODED_AHEAD = 15


class SceneFrames:
    """A few seconds of the scene cost nothing to draw as they are needed.
    Each frame shows when it was drawn."""

    def __init__(self, drawn=None):
        """`drawn`: a Scene, which takes a second to make."""
        self.scene = drawn or scene.Scene()

    def open(self):
        pass

    def next(self, now):
        """The frame that is taken at the running time `now`."""
        return Gst.Buffer.new_wrapped(
            self.scene.frame(now // FRAME_NS, now // Gst.MSECOND))

    def close(self):
        pass


class FileFrames:
    """A decoding pipeline of its own, half a second ahead, so that starting
    over at the end leaves no gap.  Any size and frame rate is brought to
    the scene's."""

    def __init__(self, path, on_message):
        self.on_message = on_message
        self.pipeline = Gst.parse_launch(
            "filesrc name=file ! decodebin ! videoconvert ! videorate "
            "! videoscale add-borders=true ! appsink name=out sync=false "
            f"caps={scene.CAPS} max-buffers={DECODED_AHEAD}")
        self.pipeline.get_by_name("file").set_property("location", str(path))
        self.out = self.pipeline.get_by_name("out")
        self.frames_this_time = 0

    def open(self):
        """False when the file cannot be decoded; the bus has said why."""
        self.pipeline.set_state(Gst.State.PAUSED)
        result, _, _ = self.pipeline.get_state(20 * Gst.SECOND)
        if result != Gst.StateChangeReturn.SUCCESS:
            # An element may tell why only after its state has failed.
            self.report(Gst.SECOND)
            return False
        self.pipeline.set_state(Gst.State.PLAYING)
        return True

    def next(self, _now):
        """None when the file gives no (more) frames."""
        sample = self.out.emit("pull-sample")
        if sample is None and self.frames_this_time and self.rewind():
            self.frames_this_time = 0
            sample = self.out.emit("pull-sample")
        if sample is None:
            self.report()
            return None
        self.frames_this_time += 1
        # A new buffer around the same memory: its times are ours to set.
        buffer = sample.get_buffer()
        return buffer.copy_region(
            Gst.BufferCopyFlags.MEMORY, 0, buffer.get_size())

    def rewind(self):
        seek = self.pipeline.seek_simple(
            Gst.Format.TIME, Gst.SeekFlags.FLUSH | Gst.SeekFlags.KEY_UNIT, 0)
        if not seek:
            # Not every format can seek; every file can be opened again.
            self.pipeline.set_state(Gst.State.READY)
            self.pipeline.set_state(Gst.State.PLAYING)
        return True

    def report(self, wait=0):
        bus = self.pipeline.get_bus()
        message = bus.timed_pop_filtered(wait, Gst.MessageType.ERROR)
        if message:
            self.on_message(bus, message)

    def close(self):
        self.pipeline.set_state(Gst.State.NULL)


class Camera:
    """Pushes frame n into the appsrc at running time n / FRAMES_PER_S.
    A frame that is more than one interval late is left out, as a camera
    would."""

    def __init__(self, appsrc, frames):
        self.appsrc = appsrc
        self.frames = frames
        self.stopping = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def start(self):
        self.thread.start()

    def stop(self):
        self.stopping.set()
        self.thread.join(5)
        self.frames.close()

    def _wait_until(self, clock, when):
        """Not by a GstClockID, which Python cannot free."""
        self.stopping.wait(max(when - clock.get_time(), 0) / Gst.SECOND)

    def _run(self):
        while self.appsrc.get_clock() is None \
                or self.appsrc.get_state(0)[1] != Gst.State.PLAYING:
            if self.stopping.wait(0.002):
                return
        clock, base = self.appsrc.get_clock(), self.appsrc.get_base_time()
        number = 0
        while not self.stopping.is_set():
            now = clock.get_time() - base
            number = max(number, now // FRAME_NS)
            self._wait_until(clock, base + number * FRAME_NS)
            buffer = self.frames.next(clock.get_time() - base)
            if buffer is None:
                self.appsrc.emit("end-of-stream")
                return
            buffer.pts = buffer.dts = number * FRAME_NS
            buffer.duration = FRAME_NS
            self.appsrc.emit("push-buffer", buffer)
            number += 1
