"""Certificates that OpenSSL makes for a server on this machine, for measurements and tests."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Credentials:
    """Files that OpenSSL made: an authority, and a server that is 127.0.0.1."""

    authority: Path
    certificate: Path
    key: Path


def make(openssl: str, folder: Path, kind: str, days: int = 2) -> Credentials:
    """Make an authority and a server of a kind of key: ec, rsa, ed25519."""
    algorithm = {
        "ec": ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
        "rsa": ("-newkey", "rsa:2048"),
        "ed25519": ("-newkey", "ed25519"),
    }[kind]
    root, root_key = folder / "ca.pem", folder / "ca.key"
    leaf, leaf_key = folder / "server.pem", folder / "server.key"
    request = folder / "server.csr"
    common = (openssl, "req", "-nodes", *algorithm)
    subject = f"/CN=Authority of {folder.name}"
    run(*common, "-x509", "-subj", subject, "-days", "2", "-keyout", root_key, "-out", root)
    run(
        *(*common, "-subj", "/CN=server", "-keyout", leaf_key, "-out", request),
        *("-addext", "subjectAltName=IP:127.0.0.1"),
        *("-addext", "basicConstraints=critical,CA:FALSE"),
    )
    run(
        *(openssl, "x509", "-req", "-in", request, "-CA", root, "-CAkey", root_key),
        *("-days", str(days), "-copy_extensions", "copyall", "-out", leaf),
    )
    return Credentials(root, leaf, leaf_key)


def run(*command: object) -> str:
    """Run a program, and give what it prints.

    Raises
    ------
    RuntimeError
        It failed; what it said of that.
    """
    done = subprocess.run(
        [str(word) for word in command],
        check=False,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    return done.stdout
