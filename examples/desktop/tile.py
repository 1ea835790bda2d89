# SPDX-License-Identifier: LGPL-2.1-or-later
"""A received video with its name and how it does."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402


class Tile(Gtk.Box):

    def __init__(self, title, on_chosen=None):
        super().__init__(orientation=Gtk.Orientation.VERTICAL)
        self.get_style_context().add_class("tile")
        self.set_size_request(240, 160)
        self.heading = Gtk.Label(xalign=0, margin_start=8, ellipsize=3)
        self.heading.get_style_context().add_class("heading")
        self.caption = Gtk.Label(xalign=1, hexpand=True, margin_start=8,
                                 margin_end=8, ellipsize=3)
        self.mark = Gtk.Label(label="limits the group", margin_start=8,
                              no_show_all=True)
        self.mark.get_style_context().add_class("mark")
        self.heading.set_text(title)
        head = Gtk.Box()
        for widget in (self.heading, self.mark, self.caption):
            head.add(widget)
        self.screen = Gtk.EventBox(expand=True)
        self.screen.get_style_context().add_class("screen")
        self.pack_start(head, False, False, 2)
        self.pack_start(self.screen, True, True, 0)
        if on_chosen:
            self.screen.connect("button-press-event",
                                lambda *_: on_chosen())
        self.show_text("No stream yet.")

    def show_widget(self, widget):
        self._clear()
        widget.set_property("expand", True)
        self.screen.add(widget)
        widget.show()

    def show_text(self, text):
        self._clear()
        label = Gtk.Label(label=text, wrap=True, justify=2)
        self.screen.add(label)
        label.show()

    def _clear(self):
        for child in self.screen.get_children():
            self.screen.remove(child)

    def set_limiting(self, is_limiting):
        self.mark.set_visible(is_limiting)

    def set_chosen(self, is_chosen):
        style = self.get_style_context()
        (style.add_class if is_chosen else style.remove_class)("chosen")
