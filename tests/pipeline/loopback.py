# SPDX-License-Identifier: LGPL-2.1-or-later
"""tfrcsink and tfrcsrc in pipelines over loopback sockets, for tests.

Both ends run in this process.  Times are seconds.  A helper that waits gives
up after TIMEOUT, which is what a stalled machine may take, not what a stream
should.
"""

import contextlib
import pathlib
import random
import socket
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, GObject, Gst  # noqa: E402

import watched  # noqa: E402

Gst.init(None)

TIMEOUT = 60 * watched.SLOWNESS
MOST_KEPT = 2 * TIMEOUT
KEY = bytes(range(30)).hex()
OTHER_KEY = bytes(range(1, 31)).hex()
VIDEO = ("videotestsrc is-live=true ! video/x-raw,width=160,height=120,"
         "framerate=15/1 ! x264enc tune=zerolatency speed-preset=ultrafast "
         "key-int-max=15 bitrate=200 ! rtph264pay name=pay")
DECODE = "rtph264depay ! avdec_h264 ! fakesink name=frames sync=false"


def free_port(n_ports=1):
    """The first of n adjacent UDP ports that are free, an even one if n > 1;
    none that is given to whoever asks for any."""
    while True:
        sockets = [socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
                   for _ in range(n_ports)]
        try:
            port = random.randrange(20000, 32000, 1 if n_ports == 1 else 2)
            for i, each in enumerate(sockets):
                each.bind(("::", port + i))
            return port
        except OSError:
            continue
        finally:
            for each in sockets:
                each.close()


def wait_for(condition, timeout=TIMEOUT):
    """Whether the condition came true in time.  That during which threads of
    this process waited for a CPU does not count, up to MOST_KEPT."""
    begun, before = time.monotonic(), kept_from_cpu()
    kept, end = dict(before), begun + timeout
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
        kept |= kept_from_cpu()
        end = begun + timeout + min(
            sum(kept.values()) - sum(before.values()), MOST_KEPT)
    return condition()


def stays_false(condition, seconds):
    """Whether the condition does not come true in that time, stalls included: a
    machine that has no time makes that no longer."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return False
        time.sleep(0.02)
    return True


def kept_from_cpu():
    """Seconds in which each thread that there is could run and did not."""
    waited = {}
    for thread in pathlib.Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):    # it ended, or no such statistics
            text = (thread / "schedstat").read_text()
            waited[thread.name] = int(text.split()[1]) / 1e9
    return waited


class Pipeline:
    """A parsed pipeline that counts the buffers that reach its sinks."""

    def __init__(self, launch):
        self.pipeline = Gst.parse_launch(launch)
        if not isinstance(self.pipeline, Gst.Pipeline):
            element, self.pipeline = self.pipeline, Gst.Pipeline()
            self.pipeline.add(element)
        watched.pipelines.add(self.pipeline)
        self.bus = self.pipeline.get_bus()
        self.messages = []
        self.counts = {}

    def get(self, name):
        return self.pipeline.get_by_name(name)

    def find(self, bin_name, factory):
        """The elements of that kind inside the bin."""
        outer = self.get(bin_name)
        while True:
            try:
                return list(outer.iterate_all_by_element_factory_name(factory))
            except Gst.IteratorError:
                pass    # one came or left meanwhile

    def count(self, element, pad_name="sink"):
        """Counts buffers at a pad from now on."""
        pad = self.get(element).get_static_pad(pad_name)
        self.counts[element] = 0

        def on_buffer(pad, info):
            self.counts[element] += 1
            return Gst.PadProbeReturn.OK
        pad.add_probe(Gst.PadProbeType.BUFFER, on_buffer)

    def play(self):
        return self.set_state(Gst.State.PLAYING)

    def set_state(self, state):
        result = self.pipeline.set_state(state)
        return result

    def stop(self):
        self.pipeline.set_state(Gst.State.NULL)

    def poll(self):
        """Takes what is on the bus; gives all messages so far."""
        while True:
            message = self.bus.pop()
            if message is None:
                return self.messages
            self.messages.append(message)

    def of_type(self, message_type):
        return [message for message in self.poll()
                if message.type == message_type]

    def errors(self):
        return [message.parse_error()[0].message
                for message in self.of_type(Gst.MessageType.ERROR)]

    def warnings(self):
        return [message.parse_warning()[0].message
                for message in self.of_type(Gst.MessageType.WARNING)]

    def infos(self):
        return [message.parse_info()[0].message
                for message in self.of_type(Gst.MessageType.INFO)]

    def has_eos(self):
        return bool(self.of_type(Gst.MessageType.EOS))


class Sender(Pipeline):
    """Synthetic video through a tfrcsink named sink."""

    def __init__(self, port, options="", media=VIDEO):
        super().__init__(f"{media} ! tfrcsink name=sink port={port} {options}")

    def stats(self):
        return self.get("sink").get_property("stats")


class Receiver(Pipeline):
    """Video out of a tfrcsrc named src, decoded and counted."""

    def __init__(self, port, options="", decode=DECODE):
        super().__init__(f"tfrcsrc name=src port={port} encoding-name=H264 "
                         f"{options} ! {decode}")
        self.pads = []
        self.get("src").connect(
            "pad-added", lambda src, pad: self.pads.append(pad.get_name()))
        if self.get("frames"):
            self.count("frames")

    @property
    def frames(self):
        return self.counts["frames"]

    def gets_frames(self, n_frames=10, timeout=TIMEOUT):
        """Whether that many more frames are decoded in time."""
        wanted = self.frames + n_frames
        return wait_for(lambda: self.frames >= wanted, timeout)

    def stats(self):
        return self.get("src").get_property("stats")
