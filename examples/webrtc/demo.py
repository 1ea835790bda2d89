#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""The example without its set-up; start it with examples/webrtc.sh."""

import os
import pathlib
import socket
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from live.options import delay_target  # noqa: E402
from webrtc import options  # noqa: E402
from webrtc.browser import player_wishes  # noqa: E402

HEADLESS_S = 60.0


def properties(chosen):
    """Of rtptfrcsend: packets need no header extension of its own."""
    return {"feedback": "twcc", **delay_target(chosen.delay_target)}


def urls(address, port, nack, buffer_ms):
    hosts = [address] if address != "0.0.0.0" \
        else ["localhost", socket.gethostname()]
    wishes = player_wishes(nack, buffer_ms)
    return [f"http://{host}:{port}/" + (f"#{wishes}" if wishes else "")
            for host in hosts]


def tell(event, stream=None, **fields):
    """What happens, in words."""
    if event == "connected":
        print(f"Stream {stream}: connected.", flush=True)
    elif event == "left":
        print(f"Stream {stream}: ended, {fields['why']}.", flush=True)
    elif event == "refused":
        print(f"A player was refused: {fields['why']}", flush=True)
    elif event in ("error", "warning"):
        print(f"Stream {stream}: {fields['source']}: {fields['text']}",
              file=sys.stderr)


def serve(chosen):
    from live.session import build_folder, environment
    os.environ.update(environment(build_folder()))
    from webrtc.sender import GLib, Sender, SenderError
    try:
        sender = Sender({
            "address": chosen.address, "port": chosen.port,
            "controller": chosen.controller, "nack": chosen.nack,
            "properties": properties(chosen)}, tell)
    except SenderError as error:
        print(f"webrtc.sh: {error}", file=sys.stderr)
        return 1
    addresses = " or ".join(urls(
        chosen.address, sender.server.server_address[1], chosen.nack,
        chosen.buffer))
    print(f"Open {addresses} in a browser; Ctrl-C ends it.", flush=True)
    if chosen.seconds:
        GLib.timeout_add(int(chosen.seconds * 1000), sender.stop)
    sender.run()
    return 0


def publish(chosen):
    from live.session import build_folder, environment
    os.environ.update(environment(build_folder()))
    from webrtc.publish import GLib, Publisher, PublishError
    publisher = Publisher(chosen.publish, chosen.token, chosen.controller,
                          chosen.nack, properties(chosen), tell)
    print(f"Publishing to {chosen.publish}; Ctrl-C ends it.", flush=True)
    if chosen.seconds:
        GLib.timeout_add(int(chosen.seconds * 1000), publisher.stop)
    try:
        publisher.run()
    except PublishError as error:
        print(f"webrtc.sh: {error}", file=sys.stderr)
        return 1
    return 0


def measure(chosen):
    from live.report import series_rows, write_files, write_json
    from webrtc import results, session
    reason = session.why_not()
    if reason:
        print(f"webrtc.sh: {reason}", file=sys.stderr)
        return 1
    seconds = chosen.seconds or HEADLESS_S
    with tempfile.TemporaryDirectory() as folder:
        run = session.Session(
            chosen.link, seconds, chosen.report or pathlib.Path(folder),
            buffer_ms=chosen.buffer, controller=chosen.controller,
            nack=chosen.nack, properties=properties(chosen))
        print(f"Chromium behind the link \"{chosen.link.stem}\", "
              f"{seconds:g} s.", flush=True)
        try:
            run.run()
        except session.SessionError as error:
            print(f"webrtc.sh: {error}", file=sys.stderr)
            return 1
        values = results.results_of(run)
    summary = results.text(values)
    print(summary, end="", flush=True)
    if chosen.report:
        write_files(chosen.report, series_rows(run.recording), values, summary)
    if chosen.json:
        write_json(chosen.json, values)
    return 0


def main():
    chosen = options.parser().parse_args()
    try:
        if chosen.publish:
            return publish(chosen)
        return measure(chosen) if chosen.headless else serve(chosen)
    except OSError as error:
        print(f"webrtc.sh: {error.filename or 'the report'}: {error.strerror}; "
              "--report and --json name another place", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("webrtc.sh: ended by Ctrl-C", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
