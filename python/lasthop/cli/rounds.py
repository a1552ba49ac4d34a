"""The rounds of `--until-decided`: open questions, in words and as plain values."""

import math
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lasthop.answer.undecided import Undecided
    from lasthop.running.until_decided import Round

_MOST_LINES = 8


class _HasRounds(Protocol):
    @property
    def rounds(self) -> "tuple[Round, ...]": ...


def round_in_lines(ended: "Round") -> "Iterable[str]":
    """Describe the open questions after a round, and the repetitions that they may need."""
    done = f"{ended.repetitions} repetitions"
    if not ended.undecided:
        yield f"{done}: everything is decided"
        return
    yield f"{done}: {len(ended.undecided)} still open"
    shown = ended.undecided[:_MOST_LINES]
    for question in shown:
        yield f"  {_question(question)}"
    if len(shown) < len(ended.undecided):
        yield f"  and {len(ended.undecided) - len(shown)} more"


def rounds_in_words(rounds: "_HasRounds") -> str:
    """Describe in one line how the rounds ended."""
    counts = ", ".join(str(ended.repetitions) for ended in rounds.rounds)
    last = rounds.rounds[-1]
    if not last.undecided:
        return f"decided after {last.repetitions} repetitions (rounds of {counts})"
    open_still = "; ".join(_question(question) for question in last.undecided[:_MOST_LINES])
    return f"{len(last.undecided)} still open after {last.repetitions} repetitions: {open_still}"


def plain_rounds(rounds: "_HasRounds") -> dict[str, Any]:
    """Return the rounds as plain values. None is infinite."""
    return {
        "decided": not rounds.rounds[-1].undecided,
        "rounds": [
            {
                "repetitions": ended.repetitions,
                "undecided": [_plain(question) for question in ended.undecided],
            }
            for ended in rounds.rounds
        ],
    }


def _question(question: "Undecided") -> str:
    needed = question.repetitions
    foreseen = "cannot be foreseen" if needed is None else f"about {needed} repetitions"
    return f"{question.name}: {question.words}, {foreseen}"


def _plain(question: "Undecided") -> dict[str, Any]:
    found = question.interval
    ends = {"mean": found.mean, "low": found.low, "high": found.high}
    return {
        "name": question.name,
        "unit": question.unit,
        **{name: end if math.isfinite(end) else None for name, end in ends.items()},
        "expected_repetitions": question.repetitions,
    }
