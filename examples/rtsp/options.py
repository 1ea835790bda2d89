# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line.  Needs nothing but Python itself, so that a wrong option is
told before anything is installed."""

from live.options import base_parser, port


def parser():
    result = base_parser(
        "rtsp.sh", "Serves a live video by RTSP, through a bad link to a "
        "client, and writes a report of it.")
    result.add_link("the link")
    result.add_input()
    result.add_argument(
        "--camera", action="store_true", help="send what a camera sees")
    result.add_argument(
        "--feedback", choices=("rr", "twcc"), default="rr",
        help="what is followed: reception reports, which every client sends, or "
        "transport-wide feedback (rr)")
    result.add_argument(
        "--shared", action="store_true",
        help="one encoder for all clients, at the rate of the slowest")
    result.add_argument(
        "--serve", type=port, metavar="PORT",
        help="without client, link and report: serve whoever comes, until Ctrl-C")
    return result
