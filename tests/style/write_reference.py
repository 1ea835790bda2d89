#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes docs/reference out of the code: gst_plugins_cache.json, what
GStreamer's own documentation is made of, in the form of its
gst-hotdoc-plugins-scanner, which no package of Debian has; and a page for each
element out of that, of the comments in gst/elements and of the lists of
statistics.

    write_reference.py            writes what has changed
    write_reference.py --check    tells what is not as it would be written,
                                  and fields of statistics in no list"""

import json
import os
import pathlib
import re
import socket
import subprocess
import sys

# A field that is set and in no list is an error.
os.environ["G_DEBUG"] = "fatal-criticals"

import gi  # noqa: E402

gi.require_version("Gst", "1.0")
from gi.repository import GObject, Gst  # noqa: E402

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("TFRC_BUILD_DIR", TOP / "build"))
FOLDER = TOP / "docs" / "reference"
# The lists of statistics of each element; with TFMCC a sender has another.
STATISTICS = {
    "rtptfrcreceive": ["receive"],
    "rtptfrcsend": ["send"],
    "tfrcsink": ["send", "bin", "sink"],
    "tfrcsrc": ["receive", "bin", "src"],
    "tfrcvideoscale": [],
    "tfrcladdersrc": [],
}
SENDERS = ("rtptfrcsend", "tfrcsink")
COMMENT = re.compile(r"/\*\*\n(.*?)\*/", re.DOTALL)
MUTABLE = {"null": "NULL", "ready": "NULL, READY", "playing": "any state"}
WHEN = {GObject.SignalFlags.RUN_FIRST: "first",
        GObject.SignalFlags.RUN_LAST: "last",
        GObject.SignalFlags.RUN_CLEANUP: "cleanup"}


# What gst-hotdoc-plugins-scanner writes.

def text_of_default(pspec, instance):
    """None where the scanner gives none."""
    if pspec.flags & Gst.PARAM_DOC_SHOW_DEFAULT \
            or not pspec.flags & GObject.ParamFlags.READABLE:
        value = getattr(pspec, "default_value", None)
    else:
        value = instance.get_property(pspec.name)
    if pspec.value_type == GObject.TYPE_STRING:
        return "NULL" if value is None else value
    if value is None:
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, GObject.GEnum):
        return f"{value.value_nick} ({int(value)})"
    return str(value) if isinstance(value, int) else None


def limit(number):
    return f"{number:g}" if isinstance(number, float) else str(number)


def describe_property(pspec, instance):
    flags = GObject.ParamFlags
    mutable = "playing" if pspec.flags & Gst.PARAM_MUTABLE_PLAYING else \
        "paused" if pspec.flags & Gst.PARAM_MUTABLE_PAUSED else \
        "ready" if pspec.flags & Gst.PARAM_MUTABLE_READY else "null"
    found = {
        "blurb": pspec.blurb,
        "conditionally-available":
            bool(pspec.flags & Gst.PARAM_CONDITIONALLY_AVAILABLE),
        "construct": bool(pspec.flags & flags.CONSTRUCT),
        "construct-only": bool(pspec.flags & flags.CONSTRUCT_ONLY),
        "controllable": bool(pspec.flags & Gst.PARAM_CONTROLLABLE),
        "mutable": mutable,
        "readable": bool(pspec.flags & flags.READABLE),
        "type": pspec.value_type.name,
        "writable": bool(pspec.flags & flags.WRITABLE),
    }
    default = text_of_default(pspec, instance)
    if default is not None:
        found["default"] = default
    if hasattr(pspec, "minimum"):
        found["max"] = limit(pspec.maximum)
        found["min"] = limit(pspec.minimum)
    return found


def describe_signal(name, gtype):
    query = GObject.signal_query(GObject.signal_lookup(name, gtype))
    found = {
        "args": [{"name": f"arg{i}", "type": kind.name}
                 for i, kind in enumerate(query.param_types)],
        "return-type": query.return_type.name,
    }
    for flag, when in WHEN.items():
        if query.signal_flags & flag:
            found["when"] = when
    if query.signal_flags & GObject.SignalFlags.ACTION:
        found["action"] = True
    return found


def describe_object(instance, gtype):
    """Of one class of the instance's."""
    hierarchy, above = [], gtype
    while above:
        hierarchy.append(above.name)
        above = above.parent if above != GObject.TYPE_OBJECT else None
    found = {"hierarchy": hierarchy}
    if gtype.interfaces:
        found["interfaces"] = [kind.name for kind in gtype.interfaces]
    properties = {pspec.name: describe_property(pspec, instance)
                  for pspec in instance.list_properties()
                  if pspec.owner_type == gtype}
    signals = {name: describe_signal(name, gtype)
               for name in GObject.signal_list_names(gtype)}
    if properties:
        found["properties"] = properties
    if signals:
        found["signals"] = signals
    return found


