# SPDX-License-Identifier: LGPL-2.1-or-later
"""A chart of the last half minute, with what the lines are and what they say
now above it."""

import collections
import dataclasses
import math

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

SHOWN_S = 30.0
LEFT, RIGHT, BOTTOM, LINE = 46, 10, 18, 17     # pixels
HEADROOM = 1.1
TICKS = 4

# Okabe and Ito's colours, which the colour-blind can tell apart.
ORANGE, SKY, GREEN = (0.90, 0.62, 0.0), (0.34, 0.71, 0.91), (0.0, 0.62, 0.45)
BLUE, VERMILION, PURPLE = (0.15, 0.50, 0.80), (0.84, 0.37, 0.0), (
    0.80, 0.47, 0.65)


@dataclasses.dataclass(frozen=True)
class Line:
    key: str
    label: str
    color: tuple = None         # None: that of the text
    width: float = 1.5
    dashed: bool = False
    filled: bool = False
    in_scale: bool = True       # may it raise the upper end of the scale?
    is_optional: bool = False   # only named where it has values


def tick_step(top):
    """1, 2 or 5 times a power of ten, so that about TICKS fit."""
    rough = top / TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    return next(power * factor for factor in (1, 2, 5, 10)
                if power * factor >= rough)


class Chart(Gtk.DrawingArea):

    def __init__(self, title, unit, lines, least_top):
        super().__init__()
        self.title, self.unit, self.lines = title, unit, lines
        self.least_top = least_top
        self.samples = collections.deque()      # (seconds, {key: value})
        self.connect("draw", self._on_draw)
        self.get_accessible().set_name(f"Chart: {title}")

    def add(self, now, values):
        self.samples.append((now, values))
        while self.samples[0][0] < now - SHOWN_S - 1:
            self.samples.popleft()
        self.queue_draw()

    def clear(self):
        self.samples.clear()
        self.queue_draw()

    def last(self, key):
        return self.samples[-1][1].get(key) if self.samples else None

    def top(self):
        """The upper end of the scale."""
        most = max((values[line.key] for line in self.lines if line.in_scale
                    for _, values in self.samples
                    if values.get(line.key) is not None
                    and math.isfinite(values[line.key])), default=0.0)
        return max(self.least_top, most * HEADROOM)

    def _on_draw(self, _area, context):
        width, height = (self.get_allocated_width(),
                         self.get_allocated_height())
        style = self.get_style_context()
        foreground = style.get_color(style.get_state())
        self.foreground = (foreground.red, foreground.green, foreground.blue)
        context.select_font_face("sans-serif")
        context.set_font_size(11)
        upper = self._draw_legend(context, width)
        area = (LEFT, upper, max(width - LEFT - RIGHT, 1),
                max(height - upper - BOTTOM, 1))
        top = self.top()
        self._draw_grid(context, area, top)
        context.save()
        context.rectangle(*area)
        context.clip()
        for line in self.lines:
            self._draw_line(context, area, top, line)
        context.restore()
        return False

    def _draw_legend(self, context, width):
        """Returns where the chart begins."""
        x, y = LEFT, 13
        context.set_source_rgb(*self.foreground)
        context.move_to(4, y)
        context.show_text(f"{self.title} ({self.unit})")
        y += LINE
        for line in self.lines:
            value = self.last(line.key)
            if line.is_optional and value is None:
                continue
            text = line.label + " " + (
                "–" if value is None or not math.isfinite(value)
                else f"{value:.0f}" if value >= 10 else f"{value:.1f}")
            # Room for the widest value, so that nothing jumps about.
            needed = 24 + context.text_extents(
                line.label + " 00000").x_advance + 8
            if x + needed > width and x > LEFT:
                x, y = LEFT, y + LINE
            self._set_line(context, line)
            context.move_to(x, y - 4)
            context.line_to(x + 18, y - 4)
            context.stroke()
            context.set_source_rgb(*self.foreground)
            context.move_to(x + 23, y)
            context.show_text(text)
            x += needed
        return y + 8

    def _set_line(self, context, line, alpha=1.0):
        context.set_source_rgba(*(line.color or self.foreground), alpha)
        context.set_line_width(line.width)
        context.set_dash([5, 3] if line.dashed else [])

    def _draw_grid(self, context, area, top):
        x, y, width, height = area
        context.set_dash([])
        context.set_line_width(1)
        step = tick_step(top)
        for i in range(int(top / step) + 1):
            level = round(y + height * (1 - i * step / top)) + 0.5
            context.set_source_rgba(*self.foreground, 0.15)
            context.move_to(x, level)
            context.line_to(x + width, level)
            context.stroke()
            text = f"{i * step:g}"
            context.set_source_rgba(*self.foreground, 0.7)
            context.move_to(
                x - 6 - context.text_extents(text).x_advance, level + 4)
            context.show_text(text)
        for ago in range(0, int(SHOWN_S) + 1, 10):
            text = f"−{ago} s" if ago else "now"
            place = x + width * (1 - ago / SHOWN_S)
            advance = context.text_extents(text).x_advance
            context.move_to(
                min(max(place - advance / 2, x), x + width - advance),
                y + height + 13)
            context.show_text(text)

    def _draw_line(self, context, area, top, line):
        for points in self._runs(area, top, line.key):
            for point in points:
                context.line_to(*point)
            if line.filled:
                path = context.copy_path()
                bottom = area[1] + area[3]
                context.line_to(points[-1][0], bottom)
                context.line_to(points[0][0], bottom)
                context.close_path()
                context.set_source_rgba(
                    *(line.color or self.foreground), 0.10)
                context.fill()
                context.append_path(path)
            self._set_line(context, line)
            context.stroke()

    def _runs(self, area, top, key):
        """Lists of points without a gap."""
        x, y, width, height = area
        points = []
        for when, values in self.samples:
            value = values.get(key)
            if value is not None and math.isfinite(value):
                ago = self.samples[-1][0] - when
                points.append((x + width * (1 - ago / SHOWN_S),
                               y + height * (1 - min(value / top, 2))))
            elif points:
                yield points
                points = []
        if points:
            yield points
