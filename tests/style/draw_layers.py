#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws the folders of gst/ from the includes, as SVG.

    draw_layers.py FILE           writes the picture
    draw_layers.py --check FILE   fails if the picture is not what the includes
                                 say now

An arrow leads to a folder that the other one uses.  One that other arrows imply
is left out, and its folder named in the box; one that runs up would be red."""

import pathlib
import sys
from xml.sax.saxutils import escape

import layers

# Where across the picture a folder stands, 0 to 1.
ACROSS = {
    "elements": 0.5, "elements/bins": 0.5,
    "elements/send": 0.2, "elements/receive": 0.5,
    "elements/encoder": 0.14, "elements/net": 0.68,
    "elements/common": 0.5, "wire": 0.68, "protocol/checks": 0.3,
    "protocol/tfmcc": 0.3, "protocol/delay": 0.68, "protocol/tfrc": 0.3, "protocol/rtp": 0.68,
    "protocol/base": 0.5,
}
WIDTH, LAYER_HEIGHT = 1000, 96
BOX_WIDTH, BOX_HEIGHT = 236, 58
# Grey shows on white and on black; the boxes bring their own ground.
LINE, UPWARD, TEXT = "#8a94a0", "#d62728", "#1d2733"
FILL = {"elements": "#dbe9f6", "wire": "#fdf0d0", "protocol": "#ddf0dd"}


def centre(folder):
    level = len(layers.LAYERS) - 1 - layers.LAYER[folder]
    return round(ACROSS[folder] * WIDTH), level * LAYER_HEIGHT + LAYER_HEIGHT // 2


def reachable(start, uses):
    """The folders that start uses, directly or through others."""
    found, waiting = set(), list(uses.get(start, ()))
    while waiting:
        folder = waiting.pop()
        if folder not in found:
            found.add(folder)
            waiting += uses.get(folder, ())
    return found


def implied(here, there, uses):
    return any(there in reachable(other, uses)
               for other in uses.get(here, ()) if other != there)


def arrow(here, there):
    (x1, y1), (x2, y2) = centre(here), centre(there)
    upward = y2 <= y1
    colour = UPWARD if upward else LINE
    y1 += BOX_HEIGHT // 2
    y2 -= BOX_HEIGHT // 2 + 7
    bend = LAYER_HEIGHT // 3
    return (f'<path d="M{x1} {y1}C{x1} {y1 + bend} {x2} {y2 - bend} {x2} {y2}" '
            f'fill="none" stroke="{colour}" stroke-width="2" '
            f'marker-end="url(#{"up" if upward else "down"})"/>')


def lines_of(words):
    """The words in lines that fit into a box."""
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > 40:
            lines.append("")
        lines[-1] += (" " if lines[-1] else "") + word
    return lines


def box(folder, also):
    x, y = centre(folder)
    name = folder.split("/")[-1] if "/" in folder else folder
    if folder == "elements":
        name = "plugin.c"
    texts = [(name, 17, "bold")]
    if also:
        texts += [(line, 11, "normal") for line in
                  lines_of(["and"] + ", ".join(
                      other.split("/")[-1] for other in also).split())]
    top = y - 8 * (len(texts) - 1)
    parts = [f'<rect x="{x - BOX_WIDTH // 2}" y="{y - BOX_HEIGHT // 2}" '
             f'width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="6" '
             f'fill="{FILL[folder.split("/")[0]]}" stroke="{LINE}"/>']
    for index, (text, size, weight) in enumerate(texts):
        parts.append(f'<text x="{x}" y="{top + 5 + 16 * index}" '
                     f'font-size="{size}" font-weight="{weight}">'
                     f'{escape(text)}</text>')
    return "\n".join(parts)


def picture(gst):
    arrows = sorted(layers.arrows(gst), key=lambda pair: (
        pair[0], -layers.LAYER[pair[1]], pair[1]))
    uses = {}
    for here, there in arrows:
        if layers.LAYER[there] < layers.LAYER[here]:
            uses.setdefault(here, set()).add(there)
    height = len(layers.LAYERS) * LAYER_HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
        f' font-family="sans-serif" text-anchor="middle" fill="{TEXT}">',
        "<title>The folders of gst/, and which of them each one uses</title>",
        "<defs>"]
    for name, colour in (("down", LINE), ("up", UPWARD)):
        parts.append(f'<marker id="{name}" viewBox="0 0 8 8" refX="1" refY="4" '
                     f'markerWidth="5" markerHeight="5" orient="auto">'
                     f'<path d="M0 0L8 4L0 8z" fill="{colour}"/></marker>')
    parts.append("</defs>")
    also = {}
    for here, there in arrows:
        if implied(here, there, uses):
            also.setdefault(here, []).append(there)
        else:
            parts.append(arrow(here, there))
    for level in reversed(layers.LAYERS):
        parts += [box(folder, also.get(folder, [])) for folder in level]
    return "\n".join(parts + ["</svg>", ""])


def main():
    arguments = sys.argv[1:]
    check = arguments[:1] == ["--check"]
    if len(arguments) != 1 + check:
        sys.exit("usage: draw_layers.py [--check] FILE")
    file = pathlib.Path(arguments[-1])
    text = picture(layers.TOP / "gst")
    if not check:
        file.write_text(text, encoding="utf-8")
    elif not file.exists() or file.read_text(encoding="utf-8") != text:
        print(f"{file} is not what the includes say now: "
              f"tests/style/draw_layers.py docs/figures/{file.name} makes it")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
