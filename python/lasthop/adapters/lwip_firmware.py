"""Compiles the lwIP device program with the settings of a device."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from lasthop.adapters.kept_build import kept
from lasthop.errors import EnvironmentFailure

CRATE = "lwip-0.4.0"
"""The crate that contains the source of lwIP and the headers of its Unix port."""

_OURS = Path(__file__).with_name("native") / "lwip"
_INSTALL = (
    f"apt-get install gcc cargo, then cargo fetch --locked --manifest-path {_OURS}/Cargo.toml"
)
_OPTIONS = ("-std=gnu11", "-O2", "-Wall", "-Wextra")
_LINES_OF_LOG = 3
_VERSION = re.compile(r"#define LWIP_VERSION_(MAJOR|MINOR|REVISION)\s+(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Firmware:
    """Compile-time settings of a device.

    Parameters
    ----------
    frames
        Number of frames that can wait for the network task.
    mailbox
        Number of segments or datagrams of a connection that can wait for the application task, and
        of connections that can wait to be accepted.
    """

    max_segment_bytes: int
    window_bytes: int
    send_buffer_bytes: int
    keeps_out_of_order: bool
    frames: int
    mailbox: int
    connections: int

    def path(self) -> Path:
        """Return the compiled program. The first call compiles it, which takes some seconds.

        Raises
        ------
        EnvironmentFailure
            What it takes is missing, or it does not compile.
        """
        lwip, by = source(), compiler()
        defined = [f"-D{name}={value}" for name, value in self._defined().items()]
        ours = sorted([*_OURS.glob("*.c"), *_OURS.glob("*.h")])
        told = "\n".join([CRATE, *_OPTIONS, *defined]).encode()
        digest = hashlib.sha256(told + b"".join(file.read_bytes() for file in ours))
        folder = Path.home() / ".cache" / "lasthop" / "native"
        made = folder / f"lwip-{digest.hexdigest()[:12]}"
        try:
            return kept(made, lambda into: self._compile(by, defined, lwip, into))
        except OSError as error:
            raise EnvironmentFailure(f"lwip: {made}: {error.strerror}") from error

    def _defined(self) -> dict[str, int]:
        return {
            "TCP_MSS": self.max_segment_bytes,
            "TCP_WND": self.window_bytes,
            "TCP_SND_BUF": self.send_buffer_bytes,
            "TCP_QUEUE_OOSEQ": int(self.keeps_out_of_order),
            "DEVICE_FRAMES": self.frames,
            "DEVICE_MAILBOX": self.mailbox,
            "DEVICE_CONNECTIONS": self.connections,
        }

    def _compile(self, compiler: str, defined: list[str], lwip: Path, into: Path) -> None:
        core = lwip / "src"
        files = [core / "core", core / "core" / "ipv4", core / "api"]
        headers = [core / "include", lwip / "contrib" / "ports" / "unix" / "port" / "include"]
        command = [
            *(compiler, *_OPTIONS, *defined, f"-I{_OURS}"),
            *(option for folder in headers for option in ("-isystem", str(folder))),
            *(str(file) for folder in (_OURS, *files) for file in sorted(folder.glob("*.c"))),
            *("-o", str(into), "-lpthread"),
        ]
        done = subprocess.run(command, check=False, capture_output=True, text=True)
        if done.returncode:
            faults = [line for line in done.stderr.splitlines() if "error" in line]
            said = " | ".join((faults or done.stderr.splitlines())[:_LINES_OF_LOG])
            raise EnvironmentFailure(f"lwip: the compiler failed: {said}; {_INSTALL}")


def compiler() -> str:
    """Return the path of the C compiler.

    Raises
    ------
    EnvironmentFailure
        It is not there.
    """
    found = shutil.which("gcc")
    if found is None:
        raise EnvironmentFailure(f"lwip: the compiler gcc is missing; {_INSTALL}")
    return found


def source() -> Path:
    """Return the folder of lwIP's source in Cargo's registry.

    Raises
    ------
    EnvironmentFailure
        It is not there.
    """
    cargo = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    found = sorted(cargo.glob(f"registry/src/*/{CRATE}"))
    if not found:
        raise EnvironmentFailure(f"lwip: the source of lwIP is missing; {_INSTALL}")
    return found[0]


def version() -> str:
    """Return the version of lwIP's source.

    Raises
    ------
    EnvironmentFailure
        The source is not there, or tells none.
    """
    header = source() / "src" / "include" / "lwip" / "init.h"
    told = dict(_VERSION.findall(header.read_text(encoding="utf-8")))
    try:
        return f"{told['MAJOR']}.{told['MINOR']}.{told['REVISION']}"
    except KeyError as error:
        raise EnvironmentFailure(f"lwip: {header} has no version; {_INSTALL}") from error
