# SPDX-License-Identifier: LGPL-2.1-or-later
"""Runs what scenarios ask for, several runs at a time, and judges each
scenario when its runs are there.  Progress goes to standard output."""

import concurrent.futures
import contextlib
import dataclasses
import threading
import time

from claims import Claim, Outcome, Results, judge
import run_cache

# What the engine takes for a packet on a link, by measurement; for --list.
PACKET_S = 12e-6


class Progress:
    """One line for each run that is over."""

    def __init__(self, total):
        self._total = total
        self._done = 0
        self._lock = threading.Lock()

    def say(self, text):
        with self._lock:
            self._done += 1
            print(f"[{self._done}/{self._total}] {text}", flush=True)


@dataclasses.dataclass
class Evaluated:
    """A scenario with its outcomes; results for the figures."""
    scenario: object
    outcomes: list
    results: Results


def core_seconds(scenario, scale):
    """What its runs cost, by their packets; None if it has none to judge."""
    if not scenario.judged_at(scale):
        return None
    return sum(map(cost, scenario.runs(scale).values()))


def cost(run):
    """Core-seconds of a run: its links are taken as full."""
    return sum(_mean_rate(link, run.seconds) for link in run.links) \
        * run.seconds / 8 / run.flows[0].packet_bytes * PACKET_S


def evaluate(scenarios, scale, cache, jobs, seed=0, finished=None):
    """[Evaluated].  `seed` is added to every run's own.  A run that two
    scenarios ask for is made once.  Where nothing is to be run, no cache is
    needed.  Ends the engines on Ctrl-C.  `finished (one)` is called with each
    Evaluated as it is judged, while others are still simulated."""
    wanted = {}
    for scenario in scenarios:
        if scenario.judged_at(scale):
            wanted[scenario.name] = {
                key: run.with_seed(run.seed + seed)
                for key, run in scenario.runs(scale).items()}
    to_do = missing(wanted, cache)
    total = sum(map(len, wanted.values()))
    print(f"{scale.value}: {len(wanted)} scenarios, {total} runs, "
          f"{len(to_do)} of them to simulate", flush=True)
    evaluated = []
    with simulating(to_do, cache, jobs) as futures:
        for scenario in scenarios:
            if scenario.name in wanted:
                evaluated.append(_judge_all(
                    scenario, scale, wanted[scenario.name], cache, futures))
                _print_outcomes(evaluated[-1])
                if finished:
                    finished(evaluated[-1])
    return evaluated


@contextlib.contextmanager
def simulating(to_do, cache, jobs):
    """{digest: Future of a RunError or None} while the runs of `to_do`,
    {digest: (Run, label)}, are simulated."""
    progress = Progress(len(to_do))
    pool = concurrent.futures.ThreadPoolExecutor(jobs)
    try:
        yield {digest: pool.submit(_simulate, cache, run, label, progress)
               for digest, (run, label) in to_do.items()}
    finally:
        # In this order, so that nothing starts after the engines' end.
        pool.shutdown(wait=False, cancel_futures=True)
        if to_do:
            cache.stop()


def missing(wanted, cache):
    """{digest: (run, label)} of what is not in the cache, in the order of
    the scenarios; within one the longest first, so that the cores are busy
    to the end."""
    found = {}
    for name, runs in wanted.items():
        for key, run in sorted(runs.items(), key=lambda item: -cost(item[1])):
            if cache.result(run) is None:
                found.setdefault(run.digest(), (run, _label(name, key)))
    return found


def _label(name, key):
    return name + " " + "/".join(map(str, key))


def _mean_rate(link, seconds):
    steps = [(0.0, link.rate_bit_s)] + list(link.schedule or ())
    ends = [start for start, _ in steps[1:]] + [seconds]
    return sum(rate * max(min(end, seconds) - min(start, seconds), 0)
               for (start, rate), end in zip(steps, ends)) / seconds


def _simulate(cache, run, label, progress):
    """The error, or None."""
    start = time.monotonic()
    try:
        cache.simulate(run)
    except run_cache.RunError as error:
        progress.say(f"{label}: failed: {error}")
        return error
    progress.say(f"{label}: {time.monotonic() - start:.1f} s")
    return None


def _judge_all(scenario, scale, runs, cache, futures):
    judged = scenario.judged_at(scale)
    errors = {key: futures[run.digest()].result()
              for key, run in runs.items() if run.digest() in futures}
    errors = {key: error for key, error in errors.items() if error}
    results = Results({key: cache.result(run) for key, run in runs.items()
                       if key not in errors})
    if not errors:
        outcomes = [judge(scenario, claim, results) for claim in judged]
        for result in results.values():
            result.forget()
        return Evaluated(scenario, outcomes, results)
    words = "; ".join(f"{_label(scenario.name, key)}: {error}"
                      for key, error in errors.items())
    failed = Outcome(
        scenario, Claim("runs without a result", 0, len, high=0),
        (float(len(errors)),), float(len(errors)), False, words)
    return Evaluated(scenario, [failed] + [
        Outcome(scenario, claim, (), None, False, "not all runs ended well")
        for claim in judged], results)


def _print_outcomes(evaluated):
    print(f"{evaluated.scenario.name}: {evaluated.scenario.what}")
    for outcome in evaluated.outcomes:
        print(f"  {outcome.verdict:9} {outcome.claim.claim}: "
              f"{outcome.measured_text} (accepted {outcome.range_text}; "
              f"paper: {outcome.claim.paper})"
              + (f": {outcome.trouble}" if outcome.trouble else ""),
              flush=True)
