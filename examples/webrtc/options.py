# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command line.  Needs nothing but Python itself, so that a wrong option is
told before anything is installed."""

import argparse

from live.options import (
    Parser, delay_target, folder, link, list_links, new_file, seconds)

__all__ = ["list_links", "parser"]


def port(text):
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a port from 0 to 65535")
    return int(text)


def known_link(text):
    try:
        return link(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(
            f"there is no link '{text}' (--list-links shows them), and no "
            "such file") from error


def parser():
    result = Parser(
        prog="webrtc.sh", allow_abbrev=False,
        description="Sends a live video to browsers, at the rate that the "
        "network allows.")
    result.add_argument(
        "--port", type=port, default=8080, metavar="N",
        help="of the page, 0 for any (8080)")
    result.add_argument(
        "--address", default="0.0.0.0", metavar="ADDRESS",
        help="of this machine at which the page is (all)")
    result.add_argument(
        "--controller", choices=("tfrc", "none"), default="tfrc",
        help="who sets the rate: rtptfrcsend, or nobody (tfrc)")
    result.add_argument(
        "--no-nack", dest="nack", action="store_false",
        help="do not repeat lost packets")
    result.add_argument(
        "--delay-target", type=delay_target, metavar="MS",
        help="the queue that rtptfrcsend aims at, 0 for none (its default)")
    result.add_argument(
        "--seconds", type=seconds, metavar="N",
        help="how long (until Ctrl-C; without a screen 60)")
    result.add_argument(
        "--headless", action="store_true",
        help="measure with Chromium and a link in network namespaces (as "
        "root)")
    result.add_argument(
        "--link", type=known_link, default="steps", metavar="PROFILE",
        help="the link of --headless: a name of --list-links, or a file like "
        "those of data/links (steps)")
    result.add_argument(
        "--list-links", action="store_true", help="list the links and exit")
    result.add_argument(
        "--json", type=new_file, metavar="FILE",
        help="write the numbers of --headless here as well")
    result.add_argument(
        "--report", type=folder, metavar="DIR",
        help="keep the logs of --headless, and series of it, in this folder")
    # Only whether the options are right: asked before anything is installed.
    result.add_argument(
        "--check-options", action="store_true", help=argparse.SUPPRESS)
    return result
