"""Each case runs once; all tests look at what it left."""

import functools
import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import polars as pl
import pytest
from tests.python.at_once import at_once

from lasthop import _native

from . import tshark
from .cases import CASES, HOSTS, READ_BY_TSHARK, Case

SMOKE_TEST = "test_no_packet_is_malformed_but_by_the_link["


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave most of what tshark reads to `make soak`, before tests are chosen by their marks."""
    for item in items:
        if not isinstance(item, pytest.Function) or "frames" not in item.fixturenames:
            continue
        case = cast("Case", item.callspec.params["outcome"])
        if (case.stack, case.path) not in READ_BY_TSHARK:
            item.add_marker(pytest.mark.soak)
        elif (case.stack, case.path) == READ_BY_TSHARK[0] and item.name.startswith(SMOKE_TEST):
            item.add_marker(pytest.mark.smoke("tshark"))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The tables of a run, and the captures of its hosts."""

    case: Case
    summary: dict[str, Any]
    ledger: pl.DataFrame
    packets: pl.DataFrame
    captures: dict[str, Path]

    def bytes_in_ledger(self, direction: str, fate: str) -> int:
        """Sum the ledger over layers, causes and reasons."""
        return _sum(self.ledger, "bytes", direction, fate)

    def bytes_in_packets(self, direction: str, fate: str) -> int:
        """Sum the bytes of whole packets over reasons."""
        return _sum(self.packets, "bytes", direction, fate)

    def packet_count(self, direction: str, fate: str) -> int:
        """Sum the packets over reasons."""
        return _sum(self.packets, "packets", direction, fate)


def _sum(table: pl.DataFrame, column: str, direction: str, fate: str) -> int:
    rows = table.filter((pl.col("direction") == direction) & (pl.col("fate") == fate))
    return int(rows[column].sum())


@pytest.fixture(scope="session")
def simulate(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Case], Outcome]:
    """Run a case, once."""

    @functools.cache
    def run(case: Case) -> Outcome:
        folder = tmp_path_factory.mktemp("capture")
        captures = {host: folder / f"r.{host}.pcapng" for host in HOSTS}
        tables = _native.simulate(
            case.spec_json(folder),
            run_id="r",
            captures={host: str(path) for host, path in captures.items()},
            cancel=_native.Cancel(),
        )
        return Outcome(
            case,
            summary=_table(tables.summary).row(0, named=True),
            ledger=_table(tables.ledger),
            packets=_table(tables.packets),
            captures=captures,
        )

    return run


def _table(stream: bytes) -> pl.DataFrame:
    return pl.read_ipc_stream(io.BytesIO(stream))


@pytest.fixture(params=CASES, ids=lambda case: case.name)
def outcome(request: pytest.FixtureRequest, simulate: Callable[[Case], Outcome]) -> Outcome:
    """What a case left."""
    return simulate(request.param)


@pytest.fixture(scope="session")
def read(
    request: pytest.FixtureRequest, simulate: Callable[[Case], Outcome]
) -> Callable[[Case], list[tshark.Frame]]:
    """Read the captures of all cases that are to be tested by tshark, several at a time."""
    if tshark.PROGRAM is None:
        pytest.skip("tshark is missing; apt-get install tshark")

    def read_all(case: Case) -> list[tshark.Frame]:
        captures = simulate(case).captures
        return tshark.read_all(
            captures, follows_streams=case.transport == "tcp", decode_as=case.decode_as
        )

    return at_once(request, "outcome", read_all)


@pytest.fixture
def frames(outcome: Outcome, read: Callable[[Case], list[tshark.Frame]]) -> list[tshark.Frame]:
    """What tshark sees of a case."""
    return read(outcome.case)
