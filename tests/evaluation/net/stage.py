# SPDX-License-Identifier: LGPL-2.1-or-later
"""One run of a scenario: a network, the processes on it, and afterwards what
they and the links told.

A scenario's run is a function that gets a Stage, puts hosts on it, starts the
links, and lets things happen:

    def act(stage):
        stage.host("sender")
        stage.host("receiver", rate_kbit_s=2000, delay_ms=25)
        stage.start()
        stage.receiver("receiver").play()
        stage.sender("sender", to="receiver").play()
        stage.mark("steady", after=5)
        stage.sleep(20)
        stage.mark("end")

Times are seconds of the monotonic clock everywhere."""

import json
import pathlib
import signal
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]
                       / "support"))

import endpoints  # noqa: E402
import flow_log  # noqa: E402
import metrics  # noqa: E402
import network  # noqa: E402
from endpoints import EndpointError  # noqa: E402
from namespaces import NamespaceError  # noqa: E402
from waiting import wait_until  # noqa: E402

# A run says little when the links were once later than WORST_MS, or later than
# LATE_MS in more than this share of its instants: a rare delay of less than
# that is what any network has.
WORST_MS = 150
LATE_MS = 50
LATE_SHARE = 0.005


# Set by who wants all runs to end.
interrupted = threading.Event()


class Stage:
    # A scenario may find that a process had too little of the machine.
    starved = False

    # A machine that stalls the links does not spoil this run.
    takes_stalls = False

    def __init__(self, folder, seed):
        self.folder = folder
        self.seed = seed
        self.net = network.Network(folder)
        self.endpoints = {}
        self.tcp_clients = []
        self.tcp_streams = []
        self.marks = {}
        self.links = None
        self.failure = None

    def perform(self, act):
        """Runs it to its end; what fails is told in `failure`."""
        try:
            with self.net:
                act(self)
                self.stop_all()
        except (EndpointError, NamespaceError) as error:
            self.failure = str(error)
        self._read_tcp()
        if self.net.summary:
            self.links = network.LinkLog(self.net.log)
        self._write()

    def host(self, name, **link):
        return self.net.add_host(name, **link)

    def start(self, seconds=0):
        self.net.start(seconds=seconds, seed=self.seed)

    def address(self, name, version=4):
        host = self.net.hosts[name]
        return host.ipv6 if version == 6 else host.ipv4

    def sender(self, host, to, **more):
        """`to`: a host or an address.  Its name is the host's unless one is
        given."""
        if to in self.net.hosts:
            to = self.address(to)
        return self._add(endpoints.sender(self.net, host, to, **more))

    def peer(self, host, to, **more):
        """A sender with another control, to a host."""
        return self._add(endpoints.peer(
            self.net, host, self.address(to), **more))

    def receiver(self, host, **more):
        """Its name is the host's unless one is given."""
        return self._add(endpoints.receiver(self.net, host, **more))

    def rtpbin_receiver(self, host, to, **more):
        """`to`: the host to which its RTCP goes."""
        return self._add(endpoints.rtpbin_receiver(
            self.net, host, self.address(to), **more))

    def ffmpeg_receiver(self, host, to, **more):
        """The same."""
        return self._add(endpoints.ffmpeg_receiver(
            self.net, host, self.address(to), **more))

    def _add(self, endpoint):
        self.endpoints[endpoint.name] = endpoint
        return endpoint

    def tcp(self, host, to, seconds, algorithm, flows=1, port=5201):
        """iperf3 flows for so many seconds, or until the run's end; the
        server ends with them."""
        lines, said = [], []
        self.net.spawn(to, ["iperf3", "-s", "-1", "-p", str(port),
                            "--forceflush"],
                       said.append, label="iperf3 server")
        wait_until(lambda: any("listening" in line for line in said),
                   network.START_LIMIT_S)
        self.tcp_clients.append((self.net.spawn(
            host, ["iperf3", "-c", self.address(to), "-p", str(port), "-t",
                   str(seconds), "-C", algorithm, "-P", str(flows), "-J"],
            lines.append, label="iperf3"), lines))

    def _read_tcp(self):
        """iperf3 tells of its streams when it ends, or is ended."""
        for client, lines in self.tcp_clients:
            try:
                told = json.loads("\n".join(lines))["end"]["streams"]
                self.tcp_streams += [stream["sender"] for stream in told]
            except (ValueError, KeyError):
                self.failure = self.failure or (
                    f"iperf3 told nothing: {client.last_words()}")

    def mark(self, name, after=0):
        """Now, or in a moment that needs no waiting for."""
        self.marks[name] = time.monotonic() + after

    def sleep(self, seconds):
        """Ends early when something died that should not have."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if interrupted.is_set():
                raise EndpointError("interrupted")
            for endpoint in self.endpoints.values():
                if endpoint.stopped_at is None \
                        and not endpoint.child.is_running():
                    raise EndpointError(
                        endpoint.failure() or f"{endpoint.name}: it ended")
            time.sleep(0.05)

    def stop_all(self):
        # Before their server, without which they tell nothing.
        for client, _ in self.tcp_clients:
            client.stop(signal.SIGTERM)
        for endpoint in self.endpoints.values():
            if endpoint.stopped_at is None:
                endpoint.stop()
        failures = [endpoint.failure() for endpoint in
                    self.endpoints.values()]
        self.failure = next(filter(None, failures), None)

    def _write(self):
        """For those who want to know more."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name, endpoint in self.endpoints.items():
            with open(self.folder / f"{name}.jsonl", "w",
                      encoding="utf-8") as file:
                for event in endpoint.events:
                    file.write(json.dumps(event) + "\n")
            with open(self.folder / f"{name}-usage.jsonl", "w",
                      encoding="utf-8") as file:
                for sample in endpoint.usage.samples:
                    file.write(json.dumps(vars(sample)) + "\n")
        (self.folder / "marks.json").write_text(json.dumps(
            {"marks": self.marks, "failure": self.failure,
             "summary": self.net.summary, "tcp": self.tcp_streams},
            indent=2) + "\n")

    # What a run showed.

    def lateness_ms(self):
        return max(self.links.lateness_ms()) if self.links else None

    def is_calm(self):
        if not self.links or self.starved:
            return False
        if self.takes_stalls:
            return True
        late = self.links.lateness_ms()
        share = sum(one > LATE_MS for one in late) / len(late)
        return max(late) <= WORST_MS and share <= LATE_SHARE

    def link_kbit_s(self, host, direction, start, end, column="bytes"):
        """What a link delivered between two instants, IP headers included."""
        origin = self.links.origin_ns / 1e9
        return metrics.kbit_s(metrics.mean_rate(
            self.links.times(), self.links.column(host, direction, column),
            start - origin, end - origin))

    def flows(self, host, direction, protocol):
        """The flow_log.Flows on a link."""
        return flow_log.load(self.net.flow_log, host, direction, protocol)

    def between(self, first, last):
        return self.marks[first], self.marks[last]
