#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the emulator costs, and how late it is: TCP for ten seconds over a link
of 200 Mbit/s, 20 ms RTT.  Needs root.

    measure_emulator.py [MBIT_S]"""

import os
import pathlib
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import network  # noqa: E402

SECONDS = 10


def cpu_s(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
    return sum(map(int, fields.split()[11:13])) / os.sysconf("SC_CLK_TCK")


def main():
    rate = float(sys.argv[1]) if sys.argv[1:] else 200
    with network.Network(tempfile.mkdtemp(prefix="tfrc-net-")) as net:
        net.add_host("sender")
        net.add_host("receiver", rate_kbit_s=1000 * rate, queue_ms=50,
                     delay_ms=10)
        net.start()
        net.spawn("receiver", ["iperf3", "-s", "-1"], lambda line: None)
        time.sleep(0.5)
        pid = net.emulator.process.pid
        before, start = cpu_s(pid), time.monotonic()
        net.run("sender", "iperf3", "-c", net.hosts["receiver"].ipv4, "-t",
                SECONDS)
        share = (cpu_s(pid) - before) / (time.monotonic() - start)
    delivered = net.summary["ports"]["receiver"]["to"]["tcp_bytes"]
    late = net.summary["lateness_ms"]
    print(f"{delivered * 8 / 1e6 / SECONDS:.0f} Mbit/s, "
          f"{100 * share:.0f} % of a core, late by {late['p50']} ms (p50), "
          f"{late['p99']} ms (p99), {late['max']} ms (max)")


if __name__ == "__main__":
    main()
