"""`lasthop doctor`: whether this machine has what lasthop needs, and what a lack means."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import typer

from lasthop.cli import options
from lasthop.cli.output import say, say_json
from lasthop.errors import EXIT_ENVIRONMENT, EXIT_PASS, LasthopError
from lasthop.sockets import has_sockets
from lasthop.version import __version__

NAME = "doctor"
EXAMPLE = "Example: lasthop doctor --clean"
_LITTLE_SPACE_BYTES = 1_000_000_000
_OLDEST_PYTHON = (3, 11)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A requirement that was checked."""

    what: str
    found: bool
    needed: bool
    note: str
    lack: str = "absent"

    @property
    def mark(self) -> str:
        """Return one word for it."""
        if self.found:
            return "ok"
        return "MISSING" if self.needed else self.lack


def command(
    *,
    clean: Annotated[
        bool,
        typer.Option(
            "--clean",
            help="Removes what killed runs have left: their network namespaces, the processes "
            "in them, and their temporary folders. Nothing else is removed.",
        ),
    ] = False,
    as_json: options.Json = False,
) -> int:
    """Check that this machine has what lasthop needs. Exit code 4 if something is missing."""
    if clean:
        return _clean(as_json=as_json)
    findings = list(_findings())
    lacking = any(finding.needed and not finding.found for finding in findings)
    code = EXIT_ENVIRONMENT if lacking else EXIT_PASS
    if as_json:
        told = [
            {key: value for key, value in asdict(finding).items() if key != "lack"}
            for finding in findings
        ]
        say_json({"findings": told, "exit_code": code})
        return code
    for finding in findings:
        say(f"{finding.mark:<8} {finding.what:<12} {finding.note}")
    return code


def _clean(*, as_json: bool) -> int:
    from lasthop.testbed import Leftovers

    left = Leftovers.find()
    left.remove()
    if as_json:
        names = [file.name for file in left.namespaces]
        folders = [str(folder) for folder in left.folders]
        removed = {"namespaces": names, "processes": list(left.processes), "folders": folders}
        say_json({"removed": removed})
    else:
        say(f"removed {left.words()}" if left else "nothing was left behind")
    return EXIT_PASS


def _findings() -> Iterator[Finding]:
    yield Finding(
        what="python",
        found=sys.version_info >= _OLDEST_PYTHON,
        needed=True,
        note=f"{platform.python_version()}; lasthop needs 3.11 or newer",
    )
    yield _simulator()
    yield from _extensions()
    free = shutil.disk_usage(Path.cwd()).free
    yield Finding(
        what="disk",
        found=free >= _LITTLE_SPACE_BYTES,
        needed=False,
        note=f"{free / 1e9:.1f} GB free here; results of large studies take gigabytes",
    )
    if sys.platform == "linux":
        yield _networks()
        yield _leftovers()
    yield _program("tshark", ("tshark",), "reads what `run --capture` keeps; Wireshark does so too")
    yield _program(
        "chromium",
        ("chromium", "chromium-browser", "google-chrome"),
        "runs the tests of the report; any browser opens a report",
    )


def _simulator() -> Finding:
    what = "simulator"
    try:
        from lasthop import _native
    except ImportError as error:
        note = f"the compiled part cannot be loaded ({error}); nothing runs, install lasthop again"
        return Finding(what=what, found=False, needed=True, note=note)
    version = _native.version()
    matches = version == __version__
    note = f"{version}" if matches else f"{version}, but lasthop is {__version__}; install it again"
    if matches and not has_sockets():
        note = f"{note}, without sockets: studies run in virtual time alone"
    return Finding(what=what, found=matches, needed=True, note=note)


def _extensions() -> Iterator[Finding]:
    from lasthop.extensions import extensions

    try:
        for extension in extensions():
            note = "stacks of your own; `lasthop stacks` lists them"
            yield Finding(what=extension.name, found=True, needed=False, note=note)
    except LasthopError as error:
        yield Finding(what="extensions", found=False, needed=True, note=str(error))


def _networks() -> Finding:
    """Say whether foreign programs can be put behind a link, and who has to."""
    from lasthop.testbed import why_no_networks

    missing = why_no_networks()
    return Finding(
        what="networks",
        found=missing is None,
        needed=False,
        note=f"`link` puts any program behind a link{'' if missing is None else f': {missing}'}",
    )


def _leftovers() -> Finding:
    from lasthop.testbed import Leftovers

    left = Leftovers.find()
    return Finding(
        what="left behind",
        found=not left,
        needed=False,
        note=f"{left.words()}; `doctor --clean` removes them" if left else "nothing by killed runs",
        lack="LEFT",
    )


def _program(what: str, names: tuple[str, ...], purpose: str) -> Finding:
    path = next((found for name in names if (found := shutil.which(name))), None)
    note = f"{path}; {purpose}" if path else f"not needed to run studies; {purpose}"
    return Finding(what=what, found=path is not None, needed=False, note=note)