def describe_template(template):
    found = {"caps": template.caps.to_string().replace(", ", "\n") + ":\n"
             if template.caps.get_size() == 1 else template.caps.to_string(),
             "direction": template.direction.value_nick,
             "presence": template.presence.value_nick}
    if template.props.gtype not in (GObject.TYPE_NONE, Gst.Pad.__gtype__):
        found["type"] = template.props.gtype.name
    return found


def describe_element(factory, element):
    found = describe_object(element, element.__gtype__)
    found["rank"] = "none"
    for key in factory.get_metadata_keys():
        if key != "long-name":
            found[key] = factory.get_metadata(key)
    found["pad-templates"] = {
        template.name_template.replace("%", "%%"): describe_template(template)
        for template in element.get_pad_template_list()}
    return found


def other_types(elements):
    """Enumerations and classes of ours that the elements use."""
    found = {}
    for element in elements.values():
        objects = [element] + [
            element.request_pad(template, None, None)
            for template in element.get_pad_template_list()
            if template.presence == Gst.PadPresence.REQUEST]
        for instance in objects:
            above = instance.__gtype__.parent if instance is element \
                else instance.__gtype__
            if Gst.type_is_plugin_api(above)[0]:
                found[above.name] = {"kind": "object",
                                     **describe_object(instance, above)}
            for pspec in instance.list_properties():
                kind = pspec.value_type
                if kind.is_a(GObject.TYPE_ENUM) \
                        and Gst.type_is_plugin_api(kind)[0]:
                    values = kind.pytype.__enum_values__ if kind.pytype \
                        else type(instance.get_property(
                            pspec.name)).__enum_values__
                    found[kind.name] = {"kind": "enum", "values": [
                        {"name": value.value_nick, "value": str(number),
                         "desc": value.value_name}
                        for number, value in sorted(values.items())]}
    return found


def describe_plugin(elements):
    plugin = Gst.Registry.get().find_plugin("tfrc")
    return {"tfrc": {
        "description": plugin.get_description(),
        "elements": {name: describe_element(Gst.ElementFactory.find(name),
                                            element)
                     for name, element in elements.items()},
        "filename": "gsttfrc",
        "license": plugin.get_license(),
        "other-types": other_types(elements),
        "package": "gst-tfrc",
        "source": plugin.get_source(),
        "tracers": {"tfrc": {}},
        "url": "Unknown package origin"}}


# The pages.

def markdown(text):
    """Of what gtk-doc reads."""
    text = re.sub(r"^@(title|see_also):.*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"#(Gst\w+)(?:::?([\w-]+))?",
                  lambda link: f"`{link.group(2) or link.group(1)}`", text)
    text = re.sub(r"^@(\w+): ", r"- `\1`: ", text, flags=re.MULTILINE)
    text = re.sub(r"^Returns: (?:\(.*?\):? ?)+", "Returns: ", text,
                  flags=re.MULTILINE)
    text = re.sub(r"\|\[\n(.*?)\]\| *", r"\n```\n\1```\n\n", text,
                  flags=re.DOTALL)
    return re.sub(r"\n{3,}", "\n\n", text).strip()


