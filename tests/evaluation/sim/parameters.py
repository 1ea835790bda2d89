# SPDX-License-Identifier: LGPL-2.1-or-later
"""The parameters of a scenario's runs in a line of text, for the report:
what all runs share once, what differs as a list of its values."""

import itertools

# More values than these are told by the first, the last and their number.
MOST_VALUES = 6


def describe(results):
    """'' when nothing was run."""
    runs = [result.run for result in results.values()]
    if not runs:
        return ""
    seeds = len({run.seed for run in runs})
    parts = [
        f"{len(runs)} runs of {_values(runs, _seconds)} s"
        + (f" with {seeds} seeds" if seeds > 1 else ""),
        "links: " + _values(runs, _links),
        "queues: " + _values(runs, _queues),
        "flows: " + _values(runs, _flows)]
    losses = _values(runs, _losses)
    if losses:
        parts.append("losses: " + losses)
    return "; ".join(parts) + "."


def _values(runs, text):
    found = list(dict.fromkeys(text(run) for run in runs))
    found = [one for one in found if one]
    if len(found) > MOST_VALUES:
        return f"{found[0]}, ... {found[-1]} ({len(found)} kinds)"
    return " or ".join(found)


def _seconds(run):
    return f"{run.seconds:g}"


def _links(run):
    branches = any(flow.kind == "tfmcc-branch" for flow in run.flows)
    alike = [(len(list(group)), text) for text, group in itertools.groupby(
        f"{link.rate_bit_s / 1e6:g} Mbit/s{' varying' * bool(link.schedule)}"
        f" {link.delay_ms:g} ms" for link in run.links)]
    return (" and " if branches else ", then ").join(
        f"{count} of {text}" if count > 1 and branches
        else ", then ".join([text] * count) for count, text in alike)


def _queues(run):
    return ", then ".join(dict.fromkeys(
        _queue(link.queue) for link in run.links))


def _queue(queue):
    text = queue.kind
    if queue.packets is not None:
        text += f" {queue.packets:g}"
    elif queue.bytes is not None:
        text += f" {queue.bytes:g} bytes"
    if queue.min_packets is not None:
        text += f" ({queue.min_packets:g}/{queue.max_packets:g})"
    return text


def _flows(run):
    labels = [(flow.count, flow.name, flow) for flow in run.flows]
    if len(labels) > MOST_VALUES:
        labels = [(sum(flow.count for flow in group), kind, group[0])
                  for kind, group in _alike(run.flows)]
    return " + ".join(_flow(*label) for label in labels)


def _alike(flows):
    """(kind, flows) that follow each other and differ in their names and
    parameters alone."""
    def path(flow):
        return flow.kind, flow.rtt_ms, flow.reverse
    return [(key[0], list(group))
            for key, group in itertools.groupby(flows, path)]


def _flow(count, label, flow):
    text = f"{count} {label}"
    if flow.rtt_ms is not None:
        text += f" {_draw(flow.rtt_ms)} ms"
    members = _group(flow.parameters.get("members", ()))
    return text + (" back" if flow.reverse else "") \
        + (f" ({members})" if members else "")


def _group(members):
    parts = [_members(one) for one in members]
    if len(parts) > MOST_VALUES:
        return f"{parts[0]}, ... {parts[-1]} ({len(parts)} kinds)"
    return " and ".join(parts)


def _members(members):
    """Some receivers of a group: what they have besides the flow's path."""
    text = f"{members.count} receiver{'s' * (members.count > 1)}"
    if members.delay_ms:
        text += f" +2 x {_draw(members.delay_ms)} ms"
    if members.every_nth:
        return text + f" losing each {members.every_nth}th"
    if members.loss:
        loss = members.loss if isinstance(members.loss, str) \
            else _draw(members.loss)
        text += f" losing {loss}"
    return text


def _draw(value):
    if isinstance(value, (tuple, list)):
        return " to ".join(f"{end:g}" for end in value)
    return f"{value:g}"


def _losses(run):
    phases = [loss for link in run.links for loss in link.loss or ()]
    return ", ".join(_loss(loss) for loss in phases)


def _loss(loss):
    text = {"none": "none", "bernoulli": f"p = {loss.p}",
            "every-nth": f"each {loss.n}th",
            "pattern": "after " + "/".join(map(str, loss.counts or ()))}.get(
                loss.kind, loss.kind)
    return text + (f" until {loss.until_s:g} s" if loss.until_s else "")
