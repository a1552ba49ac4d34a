"""Parses `decide` and `expect` of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.measures import column_of
from lasthop.study.expressions import Expression, measured_column, parse_expression
from lasthop.study.plan.study import Decide
from lasthop.study.text.faults import Fault, show, suggestion

if TYPE_CHECKING:
    from lasthop.study.forms.model import DecideForm
    from lasthop.study.plan.batteries import Batteries
    from lasthop.study.plan.deciding import Judgeable
    from lasthop.study.plan.study import Part
    from lasthop.study.plan.tariffs import Tariffs
    from lasthop.study.text.document import Document


class Judging:
    """Parses expressions and checks them against the measures of the study."""

    def __init__(
        self,
        document: Document,
        judgeable: Judgeable,
        parts: tuple[Part, ...],
        tariffs: Tariffs,
        batteries: Batteries,
    ) -> None:
        self._document = document
        self._judgeable = judgeable
        self._parts = parts
        self._tariffs = tariffs
        self._batteries = batteries

    def decide(self, form: DecideForm | None) -> Decide | None:
        """Parse the decision; None if the study has none.

        Raises
        ------
        StudyError
            If it names a part or a measure that the study does not have.
        """
        if form is None:
            return None
        aim = "minimise" if form.minimise is not None else "maximise"
        try:
            column = measured_column(form.minimise or form.maximise or "")
            self._judgeable.check_measurable(form.minimise or form.maximise or "")
            self._tariffs.check_measurable(form.minimise or form.maximise or "")
        except Fault as fault:
            raise self._document.error(fault.within(("decide", aim))) from None
        names = [part.name for part in self._parts]
        if form.part is not None and form.part not in names:
            raise self._document.error(
                Fault(
                    f"there is no part {show(form.part)}",
                    hint=suggestion(form.part, names, kind="parts"),
                    location=("decide", "part"),
                )
            )
        part = form.part or names[0]
        try:
            self._judgeable.check_weights(form.minimise or form.maximise or "", part)
        except Fault as fault:
            raise self._document.error(fault.within(("decide", aim))) from None
        return Decide(
            require=tuple(
                self._requirement(text, ("decide", "require", index), part)
                for index, text in enumerate(form.require)
            ),
            minimise=form.minimise,
            maximise=form.maximise,
            column=column,
            smallest_effect=column_of(column).usual_effect
            if form.smallest_effect is None
            else form.smallest_effect,
            part=part,
        )

    def _requirement(self, text: str, location: tuple[str | int, ...], part: str) -> Expression:
        expression = self._expression(text, location)
        if not expression.is_by_group:
            try:
                self._judgeable.check_weights(expression.comparison.column, part)
            except Fault as fault:
                raise self._document.error(fault.within(location)) from None
        return expression

    def expectation(self, text: str, location: tuple[str | int, ...]) -> Expression:
        """Parse an expectation.

        Raises
        ------
        StudyError
            If it is not an expression, or cannot be judged.
        """
        expression = self._expression(text, location)
        if not expression.is_by_group:
            try:
                self._judgeable.check_measured(expression.comparison.column)
            except Fault as fault:
                raise self._document.error(fault.within(location)) from None
        return expression

    def _expression(self, text: str, location: tuple[str | int, ...]) -> Expression:
        try:
            expression = parse_expression(text)
            self._judgeable.check(expression)
            self._tariffs.check(expression)
            self._batteries.check(expression)
        except Fault as fault:
            raise self._document.error(fault.within(location)) from None
        return expression
