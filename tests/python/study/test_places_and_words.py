"""What a message says: the place of the value at fault, in our own words."""

from collections.abc import Callable
from pathlib import Path

import pytest

from lasthop.errors import StudyError
from lasthop.study import Study
from lasthop.study.forms.model import MAXIMUM_SEED
from lasthop.study.forms.schema import study_schema

Load = Callable[..., Study]
Refused = Callable[[str, str], None]

BASE = "study: a\nduration: 1 min\ntraffic: {report: 40 B, every: 1 s}\nstacks: [raw_udp]\n"
SWEPT = {
    "a duration below the warm-up": (
        BASE + "measure: {warm_up: 30 s}\nsweep: [{name: x, duration: [1 min, 20 s]}]\n",
        '6:37: duration: with "20 s", measure.warm_up: the warm-up is as long as the duration; *',
    ),
    "a second kind of traffic": (
        BASE + "sweep: [{name: x, traffic.round_trip: [40 B]}]\n",
        '5:40: traffic.round_trip: with "40 B", traffic.report: both round_trip and report *',
    ),
    "the one of two that is guilty": (
        BASE
        + "measure: {warm_up: 30 s}\n"
        + "sweep: [{name: x, path.loss: [0 %], duration: [20 s], path.delay: [1 s]}]\n",
        '6:48: duration: with "20 s", measure.warm_up: *',
    ),
    "two that are guilty together": (
        BASE + "sweep: [{name: x, measure.warm_up: [50 s], duration: [40 s], devices: [2]}]\n",
        "5:37: measure.warm_up: the warm-up is as long as the duration; *",
    ),
    "a fault of the base stays there": (
        BASE + "path: {queue: 3 kB}\nsweep: [{name: x, path.loss: [0 %, 5 %]}]\n",
        (
            '5:8: path.queue: "queue" has no effect without a rate; add "rate: 50 kbit/s", or '
            "remove it"
        ),
    ),
    "an MTU that IPv6 does not take": (
        BASE.replace("raw_udp", "raw_udp, raw_udp ip.version=6")
        + "sweep: [{name: x, path.mtu: [1280 B, 1279 B]}]\n",
        (
            '5:38: path.mtu: "raw_udp ip.version=6" uses IPv6, which needs an MTU of at least '
            "1280 B (RFC *"
        ),
    ),
    "an MTU of one way": (
        BASE.replace("raw_udp", "mqtt ip.version=6") + "path: {down: {mtu: 576 B}}\n",
        (
            '5:20: path.down.mtu: "mqtt ip.version=6" uses IPv6, which needs an MTU of at '
            "least 1280 B (RFC *"
        ),
    ),
}


@pytest.mark.parametrize(("text", "expected"), SWEPT.values(), ids=SWEPT)
def test_the_place_is_that_of_the_value_at_fault(
    refused: Refused, text: str, expected: str
) -> None:
    refused(text, expected)


WORDS = {
    "a number as a part": (
        BASE + "sweep: [5]\n",
        '5:9: sweep: "5" is not a mapping; write {name: loss, path.loss: [5 %, 10 %]}',
    ),
    "a mapping as a word": (
        BASE + "measure: {overload: {}}\n",
        '5:21: measure.overload: a mapping is not allowed here; write "refuse" or "allow"',
    ),
    "an empty name": (BASE + 'claims: ""\n', "5:9: claims: the text is empty; write a name"),
}


@pytest.mark.parametrize(("text", "expected"), WORDS.values(), ids=WORDS)
def test_the_words_are_ours(refused: Refused, text: str, expected: str) -> None:
    refused(text, expected)


def test_the_least_mtu_of_ipv6_passes_and_that_of_ipv4_is_lower(load: Load) -> None:
    least = "path: {mtu: 1280 B}\n"
    assert load(BASE.replace("raw_udp", "raw_udp ip.version=6") + least).points
    assert load(BASE + "path: {mtu: 68 B}\n").points


def test_schema_and_reader_agree_on_the_largest_seed(load: Load, refused: Refused) -> None:
    assert study_schema()["$defs"]["ShortForm"]["properties"]["seed"]["maximum"] == MAXIMUM_SEED
    assert load(BASE + f"seed: {MAXIMUM_SEED}\n").seed == MAXIMUM_SEED
    large = f'5:7: seed: "{MAXIMUM_SEED + 1}" is too large; write {MAXIMUM_SEED} or less'
    refused(BASE + f"seed: {MAXIMUM_SEED + 1}\n", large)


NOTATIONS = ("1e400", "1e5", "-2E-3", ".nan", ".NaN", "-.inf", "0x1F", "0o17", "1_000", "5.", ".5")


@pytest.mark.parametrize("word", NOTATIONS)
def test_a_number_in_another_notation_is_no_text_of_a_payload(
    load: Load, refused: Refused, word: str
) -> None:
    def study(value: str) -> str:
        return BASE.replace("40 B", f"{{json: {{field: {value}}}}}")

    refused(study(word), f'3:34: traffic.report.json.field: "{word}" may be a number or text; *')
    quoted = load(study(f'"{word}"')).points[0].conditions["flows"][0]["payload"]["json"]
    assert f'"field":"{word}"' in quoted["fields"]


@pytest.mark.parametrize("word", ["1.2.3", "10:30", "12e", "e5", "0x", "north", "v1.0"])
def test_words_that_are_no_numbers_are_text(load: Load, word: str) -> None:
    study = load(BASE.replace("40 B", f"{{json: {{field: '{word}', plain: a{word}}}}}"))
    assert study.points


def test_a_trace_that_was_cut_in_a_line_is_refused(load: Load) -> None:
    trace, text = Path("trace.csv"), BASE + "path: {delay: {trace: trace.csv}}\n"
    whole = "time_s,delay_ms\n0,100\n1,250\n"
    trace.write_text(whole, encoding="utf-8")
    assert load(text).points
    trace.write_text(whole[:-2], encoding="utf-8")
    with pytest.raises(
        StudyError,
        match=r"trace\.csv:3: the last line has no line break, so it may be cut off; end it",
    ):
        load(text)
