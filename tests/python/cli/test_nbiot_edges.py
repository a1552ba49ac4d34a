"""Networks at the edge of what makes sense: a report that says so, in bounded memory."""

import json
import os
from pathlib import Path

import pytest

from .conftest import Lasthop

HEAD = "study: edge\nrepeat: 2\n"
METER = HEAD + "duration: 30 min\ntraffic: {report: 25 B, every: 5 min}\n"
CITY = HEAD + "duration: 6 min\ntraffic: {report: 25 B}\n"
SMALL = "deployment: {cells: 1, wrap_around: off}"

EDGES = {
    "no device": (
        METER + "devices: 0\nstacks: [raw_udp, mqtt]\npath: {nbiot: {coupling_loss: 144 dB}}\n",
        ["missing  raw_udp: no message was due", "missing  mqtt: no message was due"],
    ),
    "nobody comes": (
        CITY + "devices: {arrive: 0 /s}\nstacks: [raw_udp]\npath: {nbiot: {base: larmo_2019}}\n",
        ["missing  raw_udp: no message was due"],
    ),
    "a device out of coverage": (
        METER + "stacks: [raw_udp, mqtt]\npath: {nbiot: {coupling_loss: 180 dB}}\n",
        [
            "missing  raw_udp: none of 12 messages arrived: their device got no access to",
            "failed: session_not_set_up",
        ],
    ),
    "everyone out of coverage": (
        CITY
        + "devices: {arrive: 0.2 /s}\nstacks: [raw_udp]\npath: {nbiot: {base: larmo_2019, "
        + "deployment: {cells: 3, indoor_loss: 60 dB, inter_site_distance: 100 km}}}\n",
        ["messages arrived: their device got no access to the radio network"],
    ),
}


@pytest.mark.parametrize(("study", "said"), EDGES.values(), ids=EDGES.keys())
def test_an_edge_is_a_report_that_says_so(lasthop: Lasthop, study: str, said: list[str]) -> None:
    lasthop.write("study.yaml", study)
    done = lasthop("run", "study.yaml", "--jobs", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""
    for words in said:
        assert words in done.stdout
    page = (lasthop.folder / "results/edge/report.html").read_text(encoding="utf-8")
    assert "</html>" in page
    assert ("Messages that did not arrive" in page) == ("got no access" in done.stdout)


def overloaded(minutes: int, more: str = "") -> str:
    """Write a study that offers one cell several times what it carries."""
    return (
        f"study: edge\nduration: {minutes} min\ntraffic: {{report: 25 B}}\nrepeat: 1\n"
        f"devices: {{arrive: 80 /s, give_up: 20 s}}\nstacks: [raw_udp]\n{more}"
        f"path: {{nbiot: {{base: larmo_2019, {SMALL}}}}}\n"
    )


def test_a_load_far_above_capacity_is_said(lasthop: Lasthop) -> None:
    lasthop.write("study.yaml", overloaded(2))
    done = lasthop("run", "study.yaml", "--jobs", "1")
    assert done.returncode == 3
    assert "invalid  overload: raw_udp" in done.stdout
    assert '"measure: {overload: allow}" in the study allows it' in done.stdout
    lasthop.write("study.yaml", overloaded(2, "measure: {overload: allow}\n"))
    done = lasthop("run", "study.yaml", "--jobs", "1", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["referee"]["runs"][0]["check"] == "overload"


@pytest.mark.soak
def test_an_overload_takes_the_memory_of_its_give_up_time_and_no_more(lasthop: Lasthop) -> None:
    short, long = (peak_bytes(lasthop, minutes) for minutes in (2, 8))
    assert long - short < 16 * 2**20, f"{(long - short) / 2**20:.1f} MiB more"


def peak_bytes(lasthop: Lasthop, minutes: int) -> int:
    """Give the most memory that a command with such a run had at once."""
    lasthop.write("study.yaml", overloaded(minutes, "measure: {overload: allow}\n"))
    out = Path(f"results/{minutes}")
    command = ("run", "study.yaml", "--jobs", "1", "--no-report", "--out", str(out))
    with lasthop.start(*command) as running:  # its pipes hold the few lines that it says
        _, status, usage = os.wait4(running.pid, 0)
        running.returncode = os.waitstatus_to_exitcode(status)
    assert running.returncode == 0
    return usage.ru_maxrss * 1024
