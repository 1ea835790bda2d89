# SPDX-License-Identifier: LGPL-2.1-or-later
"""Frames of a moving scene that really needs bits: a camera wanders over a
cloudy landscape with detail at every scale while lighter discs cross it and
a little grain lies over all.  An encoder can spend megabits on it and still
shows what it is at 64 kbit/s.  Frame n is the same in every run, but for the
time code that it may have."""

import numpy as np

from . import time_code

WIDTH, HEIGHT, FRAMES_PER_S = 640, 360, 30
CAPS = (f"video/x-raw,format=I420,width={WIDTH},height={HEIGHT},"
        f"framerate={FRAMES_PER_S}/1,pixel-aspect-ratio=1/1")

# Powers of two larger than the frame, so that the camera may go anywhere.
_LAND_HEIGHT, _LAND_WIDTH = 1024, 2048
_GRAIN_FIELDS = 8
_GRAIN = 3


def _clouds(random, height, width, steepness):
    """Noise whose amplitude falls with frequency as in pictures of nature,
    scaled to 0..1."""
    spectrum = np.fft.rfft2(random.standard_normal((height, width)))
    frequency = np.hypot(np.fft.fftfreq(height)[:, None],
                         np.fft.rfftfreq(width)[None, :])
    frequency[0, 0] = 1
    field = np.fft.irfft2(spectrum / frequency ** steepness, (height, width))
    field -= field.min()
    return field / field.max()


class Scene:

    def __init__(self, seed=1):
        random = np.random.default_rng(seed)
        land = 30 + 175 * _clouds(random, _LAND_HEIGHT, _LAND_WIDTH, 1.3)
        self._luma = self._mirror(land.astype(np.uint8))
        self._blue, self._red = (
            self._mirror((80 + 96 * _clouds(
                random, _LAND_HEIGHT // 2, _LAND_WIDTH // 2, 1.6)
            ).astype(np.uint8)) for _ in range(2))
        self._grain = random.integers(
            0, 2 * _GRAIN + 1, (_GRAIN_FIELDS, HEIGHT, WIDTH), dtype=np.uint8)
        self._discs = [self._disc(radius) for radius in (30, 44, 58)]

    @staticmethod
    def _mirror(field):
        """Room for a frame past the right and lower edge."""
        return np.pad(field, ((0, HEIGHT), (0, WIDTH)), mode="wrap")

    @staticmethod
    def _disc(radius):
        y, x = np.mgrid[-radius:radius, -radius:radius]
        return np.hypot(x, y) < radius

    def frame(self, n, time_ms=None):
        """The bytes of frame n in I420, with a time code if there is a
        time."""
        t = n / FRAMES_PER_S
        # Even pixels, for the chroma planes; about 90 pixels a second.
        x = int((90 * t + 160 * np.sin(t / 3)) % _LAND_WIDTH) & ~1
        y = int((300 + 260 * np.sin(t / 5)) % _LAND_HEIGHT) & ~1
        luma = self._luma[y:y + HEIGHT, x:x + WIDTH] + self._grain[
            n * 5 % _GRAIN_FIELDS]
        for i, disc in enumerate(self._discs):
            side = disc.shape[0]
            left = int((1 + np.sin(t * (0.9 - 0.2 * i) + i))
                       * (WIDTH - side) / 2)
            top = int((1 + np.cos(t * (0.5 + 0.3 * i)))
                      * (HEIGHT - side) / 2)
            spot = luma[top:top + side, left:left + side]
            spot[disc] = 235 - spot[disc] // 4
        cx, cy = x // 2, y // 2
        planes = [luma] + [
            plane[cy:cy + HEIGHT // 2, cx:cx + WIDTH // 2].copy()
            for plane in (self._blue, self._red)]
        if time_ms is not None:
            time_code.draw(planes, time_ms)
        return b"".join(plane.tobytes() for plane in planes)
