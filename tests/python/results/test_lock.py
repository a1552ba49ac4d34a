"""The lock of a folder: one holder at a time, whatever happens to the file."""

import os
import platform
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lasthop.errors import EnvironmentFailure
from lasthop.results.lock import FolderLock


def test_a_second_holder_is_refused_and_a_later_one_is_not(tmp_path: Path) -> None:
    with (
        FolderLock(tmp_path),
        pytest.raises(EnvironmentFailure, match="another lasthop process is using this folder"),
        FolderLock(tmp_path),
    ):
        pass
    with FolderLock(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_file_left_by_a_killed_process_locks_nothing(tmp_path: Path) -> None:
    (tmp_path / ".lock").write_text("")
    with FolderLock(tmp_path):
        pass


def test_another_process_is_refused(tmp_path: Path) -> None:
    code = f"""
from pathlib import Path
from lasthop.errors import EnvironmentFailure
from lasthop.results.lock import FolderLock
try:
    with FolderLock(Path({str(tmp_path)!r})):
        print("taken")
except EnvironmentFailure as refusal:
    print(refusal)
"""
    with FolderLock(tmp_path):
        found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    said = f"process {os.getpid()} on {platform.node()}; wait until it ends, or choose"
    assert found.stdout.decode().startswith(
        f"{tmp_path}: another lasthop process is using this folder, {said}"
    )


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"1 2 3", b"a b", b"7" * 9_000])
def test_a_lock_file_that_says_nothing_locks_all_the_same(tmp_path: Path, content: bytes) -> None:
    with FolderLock(tmp_path):
        (tmp_path / ".lock").write_bytes(content)
        with pytest.raises(EnvironmentFailure, match="process is using this folder; wait"):
            FolderLock(tmp_path).__enter__()


def test_no_two_of_many_threads_hold_it_together(tmp_path: Path) -> None:
    holders: list[int] = []
    most = 0

    def contend() -> None:
        nonlocal most
        for _ in range(200):
            try:
                with FolderLock(tmp_path):
                    holders.append(1)
                    most = max(most, len(holders))
                    holders.pop()
            except EnvironmentFailure:
                pass

    threads = [threading.Thread(target=contend) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1
