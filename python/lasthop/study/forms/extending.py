"""Resolves `extends`: mappings of two studies are merged, lists and values are replaced."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import lasthop
from lasthop.errors import StudyError
from lasthop.study.forms.model import FORMAT
from lasthop.study.forms.renamed_keys import with_current_keys
from lasthop.study.text.beside import file_beside
from lasthop.study.text.document import Document, Replacement
from lasthop.study.text.faults import Fault, Location, show, suggestion
from lasthop.study.text.source import Source, parse, read_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_SUFFIXES = (".yaml", ".yml")
_NOT_INHERITED = ("study", "title", "description", "extends")


def read_study(file: Path, *, text: str | None = None) -> Document:
    """Read a study and the studies that it extends.

    Parameters
    ----------
    file
        The study.
    text
        Text to use instead of the file's content, for editors.

    Raises
    ------
    StudyError
        If a file is no study, or extends itself.
    UsageError
        If there is no such file.
    """
    return _extended(_read(file, text), file, (file.resolve(),))


def read_named(file: Path, chain: tuple[Path, ...] = ()) -> Document:
    """Read a study that another study names. Its content is not quoted in errors.

    Parameters
    ----------
    chain
        The studies that extend it.

    Raises
    ------
    Fault
        If it is no study.
    """
    source = parse(read_file(file), name=str(file))
    if not isinstance(source.value, dict) or "study" not in source.value:
        raise Fault(
            f"{show(file.name)} is not a study", hint="write the name of a study in the same folder"
        )
    return _extended(_checked(source), file, (*chain, file.resolve()))


def _read(file: Path, text: str | None) -> Document:
    source = parse(read_file(file) if text is None else text, name=str(file))
    if source.value is None:
        raise StudyError(
            "the file is empty",
            hint='begin with "study: NAME", or run "lasthop init"',
            file=str(file),
        )
    if not isinstance(source.value, dict):
        fault = Fault(f"{show(source.value)} is not a study", hint='begin with "study: NAME"')
        raise Document(source, {}).error(fault)
    return _checked(source)


def _checked(source: Source) -> Document:
    source, notes = with_current_keys(source)
    document = Document(source, source.value, notes=notes)
    written = source.value.get("format")
    if isinstance(written, int) and not isinstance(written, bool) and written > FORMAT:
        raise document.error(
            Fault(
                f"this study has format {written}, and this lasthop reads formats up to {FORMAT}",
                hint="update lasthop",
                location=("format",),
            )
        )
    return document


def _extended(own: Document, file: Path, chain: tuple[Path, ...]) -> Document:
    name = own.value.get("extends")
    if name is None:
        return own
    if "study" not in own.value:
        raise own.error(Fault('the key "study" is missing', hint='write "study: meters"'))
    try:
        other = _other(name, file.parent)
        _check_chain(other, chain)
        base = read_named(other, chain)
    except Fault as fault:
        raise own.error(fault.within(("extends",))) from None
    kept = {key: value for key, value in base.value.items() if key not in _NOT_INHERITED}
    notes = (*base.notes, *own.notes)
    merged = Document(base.source, kept, base.replacements, notes)
    for location in _differing(own.value, kept, ()):
        key = ".".join(map(str, location))
        merged = merged.replaced(Replacement(key, own.source, location, location))
    return merged


def _other(name: object, folder: Path) -> Path:
    """Return the file that a study extends: in its folder, or a shipped study."""
    if not isinstance(name, str) or not name:
        raise Fault(
            f"{show(name)} is not the name of a study file", hint='write "extends: base.yaml"'
        )
    if Path(name).suffix in _SUFFIXES:
        file = file_beside(folder, name)
        if not file.is_file():
            hint = suggestion(name, sorted(path.name for path in _beside(folder)), kind="files")
            raise Fault(f"there is no file {show(name)} in the folder of the study", hint=hint)
        return file
    named = {file.stem: file for file in _beside(folder)}
    shipped = Path(lasthop.__file__).parent / "studies"
    named |= {file.parent.name: file for file in sorted(shipped.glob("*/study.yaml"))} | named
    if name not in named:
        raise Fault(f"there is no study {show(name)}", hint=suggestion(name, named, kind="studies"))
    return named[name]


def _beside(folder: Path) -> list[Path]:
    return sorted(path for path in folder.iterdir() if path.suffix in _SUFFIXES)


def _check_chain(other: Path, chain: tuple[Path, ...]) -> None:
    if other.resolve() in chain:
        names = [path.name for path in chain[chain.index(other.resolve()) :]]
        circle = " extends ".join([*names, names[0]])
        what = (
            "the study extends itself"
            if len(names) == 1
            else (f"the studies extend each other in a circle: {circle}")
        )
        raise Fault(what, hint='remove "extends" in one of them')


def _differing(own: Mapping[str, Any], base: Mapping[str, Any], at: Location) -> Iterator[Location]:
    """Yield the locations at which a study overrides the study that it extends."""
    for key, value in own.items():
        below = base.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            yield from _differing(value, below, (*at, key))
        else:
            yield (*at, key)
