# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the numbers of a scenario depend on: scripts, whose traces are kept
(tests/virtual/behaviour.py, engine_behaviour.py), and the source of its runs and
of what it measures."""

import ast
import collections
import functools
import hashlib
import pathlib

import claims
import tolerances

HERE = pathlib.Path(__file__).resolve().parent
# Scripts of settings that few flows have.
OPTIONS = {
    "tfrc/ecn": {"ecn"}, "tfrc/small-packets": set(), "tfrc/restarts": set(),
    "tfrc/self-clocking": {"self_clocking"},
    "tfrc/rto": {"rto_mode", "rate_scale", "packets_per_ack"},
    "tfrc/history": {"history_length", "discounting", "discount_threshold",
                     "oscillation_damping"}}
OPTIONS["engine/options"] = {"packets_per_burst"}.union(*OPTIONS.values())
OF_VIDEO = ("tfrc/data-limited", "tfrc/data-limited-300",
            "simulated/data-limited", "delay/data-limited")
PLAIN = ("tfrc/", "simulated/", "wire/tfrc", "engine/tfrc", "engine/bad-path",
         "engine/options")
DELAY = ("delay/", "engine/delay")
GROUP = ("tfmcc/", "wire/tfmcc", "engine/tfmcc")
OF_KIND = {"tfrc": PLAIN, "media": (*PLAIN, "engine/media"), "tfmcc": GROUP,
           "tfmcc-branch": (*GROUP, "engine/branch"), "tcp": ("engine/tcp",),
           "cbr": ()}
OTHER_KINDS = ("engine/sources",)
# Of papers, whose numbers without runs are the core's own for a group.
OF_GROUPS = (claims.WIDMER, claims.RFC_4654)
# Words about a claim or a scenario, and pictures: by position, and by name.
WORDS = {"Claim": ((0, 1), ("note", "explained", "paper", "tolerance")),
         "Scenario": ((0,), ("what", "source", "plot", "few_seeds"))}


def scripts(scenario, names):
    """Those of the names that it depends on; a head with "/" is of all that
    begin with it."""
    runs = _runs(scenario)
    flows = [flow for run in runs for flow in run.flows]
    used = {key for flow in flows for key in flow.parameters}
    kinds = {flow.kind for flow in flows}
    heads = [head for kind in kinds for head in OF_KIND.get(kind, OTHER_KINDS)]
    heads += ["engine/links" if flows else
              "tfmcc/" if scenario.paper in OF_GROUPS else "tfrc/"]
    if "delay_target_ms" in used:
        heads += DELAY + ("engine/media-delay",) * ("media" in kinds)
    if any(link.wifi_mode for run in runs for link in run.links):
        heads.append("engine/wifi")
    if any(flow.parameters.get("congestion") == "bbr" for flow in flows):
        heads.append("engine/bbr")
    if any(flow.parameters.get("tcp") == "cubic" for flow in flows):
        heads.append("cubic/")
    return sorted(
        name for name in names
        if {name, name.partition("/")[0] + "/"} & set(heads)
        and (name not in OPTIONS or OPTIONS[name] & used)
        and (name not in OF_VIDEO or "media" in kinds))


def measure(scenario):
    """Of its runs' descriptions, and of all that makes them and measures."""
    return hashlib.sha256("".join(sorted(
        run.digest() for run in _runs(scenario))).encode()
        + sources().digest(scenario.name).encode()).hexdigest()[:16]


