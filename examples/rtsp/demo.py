#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The example without its set-up; start it with examples/rtsp.sh."""

import os
import pathlib
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from live.options import show_on_screen  # noqa: E402
from rtsp import options  # noqa: E402


def source(chosen):
    if chosen.camera:
        return "camera"
    return "file" if chosen.input else "scene"


def serve(chosen):
    from live.session import build_folder, environment
    os.environ.update(environment(build_folder()))
    from rtsp.server import Server

    def tell(event, **fields):
        if event == "ready":
            print(f"Open rtsp://{socket.gethostname()}:{fields['port']}/live; "
                  "Ctrl-C ends it.", flush=True)
        elif event in ("error", "warning"):
            print(f"rtsp.sh: {fields['source']}: {fields['text']}",
                  file=sys.stderr)

    return Server({
        "address": "0.0.0.0", "port": chosen.serve, "source": source(chosen),
        "file": chosen.input and str(chosen.input), "encoder": chosen.encoder,
        "shared": chosen.shared, "send": {"feedback": chosen.feedback}},
        tell).run()


def measure(chosen):
    from live import report
    from live.recording import Recording
    from live.session import Plan
    from live.show import show
    from live.status import Status
    from rtsp.session import RtspSession
    recording = Recording()
    plan = Plan(
        seconds=chosen.seconds, link=chosen.link, encoder=chosen.encoder,
        source=source(chosen), file=chosen.input and str(chosen.input),
        screen=show_on_screen(chosen), reference=True, folder=chosen.report)
    title = (f"{chosen.encoder} by RTSP over the link \"{chosen.link.stem}\", "
             f"with {chosen.feedback}")
    return show(RtspSession(plan, recording, {"feedback": chosen.feedback},
                            chosen.shared),
                Status(recording), title,
                lambda: report.write(recording, plan.folder, title),
                lambda: report.draw(recording, plan.folder, title),
                chosen, "rtsp.sh")


def main():
    chosen = options.parser().parse_args()
    return measure(chosen) if chosen.serve is None else serve(chosen)


if __name__ == "__main__":
    sys.exit(main())
