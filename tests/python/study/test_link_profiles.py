"""Every named link can be written as a path, and says where its figures come from."""

import json
from collections.abc import Callable

import pytest

from lasthop.study import Study
from lasthop.study.paths.link_profiles import link_profiles

Load = Callable[..., Study]

STUDY = "study: a\nduration: 1 min\ntraffic: {report: 40 B, every: 1 s}\nstacks: [raw_udp]\n"


@pytest.mark.parametrize("name", link_profiles())
def test_a_profile_is_a_path_with_its_source(name: str, load: Load) -> None:
    profile = link_profiles()[name]
    assert profile.source
    assert profile.confidence in {"measured", "standard", "typical"}
    study = load(STUDY + f"path: {{profile: {name}}}\n")
    hops = json.loads(next(study.planned_runs()).spec_json)["paths"]["path"]["hops"]
    assert ("nat" in profile.path) == any("nat" in hop for hop in hops)
    link = hops[0]["link"]
    assert link["up"]["rate"]["bits_per_second"] > 0
    # None of them lets a packet overtake another one.
    assert not link["up"]["delay"]["reordering"]
    assert study.conditions["source"] == "; ".join(profile.source)
    first_packet = study.conditions.get("first packet, left out")
    assert first_packet == profile.first_packet


def test_keys_beside_a_profile_replace_its_own(load: Load) -> None:
    study = load(STUDY + "path: {profile: satellite_geo, loss: 1 %, up: {rate: 1 Mbit/s}}\n")
    link = json.loads(next(study.planned_runs()).spec_json)["paths"]["path"]["hops"][0]["link"]
    assert link["up"]["loss"] == link["down"]["loss"] == {"bernoulli": {"probability": 0.01}}
    assert link["up"]["rate"]["bits_per_second"] == 1_000_000
    assert link["down"]["rate"]["bits_per_second"] == 20_000_000
    assert link["up"]["rate"]["queue"] == {"bytes": 300_000}


def test_profiles_are_swept_by_name(load: Load) -> None:
    study = load(STUDY + "sweep: [{name: access, path.profile: [lte, wifi_lossy]}]\n")
    names = [point.parameters["path_profile"] for point in study.points]
    assert names == ["lte", "wifi_lossy"]
