# The Rust extension: run specs in, Arrow out.

from typing import final

__all__ = [
    "Cancel",
    "CaptureError",
    "RunCancelled",
    "RunTables",
    "SpecError",
    "explain",
    "nbiot_fault",
    "nbiot_preset",
    "simulate",
    "stack_catalogue",
    "version",
]

# The run spec cannot be run; the message says which field and why.
class SpecError(ValueError): ...

# A capture could not be written.
class CaptureError(OSError): ...

# The run was stopped by its `Cancel`.
class RunCancelled(Exception): ...  # noqa: N818

# A switch that stops a run from another thread.
@final
class Cancel:
    def __init__(self) -> None: ...
    def cancel(self) -> None: ...

# The tables of one run, each one Arrow IPC stream.
@final
class RunTables:
    @property
    def summary(self) -> bytes: ...
    @property
    def messages(self) -> bytes: ...
    @property
    def ledger(self) -> bytes: ...
    @property
    def packets(self) -> bytes: ...
    @property
    def latency(self) -> bytes: ...

def simulate(
    spec_json: str,
    *,
    run_id: str,
    captures: dict[str, str] | None = None,
    cancel: Cancel | None = None,
) -> RunTables: ...
def explain(spec_json: str, device: int, message: int) -> str: ...

# The whole settings of an NB-IoT network by name, as JSON.
def nbiot_preset(name: str) -> str: ...

# The field of such settings that 3GPP does not allow and why, None if all are allowed.
def nbiot_fault(network_json: str) -> tuple[str, str] | None: ...

# Applications, layers and their options, as JSON.
def stack_catalogue() -> str: ...
def version() -> str: ...
