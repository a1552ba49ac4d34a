"""A path of a study between two devices, carried by a thread of this process."""

from __future__ import annotations

import json
import os
import threading
from typing import TYPE_CHECKING, Any, Self

from lasthop import _native

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType


class Emulation:
    """A path that carries packets from entry to exit.

    Parameters
    ----------
    spec
        What `lasthop._native.emulate` takes: the path, and what is to be captured.
    near, far
        The descriptors of the two ends, the device's first.

    Attributes
    ----------
    summary
        What it did, once it has ended.
    """

    def __init__(self, spec: Mapping[str, Any], near: int, far: int) -> None:
        self.summary: dict[str, Any] = {}
        self._spec = json.dumps(spec)
        self._ends = (near, far)
        # One that is not ended must not keep the interpreter.
        self._thread = threading.Thread(target=self._carry, name="emulator", daemon=True)
        self._stop: int | None = None
        self._failure: BaseException | None = None

    def __enter__(self) -> Self:
        """Start the emulation and wait until packets are carried.

        Raises
        ------
        lasthop._native.SpecError
            If the path is none.
        OSError
            If an end or a capture is of no use.
        """
        self._stopped, self._stop = os.pipe()
        ready, self._ready = os.pipe()
        self._thread.start()
        try:
            os.read(ready, 1)
        finally:
            os.close(ready)
        if self._failure is not None:
            self.stop()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End it."""
        self.stop()

    def stop(self) -> dict[str, Any]:
        """End the emulation and give its counters.

        Raises
        ------
        OSError
            If it failed on the way.
        """
        if self._stop is not None:
            os.close(self._stop)
            self._stop = None
            self._thread.join()
            os.close(self._stopped)
        if self._failure is not None:
            failure, self._failure = self._failure, None
            raise failure
        return self.summary

    def _emulate(self, stopped: int, ready: int) -> str:
        return _native.emulate(self._spec, *self._ends, stopped, ready)

    def _carry(self) -> None:
        try:
            self.summary = json.loads(self._emulate(self._stopped, self._ready))
        except (ValueError, OSError) as error:
            self._failure = error
        finally:
            os.close(self._ready)
