# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ways back that are narrow, lossy or full of other traffic."""

from cases import faults
from cases.faults_packets import runs, utilisation
from claims import RFC_8867, PRESENT_DAY, Claim, Scenario

NARROW = {**faults.LINK, "back_rate_kbit_s": 20, "back_queue_ms": 500}
LOSSY = {**faults.LINK, "back_loss": 0.3}
BUSY = {**faults.LINK, "back_rate_kbit_s": 1000, "back_queue_ms": 200}
TCP_SECONDS = 120


def tcp_back(stage):
    """An upload by the receiver's host, for as long as the run is."""
    stage.tcp("receiver", "sender", TCP_SECONDS, "cubic")


def back_use(stage):
    """How full the way back is."""
    return stage.link_kbit_s("receiver", "from",
                             *stage.between("steady", "end")) \
        / BUSY["back_rate_kbit_s"]


def expiries(stage):
    start, end = stage.between("steady", "end")
    return 60 * faults.stat_grown(stage, "sender", "nofeedback-expiries") \
        / (end - start)


def rtt(what):
    return Claim(f"mean RTT, {what} [ms]", "", faults.each(faults.rtt_ms))


EXPIRIES = Claim("nofeedback timer's expiries in a minute", "",
                 faults.each(expiries))

SCENARIOS = [
    Scenario(
        "fault-narrow-back", source=PRESENT_DAY,
        what="2 Mbit/s there, 20 kbit/s with a queue of 500 ms back",
        runs=runs(15, 40, in_quick=False, link=NARROW, source="greedy"),
        claims=faults.SURVIVES + [
            utilisation(0.93, "as with a free way back"), rtt("reports' wait included"), EXPIRIES]),
    Scenario(
        "fault-lossy-back", source=PRESENT_DAY,
        what="2 Mbit/s there, 30 % loss back",
        runs=runs(15, 60, link=LOSSY, source="greedy"),
        claims=faults.SURVIVES + [utilisation(0.93, "as with a free way back"), EXPIRIES]),
    Scenario(
        "fault-busy-back", source=RFC_8867 + ", section 5.3",
        what="2 Mbit/s there, and back 1 Mbit/s with a queue of 200 ms that "
             "an upload by TCP fills",
        runs=runs(20, 60, link=BUSY, source="greedy", during=tcp_back),
        claims=faults.SURVIVES + [
            utilisation(0.93, "as with a free way back"),
            Claim("utilisation of the way back", "", faults.each(back_use),
                  low=0.9, note="or there is no congestion"),
            rtt("with the upload's queue"), EXPIRIES]),
]
