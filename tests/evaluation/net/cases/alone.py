# SPDX-License-Identifier: LGPL-2.1-or-later
"""One stream alone on a link: how much of it it uses, and what waits."""

from cases import _beside, beside_tcp
from claims import NOT_QUICK, PRESENT_DAY, Claim, Scale, Scenario

RATES_MBIT_S = (2, 5, 20)
QUICK = (2, "drop-tail-50")
SEEDS = 1


def runs(scale):
    cases = [QUICK] if scale is Scale.QUICK else [
        (rate, queue) for rate in RATES_MBIT_S for queue in beside_tcp.QUEUES]
    return {(rate, queue, seed): _beside.act(
        None, 0, 1000 * rate, beside_tcp.QUEUES[queue],
        _beside.SECONDS[scale])
        for rate, queue in cases
        for seed in range(1, 2 if scale is Scale.QUICK else SEEDS + 1)}


def utilisation(results):
    return [_beside.utilisation(stage, 1000 * key[0])
            for key, stage in results.items()]


def queue_claims(queue):
    for share, name in (("p50", "median"), ("p95", "95th percentile of the")):
        yield Claim(
            f"{name} wait in the queue, {queue} [ms]", "",
            lambda results, share=share: results.each(
                lambda stage: stage.net.summary["ports"]["receiver"]["to"]
                ["queue_ms"][share], None, queue), scales=NOT_QUICK,
            note="own sending time included, from the start on")


SCENARIOS = [Scenario(
    "alone", source=PRESENT_DAY,
    what="one greedy stream on 2, 5 and 20 Mbit/s, 50 ms RTT, three queues",
    runs=runs, claims=[
        Claim("utilisation of the link, drop-tail", "",
              lambda results: utilisation(results.select(
                  None, "drop-tail-50")) + utilisation(results.select(
                      None, "drop-tail-200")), low=0.93),
        Claim("utilisation of the link, RED", "",
              lambda results: utilisation(results.select(None, "red")),
              low=0.93, scales=NOT_QUICK),
        *[claim for queue in beside_tcp.QUEUES
          for claim in queue_claims(queue)],
    ])]
