"""Leftovers of runs that were killed."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lasthop.errors import EnvironmentFailure
from lasthop.testbed.folder import left_folders
from lasthop.testbed.namespace import FOLDER, owner_of
from lasthop.testbed.processes import end_processes, processes_in, tagged_processes

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Leftovers:
    """Namespaces, processes and temporary folders of ended lasthop processes.

    Attributes
    ----------
    namespaces
        By their names to ``ip netns``; only root can have made and can remove them.
    processes
        That run on in a namespace, by id.
    folders
        Of the files of programs.
    """

    namespaces: tuple[Path, ...]
    processes: tuple[int, ...]
    folders: tuple[Path, ...] = ()

    @classmethod
    def find(cls) -> Leftovers:
        """Find leftovers. Those of living processes and of other programs are ignored."""
        files = sorted(FOLDER.iterdir()) if FOLDER.is_dir() else []
        namespaces = [file for file in files if _is_left(file.name)]
        tagged = {pid for pid, tag in tagged_processes() if not tag.is_alive}
        inside = {pid for file in namespaces for pid in _processes_in(file)}
        return cls(tuple(namespaces), tuple(sorted(tagged | inside)), tuple(left_folders()))

    def __bool__(self) -> bool:
        """Whether there are any."""
        return bool(self.namespaces or self.processes or self.folders)

    def remove(self) -> None:
        """End the processes and remove the namespaces and the folders.

        Raises
        ------
        EnvironmentFailure
            If it takes root, or the kernel refuses.
        """
        if self.namespaces and os.geteuid() != 0:
            names = ", ".join(file.name for file in self.namespaces)
            raise EnvironmentFailure(
                f"{names}: it belongs to root; run sudo lasthop doctor --clean"
            )
        end_processes(self.processes)
        for file in self.namespaces:
            command = ["ip", "netns", "delete", file.name]
            done = subprocess.run(command, check=False, capture_output=True, text=True)
            if done.returncode:
                raise EnvironmentFailure(
                    f"{file.name}: it cannot be removed "
                    f"({done.stderr.strip()}); run sudo lasthop doctor --clean"
                )
        for folder in self.folders:
            try:
                shutil.rmtree(folder)
            except OSError as error:
                raise EnvironmentFailure(
                    f"{folder}: it cannot be removed ({error}); remove it yourself"
                ) from error

    def words(self) -> str:
        """Describe the leftovers."""
        parts = []
        if self.namespaces:
            parts.append(f"namespaces {', '.join(file.name for file in self.namespaces)}")
        if self.processes:
            parts.append(f"processes {', '.join(map(str, self.processes))}")
        if self.folders:
            parts.append(f"folders {', '.join(map(str, self.folders))}")
        return " and ".join(parts)


def _is_left(name: str) -> bool:
    owner = owner_of(name)
    return owner is not None and not owner.is_alive


def _processes_in(file: Path) -> list[int]:
    try:
        return processes_in(file)
    except OSError:  # removed meanwhile
        return []
