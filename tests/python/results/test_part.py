"""Parts: a byte that differs from what was written is noticed."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lasthop.results.atomic import checked_replacement, remove_temporaries, replacement
from lasthop.results.part import (
    DamagedPartError,
    Part,
    PartHeader,
    encode_part,
    failed_streams,
    is_whole,
    store_part,
    write_part,
)

HEADER = PartHeader(run_id="ab" * 8, status="invalid", wall_s=0.5, cpu_s=0.25, captured=False)


def write(path: Path) -> None:
    write_part(path, HEADER, failed_streams(status="invalid", reason="it broke"))


def test_a_part_is_read_as_it_was_written(tmp_path: Path) -> None:
    write(tmp_path / "x.part")
    part = Part.open(tmp_path / "x.part")
    assert part.header == HEADER
    assert part.summary()["reason"].to_list() == ["it broke"]
    assert not any(piece.height for piece in part.pieces("messages"))
    assert [path.name for path in tmp_path.iterdir()] == ["x.part"]


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_any_truncation_or_altered_byte_is_noticed(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("part") / "x.part"
    write(path)
    content = bytearray(path.read_bytes())
    at = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        damaged = bytes(content[:at])
    else:
        content[at] ^= data.draw(st.integers(1, 255))
        damaged = bytes(content)
    path.write_bytes(damaged)
    assert not is_whole(path, HEADER.run_id)
    with pytest.raises(DamagedPartError):
        Part.open(path)


def test_a_part_that_was_encoded_elsewhere_is_stored_as_if_written_here(tmp_path: Path) -> None:
    write(tmp_path / "here.part")
    content = encode_part(HEADER, failed_streams(status="invalid", reason="it broke"))
    assert store_part(tmp_path / "there.part", content, HEADER.run_id) == HEADER
    assert (tmp_path / "there.part").read_bytes() == (tmp_path / "here.part").read_bytes()


@pytest.mark.parametrize("sent", ["cut", "altered", "of another run", "nothing"])
def test_a_part_that_is_not_what_was_asked_for_is_not_stored(tmp_path: Path, sent: str) -> None:
    content = encode_part(HEADER, failed_streams(status="invalid", reason="it broke"))
    content = {
        "cut": content[:-1],
        "altered": content.replace(b"it broke", b"it bloke"),
        "of another run": content,
        "nothing": b"",
    }[sent]
    run_id = "cd" * 8 if sent == "of another run" else HEADER.run_id
    with pytest.raises(DamagedPartError):
        store_part(tmp_path / "x.part", content, run_id)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("replaced", [replacement, checked_replacement])
def test_a_write_that_fails_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, replaced: Callable[[Path], AbstractContextManager[Path]]
) -> None:
    path = tmp_path / "file"
    path.write_text("old")

    def fail() -> None:
        with replaced(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError("in the middle")

    with pytest.raises(RuntimeError):
        fail()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    (tmp_path / ".x.part.tmp").write_text("half")
    (tmp_path / "x.part").write_text("whole")
    remove_temporaries(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["x.part"]


def test_a_stream_in_a_file_gives_the_part_that_it_gives_in_memory(tmp_path: Path) -> None:
    streams = failed_streams(status="failed", reason="none")
    file = tmp_path / "messages"
    content = streams["messages"]
    assert isinstance(content, bytes)
    file.write_bytes(content)
    assert encode_part(HEADER, {**streams, "messages": file}) == encode_part(HEADER, streams)
