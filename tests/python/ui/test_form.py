"""The form of a study: both ways, without losing what it cannot express."""

from pathlib import Path

import pytest

from lasthop.study import load_study
from lasthop.study.init.link import Answers, compose_study
from lasthop.ui.form import StudyForm

SHORT = compose_study(Answers())
LONG = """\
study: meters
duration: 10 min
paths: {cell: {loss: 3 %, delay: {around: 100 ms, spread: 20 %}}}   # measured in May
fleet: {meters: {count: 20, path: cell}}
traffic: {readings: {from: meters, report: 200 B, every: 15 s}}
stacks: {ours: mqtt qos=1, theirs: coap type=con}
repeat: 5
decide: {require: ["delivery_ratio >= 99 %"], minimise: latency_p95}
"""
SEVERAL = """\
study: two
paths: {cell: [{nbiot: {}}, {nat: {udp: 60 s}}]}
fleet: {meters: {count: 2, path: cell}, valves: {count: 3, path: cell}}
traffic: {a: {from: meters, report: 20 B, every: 1 h}, b: {from: valves, report: 20 B, every: 1 h}}
stacks: [{mqtt: {}}]
"""


def values(text: str) -> dict[str, str | None]:
    """Return what stands in each field."""
    return {field["name"]: field["value"] for field in StudyForm(text).json()["fields"]}


def test_a_short_study_fills_the_form() -> None:
    found = values(SHORT)
    assert found["loss"] == "10 %"
    assert found["delay"] == "100 ms"
    assert (found["kind"], found["payload"], found["every"]) == ("round_trip", "409 B", "250 ms")
    assert found["stacks"] == "raw_udp\njson_udp\nraw_udp ack=on"
    assert found["count"] is None


def test_a_long_study_with_one_path_and_group_fills_all_of_it() -> None:
    found = values(LONG)
    assert None not in found.values()
    assert (found["count"], found["battery"]) == ("20", "")
    assert found["stacks"] == "ours: mqtt qos=1\ntheirs: coap type=con"


def test_what_has_several_places_stays_in_the_yaml_and_is_named() -> None:
    told = StudyForm(SEVERAL).json()
    empty = {field["name"] for field in told["fields"] if field["value"] is None}
    assert {"loss", "delay", "count", "kind", "every", "stacks"} <= empty
    assert {"paths", "fleet", "traffic", "stacks"} <= set(told["only_yaml"])


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("loss", "5 %", "paths: {cell: {loss: 5 %, delay: {around: 100 ms, spread: 20 %}}}"),
        ("delay", "1 s", "paths: {cell: {loss: 3 %, delay: {around: 1 s, spread: 20 %}}}"),
        ("count", "300", "fleet: {meters: {count: 300, path: cell}}"),
        ("kind", "command", "traffic: {readings: {from: meters, command: 200 B, every: 15 s}}"),
        ("stacks", "a: raw_udp\n\nb: mqtt", "stacks: {a: raw_udp, b: mqtt}"),
        ("battery", "30 Wh", "fleet: {meters: {count: 20, path: cell, battery: 30 Wh}}"),
    ],
)
def test_a_field_changes_its_value_and_nothing_else(name: str, value: str, line: str) -> None:
    text = StudyForm(LONG).changed(name, value)
    squeezed = text.replace("{ ", "{").replace(" }", "}")
    assert line in squeezed
    assert "# measured in May" in text
    before, after = values(LONG), values(text)
    same = {"payload"} if name == "kind" else set()
    changed = {key for key, found in after.items() if found != before[key]}
    assert changed - same == {name}


def test_a_changed_field_gives_a_study_that_can_be_loaded(tmp_path: Path) -> None:
    text = StudyForm(SHORT).changed("require", "delivery_ratio >= 99 %\nlatency_p95 < 2 s")
    text = StudyForm(text).changed("stacks", "mqtt qos=1\ncoap type=con")
    study = load_study(tmp_path / "none.yaml", text=StudyForm(text).changed("repeat", "2"))
    assert study.repeat == 2
    assert study.decide is not None
    assert "# excludes stacks, then ranks the others" in text


def test_a_tariff_is_a_name_or_its_prices(tmp_path: Path) -> None:
    named = StudyForm(LONG).changed("tariff", "hologram")
    assert "tariff: hologram" in named
    assert load_study(tmp_path / "none.yaml", text=named).tariffs
    priced = LONG + "tariff: {fee: 1 USD/month, price: 0.5 USD/MB, counts: up}\n"
    found = values(priced)
    assert (found["fee"], found["price"], found["included"]) == ("1 USD/month", "0.5 USD/MB", "")
    changed = StudyForm(priced).changed("price", "0.3 USD/MB")
    assert "price: 0.3 USD/MB" in changed
    assert "tariff.counts" in StudyForm(changed).json()["only_yaml"]


def test_an_emptied_field_leaves_its_key_out() -> None:
    assert "loss" not in StudyForm(LONG).changed("loss", "")


def test_a_field_without_a_place_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot write loss"):
        StudyForm(SEVERAL).changed("loss", "5 %")


@pytest.mark.parametrize("text", ["", "- a\n- b", "{", "a: [", "study: &x y\nb: *z", "\0"])
def test_what_is_no_study_has_an_empty_form(text: str) -> None:
    assert StudyForm(text).json()["fields"] == []
