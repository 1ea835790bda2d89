# SPDX-License-Identifier: LGPL-2.1-or-later
"""How good the pictures are that a viewer sees: each that was filmed beside the one
that stood for it on the screen, which is itself or, where it was not shown, the newest
before it.  The rows with the time code are left out of both."""

import bisect
import contextlib
import os
import threading

import numpy as np

import quality
from live import scene, time_code

BYTES = scene.WIDTH * scene.HEIGHT * 3 // 2
# A picture that comes later than this is not awaited at the end of what is judged.
AWAITED_S = 1
NICENESS = 15
FILTER = (f"crop={scene.WIDTH}:{scene.HEIGHT - time_code.HEIGHT}:0:"
          f"{time_code.HEIGHT}")


def number(code_ms):
    """Of the filmed picture that has this time code: whole milliseconds."""
    return ((code_ms + 1) * 10 ** 6 - 1) // (10 ** 9 // scene.FRAMES_PER_S)


def numbers(codes):
    """Of the shown pictures: one without a code that can be read stands for the one
    behind the last."""
    found, last = [], -1
    for code in codes:
        last = last + 1 if code is None else number(code)
        found.append(last)
    return found


def places(shown, first, last):
    """[index in `shown`] of what stands for each picture from first until last;
    None where nothing was shown before."""
    newest, order = {}, []
    for place, one in enumerate(shown):
        if not order or one >= order[-1]:
            newest[one] = place
            order.append(one)
    found = [bisect.bisect_right(order, one) - 1 for one in range(first, last)]
    return [None if at < 0 else newest[order[at]] for at in found]


def fed(folder, name, pictures):
    """(ffmpeg's arguments for an input, the thread that writes it)."""
    path = folder / name
    os.mkfifo(path)

    def write():
        with contextlib.suppress(BrokenPipeError), open(path, "wb") as file:
            for picture in pictures:
                file.write(picture)
    return ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s",
            f"{scene.WIDTH}x{scene.HEIGHT}", "-r", str(scene.FRAMES_PER_S),
            "-i", path], threading.Thread(target=write, daemon=True)


def compare(folder, file, codes, first, last):
    """{"vmaf", "ssim"} of the pictures from first until last; `codes`: of those in the
    file, which was open for longer than they were told of."""
    kept = np.memmap(file, np.uint8, "r")
    kept = kept[:len(kept) // BYTES * BYTES].reshape(-1, BYTES)
    shown = numbers(codes[:len(kept)])
    black = bytes([time_code.BLACK]) * (BYTES * 2 // 3) \
        + bytes([time_code.GREY]) * (BYTES // 3)
    drawn = scene.Scene()
    seen, writes_seen = fed(folder, "seen", (
        black if place is None else kept[place]
        for place in places(shown, first, last)))
    filmed, writes_filmed = fed(folder, "filmed", map(
        drawn.frame, range(first, last)))
    for thread in (writes_seen, writes_filmed):
        thread.start()
    vmaf, ssim, _ = quality.compare(seen, filmed, FILTER, niceness=NICENESS)
    return {"vmaf": vmaf, "ssim": ssim}
