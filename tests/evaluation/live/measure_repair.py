#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What repair does for the picture, and what it costs: a table as docs have
them, each link without it and with what the demo has for --repair auto.

    measure_repair.py [--seconds N] [--runs N] [--latency MS] [--without-off]
                      [LINK...]

A frame is intact if the decoder's picture is bit for bit that of a decoder
right behind the encoder.  Medians of the runs; one run after the other."""

import argparse
import functools
import pathlib
import statistics
import sys
import tempfile

TOP = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(TOP / "examples"), str(TOP / "tests/live")]

from live import results  # noqa: E402
from live.recording import Recording  # noqa: E402
from live.session import Plan, Session, unrepaired  # noqa: E402

import measures  # noqa: E402

LINK = "# {name}\nqueue_ms 100\n{rest}\n"
NEAR = "rate_kbit_s 2000\ndelay_ms 25\n"
FAR = "rate_kbit_s 2000\ndelay_ms 150\n"
# Mean of 4 packets, all of which are lost: 2 % of the time.
BURSTS = "ge_enter 0.0051\nge_leave 0.25\nge_loss 1"
LINKS = {
    # At FREE: the encoder leaves a quarter of it free.
    "no loss": NEAR,
    "1 %": NEAR + "loss 0.01",
    "3 %": NEAR + "loss 0.03",
    "5 %": NEAR + "loss 0.05",
    "bursts": NEAR + BURSTS,
    "congestion": NEAR,
    "1 % at 300 ms": FAR + "loss 0.01",
    "3 % at 300 ms": FAR + "loss 0.03",
    "bursts at 300 ms": FAR + BURSTS,
}
FREE = {"max-bitrate": 1500000}


def run_once(plan):
    recording = Recording()
    Session(plan, recording).run()
    values = results.results(recording)
    on_the_way = [
        value for when, value in zip(recording.decoded.times,
                                     recording.decoded.values)
        if value is not None and when >= values["warmup_seconds"]]
    return {
        "intact": values["frames_intact"],
        "dropped": values["frames_dropped_by_pacer"]
        / max(values["frames_encoded"], 1),
        "latency_ms": 1000 * (results.metrics.percentile(on_the_way, 99) or 0),
        "key_frames": values["keyframe_requests"],
        "repair": values["repair_share"] or 0,
        "sent_kbit_s": values["sent_kbit_s"],
        "received_kbit_s": values["received_kbit_s"],
        "loss": values["loss_fraction"],
        "lateness_ms": measures.worst_lateness_ms(recording),
    }


def cells(row):
    return [f"{row['intact']:.1%}", f"{row['dropped']:.1%}",
            f"{row['latency_ms']:.0f}", f"{row['key_frames']:.0f}",
            f"{row['repair']:.1%}", f"{row['sent_kbit_s']:.0f}",
            f"{row['loss']:.1%}"]


def parser_of(doc):
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--runs", type=int, default=3)
    return parser


def print_table(head, links, n_runs, kinds, cells_of):
    """A row for each link and kind: medians of runs, which take turns.  `kinds`:
    {first cells: what makes a run on a profile with a seed and tells of it}."""
    print(f"| {' | '.join(head)} |\n|---{'|--:' * (len(head) - 1)}|")
    for link in links:
        rows = {kind: [] for kind in kinds}
        with tempfile.TemporaryDirectory() as folder:
            profile = pathlib.Path(folder) / "measured.link"
            profile.write_text(LINK.format(name=link, rest=LINKS[link]))
            for seed in range(1, n_runs + 1):
                for kind, run in kinds.items():
                    rows[kind].append(run(link, profile, seed))
        for kind, found in rows.items():
            row = {key: statistics.median(one[key] for one in found)
                   for key in found[0]}
            print(f"| {' | '.join([link, *kind, *cells_of(row)])} |",
                  flush=True)
            print(f"{link} {' '.join(kind)}: the machine late by up to "
                  f"{row['lateness_ms']:.0f} ms", file=sys.stderr)


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--latency", type=int, metavar="MS",
                        help="of tfrcsrc (default: its own)")
    parser.add_argument("--without-off", action="store_true",
                        help="only with repair")
    parser.add_argument("links", nargs="*", default=list(LINKS))
    chosen = parser.parse_args()
    src = {} if chosen.latency is None else {"latency": chosen.latency}

    def run(change, link, profile, seed):
        return run_once(change(Plan(
            seconds=chosen.seconds, link=profile, seed=seed, reference=True,
            folder=profile.parent / "run", src=src,
            sink=FREE if link == "no loss" else {})))

    kinds = {} if chosen.without_off else {
        ("off",): functools.partial(run, unrepaired)}
    kinds["auto",] = functools.partial(run, lambda plan: plan)
    print_table(["link", "repair", "intact", "dropped by the pacer",
                 "p99 encoder to decoder (ms)", "key frames asked for",
                 "repair's share", "sent (kbit/s)", "lost"],
                chosen.links, chosen.runs, kinds, cells)


if __name__ == "__main__":
    sys.exit(main())
