# SPDX-License-Identifier: LGPL-2.1-or-later
"""The other machine, where there is one instead of the emulated link."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402

HINTS = {
    "send": "The description of the stream (SDP), to paste into the other "
            "window, which receives:",
    "receive": "The description (SDP) that the sender's window shows; without "
               "one, port and encoder say what comes:",
}


class PeerPanel(Gtk.Grid):

    def __init__(self, choice, on_changed):
        """`on_changed` {field of the Choice: value}."""
        super().__init__(column_spacing=8, row_spacing=6)
        self.sends = choice.form == "send"
        self.on_changed = on_changed
        self._add_address(choice)
        self.text = Gtk.TextView(monospace=True, editable=not self.sends,
                                 accepts_tab=False)
        self.text.get_accessible().set_name("SDP")
        self.show_sdp(choice.sdp)
        scrolled = Gtk.ScrolledWindow(expand=True, min_content_height=90,
                                      shadow_type=Gtk.ShadowType.IN)
        scrolled.add(self.text)
        button = Gtk.Button(label="Cop_y" if self.sends else "_Paste",
                            use_underline=True, valign=Gtk.Align.START)
        button.connect("clicked", self._on_copy if self.sends
                       else self._on_paste)
        self.attach(Gtk.Label(label=HINTS[choice.form], xalign=0), 0, 1, 6, 1)
        self.attach(scrolled, 0, 2, 5, 1)
        self.attach(button, 5, 2, 1, 1)
        self.show_all()

    def _add_address(self, choice):
        self.host = Gtk.Entry(text=choice.host, width_chars=28,
                              activates_default=False)
        self.port = Gtk.SpinButton.new_with_range(1, 65534, 1)
        self.port.set_value(choice.port)
        connect = Gtk.Button(label="_Connect" if self.sends else "_Listen",
                             use_underline=True)
        connect.connect("clicked", self._on_connect)
        self.host.connect("activate", self._on_connect)
        fields = [("_Address of the other machine", self.host)] * self.sends \
            + [("P_ort", self.port)]
        column = 0
        for text, widget in fields:
            label = Gtk.Label.new_with_mnemonic(text)
            label.set_mnemonic_widget(widget)
            self.attach(label, column, 0, 1, 1)
            self.attach(widget, column + 1, 0, 1, 1)
            column += 2
        self.attach(connect, column, 0, 1, 1)

    def _on_connect(self, _widget):
        self.on_changed({"host": self.host.get_text().strip(),
                         "port": self.port.get_value_as_int(),
                         "sdp": "" if self.sends else self.sdp()})

    def sdp(self):
        buffer = self.text.get_buffer()
        return buffer.get_text(*buffer.get_bounds(), False).strip()

    def show_sdp(self, text):
        self.text.get_buffer().set_text(text or "")

    def _on_copy(self, _button):
        Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD).set_text(self.sdp(), -1)

    def _on_paste(self, _button):
        Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD).request_text(
            lambda _clipboard, text: self.show_sdp(text))
