"""Bad input: exit 2, one line that says where, what and what to write, and no folder made."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.python.at_once import at_once

from .conftest import SMALL_STUDY, Lasthop

if TYPE_CHECKING:
    import subprocess

BASE = """\
study: small
duration: 10 s
traffic: {round_trip: 100 B, every: 250 ms}
path:
  loss: 10 %
  delay: 100 ms
  rate: 50 kbit/s
stacks:
  - raw_udp
"""

NETWORK = """\
study: small
duration: 10 s
traffic: {report: 25 B}
devices: {arrive: 1 /s}
path:
  nbiot:
    deployment: {cells: 3}
stacks: [raw_udp]
"""


FLEET = """\
study: small
duration: 10 s
stacks: [raw_udp, coap]
fleet: {meters: {count: 4, path: cell}}
paths: {cell: [{nbiot: {coupling_loss: {144 dB: 75 %, 164 dB: 25 %}}}]}
traffic: {index: {from: meters, report: 96 B, every: 1 s}}
"""


def level(name: str, settings: str) -> str:
    """Write a network with settings of a coverage level."""
    return NETWORK.replace(
        "cells: 3}", f"cells: 3}}\n    coverage_levels: {{{name}: {{{settings}}}}}"
    )


BAD: dict[str, tuple[str, str]] = {
    "a fleet on an unknown path": (FLEET.replace("path: cell", "path: cel"), 'mean "cell"?'),
    "a flow from an unknown group": (FLEET.replace("from: met", "from: mt"), 'mean "meters"?'),
    "a flow from a server to nobody": (
        FLEET.replace("from: meters, report", "from: server, command"),
        "the group that the command goes to is missing",
    ),
    "a flow to an unknown server": (
        FLEET.replace("from: meters", "from: meters, to: sever"),
        'there is no server "sever"; did you mean "server"?',
    ),
    "shares that are not all": (FLEET.replace("25 %", "20 %"), "sum to 95 %, not to 100 %"),
    "an event after the end": (
        FLEET + "events: [{start: 10 s, outage: server, for: 1 s}]\n",
        "after the end of the run",
    ),
    "a radio behind a link": (
        FLEET.replace("[{nbiot", "[{delay: 1 ms}, {nbiot"),
        "must be the first hop of a path",
    ),
    "a download larger than the run carries": (
        FLEET.replace("from: meters, report: 96 B, every: 1 s", "to: meters, download: 10 MB"),
        "takes longer than the run",
    ),
    "a port that is used twice": (
        FLEET + "servers: {server: {services: {coap: 1883, raw_udp: 1883}}}\n",
        "port 1883 is used twice",
    ),
    "layers in an order that cannot be": (
        FLEET.replace("coap]", "mqtt/udp]"),
        'mqtt does not run over "udp"; write one of: mqtt/tcp',
    ),
    "a study that extends itself": ("study: small\nextends: study\n", "extends itself"),
    "more devices than are simulated": (
        FLEET.replace("count: 4", "count: 200000"),
        "simulate: 600",
    ),
    "an empty file": ("", "empty"),
    "a file with comments alone": ("# nothing\n", "empty"),
    "a list instead of keys": ("- study\n- small\n", "not a study"),
    "a YAML error": (BASE + "sweep: [1, 2\n", "study.yaml:1"),
    "an unknown key": (BASE.replace("  loss:", "  los:"), '"loss"'),
    "an unknown key at the top": (BASE.replace("duration", "durration"), '"duration"'),
    "a number without unit": (BASE.replace("10 %", "10"), 'write "10 %"'),
    "a duration without unit": (BASE.replace("10 s", "10"), "unit"),
    "a wrong unit": (BASE.replace("100 ms", "100 kB"), "path.delay"),
    "kbps": (BASE.replace("50 kbit/s", "50 kbps"), "kB/s"),
    "a loss above 100 %": (BASE.replace("10 %", "101 %"), "100 %"),
    "a negative loss": (BASE.replace("10 %", "-1 %"), "path.loss"),
    "a loss that is no number": (BASE.replace("10 %", "nan %"), "path.loss"),
    "a loss that YAML takes for no number": (BASE.replace("10 %", ".nan"), "path.loss"),
    "an infinite delay": (BASE.replace("100 ms", ".inf"), "path.delay"),
    "a negative delay": (BASE.replace("100 ms", "-100 ms"), "path.delay"),
    "a duplicate key": (BASE + "duration: 20 s\n", "duration"),
    "two equal stacks": (BASE + "  - raw_udp\n", "raw_udp"),
    "two stacks that mean the same": (BASE + "  - raw_udp/udp ack=off\n", "raw_udp/udp"),
    "an unknown stack": (BASE.replace("raw_udp", "raw_utp"), "raw_udp"),
    "an unknown option": (BASE.replace("raw_udp", "raw_udp akc=on"), "ack"),
    "an unknown value of an option": (BASE.replace("raw_udp", "raw_udp ack=maybe"), "off or on"),
    "an option that means nothing": (BASE.replace("raw_udp", "raw_udp ack_timeout=2s"), "ack=on"),
    "a name that leaves the folder": (BASE.replace("small", "../../escaped"), "a-z 0-9"),
    "a name with NUL": (BASE.replace("small", '"sma\\0ll"'), "a-z 0-9"),
    "a name of 300 characters": (BASE.replace("small", "s" * 300), "300 characters"),
    "a name with a line break": (BASE.replace("small", '"sma\\nll"'), "a-z 0-9"),
    "an alias bomb": (
        "a: &a [x, x, x, x, x, x, x, x, x]\n"
        + "".join(
            f"{name}: &{name} [{', '.join(['*' + before] * 9)}]\n"
            for before, name in zip("abcdefgh", "bcdefghi", strict=True)
        ),
        "anchor",
    ),
    "a YAML tag": (
        BASE.replace("small", '!!python/object/apply:os.system ["touch escaped"]'),
        "tag",
    ),
    "a grid above the limit": (
        BASE
        + "sweep:\n  - name: all\n    path.delay: ["
        + ", ".join(f"{number} ms" for number in range(400))
        + "]\n    path.loss: ["
        + ", ".join(f"{number / 10} %" for number in range(400))
        + "]\n",
        "100000",
    ),
    "a study of a newer format": ("format: 2\n" + BASE, "reads formats up to 1"),
    "deep nesting": ("[" * 5000, "study.yaml"),
    "words of both forms": (BASE + "fleet: {meters: {count: 10}}\n", 'write "paths: {cell'),
    "what no run can do yet": (
        FLEET.replace("coap]", "raw_tcp]").replace("1 s}", "1 s, session: per_message}"),
        "session: per_message over TCP without MQTT is not built yet",
    ),
    "a decision by an unknown column": (BASE + "decide: {minimise: speed}\n", "speed"),
    "zero cells": (NETWORK.replace("cells: 3", "cells: 0"), "1 to 84 cells"),
    "repetitions that 3GPP does not have": (
        NETWORK.replace(
            "cells: 3}", "cells: 3}\n    coverage_levels: {ce1: {nprach: {repetitions: 3}}}"
        ),
        "TS 36.331 numRepetitionsPerPreambleAttempt",
    ),
    "an NPUSCH that 3GPP does not repeat so often": (
        level("ce0", "link_adaptation: {adaptive: {npusch_repetitions: [256]}}"),
        ".npusch_repetitions: is 256; TS 36.213 table 16.5.1.1-3 allows 1, 2, 4, 8, 16, 32,",
    ),
    "an unknown CE level": (
        level("ce3", "nprach: {repetitions: 2}"),
        'study.yaml:8:23: path.nbiot.coverage_levels.ce3: unknown CE level "ce3"; write ce0',
    ),
    "thresholds in the wrong order": (
        NETWORK.replace("cells: 3}", "cells: 3}\n    coupling_loss_thresholds: [154 dB, 144 dB]"),
        (
            "the thresholds are not in ascending order; write the smallest first, "
            "for example [144 dB, 154 dB]"
        ),
    ),
    "an impossible transport block": (
        level("ce1", "link_adaptation: {adaptive: {npusch_i_tbs: [14]}}"),
        ".npusch_i_tbs: is 14; TS 36.213 table 16.5.1.2-2 for Cat NB1 allows 0, 1, 2,",
    ),
    "cells that no cluster has": (
        NETWORK.replace("cells: 3", "cells: 4"),
        'or write "wrap_around: off"',
    ),
    "a coupling loss beyond the tables": (
        NETWORK.replace("deployment: {cells: 3}", "coupling_loss: 190 dB"),
        "70 to 180 dB",
    ),
    "an expectation that is none": (BASE + 'expect: ["be fast"]\n', "be fast"),
}


BAD_USE: list[tuple[tuple[str, ...], str]] = [
    (("run", "study.yaml", "--set", "path.loss"), "KEY=VALUE"),
    (("run", "study.yaml", "--set", "path.loss=10"), 'write "10 %"'),
    (("run", "study.yaml", "--set", "path.los=10 %"), "path.loss"),
    (("run", "study.yaml", "--shard", "5/4"), "1/4"),
    (("run", "study.yaml", "--only", "zzzz"), "zzzz"),
    (("run", "study.yaml", "--jobs", "0"), "--jobs"),
    (("run", "study.yaml", "--jobs", "many"), "--jobs"),
    (("run", "study.yaml", "--on", "spark"), "write ray, ray://HOST or ray://HOST:PORT"),
    (("run", "study.yaml", "--on", "ray://head:0"), "write 1 to 65535"),
    (
        ("run", "study.yaml", "--on", "ray", "--dry-run"),
        "--on and --dry-run cannot be used together",
    ),
    (
        ("run", "study.yaml", "--on", "ray", "--capture"),
        "--on and --capture cannot be used together",
    ),
    (("run", "study.yaml", "--seed", "-1"), "seed"),
    (("run", "study.yaml", "--bogus"), "--bogus"),
    (("run", "missing.yaml"), "missing.yaml"),
    (("run", "chen-kunz-2061"), "chen-kunz-2016"),
    (("run", ".."), "folder"),
    (("run", "x" * 5000), "name"),
    (("run",), "STUDY"),
    (("report", "nowhere"), "nowhere"),
    (("report",), "DIR"),
    (("explain", "abc", "1"), "--in"),
    (("explain", "abc", "0"), "MESSAGE"),
    (("explain", "abc", "x:1", "--in", "nowhere"), "MESSAGE"),
    (("rnu",), "rnu"),
    (("init", "made.yaml", "--loss", "10"), 'write "10 %"'),
    (("init", "made.yaml", "--stack", "raw_utp"), "raw_udp"),
]


@dataclass(frozen=True, slots=True)
class Attempt:
    """What came of a command."""

    done: "subprocess.CompletedProcess[str]"
    left_behind: set[str]

    def assert_refused(self, clue: str) -> None:
        assert self.done.returncode == 2, self.done.stderr
        assert self.done.stdout == ""
        lines = self.done.stderr.splitlines()
        assert len(lines) == 1, self.done.stderr
        assert "Traceback" not in self.done.stderr
        assert "internal error" not in self.done.stderr
        assert clue in lines[0]
        assert self.left_behind == set()


def attempt(lasthop: Lasthop, *arguments: str) -> Attempt:
    before = found_in(lasthop.folder)
    done = lasthop(*arguments)
    return Attempt(done, found_in(lasthop.folder) ^ before)


def found_in(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*")}


@pytest.fixture(scope="module")
def attempt_on_text(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Attempt]:
    """Try to run each text as a study."""

    def run(text: str) -> Attempt:
        lasthop = Lasthop(tmp_path_factory.mktemp("text"))
        lasthop.write("study.yaml", text)
        return attempt(lasthop, "run", "study.yaml")

    return at_once(request, "text", run)


@pytest.fixture(scope="module")
def attempt_with(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[tuple[str, ...]], Attempt]:
    """Try each list of arguments beside a good study."""

    def run(arguments: tuple[str, ...]) -> Attempt:
        lasthop = Lasthop(tmp_path_factory.mktemp("arguments"))
        lasthop.write("study.yaml", SMALL_STUDY)
        return attempt(lasthop, *arguments)

    return at_once(request, "arguments", run)


@pytest.mark.parametrize(("text", "clue"), BAD.values(), ids=BAD.keys())
def test_a_bad_study_is_refused_in_one_line(
    attempt_on_text: Callable[[str], Attempt], text: str, clue: str
) -> None:
    attempt_on_text(text).assert_refused(clue)


def test_a_file_that_is_not_utf_8_is_refused(lasthop: Lasthop) -> None:
    (lasthop.folder / "study.yaml").write_bytes(BASE.encode() + b"title: caf\xe9\n")
    attempt(lasthop, "run", "study.yaml").assert_refused("UTF-8")


def test_a_huge_file_is_refused(lasthop: Lasthop) -> None:
    with (lasthop.folder / "study.yaml").open("wb") as file:
        for _ in range(100):
            file.write(b"# " + b"x" * 999_997 + b"\n")
    attempt(lasthop, "run", "study.yaml").assert_refused("larger")


@pytest.mark.parametrize(
    ("arguments", "clue"),
    BAD_USE,
    ids=lambda value: " ".join(value)[:40] if isinstance(value, tuple) else "",
)
def test_bad_usage_is_refused_in_one_line(
    attempt_with: Callable[[tuple[str, ...]], Attempt], arguments: tuple[str, ...], clue: str
) -> None:
    attempt_with(arguments).assert_refused(clue)
