# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is sent, how, and to whom: the choices that a stream begins with."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

from live.codecs import CODECS

FORMS = {
    "compare": "Beside a stream without congestion control",
    "one": "One receiver",
    "group": "A group of four receivers",
    "send": "To a second machine",
    "receive": "From a second machine",
}
SOURCES = {"scene": "Test scene", "camera": "Camera", "screen": "This screen",
           "file": "File…"}


class SetupBar(Gtk.Box):

    def __init__(self, choice, on_changed):
        """`on_changed` {field of the Choice: value}."""
        super().__init__(spacing=8, margin=6)
        self.on_changed = on_changed
        self._add("_Show", "form", FORMS, choice.form)
        self.source = self._add("S_ource", "source", SOURCES, choice.source)
        self._add("_Encoder", "encoder", {name: name for name in CODECS},
                  choice.encoder)
        repair = Gtk.CheckButton(label="Repai_r losses", use_underline=True,
                                 active=choice.repair)
        repair.set_tooltip_text("Lost packets are sent again where there is "
                                "time; not to a group")
        self.repair = repair
        repair.connect("toggled", lambda button: on_changed(
            {"repair": button.get_active()}))
        repair.set_sensitive(choice.form != "group")
        self.pack_start(repair, False, False, 0)

    def _add(self, text, field, titles, chosen):
        label = Gtk.Label.new_with_mnemonic(text)
        box = Gtk.ComboBoxText()
        box.set_name(field)
        for name, title in titles.items():
            box.append(name, title)
        box.set_active_id(chosen)
        box.connect("changed", self._on_box, field)
        label.set_mnemonic_widget(box)
        self.pack_start(label, False, False, 0)
        self.pack_start(box, False, False, 0)
        return box

    def _on_box(self, box, field):
        if field == "source" and box.get_active_id() == "file":
            self._ask_for_file()
        else:
            self.on_changed({field: box.get_active_id()})
        if field == "form":
            self.repair.set_sensitive(box.get_active_id() != "group")

    def _ask_for_file(self):
        dialog = Gtk.FileChooserNative.new(
            "A video to send", self.get_toplevel(),
            Gtk.FileChooserAction.OPEN, None, None)

        def on_response(_dialog, response):
            if response == Gtk.ResponseType.ACCEPT:
                self.on_changed({"source": "file",
                                 "file": dialog.get_filename()})
            else:
                self.source.set_active_id("scene")

        dialog.connect("response", on_response)
        dialog.show()
        self.dialog = dialog        # lives as long as it is shown
