#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compares docs/elements.md with the elements as they are registered: every
property with its type, range and default, every signal, every action, every
pad template, every property that its pads have of their own and every field of
the statistics, those of a group's sender too, stands there, and no other.  Of
other elements it has names that they have.

The tables stand under headings such as "### Properties of tfrcsink and tfrcsrc"
and have the name in their first column.

    check_elements.py              compares
    check_elements.py --print E    prints the rows of element E's properties"""

import pathlib
import re
import sys

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GObject, Gst  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parents[2]
PAGE = TOP / "docs" / "elements.md"
ELEMENTS = ["rtptfrcreceive", "rtptfrcsend", "tfrcsink", "tfrcsrc"]
# Of every element, or of every bin.
COMMON = {"name", "parent", "async-handling", "message-forward"}
# Drawn anew for each element.
RANDOM = {"cname", "rtcp-ssrc"}
HEADING = re.compile(
    r"^### (Properties|Pad properties|Statistics|Signals|Actions|Pads) of (.+)$")
KINDS = ("Properties", "Pad properties", "Statistics", "Signals", "Actions",
         "Pads")
NAMES_HEADING = "## Names beside those of other elements"
GROUP_HEADING = "### Fields of a group's sender"
TYPES = {"gboolean": "boolean", "gchararray": "string", "gdouble": "double",
         "gint": "int", "guint": "uint", "guint64": "uint64"}


def number(value):
    return f"{value:g}" if isinstance(value, float) else str(value)


def describe(element, pspec):
    """(type, range, default) of a new element's property, as the page has
    them."""
    kind = TYPES.get(pspec.value_type.name, pspec.value_type.name)
    limits = ""
    # Not every kind has one in PyGObject 3.50.
    default = getattr(pspec, "default_value", None)
    if pspec.value_type.is_a(GObject.TYPE_ENUM):
        # Of the default only the number is known everywhere.
        default = element.get_property(pspec.name)
        values = type(default).__enum_values__
        limits = ", ".join(values[key].value_nick for key in sorted(values))
        kind, default = "enum", default.value_nick
    elif hasattr(pspec, "minimum"):
        limits = f"{number(pspec.minimum)} to {number(pspec.maximum)}"
        default = number(default)
    elif isinstance(default, bool):
        default = str(default).lower()
    if pspec.name in RANDOM:
        default = "random"
    access = {GObject.ParamFlags.READABLE: ", read only",
              GObject.ParamFlags.WRITABLE: ", write only"}.get(
        pspec.flags & GObject.ParamFlags.READWRITE, "")
    return kind + access, limits, "NULL" if default is None else str(default)


def registered(name):
    """What the element has: {kind: {name: its further columns}}."""
    element = Gst.ElementFactory.make(name, None)
    if element is None:
        sys.exit(f"check_elements.py: no element {name}: is the plugin in "
                 "GST_PLUGIN_PATH_1_0?")
    found = {kind: {} for kind in KINDS}
    for pspec in element.list_properties():
        if pspec.name not in COMMON:
            found["Properties"][pspec.name] = describe(element, pspec)
    stats = element.get_property("stats")
    for index in range(stats.n_fields()):
        field = stats.nth_field_name(index)
        kind = stats.get_field_type(field).name
        found["Statistics"][field] = (TYPES.get(kind, kind),)
    for signal in GObject.signal_list_names(element.__gtype__):
        query = GObject.signal_query(
            GObject.signal_lookup(signal, element.__gtype__))
        kind = "Actions" if query.signal_flags & GObject.SignalFlags.ACTION \
            else "Signals"
        found[kind][signal] = ()
    for template in element.get_pad_template_list():
        found["Pads"][template.name_template] = ()
        if template.presence == Gst.PadPresence.REQUEST:
            pad = element.request_pad(template, None, None)
            for pspec in pad.list_properties():
                if pspec.owner_type == pad.__gtype__:
                    found["Pad properties"][pspec.name] = describe(pad, pspec)
    return found


