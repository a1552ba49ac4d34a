"""The verdict of a CI gate: passed or failed, and by which expectation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.answer.expectation import ExpectationVerdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lasthop.outcome.results import Results


def gate_verdict(results: Results, unmet: Sequence[str] = ()) -> str:
    """Describe the exit code in one line, with expectations and unmet requirements.

    A run that cannot be believed, as one that was too late, is no answer of either kind.
    """
    expectations = results.expectations
    failed = [one.words for one in expectations if one.verdict is ExpectationVerdict.FAILED]
    open_ = [one.words for one in expectations if one.verdict is ExpectationVerdict.NOT_JUDGED]
    invalid = results.manifest.counts.get("invalid", 0)
    of = _counted(len(expectations), "expectation")
    if invalid or not results.ruling.valid:
        runs = _counted(invalid, "run") if invalid else "the study"
        return f"no verdict: {runs} cannot be believed{_also(failed)}"
    if failed:
        return f"failed: {'; '.join(failed)} ({len(failed)} of {of})"
    if open_:
        return f"not judged, which is no pass: {'; '.join(open_)} ({len(open_)} of {of})"
    if unmet:
        return f"failed: {_counted(len(unmet), 'requirement')} not shown to be met"
    completed = results.manifest.counts.get("completed", 0)
    return f"passed: {of} held in {_counted(completed, 'run')}"


def _also(failed: Sequence[str]) -> str:
    return f"; beside that failed: {'; '.join(failed)}" if failed else ""


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
