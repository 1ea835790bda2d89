# SPDX-License-Identifier: LGPL-2.1-or-later
"""Five TCP flows beside five slower ones while the bandwidth left by an
ON/OFF CBR source changes by 3:1 or 10:1 (figures 7 to 9, section 4.2.1)."""

import plots
from claims import BANSAL, NOT_QUICK, Claim, Scale, Scenario, by_seed
from scenarios import bansal_setup as setup

RATE_BIT_S = 15e6
# What the CBR takes while it is on: 5 Mbit/s of 15 are left, or 1.5.
CBR_BIT_S = {"3:1": 10e6, "10:1": 13.5e6}
EACH = 5
# The length of a low and a high half together [s].
PERIODS = {Scale.QUICK: (0.4, 4),
           Scale.STANDARD: (0.1, 0.2, 0.4, 1, 4, 8)}
VARYING = (1, 2, 4, 8)          # "between one and ten seconds"
# Of TFRC; the others are checks of the rig.
SEEDS = {Scale.QUICK: 1, Scale.STANDARD: 5}
SETTLED_S = 20
SECONDS = {Scale.QUICK: 80, Scale.STANDARD: 100}
SLOW = {"tfrc": (setup.tfrc, 8), "tcp(1/8)": (setup.tcp, 8),
        "sqrt": (setup.sqrt, 2)}
LABELS = {"tfrc": "TFRC", "tcp(1/8)": "TCP(1/8)", "sqrt": "SQRT(1/2)"}


def competition(kind, cbr, seconds, seed):
    make, gamma = SLOW[kind]
    flows = [setup.tcp(2, name="tcp", count=EACH),
             make(gamma, name="slow", count=EACH)]
    return setup.shared_link(RATE_BIT_S, flows + ([cbr] if cbr else []),
                             seconds, setup.FULL, seed=seed)


def square_runs(kind):
    def runs(scale):
        seeds = setup.seeds(SEEDS[scale] if kind == "tfrc" else 1)
        found = {(period, seed): competition(
            kind, setup.square_cbr(CBR_BIT_S["3:1"], period), SECONDS[scale],
            seed) for period in PERIODS[scale] for seed in seeds}
        if kind == "tfrc":
            found |= {("no CBR", seed): competition(
                kind, None, SECONDS[scale], seed) for seed in seeds}
        return found
    return runs


def harder_runs(scale):
    """10:1, and the sawtooth at 3:1, each with the square wave to compare."""
    shapes = {"10:1": ("10:1", "square"), "3:1": ("3:1", "square"),
              "sawtooth": ("3:1", "sawtooth"),
              "reverse sawtooth": ("3:1", "reverse-sawtooth")}
    return {(name, period, seed): competition(
        "tfrc", setup.square_cbr(CBR_BIT_S[swing], period, wave),
        SECONDS[scale], seed) for name, (swing, wave) in shapes.items()
        for period in (1, 4, 8) for seed in setup.seeds(SEEDS[scale])}


def share(name, period):
    """Of what the CBR leaves, 1 being a fair share; over whole periods."""
    def measure(result):
        whole = int((result.seconds - SETTLED_S) / period) * period
        return result.throughput(name, SETTLED_S, SETTLED_S + whole) \
            * 2 * EACH / setup.left_by_cbr(result)
    return measure


def utilisation(period):
    """Of the bandwidth that the CBR leaves."""
    return lambda result: (share("tcp", period)(result)
                           + share("slow", period)(result)) / 2


def advantage(period):
    """TCP's mean throughput over the slow flows'."""
    return lambda result: share("tcp", period)(result) \
        / share("slow", period)(result)


def mean_advantage(results, name=None):
    """Over the periods in which the paper has TCP ahead, by seed."""
    head = () if name is None else (name,)
    periods = sorted({key[len(head)] for key in results.select(*head)}
                     & set(VARYING))
    return [setup.mean(advantage(period)(results[(*head, period, seed)])
                       for period in periods)
            for seed in sorted({key[-1] for key in results})]


@by_seed
def least_advantage(results):
    """The smallest of all periods, by seed."""
    periods = {key[0] for key in results} - {"no CBR"}
    return min(setup.mean(results.each(advantage(period), period))
               for period in periods)


def at(measure, period):
    return lambda results: results.each(measure(period), period)


def dip(low, period):
    """The utilisation at one period over that at another."""
    def measure(results):
        one, other = (setup.mean(results.each(utilisation(at), at))
                      for at in (low, period))
        return one / other
    return by_seed(measure)


