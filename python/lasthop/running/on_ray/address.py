"""Parses the address in `--on`."""

import re
from dataclasses import dataclass
from typing import Self

from lasthop.errors import UsageError

_FORMS = re.compile(
    r"ray(://(?P<host>\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:(?P<port>[0-9]{1,5}))?)?"
)
_CLIENT_PORT = 10001
_LAST_PORT = 65535


@dataclass(frozen=True, slots=True)
class RayAddress:
    """Address of a Ray Client server; without a host, a Ray cluster on this machine."""

    host: str | None = None
    port: int = _CLIENT_PORT

    @classmethod
    def parse(cls, written: str) -> Self:
        """Parse `ray` or `ray://HOST[:PORT]`.

        Examples
        --------
        >>> RayAddress.parse("ray://head.example:8001")
        RayAddress(host='head.example', port=8001)
        """
        found = _FORMS.fullmatch(written)
        if found is None:
            raise UsageError(
                f'--on: "{written}" is not an address of Ray; write ray, ray://HOST '
                "or ray://HOST:PORT"
            )
        port = int(found["port"] or _CLIENT_PORT)
        if not 1 <= port <= _LAST_PORT:
            raise UsageError(f"--on: {port} is not a port; write 1 to {_LAST_PORT}")
        return cls(host=found["host"], port=port)

    def __str__(self) -> str:
        """Return the address in the form of the option."""
        return "ray" if self.host is None else f"ray://{self.host}:{self.port}"
