"""Findings of the referee: results that cannot be trusted."""

from lasthop.referee import Finding, Ruling
from lasthop.report.markup import Row, Styles, lines, stack_name, table, warning
from lasthop.report.section import Section, counted

_HEAD = ("Found", "Stacks", "Part", "What", "Figure")


def ruling_section(ruling: Ruling, styles: Styles) -> Section | None:
    """Write what of the results cannot be believed; nothing where all can."""
    if not ruling.findings:
        return None
    rows = [_row(finding, styles) for finding in ruling.findings]
    digest = "valid" if ruling.valid else "invalid"
    return Section(
        "referee",
        "Referee",
        f"{digest}, {counted(len(rows), 'finding')}",
        table(_HEAD, rows, wide=(3,)),
    )


def _row(finding: Finding, styles: Styles) -> Row:
    name = finding.check.replace("_", " ")
    return [
        warning(f"invalid: {name}") if finding.invalid else name,
        lines(stack_name(stack, styles) for stack in finding.stacks),
        finding.part or "",
        finding.what,
        finding.figure,
    ]
