# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tables of Bansal et al. 2001 share (their section 3): a dumbbell
with RED, an RTT of 50 ms, data in both directions, and the congestion
controls by their names in the paper.

TFRC(k) has a history of k loss intervals.  TFRC(6) of the paper's figures is
"roughly six" intervals, which is the history of eight with RFC 5348's falling
weights: the tables use 8 where the paper says TFRC without a number, and 6
where it says 6."""

from simulation import Flow, Queue, bandwidth_delay_packets, dumbbell

RTT_MS = 50
RTT_S = RTT_MS / 1000
# The links do most of the delay; hosts do the rest.
LINK_DELAY_MS = 20
# "data traffic flowing in both directions", but not how much.  f(k) of figure
# 13 is that of an RTT of about 50 ms, so the other direction cannot be full;
# the low utilisations of figures 7 and 14 are those of one that is.  (flows,
# window in packets): small windows, since the bursts of larger ones hold up
# ACKs and keep two flows in a lockstep in which RED always finds the same one.
PARTLY, FULL = (8, 3), (2, 2000)
STARTS_WITHIN_S = 5


def red(rate_bit_s):
    """"the queue size is set to 2.5 times the bandwidth-delay product, and
    the min_thresh and max_thresh parameters are set to 0.25 and 1.25 times";
    the rest are ns-2's values of the time."""
    packets = bandwidth_delay_packets(rate_bit_s, RTT_MS)
    return Queue(kind="red", packets=round(2.5 * packets),
                 min_packets=0.25 * packets, max_packets=1.25 * packets,
                 max_p=0.1, weight=0.002, gentle=True)


def tcp(gamma, name="tcp", congestion="tcp-b", **settings):
    """TCP(1/gamma): SACK, an ACK for each packet, as ns-2's TCP/Sack1."""
    return _flow(name, "tcp", settings, congestion=congestion, b=1 / gamma,
                 delayed_ack=1, initial_window=2, timestamps=False)


def sqrt(gamma, name="sqrt", **settings):
    """SQRT(1/gamma)."""
    return tcp(gamma, name, "sqrt", **settings)


def iiad(gamma, name="iiad", **settings):
    """IIAD with a decrease of 1/gamma packets."""
    return tcp(gamma, name, "iiad", **settings)


def rap(gamma, name="rap", **settings):
    """RAP(1/gamma)."""
    return _flow(name, "rap", settings, b=1 / gamma)


def tfrc(length, name="tfrc", discounting=True, **settings):
    """TFRC(length), without self-clocking as in the paper and in RFC 5348."""
    return _flow(name, "tfrc", settings, history_length=length,
                 discounting=discounting)


def plain_tfrc(length, **settings):
    """Without discounting, which section 4.2.3 has "turned off": after a pause
    it makes 256 intervals a quarter of that.  Of figures 3 to 6 the paper tells
    nothing: one choice for TFRC with and without self-clocking."""
    return tfrc(length, discounting=False, **settings)


def self_clocked_tfrc(length, name="self-clocked", **settings):
    """TFRC(length) with the conservative_ option, C = 1.1, as plain_tfrc else."""
    return _flow(name, "tfrc", settings, history_length=length,
                 discounting=False, self_clocking=True,
                 self_clocking_factor=1.1)


def square_cbr(high_bit_s, period_s, wave="square"):
    """On for the first half of each period, then off."""
    return Flow(name="cbr", kind="cbr", rtt_ms=RTT_MS, parameters={
        "wave": wave, "low_bit_s": 0, "high_bit_s": high_bit_s,
        "period_s": period_s})


def stepped_cbr(*steps):
    """Pairs (seconds, bits/s)."""
    return Flow(name="cbr", kind="cbr", rtt_ms=RTT_MS,
                parameters={"steps": [list(step) for step in steps]})


def cbr_of(result):
    return next(flow for flow in result.run.flows if flow.name == "cbr")


def left_by_cbr(result):
    """The mean bandwidth [bytes/s] beside a square wave or a sawtooth, both
    of which are half of their peak on average."""
    high = cbr_of(result).parameters["high_bit_s"]
    return (result.run.links[0].rate_bit_s - high / 2) / 8


def shared_link(rate_bit_s, flows, seconds, reverse=PARTLY,
                **settings):
    """A Run of these flows over the paper's bottleneck."""
    count, window = reverse
    other = _flow("reverse", "tcp", {"count": count, "reverse": True},
                  delayed_ack=1, max_window_packets=window, timestamps=False)
    return dumbbell(rate_bit_s, LINK_DELAY_MS, red(rate_bit_s),
                    [*flows, other], seconds, **settings)


def seeds(count):
    return range(1, count + 1)


def ratios(results, measure, over, under):
    """[measure (over) / measure (under)], seed by seed; `over` and `under`
    are keys without the seed; seeds that only one has do not count.  None
    where a measure has no answer."""
    def ratio(one, other):
        return None if one is None or not other else one / other
    return [ratio(measure(result), measure(results[(*under, key[-1])]))
            for key, result in results.select(*over).items()
            if (*under, key[-1]) in results]


def mean(values):
    """None if there is no value, or one is None."""
    values = list(values)
    return None if not values or None in values else sum(values) / len(values)


def _flow(name, kind, settings, **parameters):
    settings.setdefault("start_s", (0, STARTS_WITHIN_S))
    parameters |= settings.pop("parameters", {})
    return Flow(name=name, kind=kind, rtt_ms=RTT_MS, parameters=parameters,
                **settings)
