"""Prints the result of a gate: whether it passed, and the evidence of each failure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lasthop.answer.expectation import ExpectationVerdict
from lasthop.answer.expectation_words import expectation_line
from lasthop.cli.output import say
from lasthop.outcome.culprit_words import again, message_in_words, packets_in_words
from lasthop.outcome.gate_verdict import gate_verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lasthop.answer.expectation import Expectation
    from lasthop.outcome.results import Results


def say_gate(results: Results, unmet: Sequence[str]) -> None:
    """Write the verdict, then each failure with its message, its packets and the command for it."""
    if results.expectations or unmet:
        say(gate_verdict(results, unmet))
    for found in results.expectations:
        if found.verdict is not ExpectationVerdict.HELD:
            say(expectation_line(found))
            _say_culprit(results, found)
    for line in unmet:
        say(line)


def plain_gate(results: Results, unmet: Sequence[str]) -> dict[str, Any]:
    """Give the verdict as plain values. A study without expectations has none."""
    expectations = [_plain(results, found) for found in results.expectations]
    verdict = {"gate": gate_verdict(results, unmet)} if expectations or unmet else {}
    return {**verdict, "expectations": expectations}


def _say_culprit(results: Results, found: Expectation) -> None:
    culprit = results.culprit(found)
    if culprit is None:
        return
    say(f"         {message_in_words(culprit)}")
    say(f"         {packets_in_words(culprit)}")
    say(f"again    {again(results.manifest.command, culprit)}")


def _plain(results: Results, found: Expectation) -> dict[str, Any]:
    culprit = results.culprit(found)
    if culprit is None:
        return found.as_json()
    command = again(results.manifest.command, culprit)
    return {**found.as_json(), "culprit": culprit.as_json(), "again": command}
