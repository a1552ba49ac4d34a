"""Compiles C++ libraries with a C interface, on the machine that uses them."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from lasthop.adapters.kept_build import kept
from lasthop.errors import EnvironmentFailure

_SOURCES = Path(__file__).with_name("native")
_OPTIONS = ("-std=c++17", "-O2", "-Wall", "-Wextra", "-shared", "-fPIC")
_LINES_OF_LOG = 3


@dataclass(frozen=True, slots=True)
class NativeLibrary:
    """A C++ library with C functions around it. Its build is cached.

    Parameters
    ----------
    name
        Name of the source file.
    links
        Name of the C++ library for the linker.
    header
        A header that exists if the library can be compiled against.
    install
        Command that installs the library, for errors.
    """

    name: str
    links: str
    header: Path
    install: str

    def path(self) -> Path:
        """Return the compiled library. The first call compiles it, which takes some seconds.

        Raises
        ------
        EnvironmentFailure
            What it takes is missing, or it does not compile; the line says what brings it.
        """
        compiler = shutil.which("g++")
        if compiler is None or not self.header.exists():
            raise EnvironmentFailure(
                f"{self.name}: the library {self.links} is missing; {self.install}"
            )
        source = _SOURCES / f"{self.name}.cpp"
        # Another source or another version of the library is another file.
        told = source.read_bytes() + str(self.header.stat().st_mtime_ns).encode()
        digest = hashlib.sha256(told).hexdigest()[:12]
        made = Path.home() / ".cache" / "lasthop" / "native" / f"{self.name}-{digest}.so"
        try:
            return kept(made, lambda into: self._compile(compiler, source, into))
        except OSError as error:
            raise EnvironmentFailure(f"{self.name}: {made}: {error.strerror}") from error

    def _compile(self, compiler: str, source: Path, into: Path) -> None:
        command = [compiler, *_OPTIONS, "-o", str(into), str(source), f"-l{self.links}"]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            said = " | ".join(done.stderr.splitlines()[:_LINES_OF_LOG])
            raise EnvironmentFailure(f"{self.name}: the compiler failed: {said}; {self.install}")
