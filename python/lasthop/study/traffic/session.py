"""How long a session lasts: ``keep``, ``per_message``, ``per 10``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal

from lasthop.study.faults import Fault, show
from lasthop.study.written import Written

SessionPolicy = Literal["keep", "per_message"] | int
"""A number is that of messages after which it ends."""

MAXIMUM_MESSAGES = 1_000_000

_WORDS = ("keep", "per_message")
_PER = re.compile(r"per ([0-9]{1,7})")


@dataclass(frozen=True, slots=True)
class Session(Written):
    """Marks a session policy."""

    def read(self, value: object) -> SessionPolicy:
        """Read a word, or ``per 10``."""
        if value == "keep":
            return "keep"
        if value == "per_message":
            return "per_message"
        found = _PER.fullmatch(value) if isinstance(value, str) else None
        if found is None or not 1 <= int(found[1]) <= MAXIMUM_MESSAGES:
            hint = 'write "keep", "per_message" or, for so many messages each, "per 10"'
            raise Fault(f"{show(value)} says not how long a session lasts", hint=hint)
        return int(found[1])

    def described(self) -> dict[str, Any]:
        """Describe the words and the number."""
        return {"anyOf": [{"enum": list(_WORDS)}, {"type": "string", "pattern": "^per [0-9]+$"}]}


def session_words(session: SessionPolicy) -> str:
    """Write a policy as a study does."""
    return session if isinstance(session, str) else f"per {session}"
