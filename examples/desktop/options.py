# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line.  Needs nothing but Python itself, so that a wrong option is
told before anything is installed."""

import os

from live.codecs import CODECS
from live.options import Parser, readable_file

FORMS = ("compare", "one", "group", "send", "receive")


class DesktopParser(Parser):

    def parse_args(self, *arguments):
        # Asked before anything is installed, too.
        chosen = self.parse_known_args(*arguments)[0]
        reason = why_no_window()
        if reason and chosen.check_options:
            self.exit(1, f"{self.prog}: {reason}\n")
        return super().parse_args(*arguments)


def parser():
    result = DesktopParser(
        "desktop.sh", "Shows in a window how a live video stream adapts to a "
        "link that is made bad by hand.")
    result.add_argument(
        "--show", choices=FORMS, default="compare",
        help="beside a stream without congestion control, one receiver, a "
        "group of receivers, or one end of a stream to a second machine "
        "(compare)")
    result.add_link("what the link is at first", "steady")
    result.add_argument(
        "--source", choices=("scene", "camera", "screen"), default="scene",
        help="what is sent (scene)")
    result.add_argument(
        "--input", type=readable_file, metavar="FILE",
        help="a video to send instead, looped")
    result.add_argument(
        "--encoder", choices=sorted(CODECS), default="x264", help="(x264)")
    result.add_delay_target("tfrcsink")
    return result


def why_no_window():
    """None when there can be one."""
    if os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"):
        return None
    return ("there is no display: start it in a desktop session, or use "
            "./examples/demo.sh --headless")
