# SPDX-License-Identifier: LGPL-2.1-or-later
"""How much more than Reno RFC 8312 expects CUBIC to get.

Mean windows [packets] by the loss rate and, for CUBIC, the RTT (section 5.1):
CUBIC's window grows with time and not with round trips, so it is ahead where
windows or RTTs are large, and falls back to Reno's where they are small."""

# Section 4.
C = 0.4
BETA = 0.7


def reno_window(p):
    """Equation 3 with Reno's increase of 1 and decrease to 0.5."""
    return (1.5 / p) ** 0.5


def loss_rate_of_reno(window):
    """Its inverse: what Reno must lose to have this window."""
    return 1.5 / window ** 2


def cubic_window(p, rtt_s):
    """Equations 5 and 6; in the TCP-friendly region Reno's (section 4.2)."""
    scale = (C * (3 + BETA) / (4 * (1 - BETA))) ** 0.25
    return max(scale * (rtt_s / p) ** 0.75, reno_window(p))


def cubic_by_reno(rate_bit_s, rtt_s, packet_bytes):
    """At the loss rate with which Reno gets this rate."""
    window = rate_bit_s / 8 * rtt_s / packet_bytes
    return cubic_window(loss_rate_of_reno(window), rtt_s) / window