def group_statistics():
    """What the sender of a group has besides: {field: type}."""
    element = Gst.ElementFactory.make("rtptfrcsend", None)
    before = element.get_property("stats")
    element.set_property("mode", "tfmcc")
    element.set_state(Gst.State.PAUSED)
    stats = element.get_property("stats")
    element.set_state(Gst.State.NULL)
    kinds = {}
    for index in range(stats.n_fields()):
        field = stats.nth_field_name(index)
        if not before.has_field(field):
            kind = stats.get_field_type(field).name
            kinds[field] = TYPES.get(kind, kind)
    return kinds


def group_differences():
    text = PAGE.read_text(encoding="utf-8")
    section = text[text.index(GROUP_HEADING) + 1:].split("\n### ")[0]
    page = {}
    for line in section.split("\n"):
        if line.startswith("| `"):
            row = cells(line)
            page[row[0]] = row[1]
    found = group_statistics()
    for field in sorted(page.keys() | found.keys()):
        if page.get(field) != found.get(field):
            yield (f"{GROUP_HEADING}: {field}: the page says "
                   f"{page.get(field)}, the element {found.get(field)}")


def cells(line):
    return [cell.strip().strip("`") for cell in line.strip().strip("|")
            .split("|")]


def documented():
    """The same for each element, out of the page."""
    found = {name: {kind: {} for kind in KINDS} for name in ELEMENTS}
    kind, names = None, []
    for line in PAGE.read_text(encoding="utf-8").split("\n"):
        heading = HEADING.match(line)
        if heading:
            kind = heading.group(1)
            names = re.split(r", | and ", heading.group(2))
        elif line.startswith("#"):
            kind = None
        elif kind and line.startswith("| `"):
            row = cells(line)
            for name in names:
                found[name][kind][row[0]] = row[1:]
    return found


def differences():
    pages = documented()
    for name in ELEMENTS:
        for kind, things in registered(name).items():
            page = pages[name][kind]
            for thing in sorted(things.keys() - page.keys()):
                yield f"{name}: {kind}: {thing} is not in the page"
            for thing in sorted(page.keys() - things.keys()):
                yield f"{name}: {kind}: {thing} is in the page only"
            for thing in sorted(things.keys() & page.keys()):
                true = list(things[thing])
                said = page[thing][:len(true)]
                if said != true:
                    yield (f"{name}: {kind}: {thing}: the page says {said}, "
                           f"the element {true}")
    yield from group_differences()
    yield from name_differences()


def name_differences():
    """Of the table of names: that ours is one, and that theirs are, of elements
    that are installed."""
    text = PAGE.read_text(encoding="utf-8")
    section = text[text.index(NAMES_HEADING):].split("\n## ")[0]
    ours = {name for element in ELEMENTS
            for kind, things in registered(element).items()
            if kind in ("Properties", "Pad properties") for name in things}
    for line in section.split("\n"):
        if not line.startswith("| `"):
            continue
        name = cells(line)[0]
        if name not in ours:
            yield f"{NAMES_HEADING}: {name}: no element has it"
        for factory, other in re.findall(r"`(\w+):([\w-]+)`", line):
            element = Gst.ElementFactory.make(factory, None)
            if element and not element.find_property(other):
                yield f"{NAMES_HEADING}: {factory} has no {other}"


def print_rows(name):
    element = Gst.ElementFactory.make(name, None)
    for pspec in sorted(element.list_properties(), key=lambda p: p.name):
        if pspec.name in COMMON:
            continue
        kind, limits, default = describe(element, pspec)
        blurb = re.sub(r"\(?default:? .*\)?$", "", pspec.blurb).strip("(, ")
        print(f"| `{pspec.name}` | {kind} | {limits} | {default} | {blurb} |")


def main():
    Gst.init(None)
    if sys.argv[1:2] == ["--print"]:
        print_rows(sys.argv[2])
        return 0
    count = 0
    for difference in differences():
        print(difference)
        count += 1
    print(f"{count} differences between {PAGE.relative_to(TOP)} and the "
          "elements")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
