# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a run wrote about a TFMCC group: result.group("tfmcc").

Members are numbered from 0 as the description has them: those of the tfmcc
flow, then those of its branches.  Times are seconds from the start of the
run, rates bytes/s.  -1 stands for nobody, never or nothing; a rate that does
not exist is NaN.  Every table is a structured array: `group.rounds["reports"]`.

reports  each report that reached the sender, as it came
    time, round (from 0, does not wrap: the round that it answers), member,
    rate, has_rtt, has_loss, leaving, is_clr (the CLR when it came)
rounds   each feedback round of the sender that has ended
    round, begin, end, max_rtt, packet_interval (s/X), sending_rate (at its
    beginning), reports (not by the CLR, of this round), clr_reports,
    first_report (seconds from `begin`), lowest_reported (by anybody),
    lowest_reported_others (not by the CLR), lowest_begin, lowest_end (least
    rate of all members' own at these instants), lowest_others_end (without
    the CLR), suppression_rate (at its end), suppressed (timers that were
    cancelled during it), members (that listen, at its end)
state    every sample_ms
    time, sending_rate, clr, clr_rate, clr_rtt, max_rtt, members, with_rtt
    (have measured their RTT), with_loss (have had a loss), lowest_rate (of
    all members), lowest_member (whose), slow_start (1 until it ended)
clr      each change of the CLR
    time, member, previous, rate, rtt
members  each member, at the end of the run
    member, flow (of its links), rtt (propagation), loss (of its own), join,
    leave, packets, lost, reports, suppressed, echoes, clr_periods, first_rtt
    (when it measured one), first_report, rate, loss_event_rate, rtt_estimate
"""

import numpy as np

COLUMNS = {
    "reports": "time round member rate has_rtt has_loss leaving is_clr",
    "rounds": "round begin end max_rtt packet_interval sending_rate reports "
              "clr_reports first_report lowest_reported "
              "lowest_reported_others lowest_begin lowest_end "
              "lowest_others_end suppression_rate suppressed members",
    "state": "time sending_rate clr clr_rate clr_rtt max_rtt members "
             "with_rtt with_loss lowest_rate lowest_member slow_start",
    "clr": "time member previous rate rtt",
    "members": "member flow rtt loss join leave packets lost reports "
               "suppressed echoes clr_periods first_rtt first_report rate "
               "loss_event_rate rtt_estimate",
}


class GroupResult:

    def __init__(self, folder, flow):
        self._folder = folder
        self._flow = flow
        self._tables = {}

    @property
    def summary(self):
        """The flow's entry of summary.json: TfmccSenderCounters, and
        slow_start_end_s, slow_start_rate (the highest), bytes_per_member,
        members, receptions, reports_sent."""
        return self._flow

    @property
    def reports(self):
        return self._table("reports")

    @property
    def rounds(self):
        return self._table("rounds")

    @property
    def state(self):
        return self._table("state")

    @property
    def clr(self):
        return self._table("clr")

    @property
    def members(self):
        return self._table("members")

    def rounds_between(self, start, end):
        """The rounds that lie within."""
        rounds = self.rounds
        return rounds[(rounds["begin"] >= start) & (rounds["end"] <= end)]

    def clr_at(self, time):
        """The member that is the CLR at that instant, or -1."""
        before = np.searchsorted(self.clr["time"], time, side="right")
        return int(self.clr["member"][before - 1]) if before else -1

    def clr_since(self, members, time):
        """Seconds from `time` until one of the members is the CLR: 0 if it
        is one already, None if none ever is."""
        members = set(members)
        if self.clr_at(time) in members:
            return 0.0
        for change in self.clr:
            if change["time"] > time and int(change["member"]) in members:
                return float(change["time"] - time)
        return None

    def quality(self, start, end):
        """For each round: lowest reported rate by the true lowest (of the
        instants where it begins and ends, the one that fits better), minus
        one.  NaN where nobody reported."""
        rounds = self.rounds_between(start, end)
        lowest = rounds["lowest_reported"]
        errors = np.stack([lowest / rounds["lowest_begin"] - 1,
                           lowest / rounds["lowest_end"] - 1])
        best = np.abs(errors).argmin(axis=0)
        return errors[best, np.arange(len(rounds))]

    def _table(self, name):
        if name not in self._tables:
            columns = COLUMNS[name].split()
            numbers = np.fromfile(
                self._folder / f"group-{name}-{self._flow['index']}.txt",
                sep=" ")
            rows = numbers.reshape(-1, len(columns))
            self._tables[name] = np.rec.fromarrays(rows.T, names=columns) \
                if len(rows) else np.rec.fromarrays(
                    [np.empty(0) for _ in columns], names=columns)
        return self._tables[name]
