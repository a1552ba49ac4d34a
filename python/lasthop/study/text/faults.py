"""Errors in a study without a file position yet, and quoting of values."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

Location = tuple[str | int, ...]

_SHOWN_CHARACTERS = 60
_LISTED_WORDS = 12


class Fault(ValueError):  # noqa: N818  becomes a StudyError once its place is known
    """An error at a location of a document, with its remedy.

    A ``ValueError``, so that a pydantic validator may raise it.

    Parameters
    ----------
    what
        What is wrong.
    hint
        What to write instead.
    location
        Keys and list indices from the root of the document.
    at_key
        Whether the key itself is wrong, not its value.
    """

    def __init__(
        self,
        what: str,
        *,
        hint: str | None = None,
        location: Location = (),
        at_key: bool = False,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.location = location
        self.at_key = at_key

    def within(self, outer: Location) -> Fault:
        """Return the error with an outer location prepended."""
        return Fault(
            self.what, hint=self.hint, location=(*outer, *self.location), at_key=self.at_key
        )


def show(value: object) -> str:
    """Quote a value of the study for a message, shortened.

    Examples
    --------
    >>> show("10"), show(True), show({"a": 1}), show(None)
    ('"10"', '"true"', 'a mapping', 'nothing')
    """
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return f'"{str(value).lower()}"'
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    text = str(value)
    if len(text) > _SHOWN_CHARACTERS:
        text = text[: _SHOWN_CHARACTERS - 3] + "..."
    return f'"{text}"'


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word that is most similar to a misspelt one, or None.

    Examples
    --------
    >>> nearest("dealy", ["loss", "delay"])
    'delay'
    """
    matches = difflib.get_close_matches(word[:_SHOWN_CHARACTERS], list(known), n=1, cutoff=0.6)
    return matches[0] if matches else None


def nearest_three(word: str, known: Iterable[str]) -> list[str]:
    """Return the three known words that are most similar, the most similar first.

    Examples
    --------
    >>> nearest_three("latency_p90", ["latency_p50", "energy", "latency_max", "latency_p99"])
    ['latency_p99', 'latency_p50', 'latency_max']
    """
    return difflib.get_close_matches(word[:_SHOWN_CHARACTERS], list(known), n=3, cutoff=0.0)


def suggestion(word: str, known: Iterable[str], *, kind: str, listed_by: str | None = None) -> str:
    """Suggest a known word for an unknown one.

    Parameters
    ----------
    kind
        Plural noun for the words.
    listed_by
        Command or page that lists all words, if they are many.

    Examples
    --------
    >>> suggestion("dealy", ["loss", "delay"], kind="keys")
    'did you mean "delay"?'
    >>> suggestion("qqq", ["loss", "delay"], kind="keys")
    'known keys: loss, delay'
    >>> suggestion("mqqt", ["coap", "mqtt"], kind="stacks", listed_by="lasthop stacks")
    'did you mean "mqtt"? "lasthop stacks" lists all stacks'
    """
    words = list(known)
    match = nearest(word, words)
    everything = f'"{listed_by}" lists all {kind}' if listed_by else ""
    if match:
        return " ".join(filter(None, (f'did you mean "{match}"?', everything)))
    if len(words) <= _LISTED_WORDS:
        return f"known {kind}: {', '.join(words)}"
    some = f"similar {kind}: {', '.join(nearest_three(word, words))}"
    return "; ".join(filter(None, (some, everything)))
