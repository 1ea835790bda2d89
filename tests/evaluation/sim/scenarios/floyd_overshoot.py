# SPDX-License-Identifier: LGPL-2.1-or-later
"""Section 3.4.1, slow start never beyond twice the bottleneck, and appendix
A.3, figures 22 and 23: a queue that begins to build flattens the rate."""

from claims import Claim, FLOYD, Scale, Scenario, by_seed
from scenarios import floyd_common as floyd
from simulation import Queue, dumbbell

# Slow start alone on a link, with hardly any and with ample buffer.
PATHS = {Scale.QUICK: [(5, 100)], Scale.STANDARD: [
    (rate, buffer) for rate in (1, 5, 15) for buffer in (10, 100, 1000)]}
RTT_MS = 100


def slow_start_runs(scale):
    return {(rate, buffer, seed): dumbbell(
        rate * 1e6, 20, Queue(packets=buffer),
        [floyd.tfrc(rtt_ms=RTT_MS, start_s=(0, 1), trace=True)], 15,
        seed=seed)
        for rate, buffer in PATHS[scale]
        for seed in floyd.seeds(scale, 1, 5)}


def sent_overshoot(result):
    """Most that was sent in 0.1 s, by what the link carries, less the one
    packet by which a bin may be off."""
    series = result.sent_series("tfrc", RTT_MS / 1000)
    return ((series.max() - 1000 / (RTT_MS / 1000))
            / result.capacity(0, result.seconds))


def allowed_overshoot(result):
    allowed = result.trace("tfrc")["sender_allowed_rate"]
    return allowed.max() / result.capacity(0, result.seconds)


def plot_slow_start(results, figure):
    ax = figure.subplots()
    for (rate, buffer, seed), result in results.items():
        if seed != 1 or rate != 5:
            continue
        trace = result.trace("tfrc")
        ax.plot(trace["time_s"], trace["sender_allowed_rate"]
                / result.capacity(0, result.seconds),
                label=f"buffer of {buffer}")
    ax.axhline(2, color="0.6", linestyle=":", label="bound")
    ax.set(xlim=(0, 8), ylim=(0, 2.5), xlabel="time [s]",
           ylabel="X by the bottleneck (5 Mbit/s)")
    ax.legend()


# Figures 22 and 23: 1.5 Mbit/s are 18.75 packets in 0.1 s.
LEAVES_S = 30
UNTIL_S = {"tcp": 32, "tfrc": 34}


def two_flows(kind, seed):
    make = {"tcp": floyd.tcp, "tfrc": floyd.tfrc}[kind]
    settings = {"rtt_ms": 50, "start_s": (0, 2)}
    queue = Queue(kind="red", packets=50, min_packets=5, max_packets=25,
                  max_p=0.1, weight=0.002, gentle=True)
    return dumbbell(1.5e6, 10, queue, [
        make(name="stays", **settings),
        make(name="leaves", stop_s=LEAVES_S, **settings)], 36, seed=seed)


def two_flow_runs(scale):
    return {(kind, seed): two_flows(kind, seed) for kind in UNTIL_S
            for seed in floyd.seeds(scale, 1, 32)}


def most_packets(kind):
    """In 0.1 s, after the other one has left."""
    return lambda results: results.each(
        lambda result: result.sent_series("stays", 0.1, LEAVES_S + 0.2,
                                          UNTIL_S[kind]).max() / 10000, kind)


def plot_two_flows(results, figure):
    for ax, kind in zip(figure.subplots(2, 1, sharex=True), UNTIL_S):
        result = results[kind, 1]
        for name in ("stays", "leaves"):
            series = result.sent_series(name, 0.1)[:, 0] / 10000
            ax.plot([0.1 * i for i in range(len(series))], series,
                    label=f"{kind.upper()} that {name}")
        ax.axhline({"tcp": 21, "tfrc": 20}[kind], color="0.6",
                   linestyle=":", label="paper: never more")
        ax.set(xlim=(26, 36), ylim=(0, 30), ylabel="packets in 0.1 s")
        ax.legend(loc="lower right")
    ax.set_xlabel("time [s]")


SCENARIOS = [
    Scenario(
        "floyd-slow-start", source=FLOYD + ", section 3.4.1",
        what="one flow starts on an idle link", runs=slow_start_runs,
        plot=plot_slow_start, claims=[
            Claim("largest allowed rate by the bottleneck",
                  "never beyond 2", by_seed(lambda results: max(
                      results.each(allowed_overshoot))),
                  note="over links of 1, 5 and 15 Mbit/s with buffers of 10 "
                  "to 1000"),
            Claim("most that was sent in an RTT, by the bottleneck",
                  "never beyond 2", by_seed(lambda results: max(
                      results.each(sent_overshoot)))),
        ]),
    Scenario(
        "floyd-queue-onset", source=FLOYD + ", figures 22 and 23",
        what="two flows, one leaves at 30 s", runs=two_flow_runs,
        plot=plot_two_flows, claims=[
            Claim("most packets that TFRC sends in 0.1 s until 34 s",
                  "20", most_packets("tfrc")),
            Claim("most packets that TCP sends in 0.1 s until 32 s",
                  "21", most_packets("tcp")),
        ]),
]
