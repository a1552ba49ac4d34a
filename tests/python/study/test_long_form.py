"""The long form names groups, servers, paths and flows; the short form is one of each."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from lasthop.errors import StudyError
from lasthop.study import Study
from lasthop.study.rules import not_built
from lasthop.study.run_spec import RunSpecReader
from lasthop.study.run_spec.services import listeners
from lasthop.study.stacks.notation import parse_stack

Load = Callable[..., Study]

FLEET = """\
study: fleet
duration: 10 min
repeat: 2
fleet:
  meters: {count: 200000, simulate: 600, path: cell, server: head_end}
  alarms: {count: 5, path: home, server: head_end, stack: mqtt qos=1}
paths:
  cell: [{nbiot: {coupling_loss: {144 dB: 80 %, 154 dB: 15 %, 164 dB: 5 %}}}, {nat: {udp: 30 s}}]
  home: {loss: 1 %, delay: 20 ms, nat: {udp: 2 min}}
servers: {head_end: {}, archive: {}}
traffic:
  index: {from: meters, report: 96 B, every: 1 min}
  valve: {to: meters, command: 40 B, every: 2 min}
  ring: {from: alarms, to: archive, round_trip: 20 B, every: 10 s}
stacks: {plain: coap, queued: mqtt qos=1}
compare: {fleet.meters.stack: [plain, queued]}
"""


@pytest.fixture(autouse=True)
def _everything_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the form means does not depend on what a run can do yet."""
    monkeypatch.setattr(not_built, "NOT_BUILT", {})


def spec_of(study: Study) -> dict[str, Any]:
    """Give the first run of a study."""
    spec: dict[str, Any] = json.loads(next(study.planned_runs()).spec_json)
    return spec


