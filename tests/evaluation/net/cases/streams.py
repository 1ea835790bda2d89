# SPDX-License-Identifier: LGPL-2.1-or-later
"""Two and four streams of ours against each other."""

import flow_metrics
import flow_log
from cases import _beside, beside_tcp
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario

RATES_MBIT_S = (5, 20)
# {streams: runs}
STREAMS = {2: 1, 4: 3}


def runs(rate_mbit_s):
    def at(scale):
        if scale is Scale.QUICK:
            return {}
        return {(queue, streams, seed): _beside.act(
            None, 0, 1000 * rate_mbit_s, link, _beside.SECONDS[scale],
            streams) for queue, link in beside_tcp.QUEUES.items()
            for streams, seeds in STREAMS.items()
            for seed in range(1, seeds + 1)}
    return at


def jain(stage):
    return flow_metrics.jain_index(_beside.rates(stage, flow_log.UDP))


def scenario(rate_mbit_s):
    return Scenario(
        f"streams-{rate_mbit_s}", source=PRESENT_DAY,
        what="two and four greedy streams against each other, "
             f"{rate_mbit_s} Mbit/s, 50 ms RTT, three queues",
        runs=runs(rate_mbit_s), claims=[
            Claim(f"Jain's index of {streams} streams over 60 s, {queue}", 1,
                  lambda results, key=(queue, streams): results.each(
                      jain, *key), low=0.95, scales=NOT_QUICK)
            for queue in beside_tcp.QUEUES for streams in STREAMS] + [
            Claim("utilisation of the link, drop-tail", "",
                  lambda results: [
                      _beside.utilisation(stage, 1000 * rate_mbit_s)
                      for key, stage in results.items() if key[0] != "red"],
                  low=0.93, scales=NOT_QUICK),
            Claim("CoV of a stream's rate at 1 s, all queues", "",
                  lambda results: results.each(
                      lambda stage: _beside.tfrc_cov(stage, 1)),
                  scales=NOT_QUICK)])


SCENARIOS = [scenario(rate) for rate in RATES_MBIT_S]
