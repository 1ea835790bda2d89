# SPDX-License-Identifier: LGPL-2.1-or-later
"""The receiving end in the window's own process, so that its pictures are a
widget.  To a session it is like a process of its own (live/child.py)."""

import time

from live import receiver
from live.endpoint import Gst

SINK = "gtksink name=screen"


class WindowReceiver:

    def __init__(self, name, spec, on_event):
        """`on_event` (name, event) is called in any thread."""
        self.name = name
        self.failure = None

        def tell(event, **fields):
            if event == "error":
                self.failure = fields["text"]
            on_event(name, {"event": event, "t": time.monotonic_ns(),
                            **fields})

        self.end = receiver.Receiver({**spec, "screen": SINK}, tell)
        if self.is_running():
            self.end.prepare()
            tell("ready")

    def widget(self):
        """What shows the pictures.  The window's thread asks for it, and shows
        it before "play": a gtksink without a window opens its own."""
        return self.end.element("screen").get_property("widget")

    def command(self, word):
        self.end.commands()[word]()

    def is_running(self):
        return not self.end.stopping

    def ended_well(self):
        return self.failure is None

    def last_words(self):
        return self.failure or "the stream ended"

    def stop(self):
        if self.end.pipeline:
            self.end.stopping = True    # its last errors tell nobody anything
            self.end.finish()
            self.end.pipeline.set_state(Gst.State.NULL)
