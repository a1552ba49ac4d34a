"""Alerts above the answer: failed and missing runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from lasthop.answer.decision import Decision, Outcome
from lasthop.answer.expectation import Expectation, ExpectationVerdict
from lasthop.answer.expectation_words import expectation_line
from lasthop.answer.failures import undelivered
from lasthop.answer.requirement_words import in_words
from lasthop.report.figures.figure import sentence_case
from lasthop.report.source import ReportSource
from lasthop.report.templating import render


@dataclass(frozen=True, slots=True)
class Alert:
    """One thing that went wrong, and how."""

    what: str
    why: str


def alerts_html(
    source: ReportSource, decision: Decision, expectations: Sequence[Expectation]
) -> Markup:
    """Write what went wrong as the first thing on the page; nothing where nothing did."""
    return render("alerts.html", alerts=tuple(_alerts(source, decision, expectations)))


def _alerts(
    source: ReportSource, decision: Decision, expectations: Sequence[Expectation]
) -> Iterator[Alert]:
    for expectation in expectations:
        if expectation.verdict is not ExpectationVerdict.HELD:
            what, _, why = expectation_line(expectation).partition(": ")
            yield Alert(f"{sentence_case(what)}:", why)
    yield from _requirements(decision)
    if any(_asks_for_why(expectations, decision)):
        yield from _undelivered(source, decision, expectations)
    if not source.ruling.valid:
        checks = {
            finding.check.replace("_", " ") for finding in source.ruling.findings if finding.invalid
        }
        yield Alert("Not to be believed:", f"the referee found {', '.join(sorted(checks))}.")
    unfinished = [
        name
        for name, manifest in zip(source.folders, source.manifests, strict=True)
        if manifest.get("state", "complete") != "complete"
    ]
    if unfinished:
        names = ", ".join(unfinished)
        yield Alert("Preliminary:", f"not all runs of {names} are in these tables yet.")


def _requirements(decision: Decision) -> Iterator[Alert]:
    points = [p for p in decision.points if p.outcome is Outcome.NOTHING_QUALIFIES]
    if not points:
        return
    rules = " and ".join(map(in_words, decision.requirements))
    at = f" at {points[0].point.label}" if points[0].point.label else ""
    more = f" and {len(points) - 1} more points" if len(points) > 1 else ""
    yield Alert("Requirement not met:", f"no stack meets {rules}{at}{more}.")


def _asks_for_why(expectations: Sequence[Expectation], decision: Decision) -> Iterator[bool]:
    """Tell whether somebody must deliver who does not: an excluded stack beside others need not."""
    yield from (expectation.verdict is ExpectationVerdict.FAILED for expectation in expectations)
    yield from (not point.ranked for point in decision.points)


def _undelivered(
    source: ReportSource, decision: Decision, expectations: Sequence[Expectation]
) -> Iterator[Alert]:
    for sentence in undelivered(source.runs, source.stacks, decision, expectations, source.paths):
        stack, _, why = sentence.partition(": ")
        yield Alert(f"{stack}:", f"{why}.")
