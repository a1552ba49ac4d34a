"""Loads a study: parses the file, applies overrides, expands the grid, checks all points."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lasthop.errors import StudyError
from lasthop.study.claims.claim import NO_CLAIMS, Claims
from lasthop.study.claims.load import read_claims
from lasthop.study.conditions import describe
from lasthop.study.figures import Drawable, PaperFigures, read_figures
from lasthop.study.forms.extending import read_named, read_study
from lasthop.study.forms.read_form import read_form
from lasthop.study.forms.renamed_keys import current_key, note_on
from lasthop.study.forms.timing import QUICK_REPEAT, QUICK_REPEAT_LIVE, timing
from lasthop.study.plan.batteries import Batteries
from lasthop.study.plan.deciding import Judgeable
from lasthop.study.plan.grid import check_settable, check_size, read_parts
from lasthop.study.plan.judging import Judging
from lasthop.study.plan.multiverse import MultiversePlan, plan_multiverse
from lasthop.study.plan.overrides import changes_to, check_overrides
from lasthop.study.plan.points import Points
from lasthop.study.plan.study import Part, Point, Stack, Study
from lasthop.study.plan.tariffs import Tariffs
from lasthop.study.rules.credentials import Credentials, read_credentials
from lasthop.study.rules.notes import Notes
from lasthop.study.rules.software import LIVE, on_engine
from lasthop.study.rules.under_load import (
    LOAD,
    Targets,
    arms_under_load,
)
from lasthop.study.run_spec import (
    canonical_json,
)
from lasthop.study.text.beside import file_beside
from lasthop.study.text.document import SET, Document, Replacement
from lasthop.study.text.faults import Fault, show
from lasthop.study.text.source import parse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from lasthop.study.forms.model import StudyForm
    from lasthop.study.stacks.arm import StudyArm


def load_study(  # noqa: PLR0913  (each is a keyword and has a default)
    path: str | PathLike[str],
    *,
    overrides: Sequence[tuple[str, str]] = (),
    quick: bool = False,
    seed: int | None = None,
    modelled: bool = False,
    against: Targets | None = None,
    text: str | None = None,
) -> Study:
    """Load a study file and resolve everything in it.

    Parameters
    ----------
    path
        The study file.
    overrides
        Dotted keys and their values as written on the command line.
    quick
        Cap the duration at 60 s, the drain at 30 s and the repetitions at 5, live at 1.
    seed
        Replaces the seed of the study.
    modelled
        Whether simulated servers replace real software.
    against
        Addresses of external servers.
    text
        Text to use instead of the file's content, for editors.

    Raises
    ------
    StudyError
        If anything in the study cannot be run as written.
    UsageError
        If there is no such file.
    """
    file = Path(path)
    written = read_study(file, text=text)
    document = written
    for key, value in overrides:
        document = _override(document, key, value)
    if seed is not None:
        document = _override(document, "seed", str(seed))
    changes = changes_to(written, document)
    return _Loader(
        document, file.parent, quick=quick, changes=changes, modelled=modelled, against=against
    ).study()


def _override(document: Document, key: str, text: str) -> Document:
    name = f"{SET}{key}"
    notes = (*document.notes, note_on(key)) if current_key(key) != key else document.notes
    key = current_key(key)
    try:
        check_settable(key)
    except Fault as fault:
        raise StudyError(fault.what, hint=fault.hint, file=name) from None
    renamed = replace(document, notes=notes)
    return renamed.replaced(Replacement(key, parse(text, name=name)))


class _Loader:
    """State that the steps of loading share."""

    def __init__(  # noqa: PLR0913  (as `load_study`)
        self,
        document: Document,
        folder: Path,
        *,
        quick: bool,
        changes: tuple[str, ...] = (),
        modelled: bool = False,
        against: Targets | None = None,
    ) -> None:
        self._document = document
        self._folder = folder
        self._quick = quick
        self._changes = changes
        self._modelled = modelled
        self._against = against
        self._credentials: Credentials | None = None
        self._notes = Notes()
        self._tariffs = Tariffs()
        self._batteries = Batteries()

    def study(self) -> Study:
        """Return the resolved study."""
        base = read_form(self._document, self._folder)
        arms = self._arms(base)
        self._credentials = self._read_credentials(base, arms)
        repeat = min(base.repeat, self._quick_repeat(base)) if self._quick else base.repeat
        grid = read_parts(self._document)
        check_overrides(self._document.overrides, grid)
        check_size(self._document, grid, stacks=len(arms), repeat=repeat)
        parts, points = Points(
            self._document,
            folder=self._folder,
            quick=self._quick,
            against=self._against,
            credentials=self._credentials,
            notes=self._notes,
            tariffs=self._tariffs,
            batteries=self._batteries,
        ).expand(grid, arms)
        swept = {parameter.key: parameter for part in parts for parameter in part.swept}
        judgeable = Judgeable(arms, parts, swept, points)
        judging = Judging(self._document, judgeable, parts, self._tariffs, self._batteries)
        decide = judging.decide(base.decide)
        expect = tuple(
            judging.expectation(text, ("expect", index)) for index, text in enumerate(base.expect)
        )
        multiverse = self._multiverse(base, arms, parts)
        claims = self._claims(base.claims, arms, parts)
        figures = self._figures(base, arms, parts, points)
        stacks = tuple(
            Stack(arm.name, arm.written, arm.resolved, arm.supported, arm.reason, arm.credentials)
            for arm in arms
        )
        content = {
            "study": base.study,
            "title": base.title,
            "description": base.description,
            "seed": base.seed,
            "repeat": repeat,
            "overload": base.measure.overload,
            "decide": base.decide and base.decide.model_dump(),
            "expect": base.expect,
            "changes": self._changes,
            "claims": claims.written,
            "multiverse": multiverse and multiverse.as_json(),
            "stacks": [[stack.name, stack.resolved] for stack in stacks],
            "parts": [
                [part.name, [[item.key, [one.name for one in item.names]] for item in part.swept]]
                for part in parts
            ],
            "points": [[point.part, point.conditions] for point in points],
        }
        if (wait_ns := base.measure.processor_wait) is not None:
            content["processor_wait"] = wait_ns
        return Study(
            name=base.study,
            title=base.title,
            description=base.description,
            source_hash=hashlib.sha256(canonical_json(content).encode()).hexdigest(),
            seed=base.seed,
            repeat=repeat,
            decide=decide,
            expect=expect,
            parts=parts,
            stacks=stacks,
            conditions=describe(base, quick=self._quick),
            quick=self._quick,
            measure=base.measure,
            points=points,
            arms=arms,
            changes=self._changes,
            claims=claims,
            figures=figures,
            multiverse=multiverse,
            late_events=self._late_events(base),
            credentials=self._credentials,
            notes=(*self._document.notes, *self._notes.of(arms)),
            tariffs=tuple(self._tariffs.plain()),
        )

    def _quick_repeat(self, form: StudyForm) -> int:
        is_twin = self._modelled or form.engine == LIVE
        return QUICK_REPEAT_LIVE if is_twin else QUICK_REPEAT

    def _late_events(self, form: StudyForm) -> int:
        end_ns = timing(form, quick=self._quick).duration_ns
        return sum(event.form.first >= end_ns for event in form.assemble().events)

    def _arms(self, form: StudyForm) -> tuple[StudyArm, ...]:
        try:
            if self._against is not None:
                return arms_under_load(form.arms(), self._against)
            return on_engine(form.arms(), form.engine, modelled=self._modelled)
        except Fault as fault:
            raise self._document.error(fault) from None

    def _read_credentials(self, form: StudyForm, arms: tuple[StudyArm, ...]) -> Credentials | None:
        if form.credentials is None:
            return None
        try:
            engine = form.engine if self._against is None else LOAD
            return read_credentials(form.credentials, self._folder, arms, engine=engine)
        except Fault as fault:
            raise self._document.error(fault.within(("credentials",))) from None

    def _claims(
        self, name: str | None, arms: tuple[StudyArm, ...], parts: tuple[Part, ...]
    ) -> Claims:
        if name is None:
            return NO_CLAIMS
        swept = {part.name: [parameter.key for parameter in part.swept] for part in parts}
        try:
            file = file_beside(self._folder, name)
            return read_claims(file, stacks=[arm.name for arm in arms], parts=swept)
        except Fault as fault:
            raise self._document.error(fault.within(("claims",))) from None

    def _figures(
        self,
        form: StudyForm,
        arms: tuple[StudyArm, ...],
        parts: tuple[Part, ...],
        points: tuple[Point, ...],
    ) -> PaperFigures | None:
        if form.figures is None:
            return None
        swept = {part.name: [parameter.key for parameter in part.swept] for part in parts}
        try:
            file = file_beside(self._folder, form.figures)
            drawable = Drawable(
                form.study,
                stacks=[arm.name for arm in arms],
                parts=swept,
                points=[(point.part, point.parameters) for point in points],
                quick=self._quick,
            )
            return read_figures(file, drawable)
        except Fault as fault:
            raise self._document.error(fault.within(("figures",))) from None

    def _multiverse(
        self, form: StudyForm, arms: tuple[StudyArm, ...], parts: tuple[Part, ...]
    ) -> MultiversePlan | None:
        if form.multiverse is None:
            return None
        location = ("multiverse", "of")
        try:
            file = file_beside(self._folder, form.multiverse.of)
        except Fault as fault:
            raise self._document.error(fault.within(location)) from None
        if not file.is_file():
            what, hint = (
                f"there is no file {show(form.multiverse.of)}",
                "write the name of a study in the same folder",
            )
            raise self._document.error(Fault(what, hint=hint, location=location))
        try:
            other = read_named(file)
        except Fault as fault:
            raise self._document.error(fault.within(location)) from None
        if "multiverse" in other.value:
            what = f"{show(form.multiverse.of)} is itself a multiverse"
            hint = "write the study that it varies"
            raise self._document.error(Fault(what, hint=hint, location=location))
        of = _Loader(other, file.parent, quick=False).study()
        try:
            return plan_multiverse(form.multiverse, of, study=form, arms=arms, parts=parts)
        except Fault as fault:
            raise self._document.error(fault) from None
