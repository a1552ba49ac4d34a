"""Reads the file of figures that a study names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypedDict, TypeVar

from pydantic import ValidationError

from lasthop.errors import UsageError
from lasthop.study.claims.claim import Place
from lasthop.study.claims.places import numeric_key, read_places
from lasthop.study.expressions import COUNT
from lasthop.study.fields.quantity import Kind
from lasthop.study.figures.figure import (
    PaperArm,
    PaperAxis,
    PaperColumn,
    PaperFigure,
    PaperFigures,
    PublishedValue,
    Side,
)
from lasthop.study.figures.form import ArmForm, ColumnForm, FiguresForm
from lasthop.study.figures.traced import figure_measurand
from lasthop.study.text.faults import Fault, show, suggestion
from lasthop.study.text.named_file import read_named_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from lasthop.study.claims.amounts import SweptKey
    from lasthop.study.claims.measurand import Measurand
    from lasthop.study.figures.check import Drawable
    from lasthop.study.figures.form import AxisForm, FigureForm

Written = TypeVar("Written")
Meaning = TypeVar("Meaning")


class _OwnMeasure(TypedDict, total=False):
    measurands: tuple[Measurand, ...]
    factor: float


_SKETCH = 'begin with "paper:" and "figures:", a list of {number: figure 1, title: ..., ...}'
_NUMBER = re.compile(r"[-+]?[0-9]{1,18}(\.[0-9]{1,18})?")
_BOUND = re.compile(r"(?P<sign>[<>])=?\s*(?P<value>.+)")
_SIDES: dict[str, Side] = {">": "above", "<": "below"}


def read_figures(path: Path, drawable: Drawable) -> PaperFigures:
    """Read a file of figures and check that its arms are of the study.

    Parameters
    ----------
    path
        The file.
    drawable
        What the study that reads it can show; arms of other studies are not checked.

    Raises
    ------
    Fault
        If there is no such file.
    StudyError
        If anything in it cannot be drawn as written.
    """
    document = read_named_file(path, of="figures", keys=["figures"], sketch=_SKETCH)
    try:
        form = FiguresForm.model_validate(document.value)
    except ValidationError as error:
        raise document.invalid(error) from None
    figures = []
    for place, item in enumerate(form.figures):
        try:
            figure = _figure(item, form.study or drawable.study)
            drawable.check(figure)
        except Fault as fault:
            raise document.error(fault.within(("figures", place))) from None
        figures.append(figure)
    return PaperFigures(form.paper, tuple(figures), _in_order(document.value))


def figures_of(study: Mapping[str, Any]) -> PaperFigures | None:
    """Give the figures of a study as the manifest of its results has them; None if it has none.

    Raises
    ------
    UsageError
        If this version cannot read them.
    """
    written = study.get("figures")
    if not written:
        return None
    try:
        form = FiguresForm.model_validate(_as_written(written))
        figures = tuple(_figure(item, form.study or study["name"]) for item in form.figures)
    except (ValueError, KeyError, TypeError):
        message = (
            "manifest.json: another version of lasthop wrote these figures; run the study again"
        )
        raise UsageError(message) from None
    return PaperFigures(form.paper, figures, written)


def _in_order(written: Mapping[str, Any]) -> dict[str, Any]:
    """Write arms as a list of pairs: a manifest sorts its keys, and a legend has an order."""
    figures = [
        {**one, "arms": [list(pair) for pair in one["arms"].items()]} if "arms" in one else one
        for one in written["figures"]
    ]
    return {**written, "figures": figures}


def _as_written(kept: Mapping[str, Any]) -> dict[str, Any]:
    figures = [
        {**one, "arms": dict(one["arms"])} if "arms" in one else one for one in kept["figures"]
    ]
    return {**kept, "figures": figures}


def _figure(form: FigureForm, study: str) -> PaperFigure:
    axis = None if form.axis is None else _within("axis", _axis, form.axis)
    arms = tuple(_within_arm(legend, arm, form, study) for legend, arm in (form.arms or {}).items())
    legends = [arm.legend for arm in arms]
    columns: tuple[PaperColumn, ...] = ()
    if form.columns is not None:
        read = []
        for place, column in enumerate(form.columns):
            try:
                read.append(_column(column, column.title, legends, axis=None))
            except Fault as fault:
                raise fault.within(("columns", place)) from None
        columns = tuple(read)
    elif form.measure is not None:
        columns = (_column(form, form.title, legends, axis=axis),)
    return PaperFigure(
        number=form.number,
        title=form.title,
        source=form.source,
        given=form.given,
        axis=axis,
        arms=arms,
        columns=columns,
        is_table=form.columns is not None,
        note=form.note,
        not_drawn=form.not_drawn,
    )


def _axis(form: AxisForm) -> PaperAxis:
    swept = _within("key", numeric_key, form.key)
    place = Place(swept.key, swept.columns, swept.unit)
    return PaperAxis(place, form.title, form.unit, _factor_of_key(swept, form))


def _within_arm(legend: str, written: str | ArmForm, form: FigureForm, study: str) -> PaperArm:
    arm = ArmForm(stack=written) if isinstance(written, str) else written
    try:
        return PaperArm(
            legend=legend,
            study=arm.study or form.study or study,
            stack=arm.stack,
            part=arm.part or form.part,
            at=read_places(arm.at),
            **_own_measure(arm, form),
        )
    except Fault as fault:
        raise fault.within(("arms", legend)) from None


def _own_measure(arm: ArmForm, form: FigureForm) -> _OwnMeasure:
    """Read what is measured of one arm alone, in the unit of its figure."""
    if arm.measure is None:
        return {}
    if form.columns is not None:
        raise Fault(
            "an arm of a table has the measures of its columns",
            hint="remove it",
            location=("measure",),
            at_key=True,
        )
    found = _within("measure", lambda name: figure_measurand(name, None), arm.measure)
    return {
        "measurands": (found,),
        "factor": _within("measure", lambda unit: _factor(found, unit), str(form.unit)),
    }


def _column(
    form: FigureForm | ColumnForm, title: str, legends: Sequence[str], *, axis: PaperAxis | None
) -> PaperColumn:
    names = [form.measure] if isinstance(form.measure, str) else list(form.measure or ())
    measurands = tuple(
        _within("measure", lambda name: figure_measurand(name, form.path), name) for name in names
    )
    if not measurands:
        raise Fault(
            "no measure is given", hint='write "measure: latency_mean"', location=("measure",)
        )
    if len({one.measure.unit for one in measurands}) > 1:
        raise Fault(
            f"{names[0]} and {names[-1]} have different units and cannot be added",
            hint="write measures of one unit",
            location=("measure",),
        )
    reference = form.relative_to if isinstance(form, ColumnForm) else None
    if reference is not None and reference not in legends:
        raise Fault(
            f"the table has no arm {show(reference)}",
            hint=suggestion(reference, legends, kind="arms"),
            location=("relative_to",),
        )
    unit = str(form.unit)
    factor = (
        1.0
        if reference is not None and form.times is None
        else _within("times", _times, form.times)
        if form.times is not None
        else _within("unit", lambda text: _factor(measurands[0], text), unit)
    )
    return PaperColumn(
        title=title,
        label=getattr(form, "label", None) or measurands[0].measure.label,
        measurands=measurands,
        unit=unit,
        factor=factor,
        relative_to=reference,
        part=form.part if isinstance(form, ColumnForm) else None,
        study=form.study if isinstance(form, ColumnForm) else None,
        published=_within(
            "published", lambda told: _published(told, legends, axis, unit), form.published or {}
        ),
        captured=_within(
            "captured", lambda told: _published(told, legends, axis, unit), form.captured or {}
        ),
    )


def _factor(of: Measurand, unit: str) -> float:
    """Give what a value of a measure is multiplied by to have a unit."""
    if not isinstance(of.kind, Kind):
        if of.kind == COUNT:
            return 1.0
        raise Fault(f"{of.name} is not a number", hint="write another measure")
    size = of.kind.units.get(unit)
    if size is None:
        raise _unknown_unit(of.name, unit, of.kind)
    return float(of.kind.column_factor / size)


def _factor_of_key(swept: SweptKey, form: AxisForm) -> float:
    if form.times is not None:
        return _within("times", _times, form.times)
    if not isinstance(swept.kind, Kind):
        return 1.0
    size = swept.kind.units.get(form.unit)
    if size is None:
        raise _unknown_unit(swept.key, form.unit, swept.kind).within(("unit",))
    return float(swept.kind.column_factor / size)


def _unknown_unit(name: str, unit: str, kind: Kind) -> Fault:
    known = ", ".join(kind.units)
    return Fault(
        f"{show(unit)} is not a unit of {name}",
        hint=f'write one of {known}, or add "times: FACTOR", by which our values are multiplied',
    )


def _times(written: object) -> float:
    text = "" if isinstance(written, bool | dict | list) else str(written).strip()
    if _NUMBER.fullmatch(text) is None or float(text) <= 0:
        raise Fault(
            f"{show(written)} is not a factor", hint="write a number above 0, for example 0.001"
        )
    return float(text)


def _published(
    written: Mapping[str, Any], legends: Sequence[str], axis: PaperAxis | None, unit: str
) -> dict[str, dict[float | None, PublishedValue]]:
    found: dict[str, dict[float | None, PublishedValue]] = {}
    for legend, told in written.items():
        if legend not in legends:
            raise Fault(
                f"the figure has no stack with the legend {show(legend)}",
                hint=suggestion(legend, legends, kind="arms"),
                location=(legend,),
                at_key=True,
            )
        if axis is None:
            if isinstance(told, dict):
                raise Fault(
                    "values by position need an axis",
                    hint='write one value, or add "axis: {...}"',
                    location=(legend,),
                )
            found[legend] = {None: _within(legend, lambda value: _value(value, unit), told)}
            continue
        if not isinstance(told, dict):
            raise Fault(
                "the position of the value on the axis is missing",
                hint=f'write "{legend}: {{POSITION: {told}}}", the position in {axis.unit}',
                location=(legend,),
            )
        places: dict[float | None, PublishedValue] = {}
        for position, value in told.items():
            if _NUMBER.fullmatch(position) is None:
                raise Fault(
                    f"{show(position)} is not a position on the axis",
                    hint=f"write a number in {axis.unit}",
                    location=(legend, position),
                    at_key=True,
                )
            try:
                places[float(position)] = _value(value, unit)
            except Fault as fault:
                raise fault.within((legend, position)) from None
        found[legend] = places
    return found


def _value(written: object, unit: str) -> PublishedValue:
    text = (
        "" if isinstance(written, bool | dict | list) or written is None else str(written).strip()
    )
    bound = _BOUND.fullmatch(text)
    number = bound["value"] if bound else text
    if _NUMBER.fullmatch(number) is None:
        raise Fault(
            f"{show(written)} is not a published value",
            hint=f'write a number in {unit}, or a bound such as "> 1000"',
        )
    side = _SIDES[bound["sign"]] if bound else None
    return PublishedValue(float(number), side, f"{text} {unit}")


def _within(name: str, read: Callable[[Written], Meaning], written: Written) -> Meaning:
    try:
        return read(written)
    except Fault as fault:
        raise fault.within((name,)) from None
