# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is left unused: after the bandwidth has doubled (figure 13), and while
it oscillates (figures 14 to 16)."""

import plots
import transient_metrics
from claims import BANSAL, NOT_QUICK, Claim, Scale, Scenario
from scenarios import bansal_setup as setup

BIN_S = 0.01

# f(k): ten flows at 10 Mbit/s, five of which stop.
DOUBLED_BIT_S = 10e6
HALF = 5
STOP_S = {Scale.QUICK: 60, Scale.STANDARD: 150}
AFTER_S = 12
GAMMAS = {Scale.QUICK: {"tcp": (2, 8), "tfrc": (8,)},
          Scale.STANDARD: {"tcp": (2, 8, 256), "sqrt": (2, 8, 256),
                           "tfrc": (2, 8, 256)}}
# Which five of the ten stop is chance, and their share with it: f(20) of
# single runs is 0.78 to 0.87 for TCP(1/8).
SEEDS = {Scale.QUICK: 1, Scale.STANDARD: 5}


KINDS = {"tcp": setup.tcp, "sqrt": setup.sqrt, "tfrc": setup.plain_tfrc}
LABELS = {"tcp": "TCP(1/γ)", "sqrt": "SQRT(1/γ)", "tfrc": "TFRC(γ)"}
# What the text says of figure 13: (kind, gamma, k, f(k)).
SAID = (("tcp", 2, 20, 0.86), ("tcp", 8, 20, 0.75), ("tfrc", 8, 20, 0.65),
        ("tcp", 256, 20, 0.60), ("tfrc", 256, 20, 0.60),
        ("tcp", 256, 200, 0.675), ("tfrc", 256, 200, 0.675))


def doubling_runs(scale):
    stop = STOP_S[scale]
    return {(kind, gamma, seed): setup.shared_link(
        DOUBLED_BIT_S,
        [KINDS[kind](gamma, name="stays", count=HALF),
         KINDS[kind](gamma, name="stops", count=HALF, stop_s=stop)],
        stop + AFTER_S, seed=seed)
        for kind, gammas in GAMMAS[scale].items() for gamma in gammas
        for seed in setup.seeds(SEEDS[scale])}


def used(k):
    """f(k)."""
    def measure(result):
        received = result.series("stays", BIN_S).sum(axis=1) * BIN_S
        return transient_metrics.utilisation_after(
            received, BIN_S, result.seconds - AFTER_S, k, setup.RTT_S,
            DOUBLED_BIT_S / 8)
    return measure


def f_claim(kind, gamma, k, paper):
    name = LABELS[kind].replace("γ", str(gamma))
    return Claim(f"f({k}) of {name}", paper,
                 lambda results: results.each(used(k), kind, gamma),
                 scales=NOT_QUICK if gamma == 256
                 else frozenset(Scale))


def order(results):
    """f(20) of TCP less that of TCP(1/8)."""
    return [used(20)(result) - used(20)(results[("tcp", 8, key[-1])])
            for key, result in results.select("tcp", 2).items()]


def beyond_formula(results):
    """f(20) of TCP(1/8) less 1/2 + k a / (4 R lambda)."""
    b, k = 1 / 8, 20
    a = 4 * (2 * b - b * b) / 3
    packets_per_s = DOUBLED_BIT_S / 8 / 1000 / (2 * HALF)
    formula = 0.5 + k * a / (4 * setup.RTT_S * packets_per_s)
    return [used(k)(result) - formula
            for result in results.select("tcp", 8).values()]


def plot_doubling(results, figure):
    for axes, k in zip(figure.subplots(1, 2, sharey=True), (20, 200)):
        for kind, label in LABELS.items():
            gammas = sorted({key[1] for key in results.select(kind)})
            plots.ours(axes, gammas, [results.each(used(k), kind, gamma)
                                      for gamma in gammas], label,
                       color=plots.COLOURS[kind])
        for kind in LABELS:
            said = [(one[1], one[3]) for one in SAID
                    if one[0] == kind and one[2] == k]
            if said:
                plots.paper(axes, *zip(*said),
                            label=f"paper, {LABELS[kind]}",
                            color=plots.COLOURS[kind])
        axes.set(xlabel="γ", ylabel=f"f({k})", xscale="log", ylim=(0.4, 1))
    figure.axes[0].legend()


# Oscillations: ten equal flows and a CBR source.
RATE_BIT_S = 15e6
FLOWS = 10
CBR_BIT_S = {"3:1": 10e6, "10:1": 13.5e6}
# ON and OFF last so long each [s].
HALVES = (0.05, 0.2, 1, 4)
OSCILLATION_SEEDS = 5
SECONDS = 100
SETTLED_S = 20
SAME = {"tcp": (setup.tcp, 2), "tcp(1/8)": (setup.tcp, 8),
        "tfrc": (setup.tfrc, 6)}
SAME_LABELS = {"tcp": "TCP", "tcp(1/8)": "TCP(1/8)", "tfrc": "TFRC(6)"}


def oscillation_runs(swing):
    def runs(_scale):
        return {(kind, half, seed): setup.shared_link(
            RATE_BIT_S, [make(gamma, name="flow", count=FLOWS),
                         setup.square_cbr(CBR_BIT_S[swing], 2 * half)],
            SECONDS, setup.FULL, seed=seed)
            for kind, (make, gamma) in SAME.items()
            for half in HALVES
            for seed in setup.seeds(OSCILLATION_SEEDS)}
    return runs


def utilisation(result):
    """Share of what the CBR leaves, over whole periods."""
    period = setup.cbr_of(result).parameters["period_s"]
    whole = int((result.seconds - SETTLED_S) / period) * period
    return FLOWS * result.throughput("flow", SETTLED_S, SETTLED_S + whole) \
        / setup.left_by_cbr(result)


def drops(result):
    return result.drop_rate(SETTLED_S, result.seconds)


def at(kind, half):
    return lambda results: results.each(utilisation, kind, half)


def worst_tfrc(results):
    """TFRC's utilisation over TCP's where it is the lowest."""
    return min(setup.mean(results.each(utilisation, "tfrc", half))
               / setup.mean(results.each(utilisation, "tcp", half))
               for half in {key[1] for key in results})


def worst_everywhere(results):
    """The highest of all the controls' lowest utilisations."""
    return max(min(setup.mean(results.each(utilisation, kind, half))
                   for half in {key[1] for key in results}) for kind in SAME)


