"""Two namespaces with nothing but our emulator between them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from lasthop.testbed import Emulation, Namespace, missing_requirement

NEAR, FAR = "10.77.0.1", "10.77.1.1"
"""The addresses of the two ends; each is all that the other reaches."""

PATIENCE_S = 60.0

Spec = dict[str, Any]

ORDER = ["mtu", "outage", "loss", "rate", "delay", "corrupt", "duplicate"]


def way(**impairments: object) -> Spec:
    """Give a direction of a link with these impairments alone."""
    none = dict.fromkeys(("mtu_bytes", "loss", "delay", "rate", "duplicate", "corrupt"))
    return {**none, "outages": [], **impairments}


def constant(delay_ms: float) -> Spec:
    """Give a delay that is always the same."""
    return {"model": {"constant": {"delay_ns": round(delay_ms * 1e6)}}, "reordering": True}


def link(up: Spec, down: Spec | None = None) -> Spec:
    """Give a hop that is a link."""
    both = {"order": ORDER, "shared": False, "up": up, "down": up if down is None else down}
    return {"name": "path", "scope": "own", "link": both}


def emulation(*hops: Spec, seed: int = 1, path: Spec | None = None, **more: object) -> Spec:
    """Give what an emulator takes."""
    alone = {"seed": seed, "path": {"hops": list(hops)}, "group": "devices", "device": 0}
    return {"path": alone | (path or {}), **more}


@dataclass(frozen=True, slots=True)
class Ends:
    """What lies at both ends of a path."""

    near: Namespace
    far: Namespace
    descriptors: tuple[int, int]

    @contextmanager
    def behind(self, spec: Spec) -> Iterator[Emulation]:
        """Join them by a path."""
        with Emulation(spec, *self.descriptors) as running:
            yield running


@pytest.fixture(params=["tun", "veth"])
def ends(request: pytest.FixtureRequest) -> Iterator[Ends]:
    """Give two namespaces with a device each, whose other ends the emulator has."""
    if (missing := missing_requirement()) is not None:
        pytest.skip(f"tests beside real software need {missing}")
    with Namespace() as near, Namespace() as far, Namespace() as middle:
        devices = [
            namespace.tun("out", f"{address}/32")
            if request.param == "tun"
            else namespace.veth("out", f"{address}/32", outer=middle)
            for namespace, address in ((near, NEAR), (far, FAR))
        ]
        for namespace in (near, far):
            namespace.run("ip", "route", "add", "default", "dev", "out")
        yield Ends(near, far, (devices[0].descriptor, devices[1].descriptor))
        for namespace in (near, far):
            counters = namespace.counters()
            harmful = ("Ip.InHdrErrors", "Tcp.InCsumErrors", "Udp.InCsumErrors")
            assert {name: counters[name] for name in harmful} == dict.fromkeys(harmful, 0)
