# SPDX-License-Identifier: LGPL-2.1-or-later
"""The logs of tfrc-relay: the truth about the link, told by the link.
tests/support/relay-log.h says what the columns mean."""

import csv
import os

import numpy as np

# A row is far shorter.
TAIL_BYTES = 1000


def _rows(path, start_ns):
    """Header-named rows, and what to add to time_s for seconds since
    start_ns."""
    with open(path, newline="", encoding="utf-8") as file:
        origin_ns = int(file.readline().split("=")[1])
        lines = [line for line in file if not line.startswith("#")]
    # The last line may be half a line when the relay was killed.
    rows = [row for row in csv.DictReader(lines)
            if None not in row.values() and "" not in row.values()]
    return rows, (origin_ns - start_ns) / 1e9


class LinkLog:
    """Rates in bytes/s, as everywhere inside."""

    def __init__(self, path, start_ns):
        rows, offset_s = _rows(path, start_ns)

        def column(name):
            return np.array([float(row[name]) for row in rows])

        self.times = column("time_s") + offset_s
        self.capacity = column("capacity_kbit_s") * 125
        self.queue_delay_s = column("queue_ms") / 1000
        self.offered_packets = column("offered_packets")
        self.offered_bytes = column("offered_bytes")
        self.delivered_bytes = column("forward_bytes")
        self.dropped_packets = (column("dropped_queue")
                                + column("dropped_outage") + column("lost"))
        self.back_bytes = column("back_bytes")
        self.lateness_s = column("lateness_ms") / 1000

    @staticmethod
    def newest(path):
        """{column: value} of the newest row that is on disk, or None."""
        with open(path, "rb") as file:
            file.readline()
            header = file.readline().decode().strip().split(",")
            start = max(file.tell(), file.seek(0, os.SEEK_END) - TAIL_BYTES)
            file.seek(start)
            lines = file.read().decode().split("\n")[:-1]
        for line in reversed(lines):
            cells = line.split(",")
            if not line.startswith("#") and len(cells) == len(header):
                return dict(zip(header, map(float, cells)))
        return None


def read_drops(path, start_ns):
    """[(seconds since start_ns, kind, bytes, number)] of the way forward."""
    rows, offset_s = _rows(path, start_ns)
    return [(float(row["time_s"]) + offset_s, row["kind"],
             int(row["bytes"]), int(row["number"]))
            for row in rows if row["direction"] == "forward"]
