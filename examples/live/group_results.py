# SPDX-License-Identifier: LGPL-2.1-or-later
"""The numbers of a session with a group, as docs/demo.md defines
them: the keys are stable."""

from .results import grown, happened, mean_kbit_s, mean_level, metrics, \
    rounded, scaled, warmup_of

# The rate before the guest joined: over the last seconds; back when it
# reaches this share of it again.
BEFORE_S = 5.0
RECOVERED = 0.8
# What a guest loses until the sender has heard of its link, and just behind.
FIRST_S = 2.0


def clr_periods(recording):
    """[(start, end, name or None)] of the current limiting receivers."""
    names = recording.names_by_ssrc()
    changes = [one for one in recording.clr_changes
               if one[0] < recording.seconds]
    ends = [when for when, _, _ in changes[1:]] + [recording.seconds]
    return [(when, end, names.get(ssrc))
            for (when, ssrc, _), end in zip(changes, ends)]


def first_term_after(recording, name, when):
    return next((start for start, _, owner in clr_periods(recording)
                 if owner == name and start >= when), None)


def recovery_s(recording, left, before):
    """From the guest's leave until a second has the rate of before."""
    sent = recording.sender("bytes")
    when = left
    while before and when + 1 <= recording.seconds:
        rate = mean_kbit_s(sent.times, sent.values, when, when + 1)
        if rate is not None and rate >= RECOVERED * before:
            return when + 1 - left
        when += 0.1
    return None


def dropped_part(link, start, stop):
    """Of the packets that came to a link."""
    offered = metrics.mean_rate(link.times, link.offered_packets, start, stop)
    dropped = metrics.mean_rate(link.times, link.dropped_packets, start, stop)
    return dropped / offered if offered else None


def first_loss(link):
    """Of the packets of its first seconds."""
    came = link.times[link.offered_packets > 0] if link else []
    return dropped_part(link, came[0] - 1e-3, came[0] + FIRST_S) \
        if len(came) else None


def member_results(recording, name, end):
    start = max(recording.joined.get(name, 0.0), warmup_of(end))
    stop = recording.left.get(name, end)
    member = recording.member
    link = recording.links.get(name)
    values = {
        "name": name,
        "joined_s": recording.joined.get(name),
        "left_s": recording.left.get(name),
        "calculated_kbit_s": scaled(mean_level(
            member(name, "calculated-bitrate"), start, stop), 1e-3),
        "rtt_ms_mean": scaled(
            mean_level(member(name, "rtt-ns"), start, stop), 1e-6),
        "reports": grown(member(name, "reports"), start, stop),
        "reports_suppressed": grown(
            member(name, "reports-suppressed"), start, stop),
        "clr_seconds": sum(
            max(0.0, min(until, stop) - max(since, start))
            for since, until, owner in clr_periods(recording)
            if owner == name),
        "frames_decoded": happened(
            recording.decoded[name], start, stop),
    }
    if recording.rungs[name]:
        values["rungs"] = [{"at": when, "rung": rung}
                           for when, rung in recording.rungs[name]
                           if when < end]
    if link:
        values["loss_fraction"] = dropped_part(link, start, stop)
        values["received_kbit_s"] = mean_kbit_s(
            link.times, link.delivered_bytes, start, stop)
    return values


def results(recording, plan):
    """The dictionary that the demo writes as JSON."""
    end, sent = recording.seconds, recording.sender("bytes")
    start = warmup_of(end)
    values = {
        "seconds": end, "warmup_seconds": start,
        "group_kbit_s": mean_kbit_s(sent.times, sent.values, start, end),
        "reports_received": grown(recording.sender("reports"), 0, end),
        "clr_changes": [
            {"at": since, "receiver": owner}
            for since, _, owner in clr_periods(recording)],
        "receivers": [member_results(recording, one.name, end)
                      for one in plan.members],
    }
    for guest, joined in recording.joined.items():
        left = recording.left.get(guest, end)
        before = mean_kbit_s(sent.times, sent.values,
                             max(joined - BEFORE_S, 0), joined)
        limited = first_term_after(recording, guest, joined)
        seen = recording.decoded[guest].times
        values |= {
            "group_kbit_s_before_guest": before,
            "group_kbit_s_with_guest": mean_kbit_s(
                sent.times, sent.values, (joined + left) / 2, left),
            "guest_limits_after_s":
                None if limited is None else limited - joined,
            "guest_first_loss": first_loss(recording.links.get(guest)),
            "guest_sees_after_s": seen[0] - joined if seen else None,
            "recovery_s": recovery_s(recording, left, before),
        }
    return rounded(values)
