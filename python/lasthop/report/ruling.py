"""What the referee found, as a table near the head of the page."""

from lasthop.referee import Finding, Ruling
from lasthop.report.answer import Styles, stack_name
from lasthop.report.markup import table, text

_HEAD = ("Found", "Stacks", "Part", "What", "Figure")


def ruling_html(ruling: Ruling, styles: Styles) -> str:
    """Write what of the results cannot be believed; nothing where all can."""
    if not ruling.findings:
        return ""
    rows = [_row(finding, styles) for finding in ruling.findings]
    found = table(_HEAD, rows, wide=(3,))
    return f'<section class="referee" id="referee"><h2>Referee</h2>{found}</section>'


def _row(finding: Finding, styles: Styles) -> list[str]:
    name = text(finding.check.replace("_", " "))
    return [
        f'<span class="warning">invalid: {name}</span>' if finding.invalid else name,
        "<br>".join(stack_name(stack, styles) for stack in finding.stacks),
        text(finding.part or ""),
        text(finding.what),
        text(finding.figure),
    ]
