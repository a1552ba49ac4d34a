"""What is on a disk after its power was lost: what was synced, and of the rest what had got there.

A file system may keep any of the sectors that were written since the last sync, in any order, and
any of the sizes that a file had since; it may lose a file that was made in a folder that was not
synced since. Within a sector of 512 B nothing is torn. The notes are those of `recorder.c`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator
    from pathlib import Path

SECTOR = 512
_HEAD = struct.Struct("<cB6xQQ")


@dataclass(frozen=True, slots=True)
class Note:
    """Something that was done to a file."""

    kind: str
    name: str
    offset: int
    length: int
    written: bytes
    # Where the notes go on.
    end: int


class Survives(Enum):
    """What of that which was not synced is there after all."""

    NOTHING = "nothing"
    BEGINNING = "the beginning"
    ANYTHING = "anything"


@dataclass(slots=True)
class _File:
    """A file on the disk, and what was done since it was synced."""

    synced: bytearray = field(default_factory=bytearray)
    since: list[Note] = field(default_factory=list)
    # That its folder was synced since it was made.
    is_named: bool = False


class Disk:
    """A disk that is written to."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self._files = {name: _File(bytearray(held), is_named=True) for name, held in files.items()}
        # What was deleted, and would be there again.
        self._deleted: dict[str, _File] = {}

    def does(self, note: Note) -> None:
        """Take in what was done."""
        if note.kind == "d":
            for file in self._files.values():
                file.is_named = True
            self._deleted.clear()
        elif note.kind == "u":
            gone = self._files.pop(note.name, _File())
            if gone.is_named:
                self._deleted[note.name] = gone
        elif note.kind == "s":
            file = self._files.setdefault(note.name, _File())
            for it in file.since:
                _apply(file.synced, it)
            file.since.clear()
        else:
            self._files.setdefault(note.name, _File()).since.append(note)

    def after_a_loss(self, survives: Survives, random_of: random.Random) -> dict[str, bytes]:
        """Return the files that are there when the power comes back."""
        files = {}
        for name, file in (self._deleted | self._files).items():
            is_kept = file.is_named or (
                survives is not Survives.NOTHING and random_of.random() < 0.5
            )
            if is_kept and not (name in self._deleted and name in self._files):
                files[name] = bytes(_survivor(file, survives, random_of))
        return files


def read_notes(notes: bytes) -> Iterator[Note]:
    """Read what was recorded."""
    place = 0
    while place < len(notes):
        kind, name_length, offset, length = _HEAD.unpack_from(notes, place)
        place += _HEAD.size
        name = notes[place : place + name_length].decode()
        place += name_length
        written = notes[place : place + length] if kind == b"w" else b""
        place += len(written)
        yield Note(kind.decode(), name, offset, length, written, place)


def _apply(held: bytearray, note: Note) -> None:
    if note.kind == "t":
        del held[note.offset :]
        held.extend(bytes(note.offset - len(held)))
    else:
        held.extend(bytes(max(0, note.offset + note.length - len(held))))
        held[note.offset : note.offset + note.length] = note.written


def _survivor(file: _File, survives: Survives, random_of: random.Random) -> bytearray:
    held = bytearray(file.synced)
    if survives is Survives.NOTHING:
        return held
    if survives is Survives.BEGINNING:
        steps = [part for it in file.since for part in _sectors(it)]
        for it in steps[: random_of.randint(0, len(steps))]:
            _apply(held, it)
        return held
    whole = bytearray(file.synced)
    sizes = [len(whole)]
    versions: dict[int, list[bytes]] = {}
    for it in file.since:
        before = len(whole)
        _apply(whole, it)
        sizes.append(len(whole))
        # A hole that is made reads as zeros, and what is cut off is not there again.
        first = min(it.offset, before) if it.kind == "t" or it.offset > before else it.offset
        last = max(it.offset + it.length, len(whole) if it.kind == "t" else 0)
        for sector in range(first // SECTOR, -(-last // SECTOR)):
            found = bytes(whole[sector * SECTOR : (sector + 1) * SECTOR])
            versions.setdefault(sector, []).append(found)
    size = random_of.choice(sizes)
    held.extend(bytes(max(0, size - len(held))))
    for sector, states in versions.items():
        start = sector * SECTOR
        if start >= size:
            continue
        chosen = random_of.choice([bytes(held[start : start + SECTOR]), *states])
        held[start : start + len(chosen)] = chosen
    del held[size:]
    return held


def _sectors(note: Note) -> Iterator[Note]:
    """Split what was written where sectors end."""
    if note.kind == "t":
        yield note
        return
    place = note.offset
    end = note.offset + note.length
    while place < end:
        stop = min(end, (place // SECTOR + 1) * SECTOR)
        part = note.written[place - note.offset : stop - note.offset]
        yield Note(note.kind, note.name, place, len(part), part, note.end)
        place = stop


def read_files(folder: Path) -> dict[str, bytes]:
    """Return what is in a folder, but for what is memory."""
    names = [it for it in folder.glob("gateway.sqlite*") if not it.name.endswith("-shm")]
    return {it.name: it.read_bytes() for it in names}
