"""R8: beside servers on sockets, the same bytes are there for the same causes."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from lasthop._native import CaptureLedger

DEVICES = 3

STUDY = f"""study: two-clocks
duration: 2 s
measure: {{drain: 2 s, set_up: 10 s}}
paths: {{p: {{delay: 15 ms}}}}
fleet: {{d: {{count: {DEVICES}, path: p}}, h: {{count: {DEVICES}, path: p}}}}
traffic: {{f: {{from: d, to: h, report: 100 B, every: 500 ms, start: 500 ms}}}}
repeat: 1
"""

Key = tuple[str, str, str]
"""A direction, a layer and a cause."""

SIGNATURE_BYTES = 8
"""Signatures of ECDSA are that much longer in one handshake than in another, at most."""


@dataclass(frozen=True)
class Held:
    """A stack whose server is `lasthop serve`, and what it says there as it does in virtual time.

    `tls.resume=ticket` and `echo=on` are what `serve` does.
    """

    stack: str
    is_secured: bool = False

    @property
    def written(self) -> str:
        """The stack in a study of both worlds."""
        return f"{self.stack} impl=lasthop"


FAST = (
    Held("mqtt"),
    Held("mqtt/tls tls.resume=ticket", is_secured=True),
    Held("coap push=observe echo=on"),
)

SLOW = (
    *FAST,
    Held("mqtt/ws"),
    Held("coap/tcp push=observe"),
    Held("coap/tls push=observe tls.resume=ticket", is_secured=True),
)

NOT_HELD: Mapping[str, Iterable[Key]] = {
    "when TCP acknowledges depends on when its program reads": [
        (way, *what)
        for way in ("up", "down")
        for what in (("ip", "header"), ("tcp", "header"), ("tcp", "acknowledgement"))
    ],
}
"""What differs, by the reason."""


def differences(held: Held, virtual: Mapping[Key, int], live: Mapping[Key, int]) -> Iterator[str]:
    """Name the causes whose bytes differ between two captures of all devices."""
    left_out = {key for keys in NOT_HELD.values() for key in keys}
    within = 2 * DEVICES * SIGNATURE_BYTES if held.is_secured else 0
    for key in sorted((virtual.keys() | live.keys()) - left_out):
        simulated, real = virtual.get(key, 0), live.get(key, 0)
        limit = within if key[1] == "tls" else 0
        if abs(simulated - real) > limit:
            yield f"R8 two clocks: {held.stack}: {' '.join(key)}: {simulated} B, live {real} B"


def bytes_by_cause(folder: Path, stack: str) -> Mapping[Key, int]:
    """Read the captures of all devices of a stack, as `lasthop ledger` does."""
    runs = pl.read_parquet(folder / "runs.parquet").filter(pl.col("stack") == stack)
    (run,) = runs.to_dicts()
    assert run["status"] == "completed", run["reason"]
    ledger = CaptureLedger()
    for host in (f"{group}-{number}" for group in "dh" for number in range(DEVICES)):
        ledger.feed((folder / "captures" / f"{run['run_id']}.{host}.pcapng").read_bytes())
        ledger.end_of_file()
    rows = json.loads(ledger.finish())["ledger"]
    return {(row["direction"], row["layer"], row["cause"]): row["bytes"] for row in rows}
