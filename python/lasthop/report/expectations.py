"""What the study expects of every run, and whether it holds."""

from collections.abc import Sequence

import polars as pl

from lasthop.answer.expectation import HeldExpectation, held_expectation
from lasthop.answer.verdict import shown_rule
from lasthop.report.markup import table, text


def expectations_html(runs: pl.DataFrame, expectations: Sequence[str]) -> str:
    """Write a table of the expectations; nothing without any."""
    if not expectations:
        return ""
    rows = [
        [f"<code>{text(shown_rule(it))}</code>", _outcome(held_expectation(runs, it))]
        for it in expectations
    ]
    return f'<section class="expectations"><h2>Expectations</h2>{table(_HEAD, rows)}</section>'


_HEAD = ("Expected of every run", "Outcome")


def _outcome(held: HeldExpectation) -> str:
    if not held.applied:
        return "applies to no run"
    if held.failed:
        return f'<span class="warning">fails in {held.failed} of {held.applied} runs</span>'
    return f"holds in all {held.applied} runs"
