# SPDX-License-Identifier: LGPL-2.1-or-later
"""The three charts beside the video: rates, losses, delays."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

from .chart import (
    BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, Chart, Line)


class Charts(Gtk.Box):

    def __init__(self):
        super().__init__(orientation=Gtk.Orientation.VERTICAL, spacing=4)
        self.rates = Chart("Rates", "kbit/s", (
            Line("capacity", "link", None, 1.2, filled=True),
            Line("allowed", "allowed", ORANGE, 1.5, in_scale=False),
            Line("sent", "sent", BLUE, 2.2),
            Line("arriving", "received", BLUE, 2.2, is_optional=True),
            Line("encoder", "encoder", GREEN, 1.2, dashed=True),
            Line("plain-sent", "without", VERMILION, 1.2, is_optional=True)), 100)
        self.losses = Chart("Losses", "%", (
            Line("p", "loss event rate p", PURPLE, 2.0),
            Line("lost", "packets lost", BLUE, 1.2),
            Line("plain-lost", "without", VERMILION, 1.2, is_optional=True)), 1)
        self.delays = Chart("Delays", "ms", (
            Line("rtt", "round trip", GREEN, 1.8),
            Line("queue", "queue", SKY, 1.2, filled=True),
            Line("glass", "glass to glass", PURPLE, 1.8),
            Line("plain-glass", "without", VERMILION, 1.2, is_optional=True)), 50)
        self.all = (self.rates, self.losses, self.delays)
        for chart in self.all:
            self.pack_start(chart, True, True, 0)

    def lay_out(self, in_a_row):
        """Side by side, or one below the other."""
        self.set_orientation(Gtk.Orientation.HORIZONTAL if in_a_row
                             else Gtk.Orientation.VERTICAL)
        for chart, height in zip(self.all, (200, 140, 200)):
            chart.set_size_request(*((260, 190) if in_a_row
                                     else (340, height)))

    def add(self, now, values):
        for chart in self.all:
            chart.add(now, values)

    def clear(self):
        for chart in self.all:
            chart.clear()
