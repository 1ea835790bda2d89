#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What tfrcsink and tfrcsrc cost beside what they replace, over a path with an RTT.

    run.py [--json FILE] [--runs N] [--seconds S] [--only NAME[,NAME...]]
    run.py --most CELL=RATIO [--most CELL=RATIO...] [--runs N] [--seconds S]
    run.py --quick

Sender and receiver are a process each (bench-paced), with tfrc-relay between them:
10 ms each way and a bottleneck of 1.25 times the rate, so that TFRC has each packet
leave alone, and receivers get them one by one; nothing is lost.  The variants take
turns, RUNS times: `tfrc`; `queue`, the same bins with a queue in the place of
rtptfrcsend and rtptfrcreceive; `rtp`, rtpsink and rtpsrc; `udp`, udpsink and udpsrc.
All get the same frames, each as a list; `tfrc` alone paces them.  `queue_spaced` is
`queue` whose packets come in one by one, evenly: what pacing costs whoever does it.

Of each process: CPU time, wake-ups (voluntary context switches) and system calls
(perf stat, after the time that is measured; null where that is not permitted) per
packet, without those of the thread that makes the packets; system calls of the first
run.  Ratios are of the CPU time of both
ends, of a run to the run beside it; medians, and the least and the greatest.

Then: `lateness`, of the packets of `tfrc` against the times at which they are due by the
rate and the tick of the pacer; `streams`, 64 and 256 flows in one process, over loopback; `idle`, the memory of a
flow without packets; `start`, from gst_element_set_state to a packet on a socket.
A minute, or 100,000 packets, each; --seconds bounds that.  --most measures its cells
beside `queue` alone, both at once, so that a busy machine slows both, and fails where
the median ratio is above that.  --quick is one
short run of some, which only shows that all of it works.

