# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ways back that are narrow, lossy or full of other traffic."""

from cases import faults
from cases.faults_packets import runs, utilisation
from claims import (
    NOT_QUICK, PRESENT_DAY, RFC_8867, Claim, Scale, Scenario)

NARROW = {**faults.LINK, "back_rate_kbit_s": 20, "back_queue_ms": 500}
LOSSY = {**faults.LINK, "back_loss": 0.3}
BUSY = {**faults.LINK, "back_rate_kbit_s": 1000, "back_queue_ms": 200}
# A free way back on which reports take as long as in the upload's queue.
LONG = {**faults.LINK, "back_delay_ms": 195}
TCP_SECONDS = 120
# After slow start the rate needs that long to come back at 220 ms RTT.
BUSY_WARMUP_S = 14


def tcp_back(stage):
    """An upload by the receiver's host, for as long as the run is."""
    stage.tcp("receiver", "sender", TCP_SECONDS, "cubic")


def busy_runs(scale):
    def act(link, during=None):
        return faults.steady(10 if scale is Scale.QUICK else 60, link,
                             BUSY_WARMUP_S, during, source="greedy")
    runs = {("busy", seed): act(BUSY, tcp_back)
            for seed in faults.seeds(scale)}
    if scale is not Scale.QUICK:
        runs.update({("long", seed): act(LONG)
                     for seed in faults.seeds(scale)})
    return runs


def of_busy(measure):
    return lambda results: results.each(measure, "busy")


def use_by_long(results):
    """Utilisation, by that of the free way back of the same delay."""
    busy, free = (results.each(faults.utilisation, kind)
                  for kind in ("busy", "long"))
    return [one * len(free) / sum(free) for one in busy]


def back_use(stage):
    """How full the way back is."""
    return stage.link_kbit_s("receiver", "from",
                             *stage.between("steady", "end")) \
        / BUSY["back_rate_kbit_s"]


def expiries(stage):
    start, end = stage.between("steady", "end")
    return 60 * faults.stat_grown(stage, "sender", "nofeedback-expiries") \
        / (end - start)


EXPIRIES = Claim("nofeedback timer's expiries in a minute", "",
                 faults.each(expiries))

SCENARIOS = [
    Scenario(
        "fault-narrow-back", source=PRESENT_DAY,
        what="2 Mbit/s there, 20 kbit/s with a queue of 500 ms back",
        runs=runs(15, 40, in_quick=False, link=NARROW, source="greedy"),
        claims=faults.SURVIVES + [
            utilisation(0.93, "as with a free way back"),
            Claim("mean RTT, the reports' wait included [ms]", "",
                  faults.each(faults.rtt_ms)),
            EXPIRIES,
        ]),
    Scenario(
        "fault-lossy-back", source=PRESENT_DAY,
        what="2 Mbit/s there, 30 % loss back",
        runs=runs(15, 60, in_quick=False, link=LOSSY, source="greedy"),
        claims=faults.SURVIVES + [
            utilisation(0.93, "as with a way back that loses nothing"),
            EXPIRIES,
        ]),
    Scenario(
        "fault-busy-back", source=RFC_8867 + ", section 5.3",
        what="2 Mbit/s there, and back 1 Mbit/s with a queue of 200 ms that "
             "an upload by TCP fills",
        runs=busy_runs,
        claims=faults.SURVIVES + [
            Claim("utilisation of the link", "", of_busy(faults.utilisation),
                  low=0.7,
                  note="at 220 ms RTT and a queue of 100 ms a loss event "
                       "takes a quarter of the rate and more for seconds"),
            Claim("utilisation by that with a free way back that takes as "
                  "long", 1, use_by_long, low=0.93, scales=NOT_QUICK),
            Claim("utilisation of the way back", "", of_busy(back_use),
                  low=0.9, note="or there is no congestion"),
            Claim("mean RTT, with the upload's queue [ms]", "",
                  of_busy(faults.rtt_ms)),
            Claim(EXPIRIES.claim, "", of_busy(expiries)),
        ]),
]