def steady_drops(results):
    return results.each(lambda result: result.drop_rate(
        SETTLED_S, result.seconds), "no CBR")


def plot(kind):
    def draw(results, figure):
        axes = figure.subplots()
        periods = sorted({key[0] for key in results} - {"no CBR"})
        for name, label, colour in (("tcp", "TCP", "tcp"),
                                    ("slow", LABELS[kind], "tfrc")):
            plots.ours(axes, periods, [
                results.each(share(name, period), period)
                for period in periods], label, color=plots.COLOURS[colour])
        plots.ours(axes, periods, [
            results.each(utilisation(period), period) for period in periods],
            "utilisation", color=plots.COLOURS["other"], linestyle="--")
        axes.set(xlabel="period of the available bandwidth [s]",
                 ylabel="throughput over a fair share", xscale="log",
                 ylim=(0, None))
        axes.legend()
    return draw


AHEAD_NOTE = "mean over periods of 1 to 8 s; 1 would be equal shares"
DIP_NOTE = "0.4 s is ON and OFF of 200 ms each, which figure 14's text has"
TFRC_CLAIMS = [
    Claim("drop rate of 10 flows at 15 Mbit/s without CBR", 0.007,
          steady_drops),
    Claim("TCP's throughput over TFRC's, periods of 1 to 10 s", "TCP ahead",
          mean_advantage, note=AHEAD_NOTE),
    Claim("least advantage of TCP over TFRC at any period",
          "TFRC never ahead in the long term", least_advantage),
    Claim("utilisation at a period of 0.1 s", "high",
          at(utilisation, 0.1), scales=NOT_QUICK),
    Claim("utilisation at a period of 0.2 s over that at 0.1 s",
          "suffers at 0.2 s", dip(0.2, 0.1), scales=NOT_QUICK),
    Claim("utilisation at a period of 0.2 s over that at 4 s",
          "suffers at 0.2 s", dip(0.2, 4), scales=NOT_QUICK),
    Claim("utilisation at a period of 0.4 s over that at 0.1 s",
          "suffers at 0.2 s", dip(0.4, 0.1), scales=NOT_QUICK,
          note=DIP_NOTE),
    Claim("utilisation at a period of 0.4 s over that at 4 s",
          "suffers at 0.2 s", dip(0.4, 4), note=DIP_NOTE),
]


def beside(label):
    return [
        Claim(f"TCP's throughput over {label}'s, periods of 1 to 10 s",
              "similar to figure 7", mean_advantage,
              scales=NOT_QUICK, note=AHEAD_NOTE),
        Claim(f"least advantage of TCP over {label} at any period",
              "no concern about unfair competition", least_advantage,
              scales=NOT_QUICK),
    ]


def against(name, other):
    return lambda results: [
        one / two for one, two in zip(mean_advantage(results, name),
                                      mean_advantage(results, other))]


HARDER_CLAIMS = [
    Claim("TCP's advantage over TFRC at 10:1, over that at 3:1",
          "significantly more prominent", against("10:1", "3:1"),
          scales=NOT_QUICK, note="periods of 1, 4 and 8 s"),
    Claim("TCP's advantage with a sawtooth, over the square wave's",
          "less pronounced", against("sawtooth", "3:1"),
          scales=NOT_QUICK),
    Claim("TCP's advantage with a reverse sawtooth, over the square wave's",
          "less pronounced", against("reverse sawtooth", "3:1"),
          scales=NOT_QUICK),
]

SCENARIOS = [
    Scenario("bansal-square-tfrc", source=BANSAL + ", figure 7",
             what="5 TCP and 5 TFRC while the bandwidth changes 3:1",
             runs=square_runs("tfrc"), claims=TFRC_CLAIMS, plot=plot("tfrc")),
    Scenario("bansal-square-tcp8", source=BANSAL + ", figure 8",
             what="5 TCP and 5 TCP(1/8) while the bandwidth changes 3:1",
             runs=square_runs("tcp(1/8)"),
             claims=beside("TCP(1/8)"),
             plot=plot("tcp(1/8)")),
    Scenario("bansal-square-sqrt", source=BANSAL + ", figure 9",
             what="5 TCP and 5 SQRT(1/2) while the bandwidth changes 3:1",
             runs=square_runs("sqrt"), claims=beside("SQRT(1/2)"),
             plot=plot("sqrt")),
    Scenario("bansal-harder-waves", source=BANSAL + ", section 4.2.1",
             what="5 TCP and 5 TFRC: 10:1, and sawtooth waves",
             runs=harder_runs, claims=HARDER_CLAIMS),
]
