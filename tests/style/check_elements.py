#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares docs/elements.md with the elements as they are registered: every pad
template stands there, and no other, in tables under headings such as "### Pads
of tfrcsink"; and its table of names has names that our elements have, and those
of others that are installed."""

import pathlib
import re
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import Gst  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGE = TOP / "docs" / "elements.md"
ELEMENTS = ["rtptfrcreceive", "rtptfrcsend", "tfrcsink", "tfrcsrc",
            "tfrcvideoscale", "tfrcladdersrc"]
NAMES_HEADING = "## Names beside those of other elements"


def section(text, heading):
    return re.split(r"\n##+ ", text.partition(f"{heading}\n")[2])[0]


def first_column(text):
    return re.findall(r"^\| `([^`]+)`", text, re.MULTILINE)


def make(name):
    element = Gst.ElementFactory.make(name)
    if element is None:
        sys.exit(f"check_elements.py: no element {name}: is the plugin in "
                 "GST_PLUGIN_PATH_1_0?")
    return element


def properties(element):
    """Of the element and of pads that are made on request."""
    pads = [element.request_pad(template, None, None)
            for template in element.get_pad_template_list()
            if template.presence == Gst.PadPresence.REQUEST]
    return {pspec.name for thing in [element, *pads]
            for pspec in thing.list_properties()}


def differences(text):
    elements = {name: make(name) for name in ELEMENTS}
    for name, element in elements.items():
        page = set(first_column(section(text, f"### Pads of {name}")))
        pads = {template.name_template
                for template in element.get_pad_template_list()}
        for pad in sorted(page ^ pads):
            yield f"{name}: pad {pad}: " + (
                "is in the page only" if pad in page else "is not in the page")
    names = section(text, NAMES_HEADING)
    ours = set().union(*map(properties, elements.values()))
    for name in first_column(names):
        if name not in ours:
            yield f"{NAMES_HEADING}: {name}: no element has it"
    for factory, other in re.findall(r"`(\w+):([\w-]+)`", names):
        element = Gst.ElementFactory.make(factory)
        if element and not element.find_property(other):
            yield f"{NAMES_HEADING}: {factory} has no {other}"


def main():
    Gst.init(None)
    found = list(differences(PAGE.read_text(encoding="utf-8")))
    for difference in found:
        print(difference)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
