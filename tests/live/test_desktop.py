#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The desktop demo in a real window, on a display of the test's own: what its
keys do to the link, to the stream, and to what is drawn.
`test_desktop.py CLASS` runs one of the classes; TFRC_SCREENSHOTS=FOLDER
keeps pictures."""

import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from unittest import mock

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "examples"))

from live.session import free_port  # noqa: E402

DEMO = str(TOP / "examples" / "desktop" / "demo.py")
MISSING = [tool for tool in ("Xvfb", "xdotool", "setpriv") if not shutil.which(tool)]
LIMIT_S = 240


@functools.cache
def start_display():
    """Of the whole program, as GTK opens one only; its name goes into the
    environment."""
    ours, theirs = os.pipe()
    process = subprocess.Popen(
        ["setpriv", "--pdeathsig", "TERM", "--", "Xvfb", "-displayfd",
         str(theirs), "-screen", "0", "1400x900x24", "-nolisten", "tcp"],
        pass_fds=[theirs], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(theirs)
    with os.fdopen(ours) as line:
        os.environ["DISPLAY"] = ":" + line.readline().strip()
    unittest.addModuleCleanup(process.wait)
    unittest.addModuleCleanup(process.terminate)


def press(*keys):
    subprocess.run(["xdotool", "key", "--delay", "60", *keys], check=True)


class InWindow(unittest.TestCase):

    OPTIONS = ()

    @classmethod
    def setUpClass(cls):
        if MISSING:
            raise unittest.SkipTest(f"not installed: {', '.join(MISSING)}")
        os.environ.update(NO_AT_BRIDGE="1", G_DEBUG="fatal-criticals")
        os.environ.pop("GTK_THEME", None)
        os.environ.pop("WAYLAND_DISPLAY", None)
        start_display()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.addClassCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def setUp(self):
        from live.session import build_folder, environment
        os.environ.update(environment(build_folder()))
        from desktop import options
        from desktop.application import Application
        from gi.repository import Gdk, Gio, GLib
        self.gdk = Gdk
        self.context = GLib.MainContext.default()
        self.application = Application(
            options.parser().parse_args(self.OPTIONS))
        Gio.Application.set_default(self.application)
        self.application.register(None)
        self.application.activate()
        self.window = self.application.window
        self.addCleanup(self.close)
        self.longest_pause, self.beat_at = 0.0, time.monotonic()
        GLib.timeout_add(20, self.beat)
        self.wait(lambda: self.window.get_mapped()
                  and self.window.get_window().is_viewable())
        self.run_for(0.5)       # until the display has done it
        subprocess.run(["xdotool", "windowfocus", "--sync",
                        str(self.window.get_window().get_xid())], check=True)

    def beat(self):
        now = time.monotonic()
        self.longest_pause = max(self.longest_pause, now - self.beat_at)
        self.beat_at = now
        return self.window is not None

    def wait(self, condition, limit_s=LIMIT_S):
        end = time.monotonic() + limit_s
        while not condition():
            self.context.iteration(False)
            time.sleep(0.002)
            if time.monotonic() > end:
                self.keep_picture("failed")
                self.fail(f"not within {limit_s} s: {self.state()}")

    def run_for(self, seconds):
        end = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() > end, seconds + LIMIT_S)

    def state(self):
        charts = self.window.charts
        return {key: charts.rates.last(key) or charts.losses.last(key)
                or charts.delays.last(key)
                for key in ("capacity", "sent", "allowed", "p", "lost",
                            "glass")} | {
            "told": self.window.info_text.get_text()}

    def close(self):
        session = self.window.session
        self.window.close()
        if session:
            self.wait(lambda: not session.thread.is_alive())
        self.window = None

    def rate(self, key):
        return self.window.charts.rates.last(key) or 0.0

    def picture(self):
        return self.gdk.pixbuf_get_from_window(
            self.window.get_window(), 0, 0,
            *self.window.get_window().get_geometry()[2:])

    def keep_picture(self, name):
        folder = os.environ.get("TFRC_SCREENSHOTS")
        if folder:
            self.picture().savev(
                str(pathlib.Path(folder) / f"{name}.png"), "png", [], [])

    def wait_for_stream(self):
        """Until it fills most of the link of 2000 kbit/s."""
        self.wait(lambda: self.rate("sent") > 1300)

    def height_of_line(self, chart, color, x):
        """The mean y within a chart of the pixels of a colour in the columns
        that end at x (from its right); None: there are none."""
        import numpy as np
        pixbuf = self.picture()
        pixels = np.frombuffer(pixbuf.get_pixels(), np.uint8)
        rows = np.lib.stride_tricks.as_strided(
            pixels, (pixbuf.get_height(), pixbuf.get_width(), 3),
            (pixbuf.get_rowstride(), pixbuf.get_n_channels(), 1))
        left, top = chart.translate_coordinates(self.window, 0, 0)
        # The drawing's origin may lie within the window's shadow.
        place = chart.get_window().get_origin()
        whole = self.window.get_window().get_origin()
        allocation = chart.get_allocation()
        left = place.x - whole.x + (
            0 if chart.get_has_window() else allocation.x)
        top = place.y - whole.y + (
            0 if chart.get_has_window() else allocation.y)
        right = left + allocation.width - x
        part = rows[top + 50:top + allocation.height, right - 40:right]
        wanted = np.array([round(255 * value) for value in color])
        found = (np.abs(part.astype(int) - wanted).sum(axis=2) < 40)
        return float(np.nonzero(found)[0].mean()) if found.any() else None


class Stream(InWindow):

    OPTIONS = ("--show", "one")

    def test_keys_move_the_link_and_rate_and_charts_follow(self):
        from desktop.chart import BLUE
        self.wait_for_stream()
        self.run_for(3)
        before = self.rate("sent")
        rates = self.window.charts.rates
        high = self.height_of_line(rates, BLUE, 10)
        self.keep_picture("before-loss")
        # Random loss, by its mnemonic, thrice by 5 %.
        press("alt+l", *["ctrl+Right"] * 3)
        self.wait(lambda: self.window.panel.link.conditions.loss >= 0.15)
        self.wait(lambda: (self.window.charts.losses.last("lost") or 0) > 3)
        # The capacity, thrice by a quarter of a decade: from 2000 to 356 kbit/s.
        press("alt+c", *["ctrl+Left"] * 3)
        self.wait(lambda:
                  self.window.panel.link.conditions.capacity_kbit_s < 500)
        self.wait(lambda: self.rate("sent") < before / 2)
        self.run_for(4)
        self.keep_picture("under-loss")
        low = self.height_of_line(rates, BLUE, 10)
        self.assertIsNotNone(high)
        self.assertIsNotNone(low)
        # From 1300 of at most 2400 kbit/s, the scale, to half of that are 44
        # of 165 pixels; what was on its way there is in the means.
        self.assertGreater(low - high, 22)
        self.assertEqual(self.window.info.get_visible(), False)

    def test_the_plug_ends_the_pictures_and_brings_them_back(self):
        self.wait_for_stream()
        press("ctrl+u")
        self.wait(lambda: self.window.panel.plug.get_active())
        self.wait(lambda: self.rate("capacity") == 0.0)
        self.wait(lambda: self.window.charts.delays.last("glass") is None)
        press("ctrl+u")
        self.wait(lambda: self.window.charts.delays.last("glass"))
        self.wait(lambda: self.rate("capacity") == 2000.0)

    def test_a_preset_is_taken_over_whole(self):
        self.wait_for_stream()
        panel = self.window.panel
        satellite = next(path for path in panel.paths if "satellite" in path)
        panel.presets.set_active_id(satellite)
        # 250 ms one way at least.
        self.wait(lambda: (self.window.charts.delays.last("rtt") or 0) > 400)
        dialup = next(path for path in panel.paths if "dialup" in path)
        panel.presets.set_active_id(dialup)
        capacity = panel.link.conditions.capacity_kbit_s
        self.assertLess(capacity, 200)
        self.wait(lambda: self.rate("capacity") == capacity)
        self.wait(lambda: 0 < self.rate("sent") < 1.3 * capacity)

    def test_the_window_never_waits_for_what_starts_or_ends(self):
        self.wait_for_stream()
        press("ctrl+r")
        self.wait(lambda: self.window.session is None)
        press("ctrl+r")
        self.wait_for_stream()
        # The slowest steps, a sender's start and its last frames, take longer.
        self.assertLess(self.longest_pause, 1.0)

    def test_quick_changes_of_mind_end_in_the_last(self):
        for form in ("compare", "group", "one", "receive", "compare", "group",
                     "one"):
            self.window.change({"form": form})
            self.run_for(0.4)
        self.wait_for_stream()
        self.window.toggle()
        folder = self.window.session.plan.folder
        self.wait(lambda: self.window.session is None)
        self.assertFalse(folder.exists())
        self.assertFalse(self.window.info.get_visible())
        self.window.toggle()
        self.wait_for_stream()

    def test_one_file_behind_another(self):
        """The list keeps the last one, and its last line asks for a file."""
        setup = self.window.setup
        for name in "a.mp4", "b.mp4":
            setup.use_file(name)
            self.assertEqual(self.window.choice.file, name)
            self.assertEqual(setup.source.get_active_text(), name)
        self.assertEqual([row[0] for row in setup.source.get_model()],
                         ["Test scene", "Camera", "This screen", "b.mp4", "File…"])
        setup.source.set_active_id("scene")
        self.assertEqual(self.window.choice.source, "scene")
        setup.source.set_active_id("file")
        self.assertEqual((self.window.choice.source, self.window.choice.file),
                         ("file", "b.mp4"))

    def test_dark_and_small(self):
        self.wait_for_stream()
        press("ctrl+d")
        settings = self.window.get_settings()
        self.wait(lambda: settings.props.gtk_application_prefer_dark_theme)
        self.window.resize(800, 560)
        self.wait(lambda: self.window.get_allocated_width() < 900)
        self.run_for(1)
        self.keep_picture("dark-small")


class Compare(InWindow):

    def test_the_stream_beside_loses_what_the_controlled_one_does_not(self):
        self.wait_for_stream()
        self.wait(lambda: self.rate("plain-sent") > 1000)
        self.window.panel.scales["capacity_kbit_s"].set_value(2.7)  # 500
        losses = self.window.charts.losses
        # 1600 kbit/s over 500: two of three packets are lost, for good.
        self.wait(lambda: (losses.last("plain-lost") or 0) > 50)
        self.run_for(8)
        self.wait(lambda: losses.last("plain-lost") > 50
                  and (losses.last("lost") or 0.0) < 10)
        self.keep_picture("compare")


class Group(InWindow):

    OPTIONS = ("--show", "group")

    def limiting(self):
        return {name for name, tile in self.window.tiles.items()
                if tile.mark.get_visible()}

    def test_each_link_has_its_sliders_and_the_clr_is_marked(self):
        self.wait(lambda: all(
            "frames/s" in tile.caption.get_text()
            and "no picture" not in tile.caption.get_text()
            for tile in self.window.tiles.values()))
        # The guest's link of 400 kbit/s is the narrowest.
        self.wait(lambda: self.limiting() == {"receiver-guest"})
        if "TFRC_SCREENSHOTS" in os.environ:
            self.run_for(20)    # until there is something in the charts
            self.wait(lambda: self.limiting() == {"receiver-guest"})
            self.keep_picture("group")
        self.window.choose("receiver-guest")
        self.window.panel.scales["capacity_kbit_s"].set_value(4)
        self.window.choose("receiver-far")
        self.assertGreater(
            self.window.panel.link.conditions.capacity_kbit_s, 5000)
        self.window.panel.scales["capacity_kbit_s"].set_value(2.3)  # 200
        self.wait(lambda: self.limiting() == {"receiver-far"})
        self.wait(lambda: self.rate("capacity") == 200)


class Ladder(InWindow):

    OPTIONS = ("--show", "ladder")

    def caption(self, name):
        return self.window.tiles["receiver-" + name].caption.get_text()

    def test_the_guest_listens_to_the_second_group(self):
        self.wait(lambda: "group 2" in self.caption("guest")
                  and "no picture" not in self.caption("guest"))
        self.wait(lambda: "group 1" in self.caption("fast")
                  and "no picture" not in self.caption("fast"))


class SecondMachine(InWindow):

    OPTIONS = ("--show", "one")

    def shown(self):
        return self.window.info_text.get_text() \
            if self.window.info.get_visible() else ""

    def test_the_description_is_copied_and_pasted(self):
        from desktop.session import Choice
        from desktop.window import Window
        port = free_port()
        other = Window(self.application, Choice("send"),
                       self.window.own_links[0].preset)
        other.show_all()
        self.addCleanup(self.end, other)
        other.start()
        self.assertIn("Connect", other.info_text.get_text())
        other.panel.host.set_text("127.0.0.1")
        other.panel.port.set_value(port)
        other.panel.host.activate()
        self.wait(lambda: other.panel.sdp().startswith("v=0"))
        # Of the clipboard, as a user would.
        other.panel._on_copy(None)
        self.window.change({"form": "receive"})
        self.wait(lambda: self.window.session is None
                  or self.window.choice.form == "receive"
                  and hasattr(self.window.panel, "sdp"))
        self.window.panel.show_sdp("")
        self.window.panel._on_paste(None)
        self.wait(lambda: self.window.panel.sdp().startswith("v=0"))
        self.window.panel._on_connect(None)
        self.wait(lambda: (self.rate("arriving")) > 300)
        self.wait(lambda: (other.charts.rates.last("sent") or 0) > 300)
        self.keep_picture("second-machine")
        self.assertEqual(self.shown(), "")

    def end(self, window):
        session = window.session
        window.close()
        if session:
            self.wait(lambda: not session.thread.is_alive())

    def test_what_is_wrong_is_one_sentence(self):
        import socket
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as taken:
            taken.bind(("::", 0))
            port = taken.getsockname()[1]
            self.window.change({"form": "receive", "port": port})
            self.wait(lambda: f"Port {port} is taken" in self.shown())
        self.window.change({"sdp": "hello"})
        self.wait(lambda: "no SDP" in self.shown())
        self.window.change({"form": "one", "source": "camera", "sdp": ""})
        if not pathlib.Path("/dev/video0").exists():
            self.wait(lambda: "There is no camera" in self.shown())
        self.window.change({"source": "file", "file": "/nowhere.mp4"})
        self.wait(lambda: "/nowhere.mp4 cannot be read" in self.shown())
        text = pathlib.Path("no-video.mp4")
        text.write_text("words")
        self.window.change({"source": "file", "file": str(text)})
        self.wait(lambda: "The stream ended: " in self.shown())
        with mock.patch.object(tempfile, "tempdir", "/nowhere"):
            self.window.change({"source": "screen"})
            self.wait(lambda: "no temporary folder" in self.shown())
        self.window.change({"source": "screen"})
        self.wait(lambda: self.rate("sent") > 300)
        self.assertEqual(self.shown(), "")


class Report(InWindow):

    OPTIONS = ("--show", "one")

    def test_ctrl_s_writes_it(self):
        self.wait_for_stream()
        self.run_for(4)
        press("ctrl+s")
        self.wait(lambda: "The report is in"
                  in self.window.info_text.get_text())
        folder = next(pathlib.Path.cwd().glob("report-*"))
        for name in ("plot.png", "frame.png"):
            self.assertTrue((folder / name).exists())
        text = (folder / "report.html").read_text()
        self.assertIn("<svg", text)
        self.assertIn("The last frame received", text)
        values = json.loads((folder / "result.json").read_text())
        self.assertGreater(values["sent_kbit_s"], 500)
        self.assertEqual(values["capacity_kbit_s"], 2000)
        self.assertIsNotNone(self.window.session)


def without_display(*arguments, **variables):
    environment = {name: value for name, value in os.environ.items()
                   if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return subprocess.run(
        ["/usr/bin/python3", DEMO, *arguments], text=True, timeout=LIMIT_S,
        stdin=subprocess.DEVNULL, capture_output=True,
        env={**environment, **variables})


class Headless(unittest.TestCase):

    def test_the_comparison_is_a_report_where_there_is_no_display(self):
        with tempfile.TemporaryDirectory() as folder:
            result = without_display("--seconds", "16", "--report", folder)
            self.assertEqual(result.returncode, 0, result.stderr)
            told = json.loads(
                (pathlib.Path(folder) / "result.json").read_text())
            page = (pathlib.Path(folder) / "report.html").read_text()
        # A line a second while it runs, and where the report is.
        self.assertGreater(result.stdout.count("fixed rate:"), 10)
        self.assertIn(f"Report: {folder}/report.html", result.stdout)
        # The link falls to a third of what the fixed rate needs.
        fixed = told["without_control"]
        self.assertGreater(fixed["loss_fraction"], 0.15)
        self.assertLess(told["loss_fraction"], fixed["loss_fraction"])
        self.assertGreater(told["frames_intact"], fixed["frames_intact"])
        # Each step has an answer in words.
        self.assertRegex(result.stdout, r"(?m)^reaction +2000 -> 500 kbit/s "
                         r"at 6\.\d s: (none within )?[0-9.]+ s$")
        self.assertNotRegex(result.stdout, r"(?m) -$")
        captions = re.findall(r"<figcaption>(.*?)<", page)
        self.assertIn("At 10 s with tfrcsink", captions)
        self.assertIn("At 10 s at a fixed rate", captions)
        self.assertEqual(page.count("<svg"), 2)


class Refusals(unittest.TestCase):

    def demo(self, *arguments, **variables):
        return without_display(*arguments, **variables)

    def assert_sentence(self, result, code, *words):
        self.assertEqual(result.returncode, code, result.stderr)
        lines = [line for line in result.stderr.split("\n")
                 if line.startswith("desktop.sh: ")]
        self.assertEqual(len(lines), 1, result.stderr)
        for word in words:
            self.assertIn(word, lines[0])

    def test_what_only_a_window_can_show(self):
        # Before minutes of installing and building.
        for arguments, *words in (
                (("--show", "one"), "display", "demo.sh"),
                (("--show", "group"), "display", "multicast.sh"),
                (("--show", "send"), "display"),
                (("--source", "screen"), "display")):
            self.assert_sentence(
                self.demo(*arguments, "--check-options"), 2, *words)

    def test_the_comparison_needs_no_display(self):
        self.assertEqual(self.demo("--check-options").returncode, 0)

    def test_a_display_that_is_not_there(self):
        self.assert_sentence(self.demo(DISPLAY=":987"), 1, ":987", "DISPLAY")

    def test_a_preset_that_is_not_there(self):
        self.assert_sentence(self.demo("--link", "mars"), 2, "mars", "--link")

    def test_an_encoder_that_is_not_there(self):
        self.assert_sentence(self.demo("--encoder", "h262"), 2, "h262", "vp8")

    def test_help_needs_no_display(self):
        self.assertIn("--list-links", self.demo("--help").stdout)


if __name__ == "__main__":
    unittest.main()
