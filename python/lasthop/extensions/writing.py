"""Creates the source of an extension: a crate and a Python package with a working example."""

from __future__ import annotations

import keyword
import re
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.version import __version__

if TYPE_CHECKING:
    from collections.abc import Collection
    from importlib.resources.abc import Traversable

_PLACEHOLDER = "toy_protocol"
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_RUST_WORDS = (  # noqa: SIM905  (words are read as words)
    "abstract alloc async await become box const core crate do dyn enum extern final fn gen impl "
    "let loop macro match mod move mut override priv proc_macro pub ref self static std struct "
    "super test trait type typeof unsafe unsized use virtual where"
).split()
_DEPENDENCY = re.compile(r"^(?P<crate>lasthop_\w+) = \{ LASTHOP(?P<rest>.*)$", re.MULTILINE)
_REPOSITORY = "https://github.com/lasthop/lasthop"


def write_extension(name: str, folder: Path, *, stacks: Collection[str]) -> list[Path]:
    """Write the source of an extension into a new folder, and return its files.

    Parameters
    ----------
    name
        Name of its crate, its package and its protocol.
    folder
        The new folder. It must not exist.
    stacks
        Applications and layers of lasthop, whose names cannot be used.

    Raises
    ------
    UsageError
        The name cannot be one, or is taken; or the folder is there.
    EnvironmentFailure
        It cannot be written.
    """
    _check(name, stacks)
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"{folder}: the folder exists already; choose another name")
    written = []
    try:
        for path, text in sorted(_contents(name).items()):
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            with target.open("x", encoding="utf-8") as file:
                file.write(text)
            written.append(target)
    except OSError as error:
        raise EnvironmentFailure(f"{folder}: {error.strerror}; choose another folder") from error
    return written


def _check(name: str, stacks: Collection[str]) -> None:
    if not _NAME.fullmatch(name) or keyword.iskeyword(name) or name in _RUST_WORDS:
        rule = (
            "write a name of a-z, 0-9 and _ that begins with a letter and is not a "
            "keyword of Rust or Python"
        )
        raise UsageError(f'--extension: "{name}" cannot be the name of a crate; {rule}')
    if name in stacks:
        raise UsageError(
            f'--extension: "{name}" is already the name of a stack or a layer; choose another name'
        )
    if find_spec(name) is not None:
        raise UsageError(
            f'--extension: "{name}" is already the name of an installed '
            "Python package; choose another name"
        )


def _contents(name: str) -> dict[str, str]:
    """Return path and content of every file of the extension, with its name inserted."""
    package = files("lasthop.extensions")
    found = dict(_texts(package / "template"))
    # The versions with which this lasthop was made and tested.
    found["Cargo.lock"] = (files("lasthop") / "provenance/Cargo.lock").read_text(encoding="utf-8")
    return {
        path.replace(_PLACEHOLDER, name): text.replace(_PLACEHOLDER, name)
        for path, text in {**found, "Cargo.toml": _placed(found["Cargo.toml"])}.items()
    }


def _texts(folder: Traversable, within: str = "") -> list[tuple[str, str]]:
    texts = []
    for entry in folder.iterdir():
        if entry.is_dir() and entry.name != "__pycache__":
            texts += _texts(entry, f"{within}{entry.name}/")
        elif entry.is_file():
            texts.append((within + entry.name, entry.read_text(encoding="utf-8")))
    return texts


def _placed(manifest: str) -> str:
    """Replace the paths of lasthop's crates by the current checkout or by the version's tag."""

    def place(line: re.Match[str]) -> str:
        crate = line["crate"]
        return f"{crate} = {{ {_place(crate)}{line['rest']}"

    return _DEPENDENCY.sub(place, manifest)


def _place(crate: str) -> str:
    checkout = _checkout()
    if checkout is None:
        return f'git = "{_REPOSITORY}", tag = "v{__version__}"'
    return f'path = "{(checkout / "crates" / crate).as_posix()}"'


def _checkout() -> Path | None:
    """Return the source checkout that this lasthop runs from, or None."""
    checkout = Path(__file__).resolve().parents[3]
    return checkout if (checkout / "crates/lasthop_extension/Cargo.toml").is_file() else None
