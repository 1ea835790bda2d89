# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures 14 and 24 to 28, table 25: what 40 (or 4) TFRC flows do to a queue,
against as many TCP flows.  A fifth of the link is short TCP transfers of up
to 20 packets, a little traffic goes the other way.

The paper does not give the buffer: 250 packets on 15 Mbit/s and RED as in
figure 8, in proportion for 1.5 Mbit/s."""

import statistics

from claims import Claim, FLOYD, NOT_QUICK, Scale, Scenario, by_seed
from scenarios import floyd_common as floyd
from simulation import Flow, dumbbell

SECONDS = 30
# (utilisation, drop rate) in per cent, table 25.
TABLE_25 = {("red", 4, "tcp"): (83, 4.7), ("red", 4, "tfrc"): (89, 5.9),
            ("drop-tail", 4, "tcp"): (89, 5.2),
            ("drop-tail", 4, "tfrc"): (96, 4.9),
            ("red", 40, "tcp"): (98, 4.1), ("red", 40, "tfrc"): (98, 5.0),
            ("drop-tail", 40, "tcp"): (99, 4.9),
            ("drop-tail", 40, "tfrc"): (99, 3.5)}
CELLS = sorted({(queue, n) for queue, n, _ in TABLE_25})
RTT_MS = (40, 50)
# "the same random background and reverse-path traffic" (A.4), but not how much:
# what the experiments have besides, of (flows, window in packets).
OTHER_WAY = 4, 8
# Figure 28: nothing random, one RTT, no short transfers.
PLAIN = {"tcp": ("tcp", {}), "tfrc": ("tfrc", {}),
         "tfrc undamped": ("tfrc", {"oscillation_damping": False})}


def queue_of(kind, n):
    if kind == "drop-tail":
        return floyd.drop_tail(375e3 * n, packets=250)
    return floyd.red_of_figure_8(375e3 * n)


def short_transfers(count, reverse=False):
    """Transfers of 10 packets on the mean and pauses: 75 kbit/s each."""
    return Flow(name="reverse" if reverse else "short", kind="web",
                count=count, rtt_ms=45, reverse=reverse, parameters={
                    **floyd.TCP, "objects": {"kind": "constant", "mean": 1},
                    "object_bytes": {"kind": "uniform", "low": 1,
                                     "high": 20000},
                    "pause": {"kind": "exponential", "mean": 0.5}})


def other_way():
    flows, window = OTHER_WAY
    return floyd.tcp(flows, name="other-way", rtt_ms=45, reverse=True,
                     parameters={"max_window_packets": window})


def cell(queue, n, kind, seed, *more):
    return dumbbell(
        375e3 * n, 10, queue_of(queue, n),
        [*long_lived(kind, n, RTT_MS, {}), short_transfers(n),
         short_transfers(max(1, n // 10), reverse=True), *more], SECONDS,
        seed=seed)


def long_lived(kind, count, rtt_ms, parameters):
    """They start one after the other within 20 s."""
    make = {"tcp": floyd.tcp, "tfrc": floyd.tfrc}[kind]
    return [make(name="long", rtt_ms=rtt_ms, start_s=20 * i / count,
                 parameters=parameters) for i in range(count)]


def runs(scale):
    cells = [("drop-tail", 40)] if scale is Scale.QUICK else CELLS
    table = {(queue, n, kind, seed): cell(queue, n, kind, seed)
             for queue, n in cells for kind in ("tcp", "tfrc")
             for seed in floyd.seeds(scale, 1, 5)}
    if scale is not Scale.QUICK:
        table.update({("other way", queue, n, kind, seed): cell(
            queue, n, kind, seed, other_way())
            for queue, n in cells for kind in ("tcp", "tfrc")
            for seed in floyd.seeds(scale, 1, 5)})
        table.update({("plain", name, seed): dumbbell(
            15e6, 10, queue_of("drop-tail", 40),
            long_lived(kind, 40, 45, parameters), 60, seed=seed)
            for name, (kind, parameters) in PLAIN.items()
            for seed in floyd.seeds(scale, 1, 5)})
    return table


def utilisation(result):
    return 100 * result.utilisation(0, SECONDS)


def drop_rate(result):
    return 100 * result.drop_rate(0, SECONDS)


def of_cell(measure, *cell):
    return lambda results: results.each(measure, *cell)


def difference(measure, queue, n):
    return lambda results: [tfrc - tcp for tfrc, tcp in zip(
        results.each(measure, queue, n, "tfrc"),
        results.each(measure, queue, n, "tcp"))]


def queue_spread(result):
    """Standard deviation of the queue over its limit, once all run."""
    mean_queue, _ = result.queue()
    settled = mean_queue[round(25 / result.bin_s):]
    return settled.std() / result.run.links[0].queue.packets


def spread_ratio(one, other):
    return lambda results: [
        a / b for a, b in zip(results.each(queue_spread, "plain", one),
                              results.each(queue_spread, "plain", other))]


def cell_claims(queue, n):
    scales = frozenset(Scale) if (queue, n) == ("drop-tail", 40) \
        else NOT_QUICK
    paper = {kind: TABLE_25[queue, n, kind] for kind in ("tcp", "tfrc")}
    text = f"{queue}, {n} flows"
    for kind, (used, dropped) in paper.items():
        yield Claim(f"utilisation, {kind.upper()}, {text} [%]", used,
                    of_cell(utilisation, queue, n, kind), scales=scales)
        yield Claim(f"drop rate, {kind.upper()}, {text} [%]", dropped,
                    of_cell(drop_rate, queue, n, kind), scales=scales)
    yield Claim(f"utilisation with TFRC minus that with TCP, {text} [points]",
                paper["tfrc"][0] - paper["tcp"][0],
                difference(utilisation, queue, n), scales=scales)
    for kind, (used, dropped) in paper.items():
        for what, value, measure in (("utilisation", used, utilisation),
                                     ("drop rate", dropped, drop_rate)):
            yield Claim(f"{what}, {kind.upper()}, {text}, TCPs the other way "
                        "[%]", value,
                        of_cell(measure, "other way", queue, n, kind),
                        scales=NOT_QUICK)


def plot(results, figure):
    names = [("drop-tail", 40, kind, 1) for kind in ("tcp", "tfrc")]
    for ax, key in zip(figure.subplots(2, 1, sharex=True), names):
        if key not in results:
            continue
        result = results[key]
        mean_queue, _ = result.queue()
        times = [i * result.bin_s for i in range(len(mean_queue))]
        ax.plot(times, mean_queue, linewidth=0.6)
        ax.set(ylabel="queue [packets]", ylim=(0, None),
               title=f"40 {key[2].upper()} flows: "
               f"{utilisation(result):.0f} % used, "
               f"{drop_rate(result):.1f} % dropped (paper: "
               f"{TABLE_25[key[:3]][0]} and {TABLE_25[key[:3]][1]})")
    ax.set_xlabel("time [s]")


@by_seed
def mean_drop_ratio(results):
    """Mean over the cells of table 25; the paper's is 1.03."""
    return statistics.fmean(
        statistics.fmean(results.each(drop_rate, queue, n, "tfrc"))
        / statistics.fmean(results.each(drop_rate, queue, n, "tcp"))
        for queue, n in CELLS)


SCENARIOS = [Scenario(
    "floyd-queues", source=FLOYD + ", figure 14 and table 25",
    what="40 or 4 long-lived flows: queue, utilisation, drops",
    runs=runs, plot=plot,
    claims=[claim for cell in CELLS for claim in cell_claims(*cell)] + [
        Claim("drop rate with TFRC by that with TCP, mean over the cells",
              1.03, mean_drop_ratio,
              scales=NOT_QUICK,
              note="the paper's cells have 0.71 to 1.26"),
        Claim("swing of the queue with TFRC by that with TCP, nothing random",
              "TCP has standing oscillations", spread_ratio("tfrc", "tcp"),
              scales=NOT_QUICK),
        Claim("swing of the queue, TFRC by TFRC without its damping",
              "instrumental in preventing more pronounced oscillations",
              spread_ratio("tfrc", "tfrc undamped"), scales=NOT_QUICK),
    ])]
