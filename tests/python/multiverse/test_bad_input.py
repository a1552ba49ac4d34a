"""A multiverse that does not fit the study that it is one of gets one line."""

from pathlib import Path

import pytest

from lasthop.errors import StudyError
from lasthop.study import load_study

from .conftest import BASE, MULTIVERSE

COUNTING = "stack: mqtt qos=1, counting: {%s: [one_leg]}}\n"

CASES = {
    "no such study": (
        ("study.yaml", "other.yaml"),
        'multiverse.of: there is no file "other.yaml"; *',
    ),
    "a folder": (("study.yaml", "."), 'multiverse.of: there is no file "."; *'),
    "a file of the machine": (
        ("study.yaml", "/etc/passwd"),
        'multiverse.of: the file "/etc/passwd" is outside the folder of the study; move it *',
    ),
    "no study": (
        ("study.yaml", "published.yaml"),
        'multiverse.of: "published.yaml" is not a study; *',
    ),
    "itself": (
        ("study.yaml", "multiverse.yaml"),
        'multiverse.of: "multiverse.yaml" is itself a multiverse; *',
    ),
    "a study without claims": (
        ("study.yaml", "plain.yaml"),
        (
            "multiverse.of: plain has no claims; add claims to that study, for example "
            '"claims: published.yaml"'
        ),
    ),
    "an unknown stack": (
        ("stack: mqtt qos=1", "stack: mqtt qos=7"),
        'multiverse.stack: original has no stack "mqtt qos=7"; did you mean "mqtt qos=1"?',
    ),
    "a stack without alternatives": (
        ("stack: mqtt qos=1", "stack: mqtt_sn"),
        'multiverse.stack: no stack of the study is mqtt_sn; add one to "stacks"',
    ),
    "an unknown part": (
        ("name: bad", "name: bda"),
        'sweep.name: original has no part "bda"; did you mean "bad"?',
    ),
    "no part": (("sweep: [{name: bad, path.reordering: [on, off]}]\n", ""), 'study: *"base"*'),
    "claims of its own": (
        ("repeat: 5", "claims: published.yaml"),
        "*claims: a multiverse uses the claims of the study that it varies; remove this key",
    ),
    "an unknown key": (
        ("stack: mqtt qos=1}", "stacks: mqtt qos=1}"),
        'multiverse.stacks: unknown key "stacks"; did you mean "stack"?',
    ),
    "an unknown way to count": (
        ("stack: mqtt qos=1}", "stack: mqtt qos=1, counting: {latency: [two_legs]}}"),
        "multiverse.counting.latency: *",
    ),
    "no way to count": (
        ("stack: mqtt qos=1}", "stack: mqtt qos=1, counting: {latency: []}}"),
        "multiverse.counting.latency: *",
    ),
    "a way to count twice": (
        ("stack: mqtt qos=1}", "stack: mqtt qos=1, counting: {wire_bytes: [offered, offered]}}"),
        "multiverse.counting.wire_bytes: a way of counting is written twice; remove one of them",
    ),
    "one leg of a report": (
        (
            "stack: mqtt qos=1}",
            COUNTING % "latency" + "traffic: {report: 9 B, every: 1 s}",
        ),
        "multiverse.counting.latency: the traffic is a report, which has only one direction; *",
    ),
    "JSON without a size": (
        (
            "stack: mqtt qos=1}",
            COUNTING % "application_bytes" + "traffic: {round_trip: {json: {a: 1}}, every: 1 s}",
        ),
        "multiverse.counting.application_bytes: the JSON of the traffic has no stated size; *",
    ),
    "a warm-up": (
        (
            "stack: mqtt qos=1}",
            "stack: mqtt qos=1, counting: {application_bytes: [one_leg]}}\nmeasure: {warm_up: 1 s}",
        ),
        "multiverse.counting.application_bytes: bytes are counted during the warm-up*; *",
    ),
}


@pytest.mark.parametrize(("change", "expected"), CASES.values(), ids=CASES.keys())
def test_a_multiverse_that_does_not_fit_is_refused(
    change: tuple[str, str], expected: str, folder: Path
) -> None:
    (folder / "plain.yaml").write_text(f"study: plain\n{BASE}stacks: [mqtt qos=1]\n")
    text = MULTIVERSE.replace(*change)
    if "traffic" in change[1]:
        text = text.replace("traffic: {round_trip: 409 B, every: 1 s}\n", "")
    assert text != MULTIVERSE
    (folder / "multiverse.yaml").write_text(text)
    with pytest.raises(StudyError) as caught:
        load_study(folder / "multiverse.yaml")
    message = str(caught.value)
    place, _, told = message.partition(": ")
    assert "multiverse.yaml:" in place
    first, *rest = expected.split("*")
    assert told.startswith(first)
    assert all(piece in told for piece in rest)
    assert "\n" not in message
    assert caught.value.hint
