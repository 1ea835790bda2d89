# SPDX-License-Identifier: LGPL-2.1-or-later
"""The command lines of the demos.  Needs nothing but Python itself, so that a wrong
option is told before anything is installed."""

import argparse
import os
import pathlib

from .codecs import CODECS

TOP = pathlib.Path(__file__).resolve().parents[2]
LINKS = TOP / "data" / "links"


class ListLinks(argparse.Action):

    def __call__(self, parser, namespace, values, option_string=None):
        for name, path in link_files().items():
            print(f"{name:12} {link_title(path)}")
        parser.exit()


class Report(argparse.Action):

    def __call__(self, parser, namespace, values, option_string=None):
        namespace.report = values
        namespace.report_is_wanted = True


class Parser(argparse.ArgumentParser):
    """A demo's.  --check-options: only whether they are right, which is asked before
    anything is installed."""

    def __init__(self, program, description):
        super().__init__(prog=program, allow_abbrev=False,
                         description=description)
        self.add_argument(
            "--check-options", action="store_true", help=argparse.SUPPRESS)
        self.set_defaults(check=lambda chosen: None)

    def add_link(self, what, default="steps"):
        self.add_argument(
            "--link", type=link, default=default, metavar="PROFILE",
            help=f"{what}: a name of --list-links, or a file like those of "
            "data/links" + (f" ({default})" if default else ""))
        self.add_argument(
            "--list-links", nargs=0, action=ListLinks,
            help="list the links and exit")

    def add_delay_target(self, element):
        self.add_argument(
            "--delay-target", type=milliseconds, metavar="MS",
            help=f"the queue that {element} aims at, 0 for none (its default, "
            "8)")

    def add_input(self):
        self.add_argument(
            "--input", type=readable_file, metavar="FILE",
            help="a video to send, looped (a synthetic scene)")

    def parse_args(self, *arguments):
        chosen = super().parse_args(*arguments)
        reason = chosen.check(chosen)
        if reason:
            self.error(reason)
        if chosen.check_options:
            self.exit()
        return chosen

    def error(self, message):
        self.exit(2, f"{self.prog}: {message}\n")


def delay_target(ms):
    """The properties of the element, whose own default holds without."""
    return {} if ms is None else {"delay-target": ms}


def link_files():
    """The profiles of data/links by name."""
    return {path.stem: path for path in sorted(LINKS.glob("*.link"))}


def link_title(path):
    """What the first comment line of a profile says."""
    with path.open(encoding="utf-8") as file:
        return file.readline().lstrip("# ").strip()


def port(text):
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a port from 0 to 65535")
    return int(text)


def readable_file(text):
    path = pathlib.Path(text)
    if not path.is_file() or not os.access(path, os.R_OK):
        raise argparse.ArgumentTypeError(f"cannot read the file '{text}'")
    return path.resolve()


def folder(text):
    """A folder to write into; it is made when the options are right."""
    path = pathlib.Path(text).resolve()
    there = next(one for one in (path, *path.parents) if one.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise argparse.ArgumentTypeError(f"cannot write into '{there}'")
    return path


def new_file(text):
    path = pathlib.Path(text).resolve()
    if path.is_dir():
        raise argparse.ArgumentTypeError(f"'{text}' is a folder")
    folder(path.parent)
    return path


def link(text):
    try:
        return link_files().get(text) or readable_file(text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(
            f"there is no link '{text}' (--list-links shows them), and no "
            "such file") from error


def seconds(text):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 1 <= value <= 86400:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a number of seconds from 1 to 86400")
    return value


def milliseconds(text):
    try:
        value = int(text)
    except ValueError:
        value = -1
    if not 0 <= value <= 1000:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a number of milliseconds from 0 to 1000")
    return value


def base_parser(program, description, what_ends="how long"):
    """Of what shows on a screen, or in a report."""
    result = Parser(program, description)
    result.add_argument(
        "--seconds", type=seconds, default=60.0, metavar="N",
        help=f"{what_ends} (60)")
    result.add_argument(
        "--headless", action="store_true",
        help="no window even where there is a display")
    result.add_argument(
        "--encoder", choices=sorted(CODECS), default="x264",
        help="(x264)")
    result.add_argument(
        "--json", type=new_file, metavar="FILE",
        help="write the numbers here as well")
    result.add_argument(
        "--report", type=folder, default="report", action=Report,
        metavar="DIR", help="the report's folder, made if need be (report); "
        "its page is opened in a browser where there is a desktop")
    result.set_defaults(report_is_wanted=False)
    return result


def parser():
    result = base_parser(
        "demo.sh", "Shows a live video stream that adapts to a bad link, "
        "and writes a report of it.")
    result.add_link("the link")
    result.add_delay_target("tfrcsink")
    result.add_argument(
        "--repair", choices=("auto", "off", "compare"), default="auto",
        help="send lost packets again, or parity where that is too late (auto); "
        "compare runs twice, with and without")
    result.add_input()
    return result


def group_parser():
    result = base_parser(
        "multicast.sh", "Shows a live video stream to a group of receivers "
        "behind links of their own, and writes a report of it.")
    result.add_argument(
        "--ladder", action="store_true",
        help="two groups, of which each receiver listens to the faster one that "
        "its link can take")
    return result


def show_on_screen(chosen):
    return not chosen.headless and any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
