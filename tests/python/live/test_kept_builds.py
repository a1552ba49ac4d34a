"""What is built where it is first used is built once, whoever wants it at the same time."""

from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from threading import Barrier

import pytest

from lasthop.adapters.kept_build import kept

AT_ONCE = 8


def _append_and_write(log: Path, into: Path) -> None:
    with log.open("a") as told:
        told.write("built\n")
    assert not into.exists()
    into.write_text("whole")


def _want(folder: Path) -> str:
    made = kept(folder / "deep" / "made", lambda into: _append_and_write(folder / "log", into))
    return made.read_text()


def test_threads_that_want_it_at_once_share_one_build(tmp_path: Path) -> None:
    together = Barrier(AT_ONCE)

    def want() -> str:
        together.wait()
        return _want(tmp_path)

    with ThreadPoolExecutor(AT_ONCE) as pool:
        told = [want.result() for want in [pool.submit(want) for _ in range(AT_ONCE)]]
    assert told == ["whole"] * AT_ONCE
    assert (tmp_path / "log").read_text() == "built\n"
    assert [file.name for file in (tmp_path / "deep").iterdir()] == ["made"]


def test_processes_that_want_it_at_once_share_one_build(tmp_path: Path) -> None:
    with get_context("spawn").Pool(3) as pool:
        assert pool.map(_want, [tmp_path] * 3, chunksize=1) == ["whole"] * 3
    assert (tmp_path / "log").read_text() == "built\n"


def test_a_build_that_fails_leaves_nothing_and_is_tried_again(tmp_path: Path) -> None:
    def fails(into: Path) -> None:
        into.write_text("half")
        raise ZeroDivisionError

    made = tmp_path / "made"
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            kept(made, fails)
        assert list(tmp_path.iterdir()) == []
    assert kept(made, lambda into: _append_and_write(tmp_path / "log", into)).exists()
