"""Certificates and keys of a run as files for real server software."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path

_OWNER_ALONE = 0o600


@dataclass(frozen=True, slots=True)
class PresentedFiles:
    """PEM files that only their owner may read. They are deleted with their folder.

    Parameters
    ----------
    certificate
        The server's certificate and its intermediate certificates.
    key
        Private key of the server's certificate.
    roots
        Root certificates of both ends.
    name
        Name of the server in its certificate.
    client_roots
        Root certificates for client certificates; None if clients present none.
    """

    certificate: Path
    key: Path
    roots: Path
    name: str
    client_roots: Path | None

    @classmethod
    def write(cls, folder: Path, files: tuple[str, str, str, bool, str]) -> Self:
        """Write certificates, key and roots into a folder as PEM files.

        What follows is whether clients show certificates, and the name of the server.
        """
        names = ("server.pem", "server.key", "roots.pem")
        certificate, key, roots = (folder / name for name in names)
        *contents, asks_clients, name = files
        for file, content in zip((certificate, key, roots), contents, strict=True):
            _write(file, content)
        return cls(certificate, key, roots, name, roots if asks_clients else None)


def _write(file: Path, content: str) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with open(os.open(file, flags, _OWNER_ALONE), "w", encoding="ascii") as opened:  # noqa: PTH123
        opened.write(content)
