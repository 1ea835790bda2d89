# SPDX-License-Identifier: LGPL-2.1-or-later
"""NADA (RFC 8698) at a sender that is told of each packet by RFC 8888, with the
RFC's own parameters (section 4, tables 2 and 3).  Times in ms, rates in bit/s, no
clock."""

import collections
import dataclasses
import math

PRIO, XREF_MS = 1.0, 10.0
KAPPA, ETA, TAU_MS = 0.5, 2.0, 500.0
DELTA_MS, LOGWIN_MS, QEPS_MS, DFILT_MS = 100.0, 500.0, 10.0, 120.0
GAMMA_MAX, QBOUND_MS = 0.5, 50.0
MULTILOSS, QTH_MS, LAMBDA = 7.0, 50.0, 0.5
PLRREF, PMRREF, DLOSS_MS, DMARK_MS = 0.01, 0.01, 10.0, 2.0
ALPHA, BETA_V, BETA_S, FPS = 0.1, 0.1, 0.1, 30.0
# Section 5.1.1: a 15-tab minimum filter of the delay.
TAPS = 15
# RFC 5348 section 5.4, which section 4.2 takes loss intervals from.
WEIGHTS = (1, 1, 1, 1, 0.8, 0.6, 0.4, 0.2)


@dataclasses.dataclass
class Packet:
    sent_ms: float
    size_bytes: int
    delay_ms: float = None      # one way, by two clocks; None: lost
    marked: bool = False


class Losses:
    """Intervals between losses, in packets."""

    def __init__(self):
        self.closed = collections.deque(maxlen=len(WEIGHTS))
        self.current = 0
        self.seen = False

    def on_packet(self, lost):
        self.current += 1
        if not lost:
            return
        if self.seen:
            self.closed.appendleft(self.current)
        self.seen = True
        self.current = 0

    def mean(self):
        if not self.closed:
            return 0.0
        weights = WEIGHTS[:len(self.closed)]
        return sum(map(lambda one, weight: one * weight, self.closed,
                       weights)) / sum(weights)


def warp(delay_ms):
    """Equation 1."""
    if delay_ms < QTH_MS:
        return delay_ms
    return QTH_MS * math.exp(-LAMBDA * (delay_ms - QTH_MS) / QTH_MS)


class Nada:
    def __init__(self, lowest, highest, start):
        self.lowest, self.highest = lowest, highest
        self.rate = start                   # r_ref
        self.base_ms = math.inf             # d_base
        self.recent = collections.deque()   # (reported at, Packet)
        self.delays = collections.deque(maxlen=TAPS)
        self.losses = Losses()
        self.loss_share = self.mark_share = 0.0
        self.signal = 0.0                   # x_curr
        self.updated_ms = None

    def on_report(self, packets, rtt_ms, now_ms):
        """Of each packet once, in their order."""
        for packet in packets:
            self.recent.append((now_ms, packet))
            self.losses.on_packet(packet.delay_ms is None)
            if packet.delay_ms is not None:
                self.base_ms = min(self.base_ms, packet.delay_ms)
                self.delays.append(packet.delay_ms)
        while self.recent and now_ms - self.recent[0][0] > LOGWIN_MS:
            self.recent.popleft()
        if self.updated_ms is None:
            self.updated_ms = now_ms
        elif now_ms - self.updated_ms >= DELTA_MS and self.delays:
            self._update(rtt_ms, now_ms - self.updated_ms)
            self.updated_ms = now_ms

    def _arrived(self):
        return [packet for _, packet in self.recent
                if packet.delay_ms is not None]

    def received_rate(self):
        """r_recv, over the log."""
        arrived = self._arrived()
        if len(arrived) < 2:
            return 0.0
        at = [packet.sent_ms + packet.delay_ms for packet in arrived]
        span = max(max(at) - min(at), DELTA_MS)
        return 8000.0 * sum(packet.size_bytes for packet in arrived) / span

    def queue_ms(self):
        return min(self.delays) - self.base_ms

    def _effective_delay(self):
        """Section 4.2: warped while the last loss is recent, and back over the
        course of one mean interval."""
        queue, mean = self.queue_ms(), self.losses.mean()
        if not self.losses.seen or mean == 0.0:
            return queue
        late = self.losses.current / mean - MULTILOSS
        warped = min(max(1.0 - late, 0.0), 1.0)
        return warped * warp(queue) + (1.0 - warped) * queue

    def _shares(self):
        packets = [packet for _, packet in self.recent]
        lost = sum(packet.delay_ms is None for packet in packets)
        marked = sum(packet.marked for packet in packets)
        self.loss_share += ALPHA * (lost / len(packets) - self.loss_share)
        self.mark_share += ALPHA * (marked / len(packets) - self.mark_share)
        return lost + marked

    def _update(self, rtt_ms, delta_ms):
        disturbed = self._shares()
        before = self.signal
        # Equation 2.
        self.signal = (self._effective_delay()
                       + DMARK_MS * (self.mark_share / PMRREF) ** 2
                       + DLOSS_MS * (self.loss_share / PLRREF) ** 2)
        calm = not disturbed and all(
            packet.delay_ms - self.base_ms < QEPS_MS
            for packet in self._arrived())
        if calm:
            # Equations 3 and 4.
            gain = min(GAMMA_MAX, QBOUND_MS / (rtt_ms + DELTA_MS + DFILT_MS))
            self.rate = max(self.rate, (1.0 + gain) * self.received_rate())
        else:
            # Equations 5 to 7.
            offset = self.signal - PRIO * XREF_MS * self.highest / self.rate
            self.rate -= self.rate * KAPPA * (
                delta_ms / TAU_MS * offset / TAU_MS
                + ETA * (self.signal - before) / TAU_MS)
        self.rate = min(max(self.rate, self.lowest), self.highest)

    def encoder_rate(self, waiting_bytes):
        """r_vin, equation 9."""
        return max(self.lowest,
                   self.rate - BETA_V * 8.0 * waiting_bytes * FPS)

    def sending_rate(self, waiting_bytes):
        """r_send, equation 10."""
        return min(self.highest,
                   self.rate + BETA_S * 8.0 * waiting_bytes * FPS)
