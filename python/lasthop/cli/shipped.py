"""The studies that come with lasthop."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import lasthop
from lasthop.errors import UsageError

_OWN_NAME = re.compile(r"^study: *[\"']?([\w.-]+)", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedStudy:
    """A study that can be run by its name."""

    name: str
    path: Path


def shipped_studies() -> tuple[ShippedStudy, ...]:
    """List the studies in the package. In a checkout they are linked."""
    folder = (Path(lasthop.__file__).parent / "studies").resolve()
    return tuple(
        ShippedStudy(name=path.parent.name, path=path)
        for path in sorted(folder.glob("*/study.yaml"))
    )


def find_study(argument: str) -> Path:
    """Return the file that an argument means: a file, a folder with a study, or a name.

    A study has others beside it in its folder, ``NAME/OTHER``: `chen-kunz-2016/twin`. Each is also
    known by what it calls itself, which reports and folders of results say: `chen-kunz-2016-twin`.

    Raises
    ------
    UsageError
        It means none of these.
    """
    if "\0" in argument:
        raise UsageError("the name of the study contains a NUL character; write the name of a file")
    path = Path(argument)
    try:
        if path.is_dir() and (path / "study.yaml").exists():
            return path / "study.yaml"
        if path.exists() or path.suffix in {".yaml", ".yml"}:
            return path
    except OSError as error:
        raise UsageError(f"{argument[:60]}: {error.strerror}; write the name of a file") from error
    names = {study.name: study.path for study in shipped_studies()}
    beside_them = {
        f"{name}/{beside.stem}": beside
        for name, path in names.items()
        for beside in sorted(path.parent.glob("*.yaml"))
        if beside != path
    }
    if (found := names.get(argument) or beside_them.get(argument)) is not None:
        return found
    by_themselves = _by_their_own_names((*names.values(), *beside_them.values()))
    if (found := by_themselves.get(argument)) is not None:
        return found
    near = get_close_matches(argument, {**names, **beside_them, **by_themselves}, n=1)
    meant = f'did you mean "{near[0]}"?' if near else f"the studies are {', '.join(names)}"
    raise UsageError(f'"{argument}" is neither a file nor a study that comes with lasthop; {meant}')


def _by_their_own_names(files: Iterable[Path]) -> dict[str, Path]:
    """Give each study by what its key `study` says."""
    found: dict[str, Path] = {}
    for file in files:
        named = _OWN_NAME.search(file.read_text(encoding="utf-8"))
        if named is not None:
            found.setdefault(named[1], file)
    return found
