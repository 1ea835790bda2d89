# SPDX-License-Identifier: LGPL-2.1-or-later
"""The report as one HTML file that needs no other one and no network: what the
summary says, what the screen showed with and without repair, the plot as SVG,
the last frames side by side, all numbers."""

import base64
import html
import re
import shutil
import subprocess

from .session import WITHOUT_CONTROL, WITHOUT_REPAIR, screen_name

NAME = "report.html"
NAME_COLUMNS = 24       # of a line of the summary
# A frame of a receiver has its name behind a dash.
FRAMES = {"frame-sent": "sent", "frame": "received",
          "frame-plain": "received without congestion control"}
# Key of the numbers of a second stream: its folder, how the first and the
# second one are called.
SECOND = {
    "without_repair": (WITHOUT_REPAIR, "with repair", "without repair"),
    "without_control": (WITHOUT_CONTROL, "with tfrcsink", "at a fixed rate")}

STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.45 sans-serif; max-width: 1100px; margin: 2em auto;
       padding: 0 1em; }
h1 { font-size: 1.4em; }
table { border-collapse: collapse; }
td { padding: .15em 1.2em .15em 0; border-bottom: 1px solid #8884;
     vertical-align: top; font-variant-numeric: tabular-nums; }
svg, img { max-width: 100%; height: auto; }
.plot { background: white; }
.frames { display: flex; flex-wrap: wrap; gap: 1em; }
figure { flex: 1 1 20em; margin: 0; }
summary { cursor: pointer; margin: 1em 0; }
"""


def write(folder, text, values):
    """Of what is in the folder: plot.svg, frame*.png, screens.  `text` is the
    summary, `values` the numbers."""
    title, _, rest = text.partition("\n")
    parts = [f"<h1>{html.escape(title)}</h1>",
             table((line[:NAME_COLUMNS].strip(), line[NAME_COLUMNS:])
                   for line in rest.splitlines() if line.strip()),
             *screens(folder, values), plot(folder / "plot.svg"),
             plot(folder / WITHOUT_CONTROL / "plot.svg")
             if "without_control" in values else None, frames(folder),
             "<details><summary>All numbers</summary>",
             table(numbers(values)), "</details>"]
    (folder / NAME).write_text(
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8">\n'
        f"<title>{html.escape(title)}</title>\n<style>{STYLE}</style></head>\n"
        "<body>\n" + "\n".join(filter(None, parts)) + "\n</body></html>\n",
        encoding="utf-8")


def table(rows):
    """A text may have columns, two blanks between them."""
    split = [(name, re.split(r"  +", text)) for name, text in rows]
    width = max((len(texts) for _, texts in split), default=1)

    def cell(text, is_last):
        span = f' colspan="{width}"' if is_last and width > 1 else ""
        return f"<td{span}>{html.escape(text)}</td>"

    cells = "".join(f"<tr><td>{html.escape(name)}</td>" + "".join(
        cell(text, len(texts) == 1) for text in texts) + "</tr>\n"
        for name, texts in split)
    return f"<table>\n{cells}</table>"


def numbers(values, before=""):
    """(name, text) of all that is a number or a name, lists and dictionaries
    within as well."""
    items = values.items() if isinstance(values, dict) else enumerate(values)
    for key, value in items:
        if isinstance(value, (dict, list)):
            yield from numbers(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", "–" if value is None else f"{value}"


def plot(path):
    """Without the head of an SVG file, which names a DTD somewhere else."""
    if not path.exists():
        return None
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    return f'<div class="plot">{text[text.index("<svg"):]}</div>'


def screens(folder, values):
    """For each moment what the screen showed of either stream."""
    second, first_name, second_name = next(
        (SECOND[key] for key in SECOND if key in values), ("", "", ""))
    for place, when in enumerate(values.get("screens_at_s", [])):
        pair = {f"At {when:g} s {name}": path / screen_name(place)
                for name, path in ((first_name, folder),
                                   (second_name, folder / second))}
        if all(path.exists() for path in pair.values()):
            yield side_by_side(pair)


def frames(folder):
    paths = [path for path in sorted(
        folder.glob("frame*.png"), key=lambda path: (
            list(FRAMES).index(path.stem) if path.stem in FRAMES
            else len(FRAMES), path.stem))]
    return side_by_side({f"The last frame {caption(path.stem)}": path
                         for path in paths}) if paths else None


def side_by_side(pictures):
    """Of {caption: PNG file}."""
    figures = "".join(
        '<figure><img alt="" src="data:image/png;base64,'
        f'{base64.b64encode(path.read_bytes()).decode()}"><figcaption>'
        f"{html.escape(text)}</figcaption></figure>\n"
        for text, path in pictures.items())
    return f'<div class="frames">\n{figures}</div>'


def caption(stem):
    return FRAMES.get(stem) or "of " + stem.removeprefix("frame-")


def open_in_browser(folder):
    """Where the desktop knows how: the process, which nobody waits for."""
    opener = shutil.which("xdg-open")
    return opener and subprocess.Popen(
        [opener, str(folder / NAME)], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        start_new_session=True)
