"""What a server that is real software shows: the certificates and the key of a run, as files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_OWNER_ALONE = 0o600


@dataclass(frozen=True, slots=True)
class Shown:
    """Files in PEM that nobody else may read; they go with their folder.

    Parameters
    ----------
    certificate
        The server's, and those that lead to a root.
    key
        Of the first of them.
    client_roots
        Whose certificates clients have to show; None where they show none.
    """

    certificate: Path
    key: Path
    client_roots: Path | None

    @classmethod
    def write(cls, folder: Path, files: Sequence[str | None]) -> Self:
        """Write certificates, key, and roots if there are some."""
        names = ("server.pem", "server.key", "roots.pem")
        certificate, key, roots = (folder / name for name in names)
        for file, content in zip((certificate, key, roots), files, strict=True):
            if content is not None:
                _write(file, content)
        return cls(certificate, key, None if files[2] is None else roots)


def _write(file: Path, content: str) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with open(os.open(file, flags, _OWNER_ALONE), "w", encoding="ascii") as opened:  # noqa: PTH123
        opened.write(content)
