"""Expressions over rows of results."""

import pytest

from lasthop.errors import UsageError
from lasthop.study.expressions import COMPARABLE, measured_column, parse_expression
from lasthop.study.text.faults import Fault

ROW = {
    "part": "loss",
    "stack": "mqtt qos=1",
    "delivery_ratio": 0.99,
    "latency_p50_ms": 250.0,
    "latency_p95_ms": None,
    "control_bytes_per_100": 76.0,
    "wire_bytes_up_offered": 16_000,
    "simulated_s": 720.0,
    "repetition": 2,
    "path_loss": 0.1,
    "path_delay_around_ms": 100.0,
    "path_queue_packets": 20,
    "traffic_arrivals": "poisson",
    "duration_ms": None,
}


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("delivery_ratio >= 99 %", True),
        ("delivery_ratio > 99 %", False),
        ("delivery_ratio == 0.99", True),
        ("delivery_ratio != 1", True),
        ("latency_p50 < 2 s", True),
        ("latency_p50 <= 250 ms", True),
        ("latency_p50 < 250 ms", False),
        ("wire_bytes_up_offered <= 16 kB", True),
        ("wire_bytes_up_offered < 16000", False),
        ("simulated >= 12 min", True),
        ("control_bytes_per_100 < 80", True),
        ("stack == 'mqtt qos=1'", True),
        ('stack != "mqtt qos=1"', False),
        ("path.delay.around == 100 ms", True),
        ("path.queue == 20", True),
        ("traffic.arrivals == poisson", True),
        ("delivery_ratio >= 99 % where path.loss <= 10 %", True),
        ("delivery_ratio >= 99 % where path.loss > 10 %", None),
        ("delivery_ratio == 1 where stack == 'mqtt qos=1' and path.loss <= 10 %", False),
        ("delivery_ratio == 1 where stack == 'a' and path.loss <= 10 %", None),
        ("delivery_ratio<1 where repetition==2", True),
    ],
)
def test_an_expression_is_true_or_false_or_does_not_apply(text: str, *, truth: bool | None) -> None:
    assert parse_expression(text).evaluate(ROW) is truth


def test_a_latency_that_is_null_is_infinite() -> None:
    assert parse_expression("latency_p95 < 2 s").evaluate(ROW) is False
    assert parse_expression("latency_p95 > 2 s").evaluate(ROW) is True


def test_any_other_null_makes_a_comparison_false() -> None:
    assert parse_expression("duration > 2 s").evaluate(ROW) is False
    assert parse_expression("duration < 2 s").evaluate(ROW) is False


def test_a_word_inside_quotes_does_not_split_an_expression() -> None:
    row = {"delivery_ratio": 1.0, "stack": "here and where"}
    assert parse_expression("delivery_ratio == 1 where stack == 'here and where'").evaluate(row)


def test_a_column_that_the_results_lack_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match='no column "latency_p50"'):
        parse_expression("latency_p50 < 2 s").evaluate({})


@pytest.mark.parametrize(
    ("text", "what", "hint"),
    [
        ("", "is not a comparison", "delivery_ratio >= 99 %"),
        ("delivery_ratio", "is not a comparison", "delivery_ratio >= 99 %"),
        ("delivery_ratio = 1", "is not a comparison", "delivery_ratio >= 99 %"),
        ("1 == delivery_ratio", "is not a comparison", "delivery_ratio >= 99 %"),
        ("delivery_ratio >= 99 % where", "is not a comparison", "delivery_ratio >= 99 %"),
        ("delivery_ratio >= 1 where a == 1 where b == 1", '"where" twice', "and"),
        ("delivery_rate >= 99 %", "unknown column", "delivery_ratio"),
        ("latency_p95_ms < 2", "without its unit", 'write "latency_p95"'),
        ("latency_p95 < 2", "has no unit", "2 ms"),
        ("latency_p95 < 2 B", "is a size, not a time", "10 ms"),
        ("latency_p95 < 'x'", "is a number, not text", "quotes"),
        ("delivery_ratio > 101 %", "more than 100 %", "100 %"),
        ("delivery_ratio >= 99", "is a share and cannot be above 1", '"99 %"'),
        ("delivery_ratio == 1 where path.loss <= 10", "is a share and cannot be above 1", '"10 %"'),
        ("stack == raw_udp", "is text", "stack == 'raw_udp'"),
        ("stack < 'raw_udp'", "compares text by size", "=="),
        ("messages_failed == few", "is not a number", "messages_failed"),
        ("delivery_ratio > 1 or 1 > 2", "is not a comparison", "delivery_ratio"),
        ("x" * 1000, "too long", "500"),
    ],
)
def test_what_is_no_expression_is_refused_with_a_remedy(text: str, what: str, hint: str) -> None:
    with pytest.raises(Fault) as caught:
        parse_expression(text)
    assert what in caught.value.what
    assert hint in str(caught.value.hint)


def test_every_measured_column_can_be_named_without_its_unit() -> None:
    assert measured_column("latency_p50") == "latency_p50_ms"
    assert measured_column("delivery_ratio") == "delivery_ratio"
    assert all(column.name.startswith(name) for name, column in COMPARABLE.items())
