# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is simulated: a Run is the whole description of one run of tfrc-sim.

The dataclasses are written as JSON exactly as they are; a field that is None
is left out, and the engine's own default holds.  SI units are in the names.
Values only: nothing here runs, reads or measures anything."""

import dataclasses
import hashlib
import json
from typing import Any, Optional, Union

# A number, or (low, high): a uniform draw for each flow, from the run's seed.
Draw = Union[float, tuple]


@dataclasses.dataclass(frozen=True, kw_only=True)
class Queue:
    """The queue in front of a link: `kind` is drop-tail, red, adaptive-red,
    codel or fq-codel.  RED's thresholds are min_packets and max_packets."""
    kind: str = "drop-tail"
    packets: Optional[int] = None
    bytes: Optional[int] = None
    min_packets: Optional[float] = None
    max_packets: Optional[float] = None
    max_p: Optional[float] = None
    weight: Optional[float] = None
    gentle: Optional[bool] = None
    ecn: Optional[bool] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Loss:
    """One phase of a link's loss pattern, until `until_s` (None: the end).

    none       nothing is lost
    bernoulli  each packet with probability p
    every-nth  each n-th packet
    pattern    a packet after each of `counts` packets, again and again"""
    kind: str = "none"
    until_s: Optional[float] = None
    p: Optional[float] = None
    n: Optional[int] = None
    counts: Optional[tuple] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Link:
    """One link of the chain.  `schedule` is ((t_s, rate_bit_s), ...): the
    rate from t_s on.  `loss` is the phases of its loss pattern.  Both are of
    the direction of the data; what begins with reverse_ is of the other,
    whose queue is alike unless `reverse_queue` says otherwise.  jitter_ms is
    the standard deviation of the added delay.

    With `wifi_mode` (HtMcs0 to HtMcs15, of which rate_bit_s is the PHY's) it
    is a Wi-Fi of one access point, where data come in, and a station for each
    flow: both directions share the air, each device has a drop-tail queue of
    wifi_queue_packets, and of the other fields only delay_ms counts."""
    rate_bit_s: float
    delay_ms: float
    queue: Queue = Queue(packets=100)
    reverse_queue: Optional[Queue] = None
    jitter_ms: Optional[float] = None
    schedule: Optional[tuple] = None
    reverse_schedule: Optional[tuple] = None
    loss: Optional[tuple] = None
    wifi_mode: Optional[str] = None
    wifi_queue_packets: Optional[int] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Flow:
    """`count` flows of one kind: tfrc, tcp, rap, cbr, on-off, web,
    flash-crowd, media, tfmcc or tfmcc-branch (see Members).  They share the
    name, by which results are asked.

    rtt_ms is the propagation RTT, all links included; the access links make
    up for what the chain lacks.  packet_bytes is the size of an IP packet on
    the link.  The flow crosses the links from_link to to_link (None: the
    last), the other way round with `reverse`.  overhead_ms is what the
    sending host takes at random for a packet: it breaks the lockstep of
    windows with a drop-tail queue.  `trace` asks for the flow's own trace.
    `parameters` are those of the kind."""
    name: str
    kind: str
    count: int = 1
    start_s: Draw = 0.0
    stop_s: Optional[Draw] = None
    rtt_ms: Optional[Draw] = None
    reverse: bool = False
    from_link: int = 0
    to_link: Optional[int] = None
    packet_bytes: int = 1000
    overhead_ms: Optional[float] = None
    trace: Optional[bool] = None
    parameters: dict[str, Any] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Members:
    """`count` receivers of a TFMCC group.  A flow of kind "tfmcc" (count 1)
    is the sender; parameters={"members": [Members(...), ...]} are those who
    listen where its last link ends.  The flow's rtt_ms is what they share.

    A flow of kind "tfmcc-branch" has links and competitors of its own (a
    tail, a slow joiner): parameters={"of": name of the tfmcc flow, "members":
    [...], "at": "end" (default) or "sender"}.  What comes to the end of the
    tfmcc flow's links, or leaves its sender, is also put on the branch's
    first link while one of the branch's members listens.  Its rtt_ms is what
    the branch adds.  A branch is in all tables a flow like others.

    delay_ms     added each way for this receiver alone, in steps of 1 ms
    loss         its own loss: a probability, (low, high): a uniform draw for
                 each, or "realistic": the distribution of Widmer and Handley
                 2001 figure 5 (see group-loss.h)
    every_nth    instead: loses each n-th packet, at a phase of its own
    report_loss  probability that one of its reports is lost
    join_s       None: with the flow; a draw
    leave_s      a draw; None: stays.  Says so, or with `kill` is gone
    delays       ((t_s, delay_ms), ...): another delay from then on
    losses       ((t_s, p), ...): another loss from then on

    Further parameters of "tfmcc", each with the core's default:
      group_size (N), bias (gamma), bias_method ("modified-offset", "offset"
      or "none": r', r, or an unbiased timer), feedback_rtts (b),
      feedback_packets (c), margin (theta: 0 cancels higher rates only, 1
      everybody), history_length (n), discounting, slow_start_factor (d),
      max_rate_bit_s, min_rate_bit_s, granularity_us, max_credit_ms,
      synchronised_error_ms (the initial RTT comes from synchronised clocks
      with this e_s + e_r), unmeasured_rtt_ms (R_max is at least this while a
      member has not measured)
    and of the recording:
      sample_ms   1000: between two lines of group-state"""
    count: int = 1
    delay_ms: Draw = 0.0
    loss: Optional[Union[float, tuple, str]] = None
    every_nth: Optional[int] = None
    report_loss: Optional[float] = None
    join_s: Optional[Draw] = None
    leave_s: Optional[Draw] = None
    kill: Optional[bool] = None
    delays: Optional[tuple] = None
    losses: Optional[tuple] = None


@dataclasses.dataclass(frozen=True, kw_only=True)
class Run:
    """One run of the engine.  `trace` asks for the traces of all flows,
    core_time for the time spent in gst/protocol.  Long runs of many flows
    need wider bins than 10 ms: every table has a row for each."""
    links: tuple
    flows: tuple
    seconds: float
    seed: int = 1
    bin_ms: int = 10
    trace: Optional[bool] = None
    core_time: Optional[bool] = None

    def description(self):
        """The run as what the engine reads."""
        return _without_none(dataclasses.asdict(self))

    def json(self):
        return json.dumps(self.description(), sort_keys=True, indent=1)

    def digest(self):
        """Names the run: the same for the same description."""
        return hashlib.sha256(self.json().encode()).hexdigest()[:16]

    def with_seed(self, seed):
        return dataclasses.replace(self, seed=seed)


def dumbbell(rate_bit_s, delay_ms, queue, flows, seconds, **settings):
    """A Run over one link; `settings` are further fields of Run."""
    link = Link(rate_bit_s=rate_bit_s, delay_ms=delay_ms, queue=queue)
    return Run(links=(link,), flows=tuple(flows), seconds=seconds, **settings)


def bandwidth_delay_packets(rate_bit_s, rtt_ms, packet_bytes=1000):
    """The packets that fill a path: what buffers are given in."""
    return rate_bit_s * rtt_ms / 1000 / 8 / packet_bytes


def _without_none(value):
    if isinstance(value, dict):
        return {key: _without_none(one) for key, one in value.items()
                if one is not None}
    if isinstance(value, (list, tuple)):
        return [_without_none(one) for one in value]
    return value
