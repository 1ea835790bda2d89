# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a link is like: the numbers that have a slider, their keys in a profile
of data/links, and what a profile says of them."""

import dataclasses

# A burst loses all packets, five on average.
BURST_LEAVE = 0.2
UNLIMITED_KBIT_S = 10000.0
UNLIMITED_MS = 1000.0


@dataclasses.dataclass
class Conditions:
    capacity_kbit_s: float = UNLIMITED_KBIT_S
    delay_ms: float = 0.0       # one way
    queue_ms: float = UNLIMITED_MS
    loss: float = 0.0           # shares of the packets
    burst_loss: float = 0.0

    def commands(self, name):
        """Lines for tfrc-relay that set one of the numbers."""
        value = getattr(self, name)
        if name == "capacity_kbit_s":
            return [f"rate_kbit_s {value:.0f}"]
        if name == "delay_ms":
            return [f"delay_ms {value:.0f}", f"back_delay_ms {value:.0f}"]
        if name == "burst_loss":
            enter = BURST_LEAVE * value / (1 - value)
            return [f"ge_leave {BURST_LEAVE}", "ge_loss 1",
                    f"ge_enter {enter:.6f}"]
        return [f"{name} {value:g}"]


def read_profile(path):
    """(Conditions, does its capacity change by itself?)"""
    values, changes = {}, False
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split("#")[0].split()
        if words[:1] == ["at"] or words[:1] == ["trace"]:
            changes = True
        elif len(words) == 2:
            values[words[0]] = words[1]
    return _of_values(values), changes


def _of_values(values):
    def number(key, default):
        text = values.get(key, "unlimited")
        return default if text == "unlimited" else float(text)

    result = Conditions(
        capacity_kbit_s=number("rate_kbit_s", UNLIMITED_KBIT_S),
        delay_ms=number("delay_ms", 0.0), loss=number("loss", 0.0))
    queue_bytes = number("queue_bytes", 0.0)
    result.queue_ms = number("queue_ms", UNLIMITED_MS) if not queue_bytes \
        else min(queue_bytes * 8 / result.capacity_kbit_s, UNLIMITED_MS)
    enter, leave = number("ge_enter", 0.0), number("ge_leave", 0.0)
    if enter:
        result.burst_loss = enter / (enter + leave) * number("ge_loss", 0.0)
    return result
