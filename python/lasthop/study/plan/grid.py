"""Expands the sweep of a study into parts and points."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lasthop.study.fields.labels import check_label
from lasthop.study.forms.keys import known_keys, sweepable_keys
from lasthop.study.forms.model import check_name
from lasthop.study.text.document import Document, Replacement
from lasthop.study.text.faults import Fault, show, suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from lasthop.study.text.source import Source

MAXIMUM_RUNS = 100_000
"""Maximum number of runs of a study."""

BASE_PART = "base"

_BESIDE_A_SWEEP = {
    "stacks": 'list the arms in "stacks"',
    "engine": (
        "a study has one engine; write two studies, and compare their "
        'results with "lasthop compare"'
    ),
    "seed": 'write "repeat: 10" for runs with other random numbers',
    "repeat": "write it outside of the sweep; every point has the same number of repetitions",
}
"""Alternatives to keys that cannot be swept."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A swept key with its values and their locations.

    Parameters
    ----------
    names
        Names of the values; None for values in a list.
    """

    key: str
    values: tuple[Replacement, ...]
    names: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class GridPart:
    """One entry of the sweep: a grid of its axes."""

    name: str
    index: int | None
    axes: tuple[Axis, ...]

    def __len__(self) -> int:
        """Return the number of points."""
        return math.prod(len(axis.values) for axis in self.axes)

    def points(self, base: Document) -> Iterator[tuple[Document, Mapping[str, str | None]]]:
        """Yield the study of each point with the swept keys replaced.

        The first key varies slowest.

        Beside it stand the names of the values, by key.
        """
        axes = (tuple(zip(axis.values, axis.names, strict=True)) for axis in self.axes)
        for combination in itertools.product(*axes):
            point = base
            for replacement, _ in combination:
                point = point.replaced(replacement)
            yield point, {replacement.key: name for replacement, name in combination}


def read_parts(document: Document) -> tuple[GridPart, ...]:
    """Parse the sweep. Without a sweep there is one part with one point.

    Raises
    ------
    StudyError
        With the place of a name, key or value that cannot be.
    """
    sweep = document.value.get("sweep")
    if sweep is None:
        return (GridPart(BASE_PART, None, ()),)
    parts: list[GridPart] = []
    for index, item in enumerate(sweep):
        try:
            part = _part(document, index, item)
        except Fault as fault:
            raise document.error(fault.within(("sweep", index))) from None
        if part.name in {other.name for other in parts}:
            what = f"two parts have the name {show(part.name)}"
            location = ("sweep", index, "name")
            raise document.error(Fault(what, hint="rename one", location=location))
        parts.append(part)
    return tuple(parts)


def check_size(
    document: Document, parts: tuple[GridPart, ...], *, stacks: int, repeat: int
) -> None:
    """Raise an error if the study has more runs than the maximum."""
    runs = sum(len(part) for part in parts) * stacks * repeat
    if runs > MAXIMUM_RUNS:
        points = sum(len(part) for part in parts)
        location = ("sweep",) if "sweep" in document.value else ("repeat",)
        raise document.error(
            Fault(
                f"{points} points x {stacks} stacks x {repeat} repetitions are {runs} runs, "
                f"more than {MAXIMUM_RUNS}",
                hint="sweep fewer values or repeat less",
                location=location,
            )
        )


def check_settable(key: str) -> None:
    """Check that ``--set`` may replace a key.

    Raises
    ------
    Fault
        If there is no such key.
    """
    if key not in known_keys():
        hint = suggestion(key, known_keys().like(key), kind="keys")
        if hint.startswith("known"):
            hint = "write a dotted key of the study, for example path.loss"
        raise Fault(f"unknown key {show(key)}", hint=hint)


def _part(document: Document, index: int, item: object) -> GridPart:
    if not isinstance(item, dict):
        raise Fault(f"{show(item)} is not a mapping", hint="write {name: loss, path.loss: [5 %]}")
    if "name" not in item:
        raise Fault('the key "name" is missing', hint='write "name: loss"')
    try:
        name = check_name(item["name"], of_part=True)
    except Fault as fault:
        raise fault.within(("name",)) from None
    keys = [key for key in item if key != "name"]
    for key in keys:
        _check_swept(key, keys)
    source, root = _written_in(document)
    axes = tuple(_axis(source, (*root, index, key), key, item[key]) for key in keys)
    return GridPart(name, index, axes)


def _written_in(document: Document) -> tuple[Source, tuple[str | int, ...]]:
    for replacement in reversed(document.replacements):
        if replacement.key == "sweep":
            return replacement.source, replacement.root
    return document.source, ("sweep",)


def _check_swept(key: str, keys: list[str]) -> None:
    if key not in sweepable_keys():
        if key == "stacks" or key in known_keys():
            what = f"{show(key)} cannot be swept"
            hint = "sweep another key: duration, devices, or a key below measure, traffic or path"
            if key in _BESIDE_A_SWEEP:
                hint = _BESIDE_A_SWEEP[key]
            elif key.endswith(".stack") or ".stacks." in key:
                hint = f'write stacks under compare: "compare: {{{key}: [coap, mqtt]}}"'
        else:
            what = f"unknown key {show(key)}"
            hint = suggestion(key, sweepable_keys().like(key), kind="keys")
            if hint.startswith("known"):
                hint = "write a dotted key of the study, for example path.loss"
        raise Fault(what, hint=hint, location=(key,), at_key=True)
    above = next((other for other in keys if key.startswith(f"{other}.")), None)
    if above is not None:
        raise Fault(
            f"{show(key)} is a part of {show(above)}, which is swept too",
            hint="sweep one of them",
            location=(key,),
            at_key=True,
        )


def _axis(source: Source, root: tuple[str | int, ...], key: str, values: object) -> Axis:
    if not isinstance(values, list | dict):
        hint = "write the values in brackets, for example [1, 2], or give each a name"
        raise Fault(f"{show(values)} is not a list", hint=hint, location=(key,))
    if not values:
        shape = "mapping" if isinstance(values, dict) else "list"
        raise Fault(f"the {shape} is empty", hint="write at least one value", location=(key,))
    if len(values) > MAXIMUM_RUNS:
        raise Fault(
            f"{len(values)} values", hint=f"write at most {MAXIMUM_RUNS} values", location=(key,)
        )
    if isinstance(values, list):
        places: list[int | str] = list(range(len(values)))
        names: tuple[str | None, ...] = (None,) * len(values)
    else:
        _check_names(key, values)
        places = list(values)
        names = tuple(values)
    return Axis(key, tuple(Replacement(key, source, (*root, place)) for place in places), names)


def _check_names(key: str, names: Iterable[str]) -> None:
    for name in names:
        try:
            if f"{key}.{name}" in known_keys():
                raise _key_below(key, name)
            check_label(name)
        except Fault as fault:
            raise fault.within((key, name)) from None


def _key_below(key: str, name: str) -> Fault:
    return Fault(
        f"{show(name)} is a key below {show(key)}, not the name of a value",
        hint="write the values in brackets, or choose another name",
        at_key=True,
    )
