"""Relations between a composition and a variant of it, which is run beside."""

import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

import polars as pl

from .composition import Composition, Outcome, simulated
from .relations import Breach

Spec = dict[str, Any]

SIGNATURE_NS = 10_000_000
"""A packet more on the slowest path: by an ECDSA signature of another length, or by the
acknowledgement of a packet number that a server of QUIC skips, which it draws for all."""

_RADIO = ("nbiot", "nbiot nat")
_TIMES = ("intended_ns", "sent_ns", "delivered_ns", "acknowledged_ns")
_FATES = ("group", "flow", "device", "message", "status", "failure")

NOT_INDEPENDENT: Mapping[str, Callable[[Composition], bool]] = {
    "devices share the radio": lambda it: it.path in _RADIO,
    "an event is of the whole group": lambda it: it.event != "none",
    "participants of DDS find each other": lambda it: it.stack == "dds",
}
"""Where a device is not by itself, by the reason."""


def independence(it: Composition, spec_json: str, outcome: Outcome) -> Iterator[Breach]:
    """R1: a device has the messages, fates and times that it has without its group."""
    if it.devices == 1 or any(holds(it) for holds in NOT_INDEPENDENT.values()):
        return
    number = it.devices - 1
    spec: Spec = json.loads(spec_json)
    spec["groups"][0]["only"] = number
    its = (pl.col("group") == "d") & (pl.col("device") == number)
    by_itself = simulated(json.dumps(spec))
    if not by_itself.tables:
        return
    among, alone = (
        one.tables["messages"].filter(its).sort("flow", "message") for one in (outcome, by_itself)
    )
    if not among.select(_FATES).equals(alone.select(_FATES)):
        yield Breach("R1 independence", it, f"other fates: {_first(among, alone, _FATES)}")
        return
    for time in _TIMES:
        apart = (among[time] - alone[time]).abs()
        if (apart > SIGNATURE_NS).any() or not among[time].is_null().equals(alone[time].is_null()):
            yield Breach("R1 independence", it, f"other times: {_first(among, alone, (time,))}")
            return


BESIDE = "zz"
"""The name of the group, and of its path."""

_SERVER_BESIDE = f"{BESIDE}_server"


def locality(it: Composition, spec_json: str, outcome: Outcome) -> Iterator[Breach]:
    """R2: a group with its own path and server changes nothing for the others."""
    beside = simulated(json.dumps(with_group_beside(json.loads(spec_json))))
    if not beside.tables:
        return
    others = {"messages": pl.col("group") != BESIDE, "packets": pl.col("path") != BESIDE}
    for table, of_others in (others | {"ledger": others["packets"]}).items():
        before, after = (
            one.tables[table].filter(of_others).sort(pl.all()) for one in (outcome, beside)
        )
        if not before.equals(after):
            what = f"{table}: {_first(before, after, before.columns)}"
            yield Breach("R2 locality", it, what)
            return


def with_group_beside(spec: Spec) -> Spec:
    """Add a group that has its own path and server, and speaks the stack of the first one."""
    found = deepcopy(spec)
    found["paths"][BESIDE] = {"hops": [_hop_beside()]}
    server = {**deepcopy(spec["servers"][0]), "name": _SERVER_BESIDE}
    stack = spec["groups"][0]["clients"][0]["stack"]
    group = {
        **deepcopy(spec["groups"][0]),
        "name": BESIDE,
        "path": BESIDE,
        "clients": [{"stack": stack, "server": _SERVER_BESIDE}],
        "energy": None,
    }
    flow = deepcopy(spec["flows"][0])
    # It is over before the others are, so that the run is not longer.
    flow |= {"name": BESIDE, "duration_ns": flow["duration_ns"] // 2}
    renamed = {spec["groups"][0]["name"]: BESIDE, spec["servers"][0]["name"]: _SERVER_BESIDE}
    flow |= {end: renamed[flow[end]] for end in ("from", "to")}
    found["servers"].append(server)
    found["groups"].append(group)
    found["flows"].append(flow)
    return found


def _hop_beside() -> Spec:
    """Give a link that nobody else is on."""
    way: Spec = {
        "corrupt": None,
        "delay": {"model": {"constant": {"delay_ns": 20_000_000}}, "reordering": True},
        "duplicate": None,
        "loss": None,
        "mtu_bytes": 1500,
        "outages": [],
        "rate": None,
    }
    order = ["mtu", "outage", "loss", "rate", "delay", "corrupt", "duplicate"]
    link = {"down": way, "up": way, "order": order, "shared": False}
    return {"link": link, "name": f"{BESIDE}.link", "scope": "own"}


def _first(one: pl.DataFrame, other: pl.DataFrame, columns: tuple[str, ...] | list[str]) -> str:
    """Show where two tables differ first."""
    rows = zip(one.select(columns).rows(), other.select(columns).rows(), strict=False)
    differing = next((f"{first} and {second}" for first, second in rows if first != second), None)
    return differing or f"{len(one)} and {len(other)} rows"
