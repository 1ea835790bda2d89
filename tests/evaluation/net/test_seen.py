#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which picture stands for which, and that what is frozen is worse than what is not."""

import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
sys.path[:0] = [str(HERE / "peers"), str(TOP / "examples"), str(TOP / "tests" / "support")]

import quality  # noqa: E402
import seen  # noqa: E402
from live import scene  # noqa: E402


def code_of(picture):
    """A picture is drawn at its instant or a little later."""
    return picture * 1000 // scene.FRAMES_PER_S + 1


class Places(unittest.TestCase):
    def test_a_code_is_of_one_picture(self):
        for picture in (0, 1, 2, 3, 29, 30, 1000, 1900):
            instant = picture * 1000 // scene.FRAMES_PER_S
            for code in (instant, instant + 1, instant + 32):
                self.assertEqual(seen.number(code), picture)

    def test_who_cannot_be_read_stands_behind_the_last(self):
        self.assertEqual(seen.numbers([code_of(7), None, None, code_of(12)]),
                         [7, 8, 9, 12])

    def test_what_was_not_shown_is_the_newest_before(self):
        self.assertEqual(seen.places([2, 3, 6], 1, 9),
                         [None, 0, 1, 1, 1, 2, 2, 2])

    def test_a_picture_that_comes_late_is_not_newest(self):
        self.assertEqual(seen.places([2, 4, 3, 5], 2, 6), [0, 0, 1, 3])


@unittest.skipUnless(quality.FFMPEG.exists(), "no ffmpeg with libvmaf was fetched")
class Compared(unittest.TestCase):
    COUNT = 20

    def compare(self, pictures):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            drawn = scene.Scene()
            file = folder / "pictures"
            file.write_bytes(b"".join(
                drawn.frame(picture, code_of(picture)) for picture in pictures))
            return seen.compare(folder, file, list(map(code_of, pictures)), 0,
                                self.COUNT)

    def test_what_is_shown_as_it_was_filmed_is_best_and_a_freeze_worse(self):
        best = self.compare(range(self.COUNT))
        frozen = self.compare([*range(5), *range(15, self.COUNT)])
        self.assertGreater(best["vmaf"], 95)
        self.assertEqual(best["ssim"], 1)
        self.assertLess(frozen["vmaf"], best["vmaf"] - 20)
        self.assertLess(frozen["ssim"], 0.95)


if __name__ == "__main__":
    unittest.main()