Keys of the JSON: the cells, with "ratio_VARIANT" and the figures of each variant as
{median, low, high}, those parts, and "measured", what publish.py says of where they
come from."""

import argparse
import concurrent.futures
import contextlib
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

LINK = "delay_ms 10\nqueue_ms 1000\nrate_kbit_s {:.0f}\n"
ROOM = 1.25  # rate of the link by that of the flow
WARM_UP_S = 4
QUICK_S = 1.5
COUNTED_S = 3  # of system calls
PACKET_BITS = 9600
PACKETS = 100_000
LONGEST_S = 60
SHARE = 0.99  # of what is sent that has to arrive
CELLS = {  # name: Mbit/s, variants
    "paced_2": (2, ("tfrc", "queue", "queue_spaced", "rtp", "udp")),
    "paced_10": (10, ("tfrc", "queue", "queue_spaced", "rtp", "udp")),
    "paced_100": (100, ("tfrc", "queue", "rtp", "udp")),
    "paced_2_srtp": (2, ("tfrc_srtp", "queue_srtp")),
}
STREAMS = (64, 256)
STREAM_MBIT = 0.288  # a packet per frame
STREAMS_S = 10
STARTS = 11
LATENESS_MBIT = (2, 10)
LATENESS_S = 10

BUILD = os.environ.get("TFRC_BUILD_DIR", "build")
BENCH = os.path.join(BUILD, "tests/evaluation/bench/bench-paced")
RELAY = os.path.join(BUILD, "tests/support/tfrc-relay")


class Failed(Exception):
    """Nothing was measured."""


class End:
    """A process of bench-paced."""

    def __init__(self, role, variant, *options):
        self.process = subprocess.Popen(
            [BENCH, role, variant, *map(str, options)], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.usage()  # its pipelines run

    def usage(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise Failed("bench-paced ended")
        return json.loads(line)

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


def close_ends(end):
    for one in end.values():
        one.close()


def start_relay(folder, port, mbit):
    profile = os.path.join(folder, "path.link")
    with open(profile, "w") as file:
        file.write(LINK.format(mbit * ROOM * 1e3))
    relay = subprocess.Popen(
        [RELAY, "--profile", profile, "--listen", str(port), "--to",
         f"127.0.0.1:{port + 2}", "--listen2", str(port + 1), "--to2",
         f"127.0.0.1:{port + 3}"], text=True, stdout=subprocess.PIPE)
    if not relay.stdout.readline().startswith("listening"):
        raise Failed("tfrc-relay does not listen")
    return relay


def why_no_calls():
    """Why system calls cannot be counted, or None."""
    if shutil.which("perf") is None:
        return "perf is not installed"
    if count_calls(["true"]) is None:
        return "perf may not count raw_syscalls:sys_enter"
    return None


def count_calls(what):
    """System calls, by the last arguments of perf stat; or None."""
    done = subprocess.run(
        ["perf", "stat", "-x,", "-e", "raw_syscalls:sys_enter", *what],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True)
    for line in done.stderr.splitlines():
        count, _, event, *_ = line.split(",") + [""] * 3
        if event == "raw_syscalls:sys_enter" and count.isdigit():
            return int(count)
    return None


def measure_window(end, seconds):
    """What `seconds` are of: the usage of each end since it began."""
    before = {name: one.usage() for name, one in end.items()}
    time.sleep(seconds)
    after = {name: one.usage() for name, one in end.items()}
    return {name: {key: after[name][key] - before[name][key]
                   for key in ("packets", "cpu_us", "wakes")} for name in end}


def count_calls_per_packet(end):
    """One end after the other."""
    calls = {}
    for name, one in end.items():
        before = one.usage()
        threads = ",".join(map(str, before["threads"]))
        count = count_calls(["-t", threads, "sleep", str(COUNTED_S)])
        packets = one.usage()["packets"] - before["packets"]
        calls[name] = count / packets if count is not None and packets else None
    return calls


@contextlib.contextmanager
def open_path(variant, mbit, *options):
    """Both ends, and the link between them."""
    port = 20000 + 8 * random.randrange(1500)
    with tempfile.TemporaryDirectory() as folder:
        relay = start_relay(folder, port, mbit)
        end = {}
        try:
            end["receive"] = End("receive", variant, "--port", port + 2,
                                 "--back", port + 4)
            end["send"] = End("send", variant, "--port", port, "--back", port + 4,
                              "--rate", mbit, *options)
            yield end
        finally:
            close_ends(end)
            relay.terminate()
            relay.wait(10)
            relay.stdout.close()


def measure(variant, mbit, seconds, warm_up, with_calls):
    """One run: {end: {cpu_us, wakes, calls} per packet}."""
    with open_path(variant, mbit) as end:
        time.sleep(warm_up)
        used = measure_window(end, seconds)
        calls = count_calls_per_packet(end) if with_calls else {}
    sent, received = used["send"]["packets"], used["receive"]["packets"]
    if received < SHARE * sent:
        print(f"  {variant}: {received} of {sent} packets arrived", file=sys.stderr)
    if received == 0:
        raise Failed(f"{variant}: nothing arrived")
    return {"received_share": received / sent,
            **{name: {"cpu_us": one["cpu_us"] / one["packets"],
                      "wakes": one["wakes"] / one["packets"],
                      "calls": calls.get(name)} for name, one in used.items()}}


def summarize(values):
    values = [value for value in values if value is not None]
    if not values:
        return None
    return {"median": statistics.median(values), "low": min(values),
            "high": max(values)}


def tell_origin(arguments):
    """Of what a file of figures is.  Of FILE only the name: its folder is not there elsewhere."""
    commit = subprocess.run(
        ["git", "-C", os.path.dirname(os.path.abspath(__file__)), "rev-parse",
         "--short=8", "HEAD"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True).stdout.strip()
    return {"commit": commit or "an unknown commit",
            "date": time.strftime("%Y-%m-%d"),
            "arguments": " ".join(map(os.path.basename, arguments))}


def get_cost(run):
    return run["send"]["cpu_us"] + run["receive"]["cpu_us"]


def summarize_cell(runs, reference, others):
    """`runs`: {variant: [one of each round]}."""
    cell = {"variants": {}}
    for variant, rounds in runs.items():
        cell["variants"][variant] = {
            "cpu_us": summarize([get_cost(run) for run in rounds]),
            "received_share": summarize([run["received_share"] for run in rounds]),
            **{end: {key: summarize([run[end][key] for run in rounds])
                     for key in ("cpu_us", "wakes", "calls")}
               for end in ("send", "receive")}}
    for variant in others:
        cell["ratio_" + variant.removesuffix("_srtp")] = summarize(
            [get_cost(ours) / get_cost(theirs)
             for ours, theirs in zip(runs[reference], runs[variant])])
    return cell


def measure_cell(name, options):
    mbit, variants = CELLS[name]
    seconds = min(LONGEST_S, PACKETS * PACKET_BITS / (mbit * 1e6),
                  options.seconds)
    if options.most:
        variants = variants[:2]
    runs = {variant: [] for variant in variants}
    with concurrent.futures.ThreadPoolExecutor(
            len(variants) if options.most else 1) as pool:
        for i in range(options.runs):
            measured = pool.map(lambda variant: measure(
                variant, mbit, seconds, options.warm_up, options.calls and i == 0), variants)
            for variant, run in zip(variants, measured):
                runs[variant].append(run)
    return {"mbit_s": mbit, "seconds": seconds,
            **summarize_cell(runs, variants[0], variants[1:])}


def measure_streams(variant, n, mbit, seconds, warm_up):
    """That many flows from one process to another."""
    port = 20000 + 8 * random.randrange(1000)
    options = ("--port", port, "--back", port + 4, "--streams", n)
    end = {"receive": End("receive", variant, *options)}
    try:
        end["send"] = End("send", variant, *options, "--rate", mbit)
        time.sleep(warm_up)
        used = measure_window(end, seconds)
        last = {name: one.usage() for name, one in end.items()}
    finally:
        close_ends(end)
    return {name: {"threads": len(last[name]["threads"]) / n,
                   "rss_kib": last[name]["rss_kib"] / n,
                   "cpu_share": used[name]["cpu_us"] / (seconds * 1e6),
                   "cpu_us": used[name]["cpu_us"] / used[name]["packets"]
                   if used[name]["packets"] else None} for name in end}


def measure_many(options):
    """{number: {variant: {end: {threads, rss_kib: per flow; cpu_us: per packet}}}}."""
    return {str(n): {variant: measure_streams(variant, n, STREAM_MBIT,
                                              min(STREAMS_S, options.seconds),
                                              options.warm_up)
                     for variant in ("tfrc", "queue", "rtp")}
            for n in options.streams}


def measure_idle(options):
    """KiB that one more flow takes without a packet, and its threads."""
    few, many = 1, options.streams[0]
    idle = {}
    for variant in ("tfrc", "queue", "rtp"):
        a, b = (measure_streams(variant, n, 0, 1, 0) for n in (few, many))
        idle[variant] = {
            end: {key: (many * b[end][key] - few * a[end][key]) / (many - few)
                  for key in ("rss_kib", "threads")} for end in a}
    return idle


def measure_start(options):
    """Milliseconds, in a new process each time."""
    times = {variant: [] for variant in ("tfrc", "queue", "rtp")}
    for _ in range(options.starts):
        for variant, values in times.items():
            done = subprocess.run([BENCH, "start", variant, "--back", "0"],
                                  stdout=subprocess.PIPE, text=True, check=True)
            values.append(json.loads(done.stdout)["start_us"] / 1e3)
    return {variant: summarize(values) for variant, values in times.items()}


def measure_lateness(options):
    """{Mbit/s: {late_p50_us, late_p99_us}}: packets pushed after their nominal times."""
    late = {}
    for mbit in LATENESS_MBIT:
        runs = []
        for _ in range(options.runs):
            with open_path("tfrc", mbit, "--lateness") as end:
                time.sleep(options.warm_up)
                end["send"].usage()
                time.sleep(min(LATENESS_S, options.seconds))
                runs.append(end["send"].usage())
        late[str(mbit)] = {key: summarize([run.get(key) for run in runs])
                           for key in ("late_p50_us", "late_p99_us")}
    return late


PARTS = {"lateness": measure_lateness, "streams": measure_many, "idle": measure_idle, "start": measure_start}


def format_summary(summary, form="{:.1f}"):
    if summary is None:
        return "-"
    return "{} ({} to {})".format(*(form.format(summary[key])
                                    for key in ("median", "low", "high")))


def print_cell(name, cell):
    print(f"\n{name}: {cell['mbit_s']} Mbit/s, {cell['seconds']:.0f} s a run\n")
    print("| | CPU, both ends (us) | sender | receiver | wake-ups, sender | receiver "
          "| system calls, sender | receiver |\n|---|--:|--:|--:|--:|--:|--:|--:|")
    for variant, values in cell["variants"].items():
        cells = [format_summary(values["cpu_us"])]
        for key, form in (("cpu_us", "{:.1f}"), ("wakes", "{:.2f}"),
                          ("calls", "{:.2f}")):
            for end in ("send", "receive"):
                summary = values[end][key]
                cells.append(form.format(summary["median"]) if summary else "-")
        print(f"| {variant} | {' | '.join(cells)} |")
    print()
    for key, summary in cell.items():
        if key.startswith("ratio_"):
            print(f"tfrc / {key[6:]}: {format_summary(summary, '{:.2f}')}")


def print_flows(title, flows):
    print(f"\n{title}\n")
    keys = ("threads", "rss_kib", "cpu_us")
    for variant, ends in flows.items():
        for end, values in ends.items():
            said = ", ".join(f"{key} {values[key]:.1f}" for key in keys
                             if values.get(key) is not None)
            print(f"{variant} {end}: {said}")


def print_result(result):
    for name in CELLS:
        if name in result:
            print_cell(name, result[name])
    for mbit, late in result.get("lateness", {}).items():
        print(f"late at {mbit} Mbit/s: " + ", ".join(
            f"{key[5:8]} {format_summary(summary, '{:.0f}')} us"
            for key, summary in late.items()))
    for n, flows in result.get("streams", {}).items():
        print_flows(f"{n} flows in one process, of each, CPU per packet:", flows)
    if "idle" in result:
        print_flows("an idle flow:", result["idle"])
    for variant, summary in result.get("start", {}).items():
        print(f"start {variant}: {format_summary(summary)} ms")


def find_dear(result, most):
    """The cells whose ratio is above what it may be."""
    return [f"{name}: tfrc / queue {ratio:.2f} is above {most[name]:.2f}"
            for name in most
            if (ratio := result[name]["ratio_queue"]["median"]) > most[name]]


def parse_most(text):
    cell, _, ratio = text.partition("=")
    if cell not in CELLS:
        raise ValueError(cell)
    return cell, float(ratio)


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="the result, too")
    parser.add_argument("--runs", type=int, default=5, metavar="N")
    parser.add_argument("--seconds", type=float, default=LONGEST_S, metavar="S",
                        help="longest time that is measured in one run")
    parser.add_argument("--only", metavar="NAME[,NAME...]",
                        help=", ".join([*CELLS, *PARTS]))
    parser.add_argument("--most", metavar="CELL=RATIO", type=parse_most, action="append",
                        default=[], help="fail above this ratio to queue")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args(arguments)
    options.most = dict(options.most)
    options.streams, options.starts, options.warm_up = STREAMS, STARTS, WARM_UP_S
    if options.most:
        options.only = list(options.most)
    else:
        options.only = options.only.split(",") if options.only else [*CELLS, *PARTS]
    if options.runs < 1 or options.seconds <= 0 \
            or not set(options.only) <= {*CELLS, *PARTS}:
        parser.error("runs, seconds or names out of range")
    if options.quick:
        options.streams, options.starts, options.warm_up = (4,), 1, QUICK_S
        options.runs, options.seconds = 1, QUICK_S
        options.only = ["paced_2", "paced_2_srtp", *PARTS]
    return options


def main(arguments):
    options = parse(arguments)
    reason = why_no_calls()
    options.calls = reason is None and not options.most
    result = {"measured": tell_origin(arguments), "runs": options.runs,
              "no_system_calls": reason}
    if reason:
        print(f"system calls are not counted: {reason}", file=sys.stderr)
    for name in options.only:
        result[name] = PARTS[name](options) if name in PARTS \
            else measure_cell(name, options)
    print_result(result)
    if options.json:
        with open(options.json, "w") as file:
            json.dump(result, file, indent=2)
            file.write("\n")
    dear = find_dear(result, options.most)
    print(*dear, sep="\n", file=sys.stderr)
    return 1 if dear else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Failed as failed:
        print(f"run.py: {failed}", file=sys.stderr)
        sys.exit(1)
