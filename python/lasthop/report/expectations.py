"""The expectations of the study and their verdicts."""

from collections.abc import Sequence

from markupsafe import Markup

from lasthop.answer.expectation import Expectation, ExpectationVerdict
from lasthop.answer.requirement_words import in_words
from lasthop.report.markup import table, warning
from lasthop.report.section import Section, counted

_HEAD = ("Expected of every run", "Outcome")


def expectations_section(expectations: Sequence[Expectation]) -> Section | None:
    """Write a table of the expectations; nothing without any."""
    if not expectations:
        return None
    rows = [[in_words(one.text), _outcome(one)] for one in expectations]
    missed = sum(one.verdict is not ExpectationVerdict.HELD for one in expectations)
    of = f"{missed} of {counted(len(expectations), 'expectation')} failed or not judged"
    digest = of if missed else f"{counted(len(expectations), 'expectation')} held"
    return Section("expectations", "Expectations", digest, table(_HEAD, rows))


def _outcome(found: Expectation) -> str | Markup:
    if found.verdict is ExpectationVerdict.HELD:
        return f"holds in all {found.applied} runs"
    if found.verdict is ExpectationVerdict.FAILED:
        return warning(f"fails in {found.failed} of {found.applied} runs")
    return warning(f"not judged: {found.reason}")