def comments():
    """{subject: text} of the comments for gtk-doc."""
    found = {}
    for path in sorted((TOP / "gst" / "elements").rglob("*.c")):
        for body in COMMENT.findall(path.read_text(encoding="utf-8")):
            body = re.sub(r"^ *\* ?", "", body, flags=re.MULTILINE)
            subject, _, text = body.partition("\n")
            found[subject.rstrip(":")] = markdown(text)
    return found


def statistics():
    """{list: rows} as list-stats.c prints them."""
    found = {}
    lines = subprocess.run(
        [BUILD / "tests" / "style" / "list-stats"], check=True,
        stdout=subprocess.PIPE, text=True, encoding="utf-8").stdout
    for line in lines.splitlines():
        name, *row = line.split("\t")
        found.setdefault(name, []).append(row)
    return found


def table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def plain_type(name):
    return re.sub("^g", "", name).replace("chararray", "string")


def property_row(name, told, types):
    """Without what the other columns say of the blurb's end."""
    access = "" if told["writable"] else ", read only"
    if not told["readable"]:
        access = ", write only"
    kind, limits = plain_type(told["type"]), ""
    if told["type"] in types:
        kind = "enum"
        limits = ", ".join(value["name"]
                           for value in types[told["type"]]["values"])
    elif "min" in told and kind != "boolean":
        limits = f"{told['min']} to {told['max']}"
    default = re.sub(r" \(\d+\)$", "", told.get("default", "NULL"))
    settable = MUTABLE[told["mutable"]] if told["writable"] else ""
    return [f"`{name}`", kind + access, limits, default, settable,
            told["blurb"]]


def properties_part(properties, types):
    yield from table(
        ["property", "type", "range", "default", "may be set in", "what"],
        (property_row(name, told, types)
         for name, told in sorted(properties.items())))


def enums_part(properties, types):
    for kind in sorted({told["type"] for told in properties.values()}):
        if kind in types:
            users = ", ".join(f"`{name}`"
                              for name, told in sorted(properties.items())
                              if told["type"] == kind)
            yield f"Values of {users}:"
            yield ""
            yield from table(["value", "what"], (
                [f"`{value['name']}`", value["desc"]]
                for value in types[kind]["values"]))


def signals_part(signals, gtype, texts):
    for title, of_application in (("Signals", True), ("Actions", False)):
        chosen = {name: told for name, told in signals.items()
                  if told.get("action", False) != of_application}
        if chosen:
            yield f"## {title}"
            yield ""
        for name, told in sorted(chosen.items()):
            result = plain_type(told["return-type"])
            arguments = ", ".join(plain_type(argument["type"])
                                  for argument in told["args"])
            yield f"### {name} ({arguments})" + (
                f": {result}" if result != "void" else "")
            yield ""
            # A bin hands on those of the element inside.
            yield texts.get(f"{gtype}::{name}") or texts[f"GstRtpTfrcSend::{name}"]
            yield ""


def pads_part(templates, types):
    yield "## Pads"
    yield ""
    yield from table(["pad", "direction", "presence", "caps"], (
        [f"`{name.replace('%%', '%')}`", told["direction"], told["presence"],
         f"`{told['caps'].split(':')[0]}`"]
        for name, told in templates.items()))
    for name, told in templates.items():
        properties = types.get(told.get("type"), {}).get("properties", {})
        if properties:
            yield f"Properties of `{name.replace('%%', '%')}`:"
            yield ""
            yield from properties_part(properties, types)
            yield from enums_part(properties, types)


