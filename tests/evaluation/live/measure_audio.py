#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the priority of audio does for it, beside video in one flow: a table as
docs have them, each case with it, with the same priority for both and with less
for the video.

    measure_audio.py [--seconds N] [--runs N] [CASE...]

Waits are those at the sender, ways those from there to the receiver, of all
packets of the runs; without the first 5 s of each."""

import argparse
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]
                       / "pipeline"))

import audio  # noqa: E402

# Thrice down and up again.
STEPS = ("rate_kbit_s 1000\ndelay_ms 25\nqueue_ms 300\n"
         "at 20% rate_kbit_s 100\nat 35% rate_kbit_s 1000\n"
         "at 50% rate_kbit_s 100\nat 65% rate_kbit_s 1000\n"
         "at 80% rate_kbit_s 100\n")
# Link, settings of tfrcsink, settings of the encoder.
CASES = {
    "100 kbit/s": (audio.LINK, "", ""),
    "100 kbit/s, delay-target=8": (audio.LINK, "delay-target=8", ""),
    "1000 to 100 kbit/s and back": (STEPS, "", ""),
    "100 kbit/s, encoder stays at 300": (audio.LINK, audio.FIXED,
                                         audio.FIXED_ENCODER),
    "60 kbit/s, encoder stays at 300": (
        "rate_kbit_s 60\ndelay_ms 25\nqueue_ms 300\n", audio.FIXED,
        audio.FIXED_ENCODER),
    "300 kbit/s and 300 ms RTT, encoder stays at 900": (
        "rate_kbit_s 300\ndelay_ms 150\nqueue_ms 300\n", audio.FIXED,
        "bitrate=900"),
    "300 kbit/s and 2 % loss, encoder stays at 900": (
        "rate_kbit_s 300\ndelay_ms 20\nqueue_ms 200\nloss 0.02\n",
        audio.FIXED, "bitrate=900"),
    "300 kbit/s and 5 % loss": (
        "rate_kbit_s 300\ndelay_ms 20\nqueue_ms 200\nloss 0.05\n", "", ""),
}
PRIORITIES = {"high": "", "low": "sink_1::priority=low",
              "high, video very-low": "sink_0::priority=very-low"}


def percentile(values, share):
    values = sorted(values)
    return 1000 * values[min(len(values) - 1, int(share * len(values)))] \
        if values else float("nan")


def run(case, priority, seconds):
    """Waits, ways, packets that counted, dropped and lost; kbit/s of video."""
    link, settings, encoder = CASES[case]
    both = audio.AudioAndVideo(
        link, f"delay-target=0 {settings} {PRIORITIES[priority]}", encoder,
        seconds)
    try:
        time.sleep(seconds)
        counted = both.counted()
        left = [key for key in counted if key in both.left]
        ways = [both.arrived[key] - both.came[key] for key in left
                if key in both.arrived]
        return (both.waits(), ways, len(counted), len(counted) - len(left),
                len(left) - len(ways), both.video_bytes * 8 / seconds / 1000)
    finally:
        both.stop()


def row(case, priority, seconds, runs):
    results = [run(case, priority, seconds) for _ in range(runs)]
    waits, ways = ([value for result in results for value in result[i]]
                   for i in range(2))
    counted, dropped, lost = (sum(result[i] for result in results)
                              for i in range(2, 5))
    video = sum(result[5] for result in results) / runs
    return (f"| {case} | {priority} | {percentile(waits, .5):.0f} | "
            f"{percentile(waits, .95):.0f} | {percentile(waits, .99):.0f} | "
            f"{percentile(ways, .95):.0f} | {100 * dropped / counted:.1f} | "
            f"{100 * lost / counted:.1f} | {video:.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=40)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("cases", nargs="*", metavar="CASE")
    options = parser.parse_args()
    unknown = set(options.cases) - CASES.keys()
    if unknown:
        parser.error(f"no case {unknown.pop()!r}: there are "
                     + ", ".join(map(repr, CASES)))
    print("| link | audio is | wait p50 [ms] | p95 | p99 | way p95 [ms] | "
          "dropped [%] | lost [%] | video [kbit/s] |")
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|")
    for case in options.cases or CASES:
        for priority in PRIORITIES:
            print(row(case, priority, options.seconds, options.runs),
                  flush=True)


if __name__ == "__main__":
    main()
