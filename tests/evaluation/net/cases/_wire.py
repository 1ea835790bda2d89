# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a stream may put on the wire, judged by the links' log alone."""

SPANS_LOOKED_BACK = 30
# W_init of RFC 3390 for packets of more than 1095 bytes, RFC 5348 section 4.2.
INITIAL_WINDOW = 4380


def sent_by_limit(stage, start, end, rtt_s, unseen=(0, 0)):
    """RFC 5348 section 4.3 step 4 as the links saw it, in spans of 100 ms
    between two instants: the most that left by the larger of initial_rate,
    W_init in an RTT, and twice the most that was delivered, in this or the
    three seconds before.  What passed in the interval `unseen` is left out:
    the sender was stopped."""
    links, origin = stage.links, stage.links.origin_ns / 1e9
    times = links.times()
    sent, delivered = (
        [(after - before) / (late - early) for before, after, early, late
         in zip(column, column[1:], times, times[1:])]
        for column in (links.column("sender", "from", "bytes"),
                       links.column("receiver", "to", "bytes")))
    seen = [(origin + when, *both) for when, *both
            in zip(times, sent, delivered)
            if not unseen[0] <= origin + when < unseen[1]]
    return max(
        sent / max(INITIAL_WINDOW / rtt_s, 2 * max(
            most for _, _, most in seen[max(0, i - SPANS_LOOKED_BACK):i + 1]))
        for i, (when, sent, _) in enumerate(seen) if start <= when < end)