def named(parts: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {part["name"]: part for part in parts}


def test_the_short_form_is_the_long_one_with_usual_names(load: Load) -> None:
    head = "study: a\nduration: 10 min\nstacks: [coap, mqtt qos=1]\nrepeat: 2\n"
    short = load(
        head + "devices: 7\ntraffic: {report: 40 B, every: 1 s}\n"
        "path: {loss: 5 %, delay: 20 ms, nat: {udp: 60 s}}\n"
    )
    long = load(
        head + "fleet: {device: {count: 7}}\nservers: {server: {}}\n"
        "paths: {path: {loss: 5 %, delay: 20 ms, nat: {udp: 60 s}}}\n"
        "traffic: {traffic: {from: device, report: 40 B, every: 1 s}}\n"
    )
    assert [run.spec_json for run in long.planned_runs()] == [
        run.spec_json for run in short.planned_runs()
    ]


def test_groups_servers_and_flows_have_their_names(load: Load) -> None:
    spec = spec_of(load(FLEET))
    groups, flows = named(spec["groups"]), named(spec["flows"])
    assert groups["meters"]["clients"] == [{"stack": "meters", "server": "head_end"}]
    assert groups["alarms"]["clients"] == [
        {"stack": "alarms", "server": "head_end"},
        {"stack": "alarms", "server": "archive"},
    ]
    ends = {name: (flow["from"], flow["to"], flow["client"]) for name, flow in flows.items()}
    assert ends == {
        "index": ("meters", "head_end", 0),
        "valve": ("head_end", "meters", 0),
        "ring": ("alarms", "archive", 1),
    }
    assert {name: flow["kind"] for name, flow in flows.items()} == {
        "index": "report",
        "valve": "command",
        "ring": "round_trip",
    }


def test_a_server_offers_what_its_groups_speak(load: Load) -> None:
    plain, queued = (
        json.loads(run.spec_json) for run in load(FLEET).planned_runs() if run.repetition == 1
    )
    services = named(plain["servers"])["head_end"]["services"]
    assert services == [{"stack": "meters", "port": 5683}, {"stack": "alarms", "port": 1883}]
    # Both groups speak the same and find one broker.
    services = named(queued["servers"])["head_end"]["services"]
    assert services == [{"stack": "meters", "port": 1883}]
    assert queued["stacks"].keys() == {"meters"}
    assert named(queued["groups"])["alarms"]["clients"][0]["stack"] == "meters"
    assert named(plain["servers"])["archive"]["services"] == [{"stack": "alarms", "port": 1883}]


def test_plain_and_secured_stand_beside_each_other(load: Load) -> None:
    study = FLEET.replace("stack: mqtt qos=1}", "stack: mqtt/tls qos=1}")
    *_, queued = (json.loads(run.spec_json) for run in load(study).planned_runs())
    services = named(queued["servers"])["head_end"]["services"]
    assert services == [{"stack": "meters", "port": 1883}, {"stack": "alarms", "port": 8883}]


def test_a_service_may_have_a_port_of_its_own(load: Load) -> None:
    study = FLEET.replace("{head_end: {}", "{head_end: {services: {mqtt: 8883}}")
    plain = spec_of(load(study))
    services = named(plain["servers"])["head_end"]["services"]
    assert services == [{"stack": "meters", "port": 5683}, {"stack": "alarms", "port": 8883}]


def test_the_compared_stacks_are_the_arms(load: Load) -> None:
    study = load(FLEET)
    assert [stack.name for stack in study.stacks] == ["plain", "queued"]
    assert [stack.resolved.split("/")[0] for stack in study.stacks] == ["coap", "mqtt"]
    for run in study.planned_runs():
        stacks = json.loads(run.spec_json)["stacks"]
        assert stacks.keys() == ({"meters", "alarms"} if run.stack == "plain" else {"meters"})
        expected = {"plain": "coap", "queued": "mqtt"}[run.stack]
        assert stacks["meters"]["application"]["name"] == expected


def test_other_options_of_a_protocol_have_a_listener_of_their_own(load: Load) -> None:
    study = FLEET.replace("stack: mqtt qos=1}", "stack: mqtt qos=0}")
    *_, last = (json.loads(run.spec_json) for run in load(study).planned_runs())
    services = named(last["servers"])["head_end"]["services"]
    assert services == [{"stack": "meters", "port": 1883}, {"stack": "alarms", "port": 1884}]


def test_a_listener_of_other_options_takes_no_port_of_another_protocol() -> None:
    stacks = {text: parse_stack(text) for text in ("mqtt qos=0", "mqtt qos=1", "raw_tcp", "coap")}
    assert listeners(stacks, {"raw_tcp/tcp": 1884, "coap/udp": 1885}) == {
        "mqtt qos=0": 1883,
        "mqtt qos=1": 1885,
        "raw_tcp": 1884,
        "coap": 1885,
    }


def test_a_group_speaks_another_stack_with_one_of_its_servers(load: Load) -> None:
    study = FLEET.replace("stack: mqtt qos=1}", "stack: mqtt qos=1, stacks: {archive: queued}}")
    spec = spec_of(load(study.replace("queued: mqtt qos=1", "queued: mqtt qos=2")))
    alarms = named(spec["groups"])["alarms"]
    assert alarms["clients"] == [
        {"stack": "alarms", "server": "head_end"},
        {"stack": "alarms.archive", "server": "archive"},
    ]
    options = spec["stacks"]["alarms.archive"]["application"]["options"]
    assert options["qos"] == "2"
    archive = named(spec["servers"])["archive"]
    assert archive["services"] == [{"stack": "alarms.archive", "port": 1883}]


def test_a_report_to_a_group_goes_by_the_server_of_its_sender(load: Load) -> None:
    study = FLEET.replace("index: {from: meters,", "index: {from: meters, to: alarms,")
    spec = spec_of(load(study))
    index = named(spec["flows"])["index"]
    assert (index["kind"], index["from"], index["to"]) == ("relay", "meters", "alarms")
    assert named(spec["groups"])["alarms"]["clients"][0]["server"] == "head_end"


def test_a_group_that_hears_another_needs_no_flow_of_its_own(load: Load) -> None:
    study = FLEET.replace("server: head_end, stack", "stack").replace(
        "index: {from: meters,", "index: {from: meters, to: alarms,"
    )
    alone = study.replace(
        "  ring: {from: alarms, to: archive, round_trip: 20 B, every: 10 s}\n", ""
    )
    groups = [named(spec_of(load(text))["groups"])["alarms"] for text in (study, alone)]
    servers = [[client["server"] for client in group["clients"]] for group in groups]
    assert servers == [["head_end", "archive"], ["head_end"]]


def test_a_group_whose_flows_name_their_servers_needs_none(load: Load) -> None:
    spec = spec_of(load(FLEET.replace("server: head_end, stack", "stack")))
    clients = named(spec["groups"])["alarms"]["clients"]
    assert clients == [{"stack": "alarms", "server": "archive"}]


def test_arms_differ_in_stacks_and_ports_alone(load: Load) -> None:
    runs = [run.spec_json for run in load(FLEET).planned_runs() if run.repetition == 1]
    first, second = (RunSpecReader.of(spec).conditions for spec in runs)
    assert first == second


def test_two_comparisons_make_every_combination(load: Load) -> None:
    study = FLEET.replace(", stack: mqtt qos=1}", "}").replace(
        "[plain, queued]}", "[plain, queued], fleet.alarms.stack: ['mqtt qos={0,2}']}"
    )
    assert [stack.name for stack in load(study).stacks] == [
        "plain + mqtt qos=0",
        "plain + mqtt qos=2",
        "queued + mqtt qos=0",
        "queued + mqtt qos=2",
    ]


def test_the_stack_with_one_server_alone_is_compared(load: Load) -> None:
    other = "compare: {fleet.alarms.stacks.archive: [mqtt qos=1, coap/tcp]}"
    study = FLEET.replace("compare: {fleet.meters.stack: [plain, queued]}", other)
    study = study.replace("server: head_end}", "server: head_end, stack: coap}")
    loaded = load(study)
    assert [stack.name for stack in loaded.stacks] == ["mqtt qos=1", "coap/tcp"]
    spoken = [
        {
            client["server"]: json.loads(run.spec_json)["stacks"][client["stack"]]["application"]
            for client in named(json.loads(run.spec_json)["groups"])["alarms"]["clients"]
        }
        for run in loaded.planned_runs()
        if run.repetition == 1
    ]
    assert [of["archive"]["name"] for of in spoken] == ["mqtt", "coap"]
    assert [of["head_end"]["name"] for of in spoken] == ["mqtt", "mqtt"]


def test_without_a_comparison_the_stacks_are_those_of_all_groups(load: Load) -> None:
    study = FLEET.replace("compare: {fleet.meters.stack: [plain, queued]}\n", "")
    assert [stack.name for stack in load(study).stacks] == ["plain", "queued"]


def test_a_study_may_compare_nothing(load: Load) -> None:
    study = FLEET.replace("compare: {fleet.meters.stack: [plain, queued]}\n", "").replace(
        "meters: {count", "meters: {stack: plain, count"
    )
    (stack,) = load(study).stacks
    assert stack.name == "plain + mqtt qos=1"


def test_simulated_devices_stand_for_all(load: Load) -> None:
    groups = named(spec_of(load(FLEET))["groups"])
    assert groups["meters"]["population"] == {"staying": {"devices": 600}}
    assert groups["meters"]["weight"] == pytest.approx(200_000 / 600)
    assert groups["alarms"]["weight"] == 1.0
    assert groups["alarms"]["strata"] == []


@pytest.mark.parametrize(
    ("minimum", "devices"), [("", [480, 90, 30]), (", minimum: 60", [455, 85, 60])]
)
def test_strata_are_allocated_by_weight_with_a_minimum(
    minimum: str, devices: list[int], load: Load
) -> None:
    study = FLEET.replace("simulate: 600", f"simulate: 600{minimum}")
    strata = named(spec_of(load(study))["groups"])["meters"]["strata"]
    assert [one["name"] for one in strata] == ["144 dB", "154 dB", "164 dB"]
    assert [one["coupling_loss_db"] for one in strata] == [144.0, 154.0, 164.0]
    assert [one["devices"] for one in strata] == devices
    real = [one["devices"] * one["weight"] for one in strata]
    assert real == pytest.approx([160_000, 30_000, 10_000])


@pytest.mark.parametrize("simulated", [3, 7, 100, 599])
def test_strata_sum_to_the_devices(simulated: int, load: Load) -> None:
    strata = named(
        spec_of(load(FLEET.replace("simulate: 600", f"simulate: {simulated}")))["groups"]
    )["meters"]["strata"]
    assert sum(one["devices"] for one in strata) == simulated
    assert min(one["devices"] for one in strata) >= 1
    real = sum(one["devices"] * one["weight"] for one in strata)
    assert real == pytest.approx(200_000)


def test_hops_are_in_order_with_the_scope_of_the_one_before(load: Load) -> None:
    paths = spec_of(load(FLEET))["paths"]
    cell = [(hop["name"], hop["scope"]) for hop in paths["cell"]["hops"]]
    assert cell == [("cell.nbiot", "all"), ("cell.nat", "own")]
    home = [(hop["name"], hop["scope"], "nat" in hop) for hop in paths["home"]["hops"]]
    assert home == [("home", "own", False), ("home", "own", True)]


def test_a_hop_may_be_shared_and_have_a_name(load: Load) -> None:
    hops = "home: [{loss: 1 %}, {scope: group, rate: 1 Mbit/s, name: dsl}, {nat: {udp: 30 s}}]"
    study = FLEET.replace("home: {loss: 1 %, delay: 20 ms, nat: {udp: 2 min}}", hops)
    found = spec_of(load(study))["paths"]["home"]["hops"]
    assert [(hop["name"], hop["scope"]) for hop in found] == [
        ("home.link", "own"),
        ("dsl", "group"),
        ("home.nat", "own"),
    ]


def test_two_paths_with_a_radio_are_two_networks(load: Load) -> None:
    home = "home: [{nbiot: {coupling_loss: 150 dB}}, {nat: {udp: 30 s}}]"
    study = load(FLEET.replace("home: {loss: 1 %, delay: 20 ms, nat: {udp: 2 min}}", home))
    paths = spec_of(study)["paths"]
    names = [paths[name]["hops"][0]["name"] for name in ("cell", "home")]
    assert names == ["cell.nbiot", "home.nbiot"]
    assert study.arms


def test_a_nat_is_one_for_all_where_it_says_so_and_so_is_what_is_behind_it(load: Load) -> None:
    hops = "home: [{loss: 1 %}, {nat: {udp: 30 s, ports: 2000}, scope: all}, {delay: 5 ms}]"
    study = FLEET.replace("home: {loss: 1 %, delay: 20 ms, nat: {udp: 2 min}}", hops)
    found = spec_of(load(study))["paths"]["home"]["hops"]
    assert [(hop["name"], hop["scope"]) for hop in found] == [
        ("home.link", "own"),
        ("home.nat", "all"),
        ("home.link2", "all"),
    ]
    assert found[1]["nat"]["ports"] == 2000
    # Unless it is said, an address has all ports but the well-known ones.
    home = spec_of(load(FLEET))["paths"]["home"]["hops"]
    assert home[1]["nat"]["ports"] == 64_512


def test_a_profile_is_a_link_with_sources(load: Load) -> None:
    study = load(FLEET.replace("home: {loss: 1 %, delay: 20 ms, nat", "home: {profile: lte, nat"))
    link, nat = spec_of(study)["paths"]["home"]["hops"]
    assert link["link"]["up"]["rate"]["bits_per_second"] == 12_000_000
    # A key beside the profile replaces its own; the rest of it stays.
    assert nat["nat"]["udp_timeout_ns"] == 120 * 10**9
    assert nat["nat"]["tcp_timeout_ns"] == 6 * 3600 * 10**9
    assert study.conditions["home: profile"].startswith("lte (measured; weak: rate, queue)")
    assert "MONROE" in study.conditions["home: source"]


def test_a_profile_may_stand_without_its_nat(load: Load) -> None:
    study = FLEET.replace("nat: {udp: 2 min}}", "nat: off}").replace("loss: 1 %", "profile: lte")
    (link,) = spec_of(load(study))["paths"]["home"]["hops"]
    assert "link" in link


@pytest.mark.parametrize(
    ("at", "every", "start_s"),
    [
        ('"00:00"', "1 d", 0),
        ('"06:30"', "1 d", 23_400),
        ("mon 00:15", "7 d", 900),
        ("sun 23:59", "7 d", 604_740),
        ("30 min", "1 h", 1_800),
    ],
)
def test_a_flow_may_have_a_time_of_day(at: str, every: str, start_s: int, load: Load) -> None:
    flow = f"from: meters, report: 96 B, every: {every}, at: {at}"
    study = FLEET.replace("from: meters, report: 96 B, every: 1 min", flow)
    index = named(spec_of(load(study))["flows"])["index"]
    assert (index["start_ns"], index["spread_ns"]) == (start_s * 10**9, 0)


@pytest.mark.parametrize(
    ("key", "values", "column", "unit"),
    [
        ("paths.cell.nat.udp", "[30 s, 1 h]", "paths_cell_nat_udp_ms", "ms"),
        ("paths.cell.1.nat.udp", "[30 s, 1 h]", "paths_cell_1_nat_udp_ms", "ms"),
        ("paths.home.loss", "[1 %, 5 %]", "paths_home_loss", "fraction"),
        ("fleet.meters.simulate", "[60, 600]", "fleet_meters_simulate", "count"),
        ("fleet.meters.path", "[cell, home]", "fleet_meters_path", "text"),
        ("traffic.index.every", "[1 min, 2 min]", "traffic_index_every_ms", "ms"),
        ("servers.head_end.services.mqtt", "[1884, 8883]", None, "count"),
        ("paths.home.profile", "[lte, gprs]", "paths_home_profile", "text"),
    ],
)
def test_dotted_keys_of_the_long_form_are_swept(
    key: str, values: str, column: str | None, unit: str, load: Load
) -> None:
    study = load(FLEET + f"sweep: [{{name: x, {key}: {values}}}]\n")
    (part,) = study.parts
    (swept,) = part.swept
    assert (swept.key, swept.unit) == (key, unit)
    assert column is None or swept.column == column
    assert len({json.dumps(point.conditions) for point in study.points}) == 2
    cells = {point.parameters[swept.column] for point in study.points}
    assert len(cells) == 2
    assert None not in cells


def test_a_swept_path_changes_the_run(load: Load) -> None:
    study = load(FLEET + "sweep: [{name: x, paths.cell.nat.udp: [30 s, 1 h]}]\n")
    timeouts = [
        point.conditions["paths"]["cell"]["hops"][1]["nat"]["udp_timeout_ns"]
        for point in study.points
    ]
    assert timeouts == [30 * 10**9, 3600 * 10**9]


def test_set_replaces_a_key_of_the_long_form(load: Load) -> None:
    study = load(FLEET, overrides=[("paths.cell.nat.udp", "5 min"), ("fleet.meters.simulate", "9")])
    spec = spec_of(study)
    assert spec["paths"]["cell"]["hops"][1]["nat"]["udp_timeout_ns"] == 300 * 10**9
    assert named(spec["groups"])["meters"]["population"] == {"staying": {"devices": 9}}
    assert study.changes == ("paths.cell.nat.udp=5 min", "fleet.meters.simulate=9")


def test_an_override_that_fits_no_hop_says_so(load: Load) -> None:
    with pytest.raises(StudyError) as caught:
        load(FLEET, overrides=[("paths.cell.loss", "5 %")])
    assert str(caught.value) == (
        '--set paths.cell.loss: no hop of paths.cell has "loss" in the study; add '
        "it to a hop of the study, or write the number of the hop, counted from 0, "
        "for example paths.cell.0.loss"
    )


def test_conditions_tell_the_fleet_in_words(load: Load) -> None:
    conditions = load(FLEET).conditions
    assert conditions["meters: devices"] == "200000, of which 600 are simulated"
    assert conditions["meters: strata"] == "480 at 144 dB, 90 at 154 dB, 30 at 164 dB"
    assert conditions["index"].startswith("meters to head_end: report of 96 B every 1 min")
    assert conditions["cell.nat: NAT"] == "UDP mappings time out after 30 s"
    assert conditions["home: loss"] == "1 %"


def test_energy_is_that_of_groups_with_a_radio(load: Load) -> None:
    study = FLEET.replace("simulate: 600", "simulate: 600, battery: 30 Wh")
    groups = named(spec_of(load(study))["groups"])
    assert groups["meters"]["energy"]["battery_wh"] == pytest.approx(30.0)
    assert groups["alarms"]["energy"] is None


def test_devices_that_come_and_go_may_stand_beside_others(load: Load) -> None:
    study = FLEET.replace("{count: 200000, simulate: 600,", "{count: {arrive: 1 /s},").replace(
        "{144 dB: 80 %, 154 dB: 15 %, 164 dB: 5 %}", "144 dB"
    )
    study = study.replace("report: 96 B, every: 1 min", "report: 96 B").replace(
        "  valve: {to: meters, command: 40 B, every: 2 min}\n", ""
    )
    study = study.replace("path: home, server: head_end", "path: home, server: archive")
    spec = spec_of(load(study))
    assert "arriving" in named(spec["groups"])["meters"]["population"]
    servers = named(spec["servers"])
    assert (servers["head_end"]["layout"], servers["archive"]["layout"]) == ("per_device", "shared")


def test_a_session_is_that_of_what_the_devices_send(load: Load) -> None:
    study = FLEET.replace("every: 1 min}", "every: 1 min, session: per_message}")
    sessions = {flow["name"]: flow["session"] for flow in spec_of(load(study))["flows"]}
    assert sessions == {"index": "per_message", "valve": "per_message", "ring": "keep"}