def statistics_part(name, lists):
    head = ["field", "type", "unit", "what"]

    def rows(names):
        return ([f"`{field}`", plain_type(kind), unit,
                 re.sub("^[A-Z](?=[a-z]*[-, ])", lambda first: first.group().lower(),
                        meaning)]
                for one in names for field, kind, unit, meaning in lists[one])

    yield "## Statistics"
    yield ""
    yield ("The fields of the property `stats`, and of the element message "
           "`tfrc-stats` that `stats-interval` asks for.")
    yield ""
    yield from table(head, rows(STATISTICS[name]))
    if name in SENDERS:
        yield "In a group besides:"
        yield ""
        yield from table(head, rows(["send-group"]))


def page(name, plugin, texts, lists):
    told = plugin["elements"][name]
    types = plugin["other-types"]
    enums = {kind: one for kind, one in types.items() if one["kind"] == "enum"}
    factory = Gst.ElementFactory.find(name)
    protocols = "".join(f", `{scheme}://`"
                        for scheme in factory.get_uri_protocols())
    yield f"<!-- Written by tests/style/{pathlib.Path(__file__).name}. -->"
    yield f"# {name}"
    yield ""
    yield (f"{factory.get_metadata('long-name')} ({told['klass']}){protocols}."
           f" {told['description']}.")
    yield ""
    yield texts[f"SECTION:element-{name}"]
    yield ""
    yield from pads_part(told["pad-templates"], types)
    yield "## Properties"
    yield ""
    yield from properties_part(told["properties"], enums)
    yield from enums_part(told["properties"], enums)
    yield from signals_part(told.get("signals", {}), told["hierarchy"][0],
                            texts)
    if STATISTICS[name]:
        yield from statistics_part(name, lists)


def written(elements):
    """{path: its text}"""
    plugins = describe_plugin(elements)
    texts, lists = comments(), statistics()
    found = {FOLDER / f"{name}.md": "\n".join(
        page(name, plugins["tfrc"], texts, lists)).rstrip() + "\n"
             for name in elements}
    found[FOLDER / "gst_plugins_cache.json"] = json.dumps(
        plugins, indent=4, sort_keys=True) + "\n"
    return found


# Whether it is true.

def running_fields(name, mode):
    """Of the statistics of a new element in PAUSED."""
    element = Gst.ElementFactory.make(name)
    if mode == "tfmcc":
        element.set_property("mode", mode)
    if name == "tfrcsrc":
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as probe:
            probe.bind(("::", 0))
            element.set_property("port", probe.getsockname()[1])
    element.set_state(Gst.State.PAUSED)
    stats = element.get_property("stats")
    element.set_state(Gst.State.NULL)
    names = [stats.nth_field_name(index) for index in range(stats.n_fields())]
    return {field: stats.get_field_type(field).name for field in names}


def unlisted():
    """What is wrong with the statistics of elements that are at work."""
    lists = statistics()
    for name, mode in [*((name, "tfrc") for name in STATISTICS if STATISTICS[name]),
                       ("rtptfrcsend", "tfmcc")]:
        listed = {field: kind for one in
                  STATISTICS[name] + ["send-group"] * (mode == "tfmcc")
                  for field, kind, *_ in lists[one]}
        found = running_fields(name, mode)
        for field in sorted(listed.keys() | found.keys()):
            if listed.get(field) != found.get(field):
                yield (f"{name}, {mode}: {field}: listed as "
                       f"{listed.get(field)}, is {found.get(field)}")


def main():
    Gst.init(None)
    check = sys.argv[1:] == ["--check"]
    elements = {name: Gst.ElementFactory.make(name) for name in STATISTICS}
    if None in elements.values():
        sys.exit("write_reference.py: is the plugin in GST_PLUGIN_PATH_1_0?")
    problems = list(unlisted()) if check else []
    for path, text in written(elements).items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        if check:
            problems.append(f"{path.relative_to(TOP)} is old: "
                            "tests/style/write_reference.py writes it")
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            print(f"wrote {path.relative_to(TOP)}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
