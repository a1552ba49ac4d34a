"""What a CI server shows of a study beside its log: a page in Markdown."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from lasthop.answer.expectation import Verdict
from lasthop.outcome.culprit import culprit_of
from lasthop.results.atomic import environment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from lasthop.answer.expectation import Expectation
    from lasthop.outcome.culprit import Culprit
    from lasthop.outcome.results import Results

_SIGNS = {Verdict.HELD: "✅", Verdict.FAILED: "❌", Verdict.NOT_JUDGED: "⚠️"}
_SHOWN_PACKETS = 5


def append_job_summary(lines: Iterable[str], file: Path) -> None:
    """Write a summary behind what a file holds already, as steps of a job share one."""
    with environment(file), file.open("a", encoding="utf-8") as out:
        out.write("\n".join(lines) + "\n")


def job_summary(results: Results) -> Iterator[str]:
    """Give the lines: each expectation, and for what failed the message and how to see it again."""
    manifest = results.manifest
    counts = ", ".join(f"{number} {status}" for status, number in sorted(manifest.counts.items()))
    yield f"## lasthop: {manifest.study['name']}"
    yield ""
    yield f"{counts or 'no runs'}; results in `{results.path}`"
    yield ""
    if results.expectations:
        yield "| | expectation | rows |"
        yield "|---|---|---|"
    for found in results.expectations:
        rows = f"{found.applied - found.failed} of {found.applied} hold" if found.applied else "-"
        yield f"| {_SIGNS[found.verdict]} {found.verdict.value} | `{_cell(found.text)}` | {rows} |"
    for found in results.expectations:
        if found.verdict is Verdict.FAILED:
            yield from _failure(results, found)
    yield ""


def _failure(results: Results, found: Expectation) -> Iterator[str]:
    yield ""
    yield f"### `{found.text}`"
    yield ""
    yield f"{found}."
    culprit = culprit_of(results, found)
    if culprit is None:
        return
    yield ""
    yield (
        f"Message {culprit.message} of {culprit.host} (flow {culprit.flow}), due at "
        f"{culprit.intended_s:.6f} s, {culprit.what}. Seed of the run: {culprit.seed}."
    )
    yield ""
    yield _packets(culprit)
    yield ""
    yield "```sh"
    yield _again(results.manifest.command, culprit)
    yield "```"


def _packets(culprit: Culprit) -> str:
    if culprit.capture is None:
        return f"Its packets were not kept; `--capture {culprit.host}` keeps them."
    name = f"`captures/{culprit.capture.name}`"
    if not culprit.packets:
        return f"No packet of {name} carries it."
    numbers = ", ".join(map(str, culprit.packets[:_SHOWN_PACKETS]))
    more = len(culprit.packets) - _SHOWN_PACKETS
    rest = f" and {more} more" if more > 0 else ""
    return f"Packets {numbers}{rest} of {name} carry it (`frame.number` in Wireshark)."


def _again(command: str, culprit: Culprit) -> str:
    """Give the command that does the run again, with the packets of its device."""
    words = shlex.split(command)
    again = [*words, "--only", culprit.run_id, "--out", f"again-{culprit.run_id}"]
    if culprit.capture is None:
        # The last one counts: a capture of the first devices is not one of this.
        again.append(f"--capture={culprit.host}")
    return shlex.join(again)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
