"""The two ends of a flow: a group or a share of it, and a server."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from lasthop.study.fields.quantity import FRACTION, parse
from lasthop.study.fields.written import Written
from lasthop.study.text.faults import Fault, show

_ALL = "all"
_SHARE = re.compile(r"(?P<share>.*\S) +of +(?P<name>\S+)")


@dataclass(frozen=True, slots=True)
class End:
    """Sender or receiver of a flow.

    Parameters
    ----------
    share
        Share of the group's devices, from 0 to 1.
    to_all
        Whether each message goes to all of them.
    """

    name: str
    share: float = 1.0
    to_all: bool = False


@dataclass(frozen=True, slots=True)
class EndOf(Written):
    """Marks a group or server name, or a share of its devices: ``10 % of meters``."""

    example: str

    def read(self, value: object) -> End:
        """Parse the name and the share."""
        if not isinstance(value, str) or not value:
            raise Fault(f"{show(value)} is not a name", hint=f'write "{self.example}"')
        found = _SHARE.fullmatch(value)
        if found is None:
            return End(value)
        if found["share"] == _ALL:
            return End(found["name"], to_all=True)
        share = float(parse(found["share"], FRACTION, example="10 %"))
        if share == 0:
            raise Fault(
                f"{show(value)} is no device", hint=f'write "1 % of {found["name"]}" or more'
            )
        return End(found["name"], share)

    def described(self) -> dict[str, Any]:
        """Return the JSON Schema of the notation."""
        return {
            "type": "string",
            "minLength": 1,
            "examples": [self.example, f"10 % of {self.example}", f"all of {self.example}"],
        }
