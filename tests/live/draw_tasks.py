#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Draws what docs/user-guide.md says to expect: runs the scripts of
examples/launch over an emulated link on this machine, watches them with
examples/monitor.py, and writes docs/figures/task-NAME.svg.

    draw_tasks.py [NAME...]      all of them: two minutes"""

import csv
import dataclasses
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from xml.sax.saxutils import escape

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "examples"))

from live.session import free_port  # noqa: E402

BUILD = pathlib.Path(os.environ.get("TFRC_BUILD_DIR", TOP / "build"))
SCENE = ("videotestsrc is-live=true pattern=snow ! "
         "video/x-raw,format=I420,width=320,height=240,framerate=25/1")
SECONDS = 20
WIDTH, HEIGHT, LEFT, BOTTOM, ABOVE = 560, 170, 46, 34, 24
# Grey shows on white and on black; colours that the colour-blind tell apart.
GREY, BLUE, ORANGE, GREEN = "#8a94a0", "#0072B2", "#E69F00", "#009E73"
SENDER = {"carried [kbit/s]": (BLUE, "sent"),
          "encoder [kbit/s]": (GREEN, "encoder"),
          "allowed [kbit/s]": (ORANGE, "allowed")}
RECEIVER = {"carried [kbit/s]": (BLUE, "received")}


@dataclasses.dataclass
class Task:
    receive: str
    send: list              # of a script, and what is behind the host and port
    link: list              # (from which second, capacity [kbit/s])
    lines: dict
    profile: str = "delay_ms 25\nqueue_ms 100\n"
    begins: float = 0       # the other end, this much later [s]


STEADY = [(0, 2000)]
TASKS = {
    "receive": Task("receive.sh", ["send-camera.sh"], STEADY, RECEIVER,
                    begins=4),
    "camera": Task("receive.sh", ["send-camera.sh"], [(0, 2000), (10, 500)],
                   SENDER),
    "file": Task("receive.sh", ["send-file.sh", "clip.mkv"], STEADY, SENDER),
    "audio": Task("receive-with-audio.sh", ["send-with-audio.sh"],
                  [(0, 1000), (8, 100)], SENDER),
    "nat": Task("receive.sh", ["send-camera.sh"], STEADY, SENDER,
                profile="delay_ms 25\nqueue_ms 100\nback_loss 1\n"),
}


def make_clip(path):
    subprocess.run(
        ["gst-launch-1.0", "-q", *SCENE.replace("is-live=true ", "").replace(
            "videotestsrc", "videotestsrc num-buffers=360").split(), "!",
         "x264enc", "speed-preset=ultrafast", "!", "matroskamux", "!",
         "filesink", f"location={path}"], check=True)


def run(task, folder):
    """The monitor's rows of one end."""
    port = free_port()
    profile = folder / "profile"
    profile.write_text(f"rate_kbit_s {task.link[0][1]}\n{task.profile}"
                       + "".join(f"at {second} rate_kbit_s {rate}\n"
                                 for second, rate in task.link[1:]))
    environment = dict(
        os.environ, BUILD_DIR=str(BUILD), VIDEO_SOURCE=SCENE,
        AUDIO_SOURCE="audiotestsrc is-live=true", VIDEO_SINK="fakesink",
        AUDIO_SINK="fakesink", GST_PLUGIN_PATH_1_0=str(BUILD / "gst/elements"))
    relay = subprocess.Popen(
        [BUILD / "tests/support/tfrc-relay", "--profile", profile, "--listen",
         "0", "--to", f"127.0.0.1:{port}", "--wait"],
        stdout=subprocess.PIPE, text=True)
    launch = TOP / "examples" / "launch"
    send = [str(launch / task.send[0]), "127.0.0.1", *(
        str(folder / name) for name in task.send[1:]),
        relay.stdout.readline().split()[1]]
    receive = [str(launch / task.receive), str(port)]
    watched, other = (receive, send) if task.lines is RECEIVER \
        else (send, receive)
    table = folder / "table.csv"
    processes = [relay]
    try:
        if watched is send:
            processes.append(subprocess.Popen(other, env=environment,
                                              stdout=subprocess.DEVNULL))
        monitor = subprocess.Popen(
            [TOP / "examples" / "monitor.py", "--interval", "250", "--seconds",
             str(SECONDS), "--csv", table, "--", *watched], env=environment,
            stdout=subprocess.DEVNULL)
        if watched is receive:
            time.sleep(task.begins)
            processes.append(subprocess.Popen(other, env=environment,
                                              stdout=subprocess.DEVNULL))
        monitor.wait()
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait()
    with open(table, encoding="utf-8") as text:
        return list(csv.DictReader(text))


def draw(task, rows):
    """A chart as SVG: rates by time."""
    top = max(rate for _, rate in task.link) * 1.3
    start = float(rows[0]["seconds"])

    def point(second, rate):
        return (f"{LEFT + second / SECONDS * (WIDTH - LEFT - 8):.0f},"
                f"{ABOVE + (1 - min(rate, top) / top) * (HEIGHT - ABOVE - BOTTOM):.0f}")

    def text(x, y, words, colour=GREY, anchor="start"):
        return (f'<text x="{x}" y="{y}" fill="{colour}" '
                f'text-anchor="{anchor}">{escape(words)}</text>')

    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
           f'height="{HEIGHT}" font-family="sans-serif" font-size="11">')
    changes = [*task.link, (SECONDS, task.link[-1][1])]
    steps = [point(second, rate)
             for (second, rate), (until, _) in zip(changes, changes[1:])
             for second in (second, until)]
    yield (f'<polygon points="{point(0, 0)} {" ".join(steps)} '
           f'{point(SECONDS, 0)}" fill="{GREY}" fill-opacity="0.25"/>')
    for column, (colour, _) in reversed(task.lines.items()):
        points = " ".join(point(float(row["seconds"]) - start, float(row[column]))
                          for row in rows if row[column]
                          and float(row["seconds"]) - start <= SECONDS)
        yield (f'<polyline points="{points}" fill="none" stroke="{colour}" '
               'stroke-width="1.5"/>')
    for rate in sorted({0, *(rate for _, rate in task.link)}):
        yield text(LEFT - 4, int(point(0, rate).split(",")[1]) + 4, str(rate),
                   anchor="end")
    for second in range(0, SECONDS + 1, 5):
        yield text(point(second, 0).split(",")[0], HEIGHT - BOTTOM + 14,
                   f"{second}", anchor="middle")
    yield text(WIDTH - 8, HEIGHT - 4, "seconds", anchor="end")
    x = LEFT
    for colour, words in [(GREY, "kbit/s: link"), *task.lines.values()]:
        yield text(x, 14, words, colour)
        x += 24 + 6 * len(words)
    yield "</svg>"


def main():
    names = sys.argv[1:] or list(TASKS)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        make_clip(folder / "clip.mkv")
        for task in names:
            picture = TOP / "docs" / "figures" / f"task-{task}.svg"
            rows = run(TASKS[task], folder)
            picture.write_text("\n".join(draw(TASKS[task], rows)) + "\n",
                               encoding="utf-8")
            print(f"wrote {picture.relative_to(TOP)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
