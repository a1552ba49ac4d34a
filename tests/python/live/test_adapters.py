"""Each adapter: its program serves a study for real, is configured for the run, or is asked for."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl
import pytest

from lasthop.adapters import Offer, adapters
from lasthop.adapters.maven_program import MavenProgram
from lasthop.errors import EnvironmentFailure
from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study

from .conftest import installed

FOLDER = Path(__file__).parent
Needs = Callable[..., None]
DDS = ("reliability=best_effort", "reliability=reliable")


SLOW = {"hivemq", "mochi", "mqtt5", "rabbitmq", "rmqtt"}
"""Brokers that take half a minute to be ready, or minutes to be built the first time."""


def _marks(name: str) -> Sequence[pytest.MarkDecorator]:
    if name == "lasthop":
        return ()
    # Test_twin.py has the smoke test of mosquitto.
    if name in SLOW | {"mosquitto"}:
        return (pytest.mark.soak,)
    return (pytest.mark.smoke(name),)


NAMES = [
    pytest.param(name, marks=_marks(name))
    for name, adapter in sorted(adapters().items())
    # A gateway keeps what devices say, and no device hears it: test_gateway_devices.py.
    if adapter.takes_off is None and name != "gateway"
]


@pytest.mark.parametrize("name", NAMES)
def test_a_program_hands_messages_from_one_device_to_another(
    name: str, needs: Needs, tmp_path: Path
) -> None:
    adapter = installed(adapters()[name])
    needs()
    stacks = {
        "mqtt/tcp": ["mqtt qos=0", "mqtt qos=1"],
        "coap/udp": ["coap type=non", "coap type=con"],
        "json_udp/udp": ["json_udp"],
        "dds/udp": [f"dds {how} type_information=off" for how in DDS],
    }
    spoken = [
        f"{stack} impl={name}"
        for protocol, written in stacks.items()
        for stack in written
        if protocol in adapter.protocols
    ]
    # What is no broker sends messages back to where they come from.
    file = "mosquitto.yaml" if "dds/udp" in adapter.protocols else "libcoap.yaml"
    study = load_study(FOLDER / file, overrides=[("stacks", f"[{', '.join(spoken)}]")])
    results = carry_out(Plan(study), out=tmp_path / "out", jobs=len(spoken)).results
    runs, programs = results.runs, results.programs
    assert runs["status"].to_list() == ["completed"] * len(spoken), runs["reason"].to_list()
    assert runs["delivery_ratio"].to_list() == [1.0] * len(spoken)
    assert (runs["latency_p50_ms"] >= 60).all()
    assert programs["software"].to_list() == [name] * len(spoken)
    assert (programs["cpu_s"] > 0).all()
    assert programs["version"].unique().to_list() == [adapter.version(adapter.find())]
    down = results.ledger.filter(direction="down", fate="offered", cause="payload")
    assert down["bytes"].sum() > 0
    assert down.filter(pl.col("layer") == "opaque").is_empty()


@pytest.mark.parametrize("name", sorted(adapters().keys() - {"lasthop"}))
def test_what_is_missing_is_named_with_what_brings_it(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    adapter = adapters()[name]
    monkeypatch.setattr(shutil, "which", lambda *_args, **_options: None)
    for module in ("aiocoap", "cyclonedds"):
        monkeypatch.setattr(f"lasthop.adapters.{module}.find_spec", lambda _: None)
    with pytest.raises(
        EnvironmentFailure, match=f"^{name}: .* is missing; (apt-get |pip |)install"
    ):
        adapter.find()
    if isinstance(adapter, MavenProgram):
        monkeypatch.undo()
        monkeypatch.setenv("HOME", str(tmp_path))
        with pytest.raises(EnvironmentFailure, match=r"default-jdk-headless, then mvn .* package$"):
            adapter.version(Path("java"))


def test_a_library_that_cannot_be_kept_or_compiled_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(adapters()["fastdds"])
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("HOME", str(file))
    with pytest.raises(EnvironmentFailure, match=r"^fastdds: .*\.so: Not a directory$"):
        adapters()["fastdds"].find()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("lasthop.adapters.native_library._OPTIONS", ("-std=c++17", "-no-such"))
    with pytest.raises(EnvironmentFailure, match=r"^fastdds: the compiler failed: .*no-such"):
        adapters()["fastdds"].find()
    assert not list(tmp_path.rglob("*.so*"))


def test_brokers_are_configured_for_the_run(tmp_path: Path) -> None:
    asked = {"tcp.nodelay_server": False, "max_in_flight": 7}
    written = {"mosquitto": "mosquitto.conf", "rabbitmq": "rabbitmq.conf"}
    told = {}
    for name, file in written.items():
        folder = tmp_path / name
        folder.mkdir()
        offer = Offer("198.18.0.1", 1883, "tcp", asked, folder)
        command = adapters()[name].command(Path("program"), offer)
        assert any(str(folder / file) in word for word in command)
        told[name] = (folder / file).read_text().splitlines()
    assert {"set_tcp_nodelay false", "max_inflight_messages 7"} <= set(told["mosquitto"])
    assert {"mqtt.tcp_listen_options.nodelay = false", "mqtt.prefetch = 7"} <= set(told["rabbitmq"])
