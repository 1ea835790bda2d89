# SPDX-License-Identifier: LGPL-2.1-or-later
"""Links like LTE and Wi-Fi of data/links, one flow on each: no radio is
simulated, but a rate that changes within seconds or each 100 ms, jitter, and
on Wi-Fi losses by two."""

import pathlib

from claims import Claim, NOT_QUICK, PRESENT_DAY, Scenario
from scenarios._video import (
    drop_tail, each, frames_complete, greedy, lowest_bit_s, media, seeds, tcp,
    used)
from scenarios.modern_steps import queue_p95
from simulation import Link, Loss, Queue, Run

PROFILES = pathlib.Path(__file__).resolve().parents[4] / "data" / "links"
SECONDS = 120
SETTLED_S = 10
SLOT_MS = 100
OPPORTUNITY_BITS = 8 * 1500

# The profile of each link.
LINKS = {"LTE in steps": "lte", "LTE by a trace": "cellular",
         "Wi-Fi": "wifi"}
# 6 of 1000 packets, by two, in place of the profile's random bursts.
PAIRS_LOST = {"Wi-Fi": (Loss(kind="pattern",
                             counts=(180, 1, 500, 1, 310, 1)),)}
FLOWS = {"TFRC": greedy("flow"), "Reno": tcp("flow"),
         "TFRC, delay-target=8": greedy("flow", {"delay_target_ms": 8}),
         "video": media("flow")}


def read_profile(name):
    """({setting: value}, [(s, kbit/s)])."""
    settings, steps = {}, []
    for line in (PROFILES / f"{name}.link").read_text().splitlines():
        words = line.split()
        if words and words[0] == "at":
            steps.append((float(words[1]), float(words[3])))
        elif words and words[0] != "#":
            settings[words[0]] = words[1]
    return settings, steps


def schedule(settings, steps):
    """((s, bit/s), ...) over the run: the profile again and again."""
    if "trace" in settings:
        times = [float(line) for line in
                 (PROFILES / settings["trace"]).read_text().split()]
        period, counts = times[-1] / 1000, {}
        for ms in times:
            counts[int(ms // SLOT_MS)] = counts.get(int(ms // SLOT_MS), 0) + 1
        once = [(slot * SLOT_MS / 1000, counts.get(slot, 1)
                 * OPPORTUNITY_BITS / SLOT_MS)
                for slot in range(int(period * 1000 / SLOT_MS))]
    else:
        period = float(settings["repeat_s"])
        once = [(0.0, float(settings["rate_kbit_s"])), *steps]
    return tuple((start + time, 1000 * kbit_s)
                 for start in range(0, SECONDS, round(period))
                 for time, kbit_s in once)


def link(name):
    settings, steps = read_profile(LINKS[name])
    (_, first_bit_s), *later = schedule(settings, steps)
    queue = Queue(bytes=int(settings["queue_bytes"])) \
        if "queue_bytes" in settings \
        else drop_tail(first_bit_s, float(settings["queue_ms"]))
    return Link(rate_bit_s=first_bit_s, delay_ms=float(settings["delay_ms"]),
                jitter_ms=float(settings.get("jitter_ms", 0)), queue=queue,
                schedule=tuple(later), loss=PAIRS_LOST.get(name))


def runs(scale):
    """Key: link, flow, seed.  Not in the quick set."""
    return {(name, kind, seed): Run(
        links=(link(name),), flows=(flow,), seconds=SECONDS, seed=seed,
        bin_ms=50) for name in LINKS for kind, flow in FLOWS.items()
        for seed in seeds(scale)} if scale in NOT_QUICK else {}


def share(result):
    return result.utilisation(SETTLED_S, SECONDS)


def by_reno(name):
    def over_seeds(results):
        return [ours / its for ours, its in zip(
            *(results.each(share, name, kind) for kind in ("TFRC", "Reno")))]
    return over_seeds


def claims_of(name):
    return [
        Claim(f"{name}: throughput of TFRC by Reno's, each alone",
              "as a TCP", by_reno(name), scales=NOT_QUICK),
        *[Claim(f"{name}: {kind}: used of the link", "",
                each(share, name, kind), scales=NOT_QUICK)
          for kind in FLOWS if kind != "video"],
        *[Claim(f"{name}: {kind}: queue by the rate of the link "
                "just then, p95 (ms)", "",
                each(queue_p95(SETTLED_S, SECONDS), name, kind),
                scales=NOT_QUICK) for kind in FLOWS],
        Claim(f"{name}: video: used of what it can take", "",
              each(used(["flow"], SETTLED_S, SECONDS, 1.5e6), name, "video"),
              scales=NOT_QUICK),
        Claim(f"{name}: video: share of frames that arrive whole", "",
              each(frames_complete("flow"), name, "video"),
              scales=NOT_QUICK),
        Claim(f"{name}: video: worst second (bit/s)", "no starvation",
              each(lowest_bit_s("flow", SETTLED_S, SECONDS), name, "video"),
              scales=NOT_QUICK, note="the encoder makes at least 150000"),
    ]


SCENARIOS = [Scenario(
    "wireless", source=PRESENT_DAY + ", RFC 8869",
    what="a flow alone on links like LTE and Wi-Fi", runs=runs,
    claims=[claim for name in LINKS for claim in claims_of(name)])]
