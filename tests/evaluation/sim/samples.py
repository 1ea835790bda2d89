# SPDX-License-Identifier: LGPL-2.1-or-later
"""The shortest runs of a scenario, and what they wrote.

A run gives the same bytes with the same core.  So a few short ones tell
whether a core that was changed since behaves as it did, without the others."""

import hashlib

import evaluation


def choose(scenario, scale):
    """{key: Run}: the cheapest of each kind.  What the words in a key say
    is the kind; seeds, loads and counts are not."""
    cheapest = {}
    for key, run in sorted(scenario.runs(scale).items(),
                           key=lambda item: (evaluation.cost(item[1]),
                                             str(item[0]))):
        kind = tuple(part for part in key if isinstance(part, str))
        cheapest.setdefault(kind, (key, run))
    return dict(cheapest.values())


def digests(runs, results):
    """{name of the run: digest} of what those of the runs wrote that are
    there."""
    found = {result.run.digest(): result for result in results}
    return {"/".join(map(str, key)): digest(found[run.digest()])
            for key, run in runs.items() if run.digest() in found}


def digest(result):
    """Of all tables of packets, and of a group's; not of the traces of what
    a flow thinks, nor of how long the run took."""
    found = hashlib.sha256()
    for path in sorted(result.folder.glob("*.txt")):
        found.update(path.name.encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]
