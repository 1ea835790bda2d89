# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the scenarios of Widmer and Handley, "Extending equation-based
congestion control to multicast applications" (2001), section 4, have in
common: flows, queues and what is asked of their results.

The paper says drop-tail queues, and neither their sizes nor the RTTs of
section 4.1.  Its ns-2 TCP is that of Floyd et al. 2000.  Its TFMCC has T = 4
R_max and no R_max in its packets; ours T = 6 R_max and what else RFC 4654
changed, unless a run says otherwise."""

import numpy as np

from claims import Scale
from scenarios import floyd_common as floyd
from simulation import Flow, Members, Queue

PACKET_BYTES = 1000
RTT_MS = 60
# b, the length of a feedback round in R_max.
RFC_ROUND, PAPERS_ROUND = 6, 4
# Above any rate that its losses allow.
FAST_BIT_S = 50e6


def tfmcc(members, rtt_ms=RTT_MS, **settings):
    return _flow("tfmcc", "tfmcc", members, {}, rtt_ms, settings)


def branch(name, link, members, rtt_ms=RTT_MS, **settings):
    """Members behind a link of their own, straight from the sender."""
    return _flow(name, "tfmcc-branch", members,
                 {"of": "tfmcc", "at": "sender"}, rtt_ms,
                 {"from_link": link, "to_link": link, **settings})


def _flow(name, kind, members, parameters, rtt_ms, settings):
    settings = dict(settings)
    parameters = {"members": tuple(members), **parameters,
                  **settings.pop("parameters", {})}
    return Flow(name=name, kind=kind, rtt_ms=rtt_ms, parameters=parameters,
                **settings)


def tcp(link=0, name="tcp", count=1, rtt_ms=RTT_MS, **settings):
    """TCP over one link; what its host takes for a packet breaks lockstep
    with a drop-tail queue."""
    return Flow(name=name, kind="tcp", count=count, rtt_ms=rtt_ms,
                from_link=link, to_link=link, overhead_ms=1,
                parameters=floyd.TCP, **settings)


def drop_tail(rate_bit_s):
    """The buffer of Floyd et al. 2000 figure 9, in proportion to the rate,
    and never less than what one TCP can work with."""
    return Queue(kind="drop-tail",
                 packets=max(12, round(100 * rate_bit_s / 15e6)))


def many(count, **settings):
    return [Members(count=count, **settings)]


def seeds(scale, standard):
    """1 to so many; one in the quick set."""
    return range(1, 1 + (1 if scale is Scale.QUICK else standard))


# What is asked of results.

def group(result):
    return result.group("tfmcc")


def sent_rate(result, start, end):
    """Bytes/s that the sender put on its first link."""
    return float(result.sent_rates("tfmcc", start, end).mean())


def rate_near(result, time):
    """The line of the group's state at that instant."""
    state = group(result).state
    return state[min(np.searchsorted(state["time"], time), len(state) - 1)]


def round_span(result, time, rtts=RFC_ROUND, packets=3):
    """T = b max (R_max, (c + 1) s/X) at that instant [s]."""
    now = rate_near(result, time)
    interval = PACKET_BYTES / now["sending_rate"]
    return rtts * max(float(now["max_rtt"]), (packets + 1) * interval)
