"""Session lifetimes: ``keep``, ``established``, ``per_message``, ``per 10``, ``per 1 h``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from lasthop.study.fields.form import Quantity
from lasthop.study.fields.quantity import TIME, format_quantity
from lasthop.study.fields.written import Written
from lasthop.study.text.faults import Fault, show


@dataclass(frozen=True, slots=True)
class ForTime:
    """A connection lifetime after which a new connection is opened."""

    ns: int


SessionPolicy = Literal["keep", "established", "per_message"] | int | ForTime
"""Session policy. A number is the number of messages per session."""

MAXIMUM_MESSAGES = 1_000_000
_SHORTEST_NS = 10**9

_WORDS = ("keep", "established", "per_message")
_PER = re.compile(r"per ([0-9]{1,7})")
_PER_TIME = re.compile(r"per (\S+ \S+)")
_HINT = 'write "keep", "established", "per_message", "per 10" (messages) or "per 1 h"'


@dataclass(frozen=True, slots=True)
class Session(Written):
    """Marks a session policy, such as ``keep`` or ``per 10``."""

    def read(self, value: object) -> SessionPolicy:
        """Parse a session policy: a keyword, a number of messages (``per 10``) or a time."""
        if isinstance(value, ForTime):
            return value
        if value == "keep":
            return "keep"
        if value == "established":
            return "established"
        if value == "per_message":
            return "per_message"
        text = value if isinstance(value, str) else ""
        if time := _PER_TIME.fullmatch(text):
            return _for_time(time[1])
        found = _PER.fullmatch(text)
        if found is None or not 1 <= int(found[1]) <= MAXIMUM_MESSAGES:
            raise Fault(f"{show(value)} is not a session policy", hint=_HINT)
        return int(found[1])

    def described(self) -> dict[str, Any]:
        """Return the JSON Schema of the notations."""
        return {
            "anyOf": [
                {"enum": list(_WORDS)},
                {"type": "string", "pattern": "^per [0-9]+$"},
                {"type": "string", "pattern": "^per [0-9.]+ [a-z]+$"},
            ]
        }


def _for_time(text: str) -> ForTime:
    ns = int(Quantity(TIME, "1 h").read(text))
    if ns < _SHORTEST_NS:
        raise Fault(f"a session of {text} is too short", hint='write "per 1 s" or more')
    return ForTime(ns)


def session_words(session: SessionPolicy) -> str:
    """Format a policy as in a study."""
    if isinstance(session, ForTime):
        return f"per {format_quantity(session.ns, TIME)}"
    return session if isinstance(session, str) else f"per {session}"
