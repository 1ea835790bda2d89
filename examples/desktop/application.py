# SPDX-License-Identifier: LGPL-2.1-or-later
"""The program around the window: its keys, and how it looks."""

import pathlib

import gi

gi.require_version("Gst", "1.0")
gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, Gio, GLib, Gst, Gtk  # noqa: E402

from live.options import LINKS

from .session import Choice
from .window import Window

if Gdk.Display.get_default() is None:
    raise RuntimeError("no display")

KEYS = {"win.run": ["<Control>r"], "win.save": ["<Control>s"],
        "win.unplug": ["<Control>u"], "win.fullscreen": ["F11"],
        "app.dark": ["<Control>d"], "app.quit": ["<Control>q"]}


class Application(Gtk.Application):

    def __init__(self, options):
        super().__init__(flags=Gio.ApplicationFlags.NON_UNIQUE)
        Gst.init(None)
        self.options = options
        self.window = None

    def do_startup(self):
        Gtk.Application.do_startup(self)
        style = Gtk.CssProvider()
        style.load_from_path(
            str(pathlib.Path(__file__).with_name("style.css")))
        Gtk.StyleContext.add_provider_for_screen(
            Gdk.Screen.get_default(), style,
            Gtk.STYLE_PROVIDER_PRIORITY_APPLICATION)
        settings = Gtk.Settings.get_default()
        dark = Gio.SimpleAction.new_stateful("dark", None, GLib.Variant(
            "b", settings.props.gtk_application_prefer_dark_theme))
        dark.connect("change-state", self._on_dark)
        self.add_action(dark)
        self._add_action(self, "quit", lambda: self.window.close())
        for name, keys in KEYS.items():
            self.set_accels_for_action(name, keys)

    @staticmethod
    def _add_action(where, name, function):
        action = Gio.SimpleAction.new(name)
        action.connect("activate", lambda *_: function())
        where.add_action(action)

    @staticmethod
    def _on_dark(action, value):
        action.set_state(value)
        Gtk.Settings.get_default().props.gtk_application_prefer_dark_theme = \
            value.get_boolean()

    def do_activate(self):
        chosen = self.options
        self.window = window = Window(self, Choice(
            form=chosen.show, encoder=chosen.encoder,
            source="file" if chosen.input else chosen.source,
            file=str(chosen.input) if chosen.input else None,
            delay_target=chosen.delay_target),
            chosen.link or LINKS / "steady.link")
        self._add_action(window, "run", window.toggle)
        self._add_action(window, "save", window.save)
        self._add_action(window, "unplug", window.toggle_plug)
        self._add_action(window, "fullscreen", self._toggle_fullscreen)
        window.show_all()
        window.start()

    def _toggle_fullscreen(self):
        state = self.window.get_window().get_state()
        if state & Gdk.WindowState.FULLSCREEN:
            self.window.unfullscreen()
        else:
            self.window.fullscreen()
