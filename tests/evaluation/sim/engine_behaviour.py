#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The same as tests/virtual/behaviour.py for the simulator, with what it takes from
the elements: engine_behaviour.json is the digests of what some short runs write.

    engine_behaviour.py [--traces|--write]

A run's name begins with "engine"; which records depend on it is in keys.py."""

import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
sys.path[1:1] = [str(HERE.parents[1] / "support"), str(HERE.parents[1] / "virtual")]

import behaviour  # noqa: E402
import samples  # noqa: E402
from run_cache import RunCache  # noqa: E402
from simulation import (Flow, Link, Loss, Members, Queue,  # noqa: E402
                        Run)

KEPT = HERE / "engine_behaviour.json"
# Its own: of what moves with the core, those of the core tell.
SOURCES = ("tests/evaluation/sim/engine", "gst/elements/encoder", "gst/elements/send")
RIG = ("tests/evaluation/sim/engine_behaviour.py", "tests/evaluation/sim/simulation.py")
BUILD = pathlib.Path(os.environ.get("TFRC_BUILD_DIR", TOP / "build"))
PROGRAM = BUILD / "tests/evaluation/sim" / "tfrc-sim"
SKIPPED = 77
NS_3 = "libns3-core.so.37"
RATE_BIT_S = 4e6
RED = Queue(kind="red", packets=60, min_packets=8, max_packets=25, max_p=0.1,
            weight=0.01)


def flow(kind, name=None, **parameters):
    return Flow(name=name or kind, kind=kind, rtt_ms=(40, 60),
                start_s=(0, 0.5), parameters=parameters)


def shared(*flows, queue=Queue(packets=30), seconds=10, **link):
    return Run(links=(Link(**{"rate_bit_s": RATE_BIT_S, "delay_ms": 10,
                              "queue": queue, **link}),),
               flows=flows, seconds=seconds)


def random(kind, **parameters):
    return {"kind": kind, **parameters}


def tcp(congestion):
    return flow("tcp", congestion, congestion=congestion)


def group(**more):
    return flow("tfmcc", members=[
        Members(count=4, delay_ms=(5, 60), loss=(0, 0.02), report_loss=0.05),
        Members(join_s=3, leave_s=7, every_nth=30)], **more)


TCP = tcp("linux-reno")
DELAY = {"delay_target_ms": 16}
RUNS = {
    "engine/tcp": shared(TCP, tcp("cubic"), tcp("tcp-b"), queue=RED),
    "engine/bbr": shared(TCP, tcp("bbr"), queue=Queue(kind="codel")),
    "engine/links": shared(
        TCP, flow("cbr", rate_bit_s=1e6, jitter=0.5), jitter_ms=2,
        queue=Queue(kind="fq-codel"), schedule=((3, 1e6), (6, 4e6)),
        loss=(Loss(kind="bernoulli", p=0.01, until_s=5),
              Loss(kind="every-nth", n=50))),
    "engine/wifi": shared(TCP, flow("cbr", rate_bit_s=1e6), rate_bit_s=52e6,
                          wifi_mode="HtMcs11", wifi_queue_packets=100),
    "engine/sources": shared(
        TCP, flow("rap"), flow("flash-crowd", flows_per_s=20, seconds=2),
        flow("on-off", rate_bit_s=500e3, on=random("pareto", mean=1, shape=1.5),
             off=random("pareto", mean=2, shape=1.5)),
        flow("web", objects=random("constant", mean=1),
             object_bytes=random("uniform", low=1, high=20000),
             pause=random("exponential", mean=0.5))),
    "engine/tfrc": shared(flow("tfrc"), TCP, queue=RED),
    "engine/bad-path": shared(
        flow("tfrc"), seconds=30, jitter_ms=2, schedule=((2, 0.2e6), (4, 4e6)),
        loss=(Loss(kind="bernoulli", p=0.01, until_s=6), Loss(
            kind="bernoulli", p=1, until_s=20), Loss())),
    "engine/options": shared(
        flow("tfrc", history_length=16, discounting=False, rto_mode="scaled",
             self_clocking=True, packets_per_burst=2), TCP,
        flow("tfrc", "other", discount_threshold=0.5, rate_scale=1.1,
             oscillation_damping=False, rto_mode="tcp")),
    "engine/delay": shared(flow("tfrc", **DELAY), TCP),
    "engine/media": shared(flow("media"), flow(
        "media", "other", pauses_s=[[3, 6]], audio_bit_s=40000), TCP),
    "engine/media-delay": shared(flow("media", **DELAY), flow(
        "media", "other", **DELAY)),
    "engine/tfmcc": shared(group(), TCP),
    "engine/branch": Run(links=(
        Link(rate_bit_s=RATE_BIT_S, delay_ms=10), Link(
            rate_bit_s=RATE_BIT_S / 4, delay_ms=20)), seconds=10, flows=(
                Flow(name="tfmcc", kind="tfmcc", rtt_ms=60, to_link=0,
                     parameters={"members": [Members(count=2)]}),
                Flow(name="tail", kind="tfmcc-branch", rtt_ms=60, from_link=1,
                     parameters={"of": "tfmcc", "at": "sender",
                                 "members": [Members(join_s=2)]}))),
}


def trace():
    with tempfile.TemporaryDirectory() as folder:
        cache = RunCache(folder, PROGRAM)
        for run in RUNS.values():
            cache.simulate(run)
        return {name: samples.digest(cache.result(run))
                for name, run in RUNS.items()}


def has_known_simulator():
    """Other versions of ns-3 give other numbers."""
    return PROGRAM.exists() and NS_3 in subprocess.run(
        ["ldd", PROGRAM], check=True, capture_output=True, text=True).stdout


def main(arguments):
    if not has_known_simulator():
        print(f"SKIP: {PROGRAM} was not built with {NS_3}")
        return SKIPPED
    return behaviour.main(arguments, KEPT, SOURCES, RIG, trace)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
