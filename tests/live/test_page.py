#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The report as one HTML file: what is in it, and what a browser makes of it."""

import base64
import html.parser
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(
    0, str(pathlib.Path(__file__).resolve().parents[2] / "examples"))

from live import page, session  # noqa: E402
from webrtc import browser  # noqa: E402

# 1x1, grey.
PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81y"
    "tgAAAABJRU5ErkJggg==")
SVG = """<?xml version="1.0"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"
  "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" width="90" height="40" id="plot">
<metadata><a href="http://example.org/"/></metadata>
<rect width="40" height="20"/></svg>
"""
TEXT = "A <scene> over a link\n\nran                     6.0 s & more\n"
VALUES = {"sent_kbit_s": 12.5, "loss": None, "reaction": [{"at": 3}]}


class References(html.parser.HTMLParser):
    """What a browser would fetch, or jump to."""

    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        self.found += [value for name, value in attributes
                       if name in ("src", "href", "xlink:href", "data",
                                   "action")]


class Page(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "plot.svg").write_text(SVG)
        for name in ("frame", "frame-sent", "frame-far"):
            (self.folder / f"{name}.png").write_bytes(PNG)
        page.write(self.folder, TEXT, VALUES)
        self.text = (self.folder / page.NAME).read_text()

    def test_it_refers_to_nothing_outside(self):
        references = References()
        references.feed(self.text)
        self.assertEqual(len(references.found), 3)
        for reference in references.found:
            self.assertTrue(reference.startswith("data:image/png;"))
        self.assertNotIn("<!DOCTYPE svg", self.text)
        self.assertNotRegex(self.text, r"@import|url\(")

    def test_it_has_summary_numbers_and_frames_in_order(self):
        self.assertIn("<h1>A &lt;scene&gt; over a link</h1>", self.text)
        self.assertIn("<td>ran</td><td>6.0 s &amp; more</td>", self.text)
        for name, value in (("sent_kbit_s", "12.5"), ("loss", "–"),
                            ("reaction.0.at", "3")):
            self.assertIn(f"<td>{name}</td><td>{value}</td>", self.text)
        self.assertEqual(
            re.findall(r"<figcaption>(.*?)<", self.text),
            ["The last frame sent", "The last frame received",
             "The last frame of far"])

    def test_a_comparison_has_the_screens_of_both_side_by_side(self):
        without = self.folder / session.WITHOUT_REPAIR
        without.mkdir()
        # Of the third moment only one run got a frame.
        for place, folders in enumerate(
                ([self.folder, without], [self.folder, without], [without])):
            for folder in folders:
                (folder / session.screen_name(place)).write_bytes(PNG)
        page.write(self.folder, TEXT, {
            "without_repair": {}, "screens_at_s": [2.5, 3, 3.5]})
        text = (self.folder / page.NAME).read_text()
        pairs = [re.findall(r"<figcaption>(.*?)<", part)
                 for part in text.split('<div class="frames">')[1:]]
        self.assertEqual(
            pairs[:2], [[f"At {when} s {how} repair"
                         for how in ("with", "without")]
                        for when in ("2.5", "3")])
        self.assertEqual(len(pairs), 3)
        # Another run leaves its report over this one's files.
        page.write(self.folder, TEXT, VALUES)
        self.assertNotIn("repair", (self.folder / page.NAME).read_text())

    def test_without_plot_and_frames_it_has_the_numbers(self):
        with tempfile.TemporaryDirectory() as empty:
            page.write(pathlib.Path(empty), TEXT, VALUES)
            text = (pathlib.Path(empty) / page.NAME).read_text()
        self.assertNotIn("<svg", text)
        self.assertIn("sent_kbit_s", text)

    def test_it_is_opened_by_the_desktop(self):
        opener = self.folder / "xdg-open"
        opener.write_text(f'#!/bin/sh\necho "$1" > {self.folder}/opened\n')
        opener.chmod(0o755)
        with mock.patch.dict("os.environ", PATH=f"{self.folder}:/bin"):
            page.open_in_browser(self.folder).wait()
        self.assertEqual((self.folder / "opened").read_text().strip(),
                         str(self.folder / page.NAME))

    @unittest.skipUnless(browser.PROGRAM.exists(), "no Chromium here")
    def test_a_browser_shows_plot_and_frames_without_a_network(self):
        # The page tells what it shows, by a script of the test's.
        seen = self.folder / "seen.html"
        seen.write_text(self.text.replace("</body>", """<script>
          const frames = [...document.images];
          document.title = [
            document.querySelector('#plot').getBoundingClientRect().width,
            frames.filter(image => image.naturalWidth == 1).length,
            frames[0].offsetTop == frames[1].offsetTop,
            performance.getEntriesByType('resource')
              .filter(one => !one.name.startsWith('data:')).length].join();
          </script></body>"""))
        command = browser.command(
            seen.as_uri(), self.folder / "profile")
        result = subprocess.run(
            [*command[:-1], "--host-resolver-rules=MAP * ~NOTFOUND",
             "--virtual-time-budget=2000", "--dump-dom", command[-1]],
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=90)
        self.assertIn("<title>90,3,true,0</title>", result.stdout,
                      result.stderr[-500:])


if __name__ == "__main__":
    unittest.main()
