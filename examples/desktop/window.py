# SPDX-License-Identifier: LGPL-2.1-or-later
"""The window: videos, charts, the links' controls, and the session behind."""

import dataclasses
import time

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk  # noqa: E402

from live.group_session import standard_members
from live.recording import Recording

from . import complaints, meter, saved_report, session
from .charts import Charts
from .link import Link
from .link_panel import LinkPanel
from .peer_panel import PeerPanel
from .recording import GroupWindowRecording
from .setup_bar import SetupBar
from .tile import Tile

SAMPLE_MS = 100
CAPTION_SAMPLES = 5     # captions change twice a second
TITLES = {"receiver": "With congestion control (TFRC)",
          "sender": "To the second machine",
          "receiver-plain": "Without, at a fixed rate"}


class Window(Gtk.ApplicationWindow):

    def __init__(self, application, choice, preset):
        super().__init__(application=application, title="TFRC",
                         default_width=1280, default_height=800)
        self.choice = choice
        self.session = None         # that starts, runs or ends
        self.again = False          # start anew once it has ended
        self.is_closing = False
        self.own_links = [Link("link", preset)]
        self.group_links = [Link(one.name, one.link)
                            for one in standard_members()]
        self.n_samples = 0
        self._build()
        self.connect("delete-event", self._on_delete)
        GLib.timeout_add(SAMPLE_MS, self._on_time)

    # What is seen.

    def _build(self):
        self.header = Gtk.HeaderBar(show_close_button=True,
                                    title="Video over a bad link")
        self.start_button = Gtk.Button(label="_Start", use_underline=True)
        self.start_button.set_action_name("win.run")
        self.header.pack_start(self.start_button)
        save = Gtk.Button(label="Save _report", use_underline=True)
        save.set_action_name("win.save")
        dark = Gtk.ToggleButton(label="Dar_k", use_underline=True)
        dark.set_action_name("app.dark")
        self.header.pack_end(dark)
        self.header.pack_end(save)
        self.set_titlebar(self.header)
        self.setup = SetupBar(self.choice, self.change)
        self.info = Gtk.InfoBar(show_close_button=True, no_show_all=True)
        self.info_text = Gtk.Label(wrap=True, xalign=0, selectable=True)
        self.info.get_content_area().add(self.info_text)
        self.info_text.show()
        self.info.connect("response", lambda *_: self.info.hide())
        self.videos = Gtk.Grid(column_homogeneous=True, row_homogeneous=True,
                               column_spacing=6, row_spacing=6)
        self.charts = Charts()
        self.middle = Gtk.Paned()
        self.middle.pack1(self.videos, True, False)
        self.middle.pack2(self.charts, False, False)
        self.panels = Gtk.Stack(margin=8, homogeneous=False)
        whole = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        whole.pack_start(self.setup, False, False, 0)
        whole.pack_start(self.info, False, False, 0)
        whole.pack_start(self.middle, True, True, 0)
        whole.pack_start(self.panels, False, False, 0)
        self.add(whole)
        self._lay_out()

    def _lay_out(self):
        """Tiles and sliders for what is chosen."""
        form = self.choice.form
        self.links = self.group_links if self.choice.is_group \
            else self.own_links
        names = {"compare": ["receiver", "receiver-plain"],
                 "send": ["sender"]}
        if self.choice.is_group:
            names[form] = ["receiver-" + link.name for link in self.links]
        # Two wide pictures leave room below, else there is some beside them.
        self.middle.set_orientation(
            Gtk.Orientation.VERTICAL if form == "compare"
            else Gtk.Orientation.HORIZONTAL)
        self.charts.lay_out(in_a_row=form == "compare")
        self.tiles = {}
        for tile in self.videos.get_children():
            self.videos.remove(tile)
        for panel in self.panels.get_children():
            self.panels.remove(panel)
        for i, name in enumerate(names.get(form, ["receiver"])):
            self.tiles[name] = tile = Tile(
                TITLES.get(name, name.removeprefix("receiver-")),
                lambda name=name: self.choose(name))
            self.videos.attach(tile, i % 2, i // 2, 1, 1)
        if form in ("send", "receive"):
            self.panels.add_named(
                PeerPanel(self.choice, self.change), self.links[0].name)
        else:
            for link in self.links:
                self.panels.add_named(LinkPanel(link), link.name)
        self.chosen = next(iter(self.tiles))
        self.choose(self.chosen)
        self.charts.clear()
        self.videos.show_all()

    def link_of(self, name):
        return next((link for link in self.links
                     if name == "receiver-" + link.name), self.links[0])

    def choose(self, name):
        """Whose link the sliders and charts show."""
        if self.chosen != name and self.choice.is_group:
            self.charts.clear()
        self.chosen = name
        self.panels.set_visible_child_name(self.link_of(name).name)
        for other, tile in self.tiles.items():
            tile.set_chosen(other == name and self.choice.is_group)

    @property
    def panel(self):
        return self.panels.get_visible_child()

    def tell(self, sentence, kind=Gtk.MessageType.ERROR):
        self.info_text.set_text(sentence)
        self.info.set_message_type(kind)
        self.info.show()

    # What runs.

    def change(self, fields):
        """Another choice: starts anew."""
        self.choice = dataclasses.replace(self.choice, **fields)
        if fields.get("sdp"):
            self.choice = dataclasses.replace(
                self.choice, encoder=complaints.encoder_of(fields["sdp"])
                or self.choice.encoder)
        if self.session is None:
            self._lay_out()
            self.start()
        else:
            self.again = True
            self.session.interrupt()

    def toggle(self):
        if self.session is None:
            self.start()
        else:
            self.again = False
            self.session.interrupt()

    def start(self):
        sentence = complaints.of_choice(self.choice)
        if sentence:
            self.tell(sentence)
            return
        self.info.hide()
        self._lay_out()
        for tile in self.tiles.values():
            tile.show_text("Starting …")
        self.recording = GroupWindowRecording() \
            if self.choice.is_group else Recording()
        self.meters = {}
        try:
            self.session = session.start(
                self.choice, self.links, self.recording, self)
        except OSError as error:
            self.on_ended(None, "no temporary folder can be made "
                          f"({error.strerror}): make room, or set TMPDIR")
        else:
            self._show_state("Starting …")

    def toggle_plug(self):
        if isinstance(self.panel, LinkPanel):
            self.panel.plug.set_active(not self.panel.plug.get_active())

    def save(self):
        if self.session is None or not self.recording.start_ns:
            self.tell("There is nothing to report yet: start a stream.")
            return
        saved_report.save(self.session, saved_report.new_folder(),
                          self._on_saved)

    def _on_saved(self, sentence, failed):
        self.tell(sentence, Gtk.MessageType.ERROR if failed
                  else Gtk.MessageType.INFO)

    def _show_state(self, text):
        self.header.set_subtitle(text)
        self.start_button.set_label(
            "_Start" if self.session is None else "_Stop")

    def show_receiver(self, name, widget):
        self.tiles[name].show_widget(widget)

    def on_started(self, _session):
        self._show_state("Live")

    def on_event(self, name, event):
        if event["event"] == "sdp" and self.choice.form == "send":
            self.panel.show_sdp(event["text"])
        if event["event"] == "warning":
            self.tell(f"{name}: {event['text']}", Gtk.MessageType.WARNING)

    def on_ended(self, _session, error):
        self.session = None
        if self.is_closing:
            self.destroy()
            return
        for tile in self.tiles.values():
            tile.show_text("The stream has ended.")
        self._show_state("Stopped")
        if self.again:
            self.again = False
            self.start()
        elif error:
            self.tell(complaints.of_error(error, self.choice))

    def _on_delete(self, *_):
        if self.session is None:
            return False
        self.is_closing = True
        self.hide()
        self.session.interrupt()
        return True             # on_ended closes it

    # What is measured.

    def _on_time(self):
        # What ends to make room for another choice does not fit that.
        if self.session and not self.again and self.recording.start_ns:
            self.n_samples += 1
            self._sample()
        return GLib.SOURCE_CONTINUE

    def _sample(self):
        now = self.recording.now()
        streams = {name: self._values_of(name, now) for name in self.tiles}
        of_end = meter.receiver_values if self.choice.form == "receive" \
            else meter.sender_values
        values = {**of_end(self.recording, now), **streams[self.chosen]}
        if "receiver-plain" in streams:
            values = {**values, **streams["receiver"], **{
                "plain-" + key: value
                for key, value in streams["receiver-plain"].items()}}
        self.charts.add(time.monotonic(), values)
        if values.get("capacity") is not None:
            self.panel.follow_capacity(values["capacity"])
        if self.n_samples % CAPTION_SAMPLES == 0:
            for name, tile in self.tiles.items():
                tile.caption.set_text(streams[name]["caption"])
            self._mark_limiting()

    def _values_of(self, name, now):
        """Of a tile: its link, and how old its pictures are."""
        recording, log, decoded, glass = self._parts_of(name)
        link = {}
        if log:
            if log not in self.meters:
                self.meters[log] = meter.LinkMeter(log)
            self.meters[log].read()
            link = self.meters[log].values()
        age = meter.newest(glass, now)
        return {**link, "glass": age, "caption": meter.caption(
            link, meter.frames_per_s(decoded, now), age,
            recording.rung_of(name.removeprefix("receiver-"))
            if self.choice.form == "ladder" else None)}

    def _parts_of(self, name):
        if self.choice.is_group:
            member = name.removeprefix("receiver-")
            glass = self.recording.glass.get(member, Recording())
            return (self.recording, self.recording.link_log_of(member),
                    self.recording.decoded[member], glass.glass_to_glass_ms)
        recording = self.session.fixed if name == "receiver-plain" \
            else self.recording
        return (recording, recording.link_log, recording.decoded,
                recording.glass_to_glass_ms)

    def _mark_limiting(self):
        if not self.choice.is_group:
            return
        limiting = self.recording.names_by_ssrc().get(
            self.recording.sender("clr-ssrc").last(0))
        for name, tile in self.tiles.items():
            tile.set_limiting(name == "receiver-" + str(limiting))
