# SPDX-License-Identifier: LGPL-2.1-or-later
"""Greedy streams, with or without TCP flows, on one link; and what each of
them got."""

import statistics

import flow_log
from claims import Scale

RTT_S = 0.05
# TCP's segments fill the MTU; the stream's packets are 16 bytes short of it.
PACKET_BYTES = 1500
RTP_MTU = 1456
FIRST_PORT = 5004
# To settle, measured.
SECONDS = {Scale.QUICK: (8, 18), Scale.STANDARD: (15, 60)}
# What is no data: iperf3's own connection.
DATA_SHARE = 0.001


def act(algorithm, flows, rate_kbit_s, link, seconds, streams=1, noise=True,
        src=None, sink=None, mtu=RTP_MTU):
    """`flows` of TCP and so many streams.  `seconds`: to settle, measured;
    `src` and `sink`: properties of tfrcsrc and tfrcsink; packets have the caps
    that `src` names."""
    packet_ms = 8 * PACKET_BYTES / rate_kbit_s

    def run(stage):
        stage.host("sender", **({"back_jitter_ms": packet_ms} if noise
                                else {}))
        stage.host("receiver", rate_kbit_s=rate_kbit_s,
                   delay_ms=1000 * RTT_S / 2, **link)
        stage.start()
        for i in range(streams):
            port = FIRST_PORT + 2 * i
            stage.receiver("receiver", name=f"receiver-{i}", port=port,
                           source="greedy", src=src).play()
            stage.sender("sender", to="receiver", name=f"sender-{i}",
                         port=port, source="greedy", mtu=mtu, sink=sink,
                         rtp_caps=(src or {}).get("caps")).play()
        if flows:
            stage.tcp("sender", "receiver", sum(seconds) + 5, algorithm,
                      flows)
        stage.mark("steady", after=seconds[0])
        stage.sleep(sum(seconds))
        stage.mark("end")
    return run


def data_flows(stage, protocol):
    flows = stage.flows("receiver", "to", protocol)
    most = max(flow.bytes[-1] for flow in flows)
    return [flow for flow in flows if flow.bytes[-1] > DATA_SHARE * most]


def rates(stage, protocol):
    return [flow.kbit_s(*stage.between("steady", "end"))
            for flow in data_flows(stage, protocol)]


def share(stage):
    """TFRC's rate by the mean of the TCP flows'."""
    return statistics.fmean(rates(stage, flow_log.UDP)) \
        / statistics.fmean(rates(stage, flow_log.TCP))


def cov(stage, protocol, bin_s):
    """Mean over the flows."""
    return statistics.fmean(
        flow.cov(*stage.between("steady", "end"), bin_s)
        for flow in data_flows(stage, protocol))


def tfrc_cov(stage, bin_s):
    return cov(stage, flow_log.UDP, bin_s)


def tcp_cov(stage, bin_s):
    return cov(stage, flow_log.TCP, bin_s)


def smoothness(stage):
    return tfrc_cov(stage, 1) / tcp_cov(stage, 1)


def utilisation(stage, rate_kbit_s):
    return stage.link_kbit_s("receiver", "to", *stage.between(
        "steady", "end")) / rate_kbit_s
