"""A summary page in Markdown for a CI server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lasthop.answer.expectation import ExpectationVerdict
from lasthop.answer.expectation_words import expectation_line
from lasthop.outcome.culprit_words import again, message_in_words, packets_in_words
from lasthop.outcome.gate_verdict import gate_verdict
from lasthop.results.atomic import environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from lasthop.answer.expectation import Expectation
    from lasthop.outcome.results import Results

_SIGNS = {
    ExpectationVerdict.HELD: "✅",
    ExpectationVerdict.FAILED: "❌",
    ExpectationVerdict.NOT_JUDGED: "⚠️",
}


def append_job_summary(lines: Iterable[str], file: Path) -> None:
    """Append a summary to a file, which the steps of a job share."""
    with environment(file), file.open("a", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


def job_summary(results: Results) -> Iterator[str]:
    """Yield the lines: each expectation, and how to rerun the message of a failed one."""
    manifest = results.manifest
    counts = ", ".join(f"{number} {status}" for status, number in sorted(manifest.counts.items()))
    yield f"## lasthop: {manifest.study['name']}"
    yield ""
    if results.expectations:
        yield f"{gate_verdict(results)}."
        yield ""
    yield f"{counts or 'no runs'}; results in `{results.path}`"
    yield ""
    if results.expectations:
        yield "| | expectation | rows |"
        yield "|---|---|---|"
    for found in results.expectations:
        rows = f"{found.applied - found.failed} of {found.applied} hold" if found.applied else "-"
        yield f"| {_SIGNS[found.verdict]} {found.verdict.value} | {_cell(found.words)} | {rows} |"
    for found in results.expectations:
        if found.verdict is ExpectationVerdict.FAILED:
            yield from _failure(results, found)
    yield ""


def _failure(results: Results, found: Expectation) -> Iterator[str]:
    yield ""
    yield f"### {found.words}"
    yield ""
    yield f"{expectation_line(found)}."
    culprit = results.culprit(found)
    if culprit is None:
        return
    yield ""
    yield message_in_words(culprit)
    yield ""
    yield packets_in_words(culprit, quote="`")
    yield ""
    yield "```sh"
    yield again(results.manifest.command, culprit)
    yield "```"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
