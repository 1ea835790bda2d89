# SPDX-License-Identifier: LGPL-2.1-or-later
"""A crowd of short TCP transfers against long flows (figure 6)."""

import plots
from claims import BANSAL, Claim, Scale, Scenario
from scenarios import bansal_setup as setup
from simulation import Flow

RATE_BIT_S = 15e6
FLOWS = 10
START_S, CROWD_S = 25, 5
# "takes effect" within the crowd: its first second is slow start.
DURING = START_S + 1, START_S + CROWD_S
SECONDS = 40
SEEDS = {Scale.QUICK: 1, Scale.STANDARD: 5}
KINDS = {"tcp": (setup.tcp, 2), "tfrc": (setup.plain_tfrc, 256),
         "self-clocked": (setup.self_clocked_tfrc, 256)}
LABELS = {"tcp": "TCP(1/2)", "tfrc": "TFRC(256)",
          "self-clocked": "TFRC(256) with self-clocking"}


def runs(scale):
    crowd = Flow(name="crowd", kind="flash-crowd", rtt_ms=setup.RTT_MS,
                 start_s=START_S, parameters={
                     "flows_per_s": 200, "seconds": CROWD_S, "packets": 10,
                     "congestion": "tcp-b", "b": 0.5, "delayed_ack": 1,
                     "initial_window": 2, "timestamps": False})
    return {(kind, seed): setup.shared_link(
        RATE_BIT_S, [make(gamma, name="flow", count=FLOWS), crowd],
        SECONDS, seed=seed)
        for kind, (make, gamma) in KINDS.items()
        for seed in setup.seeds(SEEDS[scale])}


def share(name, flows=1):
    """Of the link, while the crowd comes."""
    return lambda result: flows * result.throughput(name, *DURING) \
        / result.capacity(*DURING)


def way_to_tfrc(results):
    """Where between TCP (0) and TFRC (1) the self-clocked flows' share is."""
    kept = share("flow", FLOWS)
    return [(kept(result) - kept(results[("tcp", seed)]))
            / (kept(results[("tfrc", seed)]) - kept(results[("tcp", seed)]))
            for (_, seed), result in results.select("self-clocked").items()]


def lost(result):
    return result.drop_rate(*DURING)


def ratio(measure, kind):
    return lambda results: setup.ratios(results, measure, (kind,), ("tcp",))


def plot(results, figure):
    for axes, (kind, label) in zip(figure.subplots(1, 3, sharey=True),
                                   LABELS.items()):
        result = next(iter(results.select(kind).values()))
        for name, colour in (("flow", plots.COLOURS["tfrc"]),
                             ("crowd", plots.COLOURS["tcp"])):
            plots.series(axes, 0.5, result.series(name, 0.5).sum(axis=1)
                         * 8e-6, name, color=colour)
        axes.set(title=label, xlabel="time [s]", xlim=(15, 40))
    figure.axes[0].set_ylabel("throughput [Mbit/s]")
    figure.axes[0].legend(["long flows", "crowd"])


CLAIMS = [
    Claim("what TFRC(256) keeps of the link, over what TCP keeps",
          "slow to respond", ratio(share("flow", FLOWS), "tfrc")),
    Claim("what self-clocked TFRC(256) keeps, where TCP's part is 0 and "
          "TFRC(256)'s is 1", "quite responsive", way_to_tfrc),
    Claim("what the crowd gets beside self-clocked TFRC(256), over beside TCP",
          "grabs bandwidth rapidly, regardless",
          ratio(share("crowd"), "self-clocked")),
    Claim("drop rate beside TFRC(256), over beside TCP", "higher",
          ratio(lost, "tfrc")),
]

SCENARIOS = [Scenario(
    "bansal-flash-crowd", source=BANSAL + ", figure 6",
    what="1000 transfers of 10 packets in 5 s against 10 long flows",
    runs=runs, claims=CLAIMS, plot=plot)]