def plot_oscillation(results, figure):
    axes = figure.subplots(1, 2)
    halves = sorted({key[1] for key in results})
    for kind, label in SAME_LABELS.items():
        for place, measure in enumerate((utilisation, drops)):
            plots.ours(axes[place], halves, [
                results.each(measure, kind, half) for half in halves], label)
    axes[0].set(ylabel="share of the available bandwidth", ylim=(0, 1.05))
    axes[1].set(ylabel="drop rate", ylim=(0, None))
    for one in axes:
        one.set(xlabel="length of ON and of OFF [s]", xscale="log")
    axes[0].legend()


OSCILLATION_CLAIMS = [
    claim for kind, label in SAME_LABELS.items() for claim in (
        Claim(f"utilisation by {label}, ON and OFF 50 ms each", "high",
              at(kind, 0.05), scales=NOT_QUICK),
        Claim(f"utilisation by {label}, ON and OFF 200 ms each",
              "less than 0.8", at(kind, 0.2), scales=NOT_QUICK))
]
EXTREME_CLAIMS = [
    Claim("TFRC's utilisation over TCP's at its worst length",
          "particularly badly", worst_tfrc,
          scales=NOT_QUICK),
    Claim("lowest utilisation of the control that does best",
          "none is particularly successful", worst_everywhere,
          scales=NOT_QUICK),
]

SCENARIOS = [
    Scenario("bansal-doubling", source=BANSAL + ", figure 13",
             what="f(k): five of ten flows stop", runs=doubling_runs,
             claims=[f_claim(*said) for said in SAID] + [
                 Claim("f(20) of TCP(1/8) less 1/2 + k a / (4 R lambda)",
                       "approximately 0", beyond_formula),
                 Claim("f(20) of TCP less that of TCP(1/8)", 0.11, order)],
             plot=plot_doubling),
    Scenario("bansal-oscillation", source=BANSAL + ", figures 14 and 15",
             what="ten equal flows while the bandwidth changes 3:1",
             runs=oscillation_runs("3:1"), claims=OSCILLATION_CLAIMS,
             plot=plot_oscillation),
    Scenario("bansal-oscillation-10", source=BANSAL + ", figure 16",
             what="ten equal flows while the bandwidth changes 10:1",
             runs=oscillation_runs("10:1"), claims=EXTREME_CLAIMS,
             plot=plot_oscillation),
]
