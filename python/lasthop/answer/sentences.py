"""Sentences with marked stacks and rules, and lists in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

_MOST_NAMED = 4

SpanKind = Literal["words", "stack", "rule"]


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a sentence. Stacks and rules of the study are marked."""

    text: str
    kind: SpanKind = "words"


@dataclass(frozen=True, slots=True)
class Sentence:
    """Pieces that make a sentence."""

    spans: tuple[Span, ...]

    @property
    def text(self) -> str:
        """The sentence without marks."""
        return "".join(span.text for span in self.spans)


def plain(text: str) -> Sentence:
    """Make a sentence in which nothing is set apart."""
    return Sentence((Span(text),))


def names(stacks: Sequence[str]) -> list[Span]:
    """List stacks with commas and an "and"."""
    spans: list[Span] = []
    for place, stack in enumerate(stacks):
        if place:
            spans.append(Span(" and " if place == len(stacks) - 1 else ", "))
        spans.append(Span(stack, "stack"))
    return spans


def first_names(stacks: Sequence[str]) -> list[Span]:
    """List the first stacks and count the others.

    Examples
    --------
    >>> "".join(span.text for span in first_names(["tls", "quic", "tcp", "ws", "dtls"]))
    'tls, quic, tcp and 2 others'
    """
    if len(stacks) <= _MOST_NAMED:
        return names(stacks)
    first, rest = stacks[: _MOST_NAMED - 1], len(stacks) - _MOST_NAMED + 1
    spans = [span for stack in first for span in (Span(stack, "stack"), Span(", "))]
    return [*spans[:-1], Span(f" and {rest} others")]
