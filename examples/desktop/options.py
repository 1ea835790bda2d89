# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line.  Needs nothing but Python itself, so that a wrong option is
told before anything is installed."""

from live.codecs import CODECS
from live.options import base_parser, readable_file, show_on_screen

FORMS = ("compare", "one", "group", "ladder", "send", "receive")
# What shows it without a window.
HEADLESS = {"one": "./examples/demo.sh", "group": "./examples/multicast.sh",
            "ladder": "./examples/multicast.sh --ladder"}


def parser():
    result = base_parser(
        "desktop.sh", "Shows in a window how a live video stream adapts to a "
        "link that is made bad by hand, beside one that does not; without a "
        "display it writes a report of both.", "of a report")
    result.add_argument(
        "--show", choices=FORMS, default="compare",
        help="beside a stream without congestion control, one receiver, a "
        "group of receivers, a ladder of two groups, or one end of a stream to a second machine "
        "(compare)")
    result.add_link("what the link is at first (steady; without a window steps)",
                    None)
    result.add_argument(
        "--source", choices=("scene", "camera", "screen"), default="scene",
        help="what is sent (scene)")
    result.add_argument(
        "--input", type=readable_file, metavar="FILE",
        help="a video to send instead, looped")
    result.add_delay_target("tfrcsink")
    result.set_defaults(check=check)
    return result


def check(chosen):
    """Why it cannot be shown as chosen, or None."""
    if show_on_screen(chosen):
        return None
    if chosen.show != "compare":
        instead = HEADLESS.get(chosen.show)
        return f"--show {chosen.show} needs a display" + (
            f"; {instead} --headless needs none" if instead else "")
    if chosen.source == "screen" and not chosen.input:
        return "--source screen needs a display"
    return None
