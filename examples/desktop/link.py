# SPDX-License-Identifier: LGPL-2.1-or-later
"""A link that is changed while it runs.  It outlives the processes that play it:
what was set holds for the next one, too."""

from live import conditions


class Link:

    def __init__(self, name, preset):
        self.name = name
        self.title = "The link" if name == "link" else f"Link to “{name}”"
        self.processes = []         # Child each; two when runs are compared
        self.use(preset)

    def use(self, preset):
        """Takes over all of a profile of data/links."""
        self.preset = preset
        self.conditions, self.changes_by_itself = \
            conditions.read_profile(preset)
        self.changed = set()
        self.unplugged = False
        self._tell([f"profile {preset}"])

    def change(self, name, value):
        """One of the Conditions."""
        setattr(self.conditions, name, value)
        self.changed.add(name)
        if name == "capacity_kbit_s":
            self.changes_by_itself = False
        if not (self.unplugged and name == "capacity_kbit_s"):
            self._tell(self.conditions.commands(name))

    def unplug(self, unplugged):
        """Nothing passes, in either direction.  A preset whose capacity
        changes by itself starts over behind that."""
        self.unplugged = unplugged
        self._tell(["rate_kbit_s 0", "back_rate_kbit_s 0"] if unplugged
                   else self._all())

    def attach(self, process):
        """A tfrc-relay that plays the preset."""
        self.processes.append(process)
        self._tell(self._all() if not self.unplugged else self._all() + [
            "rate_kbit_s 0", "back_rate_kbit_s 0"])

    def detach(self):
        self.processes.clear()

    def _all(self):
        return [f"profile {self.preset}"] + [
            line for name in sorted(self.changed)
            for line in self.conditions.commands(name)]

    def _tell(self, lines):
        for process in self.processes:
            for line in lines:
                process.command(line)
