# SPDX-License-Identifier: LGPL-2.1-or-later
"""How soon a group follows another receiver: one that joins and is slower than
all others, one that takes over from a CLR which is killed, or which leaves.

RFC 4654 gives no time for the first.  What is asked: two feedback delays and
a second, in which the newcomer sees its first losses.  A CLR is given up
after ten of its RTTs (section 3.3); the sender then begins a round."""

from claims import Claim, NOT_QUICK, RFC_4654, Scale, Scenario
from scenarios import widmer_late_join as late_join
from scenarios import widmer_response as response
from scenarios import widmer_setup as setup
from simulation import Link, Members, Queue, Run

RTT_S = setup.RTT_MS / 1000
# Receivers beside the one in question, and how many runs of them.
SIZES = {8: 10, 500: 5}
COMMON_LOSS, WORST_LOSS = 0.005, 0.05
CHANGE_S, SECONDS = 40, 60
JOINS, KILLED, LEAVES = "joins", "killed", "leaves"
STAR, LATE = "star", "late"


def run(what, size, seed):
    """Member 0 has ten times the losses of the others."""
    stay = {JOINS: {"join_s": CHANGE_S},
            KILLED: {"leave_s": CHANGE_S, "kill": True},
            LEAVES: {"leave_s": CHANGE_S}}[what]
    return Run(
        links=(Link(rate_bit_s=setup.FAST_BIT_S, delay_ms=10,
                    queue=Queue(kind="drop-tail", packets=1000)),),
        flows=(setup.tfmcc([Members(loss=WORST_LOSS, **stay),
                            Members(count=size, loss=COMMON_LOSS)],
                           parameters={"sample_ms": 100}),),
        seconds=SECONDS, seed=seed, bin_ms=100)


def runs(scale):
    if scale is Scale.QUICK:
        return {(what, 8, 1): run(what, 8, 1) for what in (JOINS, KILLED)}
    made = {(what, size, seed): run(what, size, seed)
            for what in (JOINS, KILLED, LEAVES) for size, n in SIZES.items()
            for seed in setup.seeds(scale, n)}
    for seed in setup.seeds(scale, 6):
        made[(STAR, 4, seed)] = response.star(seed)
        made[(LATE, 9, seed)] = late_join.run(scale, False, seed)
    return made


def newcomers(result):
    """[(member, when it joins)] of those that are the slowest then."""
    if len(result.run.flows) == 1:
        return [(0, CHANGE_S)]
    if len(result.links) == 2:
        return [(late_join.JOINER, late_join.JOIN_S)]
    return [(i, join) for i, (join, _) in enumerate(response.STAYS) if join]


def since_join(result, member, join):
    """Seconds until it is the CLR."""
    return setup.group(result).clr_since([member], join)


def since_slowest(result, member, join):
    """The same from when its own rate is below all others' and what is sent:
    before it has seen losses, it cannot know."""
    state = setup.group(result).state
    slowest = state[(state["time"] >= join)
                    & (state["lowest_member"] == member)
                    & (state["lowest_rate"] < state["sending_rate"])]
    chosen = join + since_join(result, member, join)
    return max(chosen - float(slowest["time"][0]), 0.0) if len(slowest) \
        else 0.0


def by_limit(delay):
    """The longest of a run's delays by 2 T + 1 s, T of when it joins."""
    return lambda result: max(
        delay(result, *one) / (2 * setup.round_span(result, one[1]) + 1)
        for one in newcomers(result))


def was_clr(result):
    """Whether the one that is to go is the CLR: it must be."""
    return float(setup.group(result).clr_at(CHANGE_S - 0.01) == 0)


def succession(result):
    """Seconds from the end of the CLR until another one is."""
    changes = setup.group(result).clr
    after = changes[(changes["time"] > CHANGE_S) & (changes["member"] > 0)]
    return float(after["time"][0]) - CHANGE_S if len(after) else None


def succession_by_limit(result):
    """That by ten of its RTTs and, unless somebody succeeds it at once, the round
    that is asked for the next, which takes an RTT to be heard of and answered.
    Where packets are further apart than an RTT, their distance counts for it."""
    changes = setup.group(result).clr
    given_up = changes[(changes["time"] > CHANGE_S)
                       & (changes["member"] != 0)]["time"][0]
    gap = setup.PACKET_BYTES / setup.rate_near(
        result, CHANGE_S)["sending_rate"]
    return succession(result) / (11 * max(RTT_S, gap)
                                 + setup.round_span(result, float(given_up)))


def each(measure, *pattern):
    return lambda results: results.each(measure, *pattern)


def longest(measure, *patterns):
    return lambda results: max(
        value for pattern in patterns
        for value in results.each(measure, *pattern))


def claim(text, paper, measure, **settings):
    return Claim(text, paper, measure, **settings)


LIMIT = "two feedback delays and 1 s"
CLAIMS = [
    claim("longest delay of a new slowest receiver by 2 T + 1 s, in a group "
          "of 8", LIMIT, longest(by_limit(since_join), (JOINS, 8))),
    claim("the same in a group of 500", LIMIT,
          longest(by_limit(since_join), (JOINS, 500)), scales=NOT_QUICK),
    claim("the same for figure 12's joiner behind 200 kbit/s", LIMIT,
          longest(by_limit(since_join), (LATE,)), scales=NOT_QUICK),
    claim("the same for figure 8's joiners, since their rate is the lowest",
          LIMIT, longest(by_limit(since_slowest), (STAR,)),
          scales=NOT_QUICK),
    claim("the same for figure 8's joiners, since they join, mean of the "
          "runs", LIMIT, each(by_limit(since_join), STAR), scales=NOT_QUICK,
          note="a receiver with 0.5 % loss has none in its first second in "
          "one run of 20, which may then be above 1"),
    Claim("share of runs where the one that goes is the CLR", 1,
          lambda results: results.each(was_clr, KILLED)
          + results.each(was_clr, LEAVES)),
    Claim("seconds until a killed CLR is replaced", "not given",
          each(succession, KILLED),
          note="the bound is judged next"),
    claim("longest of these by ten RTTs and a round", "at most that",
          longest(succession_by_limit, (KILLED,)),
          note="its last report is on the way as it goes, and the question "
          "and an answer travel: an RTT more"),
    Claim("seconds until a CLR that leaves is replaced", "a round",
          each(succession, LEAVES), scales=NOT_QUICK,
          note="2 T: until a round is over without another's report"),
]

SCENARIOS = [Scenario(
    "limiting-receiver", source=RFC_4654 + ", section 3.3",
    what="a new slowest receiver, and a CLR that is gone", runs=runs,
    claims=CLAIMS)]
