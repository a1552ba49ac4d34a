"""Selection of runs of a study: all, a shard, or named runs."""

import re
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Self

from lasthop.errors import UsageError
from lasthop.results.manifest import NAMED


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """All runs, one shard of them, or named runs."""

    shard: tuple[int, int] | None = None
    only: tuple[str, ...] = ()

    @classmethod
    def parse(cls, *, shard: str | None = None, only: tuple[str, ...] = ()) -> Self:
        """Parse `--shard i/N` and the run ids of `--only`.

        Examples
        --------
        >>> Selection.parse(shard="2/8").shard
        (2, 8)
        """
        if shard is None:
            return cls(only=only)
        if only:
            raise UsageError("--shard and --only cannot be used together; remove one of them")
        index, slash, count = shard.partition("/")
        if not (slash and _is_count(index) and _is_count(count)) or int(index) > int(count):
            raise UsageError(
                f'--shard: "{shard}" is not i/N with 1 <= i <= N; write for example 1/4'
            )
        return cls(shard=(int(index), int(count)))

    def __str__(self) -> str:
        """Return the selection as text for the manifest and messages."""
        if self.shard is not None:
            return f"shard {self.shard[0]}/{self.shard[1]}"
        return f"{NAMED}{' '.join(self.only)}" if self.only else "all runs"

    @property
    def chooses_all(self) -> bool:
        """Return whether all runs are selected."""
        return self.shard is None and not self.only

    @property
    def suffix(self) -> str:
        """Return the suffix of the default folder for this selection."""
        if self.shard is not None:
            return f"-shard-{self.shard[0]}-of-{self.shard[1]}"
        return f"-only-{'-'.join(self.only)}" if self.only else ""

    def choose(self, indices: Mapping[str, int]) -> AbstractSet[str] | None:
        """Return the selected run ids; None for all runs."""
        if self.shard is not None:
            index, count = self.shard
            return {run_id for run_id, at in indices.items() if at % count == index - 1}
        if not self.only:
            return None
        return {_unique(prefix, indices) for prefix in self.only}


def _is_count(text: str) -> bool:
    return re.fullmatch(r"[1-9][0-9]{0,5}", text) is not None


def _unique(prefix: str, indices: Mapping[str, int]) -> str:
    matching = [run_id for run_id in indices if prefix and run_id.startswith(prefix)]
    if len(matching) == 1:
        return matching[0]
    if not matching:
        raise UsageError(
            "--only: the study has no run whose id begins with "
            f'"{prefix}"; runs.parquet lists all ids'
        )
    raise UsageError(
        f'--only: {len(matching)} runs have an id that begins with "{prefix}"; write more of the id'
    )
