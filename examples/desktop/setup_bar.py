# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is sent, how, and to whom: the choices that a stream begins with."""

import pathlib

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

from live.codecs import CODECS

FORMS = {
    "compare": "Beside a stream without congestion control",
    "one": "One receiver",
    "group": "A group of four receivers",
    "ladder": "A ladder of two groups",
    "send": "To a second machine",
    "receive": "From a second machine",
}
SOURCES = {"scene": "Test scene", "camera": "Camera", "screen": "This screen"}
ANOTHER = "another"     # file, which is asked for


class SetupBar(Gtk.Box):

    def __init__(self, choice, on_changed):
        """`on_changed` {field of the Choice: value}."""
        super().__init__(spacing=8, margin=6)
        self.on_changed = on_changed
        self.file = None
        self.is_updating = False
        self._add("_Show", "form", FORMS, choice.form)
        self.source = self._add("S_ource", "source",
                                {**SOURCES, ANOTHER: "File…"}, choice.source)
        self.shown_source = choice.source
        if choice.file:
            self._show_file(choice.file)
        self._add("_Encoder", "encoder", {name: name for name in CODECS},
                  choice.encoder)
        repair = Gtk.CheckButton(label="Repai_r losses", use_underline=True,
                                 active=choice.repair)
        repair.set_tooltip_text("Lost packets are sent again where there is "
                                "time; not to a group")
        self.repair = repair
        repair.connect("toggled", lambda button: on_changed(
            {"repair": button.get_active()}))
        repair.set_sensitive(not choice.is_group)
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
        name = box.get_active_id()
        if self.is_updating or name is None:
            return
        if field == "source":
            self._on_source(name)
        else:
            self.on_changed({field: name})
        if field == "form":
            self.repair.set_sensitive(name not in ("group", "ladder"))

    def _on_source(self, name):
        if name == ANOTHER:
            self._ask_for_file()
            return
        self.shown_source = name
        self.on_changed({"source": name} | (
            {"file": self.file} if name == "file" else {}))

    def _ask_for_file(self):
        dialog = Gtk.FileChooserNative.new(
            "A video to send", self.get_toplevel(),
            Gtk.FileChooserAction.OPEN, None, None)

        def on_response(_dialog, response):
            if response == Gtk.ResponseType.ACCEPT:
                self.use_file(dialog.get_filename())
            else:
                self._show_source(self.shown_source)

        dialog.connect("response", on_response)
        dialog.show()
        self.dialog = dialog        # lives as long as it is shown

    def use_file(self, path):
        self._show_file(path)
        self._on_source("file")

    def _show_file(self, path):
        """In a line of its own, so that another one can be asked for."""
        self.is_updating = True
        if self.file:
            self.source.remove(len(SOURCES))
        self.source.insert(len(SOURCES), "file", pathlib.Path(path).name)
        self.is_updating = False
        self.file = path
        self._show_source("file")

    def _show_source(self, name):
        self.is_updating = True
        self.source.set_active_id(name)
        self.is_updating = False
