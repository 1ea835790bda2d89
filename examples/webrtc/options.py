# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line.  Needs nothing but Python itself, so that a wrong option is
told before anything is installed."""

from live.options import (
    Parser, folder, milliseconds, new_file, port, seconds)


def parser():
    result = Parser(
        "webrtc.sh", "Sends a live video to browsers, at the rate that the "
        "network allows.")
    result.add_argument(
        "--port", type=port, default=8080, metavar="N",
        help="of the page, 0 for any (8080)")
    result.add_argument(
        "--address", default="0.0.0.0", metavar="ADDRESS",
        help="of this machine at which the page is (all)")
    result.add_argument(
        "--publish", metavar="URL",
        help="send one stream to that media server, by WHIP, and serve no page")
    result.add_argument(
        "--token", metavar="TOKEN", help="that the media server wants")
    result.add_argument(
        "--controller", choices=("tfrc", "none"), default="tfrc",
        help="who sets the rate: rtptfrcsend, or nobody (tfrc)")
    result.add_argument(
        "--no-nack", dest="nack", action="store_false",
        help="do not repeat lost packets")
    result.add_delay_target("rtptfrcsend")
    result.add_argument(
        "--buffer", type=milliseconds, metavar="MS",
        help="how long each frame waits in the browser, for packets that come "
        "the second time (200)")
    result.add_argument(
        "--seconds", type=seconds, metavar="N",
        help="how long (until Ctrl-C; without a screen 60)")
    result.add_argument(
        "--headless", action="store_true",
        help="measure with Chromium and a link in network namespaces (as "
        "root)")
    result.add_link("the link of --headless")
    result.add_argument(
        "--json", type=new_file, metavar="FILE",
        help="write the numbers of --headless here as well")
    result.add_argument(
        "--report", type=folder, metavar="DIR",
        help="keep the logs of --headless, and series of it, in this folder")
    return result
