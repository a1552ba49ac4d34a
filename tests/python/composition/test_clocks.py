"""Virtual time and sockets: devices and servers say the same, for the same reasons."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from lasthop.cli.execution import Request
from lasthop.cli.twin import execute_both
from lasthop.running import live_engine
from lasthop.running.captured_hosts import CapturedHosts
from lasthop.testbed import missing_requirement

from .clocks import FAST, SLOW, STUDY, Held, bytes_by_cause, differences

pytestmark = pytest.mark.timeout(120)


def _both(held: Sequence[Held], folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Run stacks in both worlds, and keep the packets of all devices."""
    if (missing := missing_requirement()) is not None:
        pytest.skip(f"real software needs {missing}")
    # How late this machine is decides nothing here.
    monkeypatch.setattr(live_engine, "LATENESS_LIMITS_MS", {})
    monkeypatch.setattr(live_engine, "PROGRAM_WAIT_LIMIT_MS", float("inf"))
    stacks = ", ".join(one.written for one in held)
    (folder / "study.yaml").write_text(f"{STUDY}stacks: [{stacks}]\n", encoding="utf-8")
    request = Request(
        study=folder / "study.yaml",
        out=folder / "out",
        engine="both",
        jobs=len(held),
        capture=CapturedHosts(),
        report=False,
        quiet=True,
    )
    execute_both(request, until_decided=False, at_most=None)
    return folder / "out"


def _assert_alike(held: Sequence[Held], out: Path) -> None:
    found = [
        difference
        for one in held
        for difference in differences(
            one, *(bytes_by_cause(out / world, one.written) for world in ("virtual", "live"))
        )
    ]
    assert not found, "\n".join(found)


def test_on_sockets_the_same_bytes_are_for_the_same_causes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _assert_alike(FAST, _both(FAST, tmp_path, monkeypatch))


@pytest.mark.soak
def test_on_sockets_more_stacks_have_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _assert_alike(SLOW, _both(SLOW, tmp_path, monkeypatch))


@pytest.mark.soak
@pytest.mark.parametrize(
    ("stack", "what"),
    [("coap push=observe", "up application session_set_up"), ("json_udp", "up application opaque")],
)
def test_a_server_that_does_something_else_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stack: str, what: str
) -> None:
    """`serve` asks a client to show its address, which these studies do not model."""
    held = Held(stack)
    out = _both([held], tmp_path, monkeypatch)
    virtual, live = (bytes_by_cause(out / world, held.written) for world in ("virtual", "live"))
    found = list(differences(held, virtual, live))
    assert any(what in one for one in found), found
