"""Differences between two result folders, in words."""

from collections.abc import Iterable, Mapping
from typing import Any

from lasthop.answer.meanings import values_by_name
from lasthop.outcome.results import Results
from lasthop.results.manifest import Manifest
from lasthop.results.verification import UNCHECKED

_SETTINGS = (("name", "study"), ("seed", "seed"), ("repeat", "repetitions"))


def differences(base: Results, new: Results) -> Iterable[str]:
    """Name the differences of the folders that limit a comparison."""
    for name, results in (("base", base), ("new", new)):
        if not results.checked:
            yield f"{name} is {UNCHECKED}"
    before, after = base.manifest, new.manifest
    if before.lasthop != after.lasthop:
        yield _changed("lasthop", before.lasthop, after.lasthop)
    for key, name in _SETTINGS:
        if before.study.get(key) != after.study.get(key):
            yield _changed(name, before.study.get(key), after.study.get(key))
    yield from _conditions(before.study, after.study)
    yield from _stacks(before.study, after.study)
    yield from _values(before.study, after.study)
    for results in (base, new):
        yield from _incomplete(results.manifest, str(results.path))


def _conditions(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterable[str]:
    first, second = before.get("conditions") or {}, after.get("conditions") or {}
    for name in {**first, **second}:
        if first.get(name) != second.get(name):
            yield _changed(name, first.get(name, "none"), second.get(name, "none"))


def _stacks(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterable[str]:
    """Name stacks that are called alike and mean something else: a default, or by their name."""
    first = {stack["name"]: stack["resolved"] for stack in before.get("stacks") or ()}
    for stack in after.get("stacks") or ():
        meant = first.get(stack["name"], stack["resolved"])
        if meant != stack["resolved"]:
            yield _changed(stack["name"], meant, stack["resolved"])


def _values(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterable[str]:
    """Name swept values that are called alike and mean something else."""
    first, second = values_by_name(before), values_by_name(after)
    for key, name in sorted(first.keys() & second.keys()):
        then, now = first[key, name], second[key, name]
        if then != now:
            yield _changed(f"{key} {name}", ", or ".join(then), ", or ".join(now))


def _incomplete(manifest: Manifest, folder: str) -> Iterable[str]:
    if manifest.state != "complete":
        found = sum(manifest.counts.values())
        yield f"{folder} is incomplete: {found} of {manifest.planned_runs} runs"
    elif manifest.selection is not None:
        yield f"{folder} holds {manifest.selection} of {manifest.planned_runs} runs"


def _changed(name: str, before: object, after: object) -> str:
    return f"{name}: {before} in the base, {after} in the new"
