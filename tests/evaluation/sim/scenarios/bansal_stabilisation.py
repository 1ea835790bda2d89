# SPDX-License-Identifier: LGPL-2.1-or-later
"""Half of the link goes away at once: how long, and at what cost, do 20 flows
lose more than the new rate makes them lose (figures 3 to 5)."""

import plots
import transient_metrics
from claims import BANSAL, NOT_QUICK, Claim, Scale, Scenario
from scenarios import bansal_setup as setup

# The paper does not say: the 15 Mbit/s of its section 4.2, and twice of it.
RATE_BIT_S = 15e6
FASTER_BIT_S = 30e6
FLOWS = 20
BIN_S = 0.01

# (CBR stops, CBR restarts, end): QUICK has a shorter steady state to compare
# with.  The pause of 30 s is what slow controls need to fill the link.
TIMES = {Scale.QUICK: (40, 70, 100), Scale.STANDARD: (100, 130, 180)}
GAMMAS = {Scale.QUICK: {"tcp": (2,), "tfrc": (256,), "self-clocked": (256,)},
          Scale.STANDARD: {"tcp": (2, 16, 256), "rap": (2, 256),
                           "sqrt": (2, 256), "tfrc": (2, 8, 64, 256),
                           "self-clocked": (8, 256)}}
SEEDS = {Scale.QUICK: 1, Scale.STANDARD: 5}


KINDS = {"tcp": setup.tcp, "rap": setup.rap, "sqrt": setup.sqrt,
         "tfrc": setup.plain_tfrc,
         "self-clocked": setup.self_clocked_tfrc}
LABELS = {"tcp": "TCP(1/γ)", "rap": "RAP(1/γ)", "sqrt": "SQRT(1/γ)",
          "tfrc": "TFRC(γ)", "self-clocked": "TFRC(γ) with self-clocking"}


def runs(scale):
    found = {(kind, gamma, seed): congestion(RATE_BIT_S, kind, gamma, scale,
                                             seed)
             for kind, gammas in GAMMAS[scale].items() for gamma in gammas
             for seed in setup.seeds(SEEDS[scale])}
    if scale is not Scale.QUICK:
        found |= {("faster", kind, gamma, seed): congestion(
            FASTER_BIT_S, kind, gamma, scale, seed)
            for kind, gamma in (("tcp", 2), ("self-clocked", 256))
            for seed in setup.seeds(SEEDS[scale])}
    return found


def congestion(rate_bit_s, kind, gamma, scale, seed):
    off, on, end = TIMES[scale]
    cbr = setup.stepped_cbr((0, rate_bit_s / 2), (off, 0),
                            (on, rate_bit_s / 2))
    return setup.shared_link(
        rate_bit_s, [KINDS[kind](gamma, name="flow", count=FLOWS), cbr], end,
        seed=seed)


def times(result):
    return next(times for times in TIMES.values()
                if times[-1] == result.seconds)


def stabilisation(result):
    """(RTTs, cost)."""
    off, on, _ = times(result)
    steady = result.drop_rate(off / 2, off)
    return transient_metrics.stabilisation(
        *result.packet_series(BIN_S), BIN_S, on, setup.RTT_S, steady)


def rtts(result):
    return stabilisation(result)[0]


def cost(result):
    return stabilisation(result)[1]


def worst_second(result):
    """The largest drop rate of an RTT in the second after the restart."""
    _, on, _ = times(result)
    return float(result.drop_rate_series(
        setup.RTT_S, on, on + 20 * setup.RTT_S).max())


def ratio(measure, over, under):
    return lambda results: setup.ratios(results, measure, over, under)


def first_losses(result):
    """Drop rate of the first 10 s."""
    _, on, _ = times(result)
    return result.drop_rate(on, on + 10)


STYLES = {"tcp": {"color": plots.COLOURS["tcp"]},
          "rap": {"color": plots.COLOURS["rap"]},
          "sqrt": {"color": plots.COLOURS["sqrt"]},
          "tfrc": {"color": plots.COLOURS["tfrc"]},
          "self-clocked": {"color": plots.COLOURS["tfrc"], "marker": "s",
                           "linestyle": "--"}}


def plot(results, figure):
    axes = figure.subplots(1, 2)
    for kind, label in LABELS.items():
        gammas = sorted({key[1] for key in results.select(kind)})
        for place, measure in enumerate((rtts, cost)):
            plots.ours(axes[place], gammas,
                       [results.each(measure, kind, gamma)
                        for gamma in gammas], label, **STYLES[kind])
    for one, name in zip(axes, ("stabilisation time [RTTs]",
                                "stabilisation cost [RTTs x loss]")):
        one.set(xlabel="γ", ylabel=name, xscale="log", yscale="log")
    axes[0].legend()


CLAIMS = [
    Claim("worst drop rate of an RTT after the CBR restarts, TFRC(256)",
          0.40, lambda results: results.each(worst_second, "tfrc", 256)),
    Claim("stabilisation time of TFRC(256) [RTTs]", "hundreds",
          lambda results: results.each(rtts, "tfrc", 256)),
    Claim("stabilisation time of self-clocked TFRC(256) over TCP's",
          "like TCP", ratio(rtts, ("self-clocked", 256), ("tcp", 2))),
    Claim("stabilisation cost of self-clocked TFRC(256) over TCP's",
          "small as in TCP", ratio(cost, ("self-clocked", 256), ("tcp", 2))),
    Claim("cost of TFRC(256) over that of SQRT(1/256)",
          "two orders of magnitude", ratio(cost, ("tfrc", 256), ("sqrt", 256)),
          scales=NOT_QUICK),
    Claim("cost of TCP(1/256) over that of TFRC(256)",
          "a fraction", ratio(cost, ("tcp", 256), ("tfrc", 256)),
          scales=NOT_QUICK),
    Claim("drop rate of RAP(1/256) in the 10 s after the CBR restarts, over "
          "TCP(1/256)'s", "self-clocking is the difference",
          ratio(first_losses, ("rap", 256), ("tcp", 256)), scales=NOT_QUICK,
          note="instead of the cost: with 3 packets per RTT and no timeouts "
               "RAP loses 20 % in the steady state as well, and 1.5 times "
               "that is no bound"),
    Claim("cost of TFRC(8) over that of TFRC(256)", "acceptably low",
          ratio(cost, ("tfrc", 8), ("tfrc", 256)), scales=NOT_QUICK),
    Claim("the same two stabilisation times at 30 Mbit/s", "like TCP",
          ratio(rtts, ("faster", "self-clocked", 256), ("faster", "tcp", 2)),
          scales=NOT_QUICK),
    Claim("the same two costs at 30 Mbit/s", "small as in TCP",
          ratio(cost, ("faster", "self-clocked", 256), ("faster", "tcp", 2)),
          scales=NOT_QUICK),
]

SCENARIOS = [Scenario(
    "bansal-stabilisation", source=BANSAL + ", figures 3-5",
    what="20 flows lose half of their link at once", runs=runs,
    claims=CLAIMS, plot=plot)]
