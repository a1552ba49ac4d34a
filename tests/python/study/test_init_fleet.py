"""Studies of fleets that `lasthop init` writes, and the shipped questions to begin with."""

from fnmatch import fnmatch
from pathlib import Path

import pytest

from lasthop.errors import UsageError
from lasthop.study.fleet.tariff_presets import tariff_presets
from lasthop.study.init.examples import EXAMPLES, example
from lasthop.study.init.fleet import NB_IOT, FleetAnswers, compose_fleet, networks
from lasthop.study.load import load_study


def loads(text: str, folder: Path) -> None:
    file = folder / "study.yaml"
    file.write_text(text, encoding="utf-8")
    load_study(file)


@pytest.mark.parametrize("nat", [None, "none", "30 s"])
@pytest.mark.parametrize("network", networks())
def test_each_network_with_each_nat_makes_a_study(
    network: str, nat: str | None, tmp_path: Path
) -> None:
    loads(compose_fleet(FleetAnswers(name="fleet", network=network, nat=nat)), tmp_path)


@pytest.mark.parametrize("devices", ["1", "3", "30", "31", "80,000"])
@pytest.mark.parametrize("command", ["none", "6 h"])
def test_fleets_of_any_size_make_a_study(devices: str, command: str, tmp_path: Path) -> None:
    for network in (NB_IOT, "lte"):
        answers = FleetAnswers(name="fleet", network=network, devices=devices, command=command)
        loads(compose_fleet(answers), tmp_path)


WITHOUT_PRICES = {"emnify", "olivia_wireless", "skylo_monogoto"}


@pytest.mark.parametrize("tariff", sorted(tariff_presets().keys() - WITHOUT_PRICES))
@pytest.mark.parametrize("battery", ["none", "30.6 Wh"])
def test_each_tariff_makes_a_study(tariff: str, battery: str, tmp_path: Path) -> None:
    answers = FleetAnswers(name="fleet", tariff=tariff, battery=battery, every="1 d")
    loads(compose_fleet(answers), tmp_path)


@pytest.mark.parametrize("tariff", sorted(WITHOUT_PRICES))
def test_a_tariff_without_public_prices_is_refused(tariff: str) -> None:
    with pytest.raises(UsageError, match=f"--tariff: the prices of {tariff} are not public; "):
        compose_fleet(FleetAnswers(name="fleet", tariff=tariff))


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_example_is_a_study(name: str, tmp_path: Path) -> None:
    loads(example(name), tmp_path)


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"network": "lt"}, '--network: there is no network "lt"; did you mean "lte"?'),
        (
            {"tariff": "hologrom"},
            '--tariff: there is no tariff "hologrom"; did you mean "hologram"?',
        ),
        ({"network": "lte", "battery": "5 Wh"}, "--battery: the energy of lte is not simulated; *"),
        ({"devices": "0"}, '--devices: "0" is not a number of devices; write for example 1000'),
        ({"devices": "\u0661"}, "--devices: * is not a number of devices; write for example 1000"),
        ({"every": "1 km"}, "--every: *; *"),
        ({"every": "0 s"}, '--every: "0 s" is too small; write for example "1 h"'),
        ({"payload": "7 B"}, '--payload: "7 B" is too small; write for example "60 B"'),
        ({"nat": "never"}, "--nat: *; *"),
        ({"command": "1"}, "--command: *; *"),
        ({"battery": "5 Ah"}, "--battery: *; *"),
        ({"stacks": ("mqtt",)}, '--stack: a stack of a fleet has a name; write "ours: mqtt qos=1"'),
        ({"stacks": ("a: mqqt",)}, "--stack: *; *"),
    ],
)
def test_an_answer_that_makes_no_study_is_refused(answers: dict[str, str], said: str) -> None:
    with pytest.raises(UsageError) as refused:
        compose_fleet(FleetAnswers(name="fleet", **answers))
    assert fnmatch(str(refused.value), said), refused.value