class Sources:
    """The functions of the scenarios and of what measures."""

    def __init__(self, folder=HERE):
        self.modules = {}
        self.methods = collections.defaultdict(list)
        self.scenarios = {}
        for path in [*folder.glob("*.py"), *folder.glob("scenarios/*.py"),
                     *folder.parents[1].glob("support/*metrics.py")]:
            if not path.stem.startswith("test_"):
                self._read(path)

    def _read(self, path):
        names = self.modules[path.stem] = {}
        tree = ast.parse(path.read_text())
        self.scenarios |= {
            getattr(one.args[0], "value", None): (path.stem, one)
            for one in ast.walk(tree) if isinstance(one, ast.Call)
            and _called(one) == "Scenario" and one.args}
        for node in tree.body:
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                of = getattr(node, "module", None) or ""
                for alias in node.names:
                    names[alias.asname or alias.name] = (
                        of.split(".")[-1], alias.name.split(".")[-1])
            elif isinstance(node, ast.ClassDef):
                names[node.name] = [(path.stem, one) for one in node.body
                                    if not _is_plain(one)]
                for one in node.body:
                    if isinstance(one, ast.FunctionDef):
                        self.methods[one.name].append((path.stem, one))
            else:
                for name in _named(node):
                    names[name] = [(path.stem, node)]

    def find(self, module, name):
        """[(module, node)] of what the name is there."""
        found = self.modules.get(module, {}).get(name, [])
        if isinstance(found, tuple):
            return self.find(*found) if found[0] in self.modules else []
        return found

    def digest(self, scenario):
        """Of all that its runs and claims call, wherever it stands; not of
        comments, and of what is said about them."""
        waiting, seen = list(self._start(scenario)), {}
        while waiting:
            module, node = waiting.pop()
            if node not in seen:
                seen[node], called = self._look_at(module, node)
                waiting += called
        return hashlib.sha256(
            "\0".join(sorted(seen.values())).encode()).hexdigest()[:16]

    @functools.lru_cache(maxsize=None)
    def _look_at(self, module, node):
        """(its text, what it names)."""
        parts = list(_walk(node, _words(node)))
        called = [found for _, one in parts for found in (
            self.find(module, one.id) if isinstance(one, ast.Name) else
            self._attribute(module, one) if isinstance(one, ast.Attribute)
            else [])]
        return "\n".join(map(_tell, parts)), called

    def _attribute(self, module, node):
        of = self.modules[module].get(getattr(node.value, "id", None))
        if isinstance(of, tuple) and of[1] in self.modules:
            return self.find(of[1], node.attr)
        return self.methods.get(node.attr, [])

    def _start(self, name):
        """Its Scenario (...), or what makes it out of another one, and that."""
        return [self.scenarios[name]] if name in self.scenarios else [
            self.scenarios[tolerances.like()[name]],
            *self.find("delay_control", "controlled")]


@functools.lru_cache(maxsize=None)
def sources():
    return Sources()


def _runs(scenario):
    return list(scenario.runs(claims.Scale.STANDARD).values())


def _named(node):
    """What a statement of a module gives a name to."""
    if isinstance(node, ast.FunctionDef):
        return [node.name]
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    return [one.id for target in targets if target
            for one in ast.walk(target) if isinstance(one, ast.Name)]


def _is_plain(node):
    """A method, which is found where it is called, or a field that is empty
    unless a run says otherwise."""
    return isinstance(node, ast.FunctionDef) \
        and not node.name.startswith("__") \
        or isinstance(node, ast.AnnAssign) \
        and isinstance(node.value, (type(None), ast.Constant))


def _called(call):
    return getattr(call.func, "id", "")


def _words(node):
    """Nodes that change no number: docstrings, and what WORDS lists."""
    found = set()
    for one in ast.walk(node):
        if isinstance(one, ast.Expr) and isinstance(one.value, ast.Constant):
            found.add(one)
        elif isinstance(one, ast.Call) and _called(one) in WORDS:
            places, keys = WORDS[_called(one)]
            found |= {one.args[i] for i in places if i < len(one.args)}
            found |= {key for key in one.keywords if key.arg in keys}
    return found


def _walk(node, left_out, depth=0):
    """(depth, node) of all of its parts."""
    if node not in left_out:
        yield depth, node
        for one in ast.iter_child_nodes(node):
            yield from _walk(one, left_out, depth + 1)


def _tell(part):
    """The same with all versions of Python, as ast.dump is not."""
    depth, node = part
    return f"{depth} {type(node).__name__} " + " ".join(
        repr(value) for _, value in ast.iter_fields(node)
        if value is not None and not isinstance(value, (ast.AST, list)))
