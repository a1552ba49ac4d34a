"""`--capture`, alone and before hosts."""

from pathlib import Path

import pytest

from .conftest import Lasthop

FLEET = """\
study: fleet
duration: 5 s
devices: 12
traffic: {report: 40 B, every: 1 s}
path: {loss: 5 %, delay: 20 ms}
stacks: [raw_udp]
repeat: 1
"""

COMING = """\
study: coming
duration: 2 min
devices: {arrive: 0.5 /s}
traffic: {report: 25 B}
path: {nbiot: {base: larmo_2019, deployment: {cells: 3}}}
stacks: [raw_udp]
repeat: 1
"""

GROUPS = """\
study: groups
duration: 5 s
fleet:
  meters: {count: 2, server: archive}
  valves: {count: 1, server: head_end}
servers: {archive: {}, head_end: {}}
traffic:
  index: {from: meters, report: 40 B, every: 1 s}
  state: {from: valves, report: 40 B, every: 1 s}
stacks: [coap]
repeat: 1
"""

FIRST_DEVICES = {f"device-{number}" for number in range(10)}


def captured(folder: Path) -> set[str]:
    names = [path.name.split(".") for path in (folder / "captures").iterdir()]
    assert {suffix for *_, suffix in names} <= {"pcapng"}
    return {host for _, host, _ in names}


@pytest.fixture
def fleet(lasthop: Lasthop) -> Lasthop:
    lasthop.write("fleet.yaml", FLEET)
    return lasthop


def run(lasthop: Lasthop, *options: str) -> None:
    done = lasthop("run", *options, "--out", "out", "--no-report")
    assert done.returncode == 0, done.stderr


def test_alone_it_keeps_the_server_and_the_first_devices(fleet: Lasthop) -> None:
    run(fleet, "fleet.yaml", "--capture")
    assert captured(fleet.folder / "out") == {"server-0"} | FIRST_DEVICES


@pytest.mark.parametrize(
    "words",
    [
        ("fleet.yaml", "--capture", "device-3,server-0"),
        ("fleet.yaml", "--capture=device-3, server-0,device-3"),
        ("--capture", "device-3,server-0", "fleet.yaml"),
    ],
    ids=" ".join,
)
def test_hosts_behind_it_are_those_that_are_kept(fleet: Lasthop, words: tuple[str, ...]) -> None:
    run(fleet, *words)
    assert captured(fleet.folder / "out") == {"device-3", "server-0"}


def test_a_study_behind_it_is_the_study(fleet: Lasthop) -> None:
    run(fleet, "--capture", "fleet.yaml")
    assert len(captured(fleet.folder / "out")) == 11


def test_a_host_that_only_some_runs_have_is_captured_there(fleet: Lasthop) -> None:
    fleet.write(
        "sweep.yaml", FLEET.replace("devices: 12", "sweep: [{name: size, devices: [2, 5]}]")
    )
    run(fleet, "sweep.yaml", "--capture", "device-4,device-1")
    captures = [path.name.split(".")[1] for path in (fleet.folder / "out/captures").iterdir()]
    assert sorted(captures) == ["device-1", "device-1", "device-4"]


def test_of_devices_that_come_the_first_are_kept_with_their_servers(lasthop: Lasthop) -> None:
    lasthop.write("coming.yaml", COMING)
    run(lasthop, "coming.yaml", "--capture")
    servers = {f"server-{number}" for number in range(10)}
    assert captured(lasthop.folder / "out") == servers | FIRST_DEVICES
    files = list((lasthop.folder / "out/captures").glob("*.device-*"))
    assert all(b"packet " in file.read_bytes() for file in files)


def test_beside_a_fleet_hosts_have_the_names_of_groups_and_servers(lasthop: Lasthop) -> None:
    lasthop.write("fleet.yaml", GROUPS)
    run(lasthop, "fleet.yaml", "--capture")
    names = {"meters-0", "meters-1", "valves-0", "archive-0", "head_end-0"}
    assert captured(lasthop.folder / "out") == names
    (file,) = (lasthop.folder / "out/captures").glob("*.valves-0.pcapng")
    assert b"valves-0" in file.read_bytes()
    done = lasthop("run", "fleet.yaml", "--capture", "valve-0", "--out", "other")
    assert (
        done.stderr == 'lasthop: --capture: no run has the host valve-0; did you mean "valves-0"?\n'
    )
    done = lasthop("run", "fleet.yaml", "--capture", "valves-1", "--out", "other")
    assert done.stderr == (
        "lasthop: --capture: no run has the host valves-1; write one of meters-0 to "
        "meters-1 and valves-0 and archive-0 and head_end-0\n"
    )
    assert done.returncode == 2


@pytest.mark.parametrize(
    ("hosts", "clue"),
    [
        (
            "device-12",
            "no run has the host device-12; write one of device-0 to device-11 and server-0",
        ),
        (
            "server-1",
            "no run has the host server-1; write one of device-0 to device-11 and server-0",
        ),
        ("devcie-3", 'no run has the host devcie-3; did you mean "device-3"?'),
        ("Device-03", '"Device-03" is not the name of a host; did you mean "device-3"?'),
        ("server", '"server" is not the name of a host; did you mean "server-0"?'),
        (
            "router-1",
            "no run has the host router-1; write one of device-0 to device-11 and server-0",
        ),
        (
            "../x-1",
            '"../x-1" is not the name of a host; write for example device-3 or device-3,server-0',
        ),
        (
            "device-1,,server-0",
            '"" is not the name of a host; write for example device-3 or device-3,server-0',
        ),
    ],
)
def test_a_host_that_is_none_is_refused(fleet: Lasthop, hosts: str, clue: str) -> None:
    for more in ((), ("--dry-run",)):
        done = fleet("run", "fleet.yaml", "--capture", hosts, "--out", "out", *more)
        assert done.returncode == 2
        assert done.stderr == f"lasthop: --capture: {clue}\n"
    assert not (fleet.folder / "out").exists()
