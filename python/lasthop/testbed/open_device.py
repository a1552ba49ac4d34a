"""A device with a descriptor for packets."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType


@dataclass(frozen=True, slots=True)
class OpenDevice:
    """An open device of a namespace, which is closed on exit."""

    name: str
    descriptor: int

    def close(self) -> None:
        """Close this descriptor. Other processes keep theirs."""
        os.close(self.descriptor)

    def __enter__(self) -> Self:
        """Return the device itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the descriptor."""
        self.close()
