"""What the study expects of every run, and whether it holds."""

from collections.abc import Sequence

import polars as pl
from markupsafe import Markup

from lasthop.answer.expectation import HeldExpectation, held_expectation
from lasthop.answer.verdict import shown_rule
from lasthop.report.markup import code, table, warning
from lasthop.report.section import Section, counted

_HEAD = ("Expected of every run", "Outcome")


def expectations_section(runs: pl.DataFrame, expectations: Sequence[str]) -> Section | None:
    """Write a table of the expectations; nothing without any."""
    if not expectations:
        return None
    held = [held_expectation(runs, text) for text in expectations]
    rows = [
        [code(shown_rule(text)), _outcome(one)]
        for text, one in zip(expectations, held, strict=True)
    ]
    failed = sum(one.failed > 0 for one in held)
    digest = f"{failed} of {counted(len(held), 'expectation')} failed" if failed else "all hold"
    return Section("expectations", "Expectations", digest, table(_HEAD, rows))


def _outcome(held: HeldExpectation) -> str | Markup:
    if not held.applied:
        return "applies to no run"
    if held.failed:
        return warning(f"fails in {held.failed} of {held.applied} runs")
    return f"holds in all {held.applied} runs"
