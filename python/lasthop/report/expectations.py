"""What the study expects of every run, and whether it holds."""

from collections.abc import Sequence

import polars as pl

from lasthop.report.markup import table, text
from lasthop.report.verdict import shown_rule
from lasthop.study.expressions import parse_expression


def expectations_html(runs: pl.DataFrame, expectations: Sequence[str]) -> str:
    """Write a table of the expectations; nothing without any."""
    if not expectations:
        return ""
    completed = runs.filter(pl.col("status") == "completed").to_dicts()
    rows = []
    for expectation in expectations:
        expression = parse_expression(expectation)
        held = [holds for row in completed if (holds := expression.evaluate(row)) is not None]
        rows.append([f"<code>{text(shown_rule(expectation))}</code>", _outcome(held)])
    return f'<section class="expectations"><h2>Expectations</h2>{table(_HEAD, rows)}</section>'


_HEAD = ("Expected of every run", "Outcome")


def _outcome(held: Sequence[bool]) -> str:
    failed = held.count(False)
    if not held:
        return "applies to no run"
    if failed:
        return f'<span class="warning">fails in {failed} of {len(held)} runs</span>'
    return f"holds in all {len(held)} runs"
