#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Groups of real receivers in one process on the loopback interface, one of
which has a link that loses 2 %: a table as docs have it.

    measure_group_size.py [--seconds N] [N_RECEIVERS...]"""

import argparse
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]
                       / "pipeline"))

import multicast_size  # noqa: E402


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("receivers", nargs="*", type=int,
                        default=[2, 10, 50])
    options = parser.parse_args()
    print("| receivers | rounds | reports of the others in a round | of the "
          "CLR in a second | the lossy one is the CLR | other CLRs | sent "
          "(kbit/s) | CPU (of a core) |\n|--:|--:|--:|--:|--:|--:|--:|--:|")
    for receivers in options.receivers:
        start = time.monotonic()
        group = multicast_size.Group(receivers)
        try:
            while not group.lossy_limits() \
                    and time.monotonic() < start + 60:
                time.sleep(0.1)
            print(f"{receivers}: the lossy one limits after "
                  f"{time.monotonic() - start:.1f} s", file=sys.stderr)
            time.sleep(multicast_size.SETTLE_S)
            found = group.measure(options.seconds)
        finally:
            group.stop()
        print(f"| {receivers} | {found['rounds']} | "
              f"{found['reports_in_a_round']:.1f} | "
              f"{found['clr_reports_s']:.1f} | {found['lossy_is_clr']:.0%} | "
              f"{found['clr_changes']} | {found['kbit_s']:.0f} | "
              f"{found['cpu']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
