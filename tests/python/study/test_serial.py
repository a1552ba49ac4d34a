"""A serial line as a path: bits on the line by hand, and what is refused in one line."""

import json
from collections.abc import Callable

import pytest

from .conftest import Load

HEAD = """\
study: a
duration: 1 min
traffic: {report: 25 B, every: 1 s}
devices: 3
stacks: [raw_udp]
path:
"""

CASES = {
    "a line that turns around though both may speak": (
        "serial: {duplex: full, turnaround: 2 ms}",
        '*turnaround: a full duplex line does not turn around; remove it, or write "duplex: half"',
    ),
    "seven bits of data": (
        "serial: {frame: 7E1}",
        '*path.serial.frame: unknown value "7E1"; write *',
    ),
    "a rate without bits": ("serial: {rate: 0 bit/s}", "*path.serial.rate:*"),
    "a loss of a link beside it": (
        "{serial: {}, loss: 1 %}",
        '*a serial line cannot have the link key "loss"; write a list of hops, for example "[{ser*',
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_no_line_can_be_is_refused(case: str, refused: Callable[[str, str], None]) -> None:
    written, message = CASES[case]
    refused(f"{HEAD}  {written}\n", message)


def test_every_default_is_in_the_run_spec(load: Load) -> None:
    (run,) = load(f"{HEAD}  serial: {{}}\nrepeat: 1\n").planned_runs()
    (hop,) = json.loads(run.spec_json)["paths"]["path"]["hops"]
    assert hop == {
        "name": "path",
        "scope": "own",
        "serial": {
            "bits_per_second": 115_200,
            "bits_per_byte": 10,
            "framing": "ppp",
            "duplex": "half",
            "turnaround_ns": 0,
            "queue": {"packets": 100},
        },
    }


def test_a_line_is_described(load: Load) -> None:
    written = "serial: {rate: 9600 bit/s, frame: 8E1, turnaround: 2 ms, framing: slip}"
    described = load(f"{HEAD}  {written}\n").conditions
    assert described["serial line"] == "9.6 kbit/s, 8E1, half duplex, SLIP (RFC 1055)"
    assert described["turnaround"] == "2 ms"
