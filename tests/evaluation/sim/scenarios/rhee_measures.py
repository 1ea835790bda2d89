# SPDX-License-Identifier: LGPL-2.1-or-later
"""What Rhee and Xu measure in a run: loss event rates in their two ways,
sending rates, difference ratios.  Rates are bytes/s."""

import numpy as np

import flow_metrics
from scenarios import rhee_dumbbell


def rate(result, name):
    """Mean sending rate of the flows of that name."""
    return float(np.mean(result.sent_rates(
        name, rhee_dumbbell.skipped_s(result), result.seconds)))


def rtt_s(result):
    """The mean RTT of the measured flows: propagation and what waits in the
    queue of the link, forward."""
    lengths, _ = result.queue()
    waiting = lengths[round(rhee_dumbbell.skipped_s(result)
                            / result.bin_s):].mean()
    packet_s = 8 * 1000 / result.run.links[0].rate_bit_s
    return result.flow("tcp")["rtt_ms"] / 1000 + waiting * packet_s


def traces(result, name):
    """The traces of the flows of that name, without the beginning."""
    number = sum(flow["name"] == name for flow in result.flows)
    for trace in (result.trace(name, i) for i in range(number)):
        yield trace[trace["time_s"] >= rhee_dumbbell.skipped_s(result)]


def packet_loss(result, names):
    return result.drop_rate(rhee_dumbbell.skipped_s(result), result.seconds,
                            names=names)


def loss_event_rate(result, name):
    """p of TFRC and CBR flows: losses within an RTT are one event."""
    return result.loss_event_rate(name, rhee_dumbbell.skipped_s(result),
                                  result.seconds, rtt_s=rtt_s(result))


def tcp_loss_event_rate(result):
    """p of TCP: loss indications (entries into fast recovery, and rows of
    timeouts) over packets sent, as Padhye et al. 1998 and Rhee and Xu count
    them.  Over the whole run."""
    flows = [flow for flow in result.flows if flow["name"] == "tcp"]
    indications = sum(flow["fast_recoveries"] + flow["timeouts"]
                      for flow in flows)
    return indications / sum(flow["sent_packets"] for flow in flows)


def loss_difference_alike(result, name):
    """The same with TCP's losses counted as TFRC's are, in the same time."""
    return flow_metrics.difference_ratio(loss_event_rate(result, name),
                                         loss_event_rate(result, "tcp"))


def rate_difference(result, name):
    """Difference ratio of TFRC's and TCP's throughput."""
    return flow_metrics.difference_ratio(rate(result, name),
                                         rate(result, "tcp"))


def loss_difference(result, name):
    """Difference ratio of the loss event rates of a flow and of TCP."""
    return flow_metrics.difference_ratio(loss_event_rate(result, name),
                                         tcp_loss_event_rate(result))
