"""Devices that have little of everything: profiles, what replaces theirs, and what cannot be."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from lasthop.errors import StudyError
from lasthop.study import Study
from lasthop.study.fleet.device import DeviceForm
from lasthop.study.fleet.device_profiles import device_profiles

Load = Callable[..., Study]

STUDY = """\
study: device
duration: 100 s
paths: {wlan: {}}
servers: {broker: {}}
fleet:
  esp: {count: 1, device: esp8266}
  clients: {count: 10}
traffic:
  control: {from: clients, to: all of esp, report: 31 B, every: 1 s}
stacks: [mqtt qos=0]
"""

ON_A_DEVICE = """\
study: device
duration: 100 s
servers: {esp: {device: stm32_64k}}
fleet:
  clients: {count: 10}
traffic:
  reading: {from: clients, round_trip: 45 B, every: 1 s}
stacks: [coap]
"""


SHORT = """\
study: device
duration: 100 s
devices: 10
device: esp8266
traffic: {report: 31 B, every: 1 s}
stacks: [mqtt qos=0]
"""


def spec_of(study: Study) -> dict[str, Any]:
    """Give the run spec of the first run."""
    spec: dict[str, Any] = json.loads(next(iter(study.planned_runs())).spec_json)
    return spec


def device_of(study: Study) -> dict[str, Any]:
    """Give the device of the first group."""
    groups = {group["name"]: group for group in spec_of(study)["groups"]}
    assert "device" not in groups["clients"]
    device: dict[str, Any] = groups["esp"]["device"]
    return device


def test_a_name_stands_for_all_settings_of_a_profile(load: Load) -> None:
    device = device_of(load(STUDY))
    assert device["tcp"]["window_bytes"] == 5744
    assert (device["message_ns"], device["byte_ns"]) == (23_000_000, 133_500)
    assert device["watchdog_ns"] == 26_214_400_000
    assert (device["reading"], device["answers_first"]) == ("first_message_only", True)


def test_what_is_written_replaces_what_the_profile_has(load: Load) -> None:
    written = "{profile: esp8266, reading: all, watchdog: off, window: 1 kB, max_segment: 512 B}"
    device = device_of(load(STUDY.replace("esp8266", written)))
    assert (device["reading"], device["watchdog_ns"]) == ("all", None)
    assert (device["tcp"]["window_bytes"], device["tcp"]["max_segment_bytes"]) == (1000, 512)
    assert device["tcp"]["send_buffer_bytes"] == 2920


def test_a_server_stands_on_a_device(load: Load) -> None:
    assert spec_of(load(ON_A_DEVICE))["servers"][0]["device"]["connections"] == 10


@pytest.mark.parametrize("name", device_profiles())
def test_every_figure_of_a_profile_has_a_source(name: str) -> None:
    profile = device_profiles()[name]
    assert set(profile.values) == set(DeviceForm.model_fields) - {"profile"}
    assert all(profile.sources[key].strip() for key in profile.values)
    assert DeviceForm.model_validate(name).words() == name


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("esp826", 'there is no profile "esp826"'),
        ("{reading: all}", 'the key "profile" is missing'),
        (
            "{profile: esp8266, window: 44 kB}",
            "the window of 44 kB is larger than the heap of 43848 B",
        ),
        (
            "{profile: esp8266, heap: 2 kB, window: 2 kB}",
            "a heap of 2 kB is too small for a connection, which needs 3490 B",
        ),
        ("{profile: esp8266, mailbox: 0}", 'mailbox: "0" is too small'),
        ("{profile: esp8266, watchdog: never}", "device.watchdog"),
        ("{profile: esp8266, reading: some}", "device.reading"),
        (
            "{profile: esp8266, max_segment: 6 kB}",
            "a segment of 6 kB does not fit into the window",
        ),
    ],
)
def test_a_device_that_cannot_be_is_one_line(load: Load, written: str, message: str) -> None:
    with pytest.raises(StudyError) as refused:
        load(STUDY.replace("esp8266", written))
    told = str(refused.value)
    assert message in told
    assert "fleet.esp.device" in told
    assert "\n" not in told


def test_a_device_without_time_for_what_it_is_told_is_said_beforehand(load: Load) -> None:
    busy = STUDY.replace("esp8266", "{profile: esp8266, reading: all, message: 100 ms}")
    with pytest.raises(StudyError, match="receives 10 messages/s and needs 100 ms"):
        load(busy)
    load(busy.replace("duration", "measure: {overload: allow}\nduration"))
    load(busy.replace("reading: all, ", ""))
    with pytest.raises(StudyError, match="100 % of its time"):
        load(ON_A_DEVICE.replace("stm32_64k", "{profile: stm32_64k, message: 100 ms}"))


def test_a_server_has_a_service_time_or_a_device(load: Load) -> None:
    both = "{device: stm32_64k, service_time: {coap: {message: 1 ms}}}"
    with pytest.raises(StudyError, match='"service_time'):
        load(ON_A_DEVICE.replace("{device: stm32_64k}", both))


def test_who_comes_and_goes_does_not_boot(load: Load) -> None:
    arriving = STUDY.replace("count: 1,", "count: {arrive: 2 /s},")
    with pytest.raises(StudyError, match="devices that come and go cannot have a device profile"):
        load(arriving)


def test_the_conditions_of_a_report_name_the_device(load: Load) -> None:
    study = load(STUDY.replace("esp8266", "{profile: esp8266, reading: all}"))
    assert "esp8266, reading all" in study.conditions.values()


def test_the_short_form_has_devices_that_are_constrained_too(load: Load) -> None:
    short, long = spec_of(load(SHORT)), spec_of(load(STUDY))
    (group,) = short["groups"]
    assert group["device"] == next(one for one in long["groups"] if one["name"] == "esp")["device"]


def test_a_sweep_goes_over_profiles_and_over_what_they_have(load: Load) -> None:
    kinds = load(f"{SHORT}sweep: [{{name: kinds, device: [esp8266, stm32_64k]}}]\n")
    assert [one.parameters for one in kinds.planned_runs()][:1] == [{"device": "esp8266"}]
    heap = SHORT.replace("esp8266", "{profile: esp8266}")
    heaps = load(f"{heap}sweep: [{{name: heaps, device.heap: [20 kB, 40 kB]}}]\n")
    found = [json.loads(one.spec_json)["groups"][0]["device"] for one in heaps.planned_runs()]
    assert {device["heap_bytes"] for device in found} == {20_000, 40_000}


def test_who_comes_and_goes_does_not_boot_in_the_short_form_either(load: Load) -> None:
    written = SHORT.replace("devices: 10", "devices: {arrive: 1 /s}").replace(", every: 1 s", "")
    with pytest.raises(StudyError, match="device"):
        load(written)
