"""Expands the grid of a study to points and resolves each point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.errors import StudyError
from lasthop.study.forms.read_form import read_form
from lasthop.study.forms.timing import timing
from lasthop.study.plan.parameters import (
    SweptValue,
    named,
    point_parameters,
    swept_parameters,
    swept_values,
)
from lasthop.study.plan.sharing import Sharing
from lasthop.study.plan.study import CASE_ID_DIGITS, Part, Point
from lasthop.study.rules.order import Subject, check_point, check_stacks
from lasthop.study.rules.under_load import LOAD, Targets, on_devices, with_subscribers
from lasthop.study.run_spec import Spec, conditions_spec, identity, run_spec
from lasthop.study.text.document import Document
from lasthop.study.text.faults import Fault, show

if TYPE_CHECKING:
    from pathlib import Path

    from lasthop.study.forms.model import StudyForm
    from lasthop.study.plan.batteries import Batteries
    from lasthop.study.plan.grid import GridPart
    from lasthop.study.plan.tariffs import Tariffs
    from lasthop.study.rules.credentials import Credentials
    from lasthop.study.rules.notes import Notes
    from lasthop.study.stacks.arm import StudyArm


class Points:
    """Resolves the points of a study and collects notes on them.

    Parameters
    ----------
    folder
        Folder of the study's traces and other files.
    against
        The servers, if they are external.
    """

    def __init__(  # noqa: PLR0913  (each is a keyword)
        self,
        document: Document,
        *,
        folder: Path,
        quick: bool,
        against: Targets | None,
        credentials: Credentials | None,
        notes: Notes,
        tariffs: Tariffs,
        batteries: Batteries,
    ) -> None:
        self._document = document
        self._folder = folder
        self._quick = quick
        self._against = against
        self._credentials = credentials
        self._notes = notes
        self._tariffs = tariffs
        self._batteries = batteries

    def expand(
        self, grid: tuple[GridPart, ...], arms: tuple[StudyArm, ...]
    ) -> tuple[tuple[Part, ...], tuple[Point, ...]]:
        """Return the parts and all points of the study.

        Raises
        ------
        StudyError
            If a point cannot be run as written, or two points of a part have equal settings.
        """
        keys = list(dict.fromkeys(axis.key for part in grid for axis in part.axes))
        found: list[tuple[GridPart, Spec, dict[str, SweptValue]]] = []
        share = Sharing()
        base = {
            key: value
            for key, value in self._document.value.items()
            if key not in ("sweep", "decide", "expect", "claims", "figures", "multiverse")
        }
        slim = Document(self._document.source, base, self._document.replacements)
        for part in grid:
            seen: set[str] = set()
            for document, names in part.points(slim):
                form, spec = self._point(document, slim, arms)
                case = identity(run_spec(spec, arms[0], seed=0), digits=CASE_ID_DIGITS)
                if case not in seen:
                    values = swept_values(form, document.value, keys, names)
                    found.append((part, share(spec), values))
                elif not self._quick:
                    raise self._repeated_point(part)
                seen.add(case)
        swept = swept_parameters((part, values) for part, _, values in found)
        points = tuple(
            Point(part.name, spec, point_parameters(values, swept.values()))
            for part, spec, values in found
        )
        parts = tuple(
            Part(
                part.name,
                tuple(
                    named(swept[axis.key], axis, (of for other, _, of in found if other is part))
                    for axis in part.axes
                ),
                sum(point.part == part.name for point in points),
            )
            for part in grid
        )
        return parts, points

    def _point(
        self, document: Document, base: Document, arms: tuple[StudyArm, ...]
    ) -> tuple[StudyForm, Spec]:
        """Resolve one point. Errors in swept values are reported at the sweep."""
        try:
            return self._resolved(document, arms)
        except StudyError as error:
            swept = document.replacements[len(base.replacements) :]
            if not swept or any(replacement.holds(error) for replacement in swept):
                raise
            if not self._fits(base, arms):
                raise
            alone = (found for found in swept if not self._fits(base.replaced(found), arms))
            guilty = next(alone, swept[-1])
            what = f"with {show(guilty.value)}, {error.key or 'the study'}: {error.what}"
            raise guilty.error(Fault(what, hint=error.hint)) from None

    def _fits(self, document: Document, arms: tuple[StudyArm, ...]) -> bool:
        try:
            self._resolved(document, arms)
        except StudyError:
            return False
        return True

    def _resolved(self, document: Document, arms: tuple[StudyArm, ...]) -> tuple[StudyForm, Spec]:
        form = read_form(document, self._folder)
        try:
            assembly, spans = form.assemble(), timing(form, quick=self._quick)
            against = self._against
            if against is not None:
                assembly = on_devices(assembly, against.device)
                if not against.is_gateway:
                    assembly = with_subscribers(assembly)
            subject = Subject(
                assembly=assembly,
                arms=arms,
                spans=timing(form, quick=False),
                engine=form.engine if against is None else LOAD,
                allows_overload=form.measure.overload == "allow",
                targets=against,
                credentials=self._credentials,
            )
            check_point(subject)
            self._tariffs.see(assembly)
            self._batteries.see(assembly)
            self._notes.see(assembly, subject.spans, arms)
            spec = conditions_spec(
                assembly,
                spans,
                engine=subject.engine,
                at=None if against is None else against.at,
                messages=form.measure.messages,
                folder=self._folder,
                credentials=None if self._credentials is None else self._credentials.identity,
            )
            check_stacks(subject)
        except Fault as fault:
            raise document.error(fault) from None
        return form, spec

    def _repeated_point(self, part: GridPart) -> StudyError:
        location = ("sweep", part.index) if part.index is not None else ("sweep",)
        fault = Fault(
            f"two points of the part {show(part.name)} have equal settings",
            hint="remove the value that is written twice",
            location=location,
        )
        return self._document.error(fault)
