"""Base class of lasthop's own servers around third-party libraries, built on the user's machine."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from abc import abstractmethod
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar

from lasthop.adapters.adapter import Adapter, Offer
from lasthop.adapters.kept_build import kept
from lasthop.errors import EnvironmentFailure

_FOLDER = Path(__file__).parent
_LINES_OF_LOG = 3
_WAYS = {"tcp": "tcp", "tls/tcp": "tls", "quic/udp": "quic"}
"""Names that the programs use for the layers below MQTT."""


class BuiltProgram(Adapter):
    """A broker without authentication, built once for each version of its source.

    Its build is cached for each source.

    Attributes
    ----------
    language
        Folder of the source within this package, named by its language.
    built
        Path of the built program within the build folder.
    minutes
        Approximate minutes of the first build on two processors.
    """

    protocols: ClassVar[frozenset[str]] = frozenset(f"mqtt/{layers}" for layers in _WAYS)
    version_arguments: ClassVar[tuple[str, ...]] = ("version",)
    language: ClassVar[str]
    built: ClassVar[str]
    minutes: ClassVar[int]

    def find(self) -> Path:
        """Return the program, and build it if it was not built before.

        Raises
        ------
        EnvironmentFailure
            What builds it is missing, or it cannot be built; the line says what brings it.
        """
        builder = super().find()
        source = _FOLDER / self.language / self.name
        digest = hashlib.sha256()
        for file in sorted(path for path in source.rglob("*") if path.is_file()):
            digest.update(file.read_bytes())
        builds = Path.home() / ".cache" / "lasthop" / self.language
        made = builds / f"{self.name}-{digest.hexdigest()[:12]}" / self.name
        try:
            return kept(made, lambda into: self._build(builder, source, into))
        except OSError as error:
            raise EnvironmentFailure(f"{self.name}: {made}: {error.strerror}") from error

    @abstractmethod
    def build_command(self, builder: Path, folder: Path) -> list[str]:
        """Return the command that builds the program into an empty folder."""

    def command(self, program: Path, offer: Offer) -> list[str]:
        """Return the command that starts the server with address, layers and credentials."""
        way = _WAYS["/".join(offer.layers)]
        words = [str(program), way, f"{offer.address}:{offer.port}"]
        if offer.presented is not None:
            files = offer.presented.certificate, offer.presented.key, offer.presented.client_roots
            words += [str(file) for file in files if file is not None]
        return words

    def _build(self, builder: Path, source: Path, into: Path) -> None:
        sys.stderr.write(f"building {self.name} (some {self.minutes} min, the first time)\n")
        with TemporaryDirectory(dir=into.parent) as name:
            command = self.build_command(builder, folder := Path(name))
            done = subprocess.run(command, cwd=source, check=False, capture_output=True, text=True)
            if done.returncode:
                said = " | ".join(done.stderr.strip().splitlines()[-_LINES_OF_LOG:])
                raise EnvironmentFailure(f"{self.name}: the build failed: {said}; {self.install}")
            shutil.move(folder / self.built, into)
