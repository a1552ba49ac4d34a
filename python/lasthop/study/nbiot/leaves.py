"""Maps keys of a study to fields of the resolved network."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Annotated, get_args, get_origin, get_type_hints

from lasthop.study.fields.form import Form, Quantity
from lasthop.study.fields.quantity import TIME
from lasthop.study.nbiot.amounts import SUBFRAME_NS, Into
from lasthop.study.nbiot.form import Nbiot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lasthop.study.fields.quantity import Kind

Steps = tuple[str | int, ...]
"""Path to a field: names, and positions in lists."""

_OF_CELLS = re.compile(r"cell_settings\[(?P<place>\d+)\]\.(?P<inner>.+)")

NOT_A_FIELD = ("base", "coupling_loss_thresholds")
"""Keys of an NB-IoT network without a field of their own."""


@dataclass(frozen=True, slots=True)
class Place:
    """The field of a key in the resolved network.

    Parameters
    ----------
    name
        Name of the key.
    steps
        Path relative to the field of the mapping.
    unit_ns
        Unit of a time field in ns; None for other fields.
    below
        Form of a nested mapping; None for a value.
    """

    name: str
    steps: Steps
    unit_ns: int | None
    below: type[Form] | None


@cache
def places(form: type[Form]) -> tuple[Place, ...]:
    """Return the field of each key of a mapping."""
    hints = get_type_hints(form, include_extras=True)
    return tuple(_place(name, hints[name]) for name in form.model_fields if name not in NOT_A_FIELD)


def key_of(field: str) -> tuple[str | int, ...]:
    """Return the key below ``path.nbiot`` of a field, as far as it exists.

    Examples
    --------
    >>> key_of("levels[1].nprach.period_ms")
    ('coverage_levels', 'ce1', 'nprach', 'period')
    >>> key_of("placement.stated_coupling_loss.coupling_loss_db")
    ('coupling_loss',)
    >>> key_of("cell_settings[2].levels[1].nprach.period_ms")
    ('cell_settings', 2, 'coverage_levels', 'ce1', 'nprach', 'period')
    """
    of_cells = _OF_CELLS.fullmatch(field)
    if of_cells is not None:
        inner = of_cells["inner"]
        below = ("cells",) if inner == "cells" else key_of(inner)
        return ("cell_settings", int(of_cells["place"]), *below)
    steps = _steps(field)
    if steps == _steps("placement.stated_coupling_loss.cells"):
        return ("deployment", "cells")
    key, own = max(_leaves(), key=lambda leaf: _common(leaf[1], steps))
    return key[: max(0, len(key) - (len(own) - _common(own, steps)))]


@cache
def _leaves() -> tuple[tuple[tuple[str, ...], Steps], ...]:
    return tuple(_below(Nbiot, (), ()))


def _below(
    form: type[Form], key: tuple[str, ...], steps: Steps
) -> Iterator[tuple[tuple[str, ...], Steps]]:
    for place in places(form):
        own, at = (*key, place.name), (*steps, *place.steps)
        yield own, at
        if place.below is not None:
            yield from _below(place.below, own, at)


def _common(own: Steps, steps: Steps) -> int:
    same = 0
    for mine, theirs in zip(own, steps, strict=False):
        if mine != theirs:
            break
        same += 1
    return same


def _place(name: str, annotation: object) -> Place:
    into, kind, below = _inspect(annotation)
    steps = _steps(into.field if into else name + (kind.column_suffix if kind else ""))
    unit_ns = (into.unit_ns if into else SUBFRAME_NS) if kind is TIME else None
    return Place(name, steps, unit_ns, below)


def _inspect(annotation: object) -> tuple[Into | None, Kind | None, type[Form] | None]:
    """Return the annotation, kind of quantity and nested mapping of a type."""
    if isinstance(annotation, type) and issubclass(annotation, Form):
        return None, None, annotation
    into, kind, below = None, None, None
    if get_origin(annotation) is Annotated:
        for mark in get_args(annotation)[1:]:
            into = mark if isinstance(mark, Into) else into
            kind = mark.kind if isinstance(mark, Quantity) else kind
    # What a list holds has no key.
    for part in () if get_origin(annotation) is list else get_args(annotation):
        inner = _inspect(part)
        into, kind, below = into or inner[0], kind or inner[1], below or inner[2]
    return into, kind, below


def _steps(field: str) -> Steps:
    """Parse the path of a field, such as ``levels[1].nprach.period_ms``."""
    pieces = field.replace("[", ".[").removeprefix(".").split(".")
    return tuple(int(piece[1:-1]) if piece.startswith("[") else piece for piece in pieces)
