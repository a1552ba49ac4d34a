"""What a study cannot mean is said before its first run, in one line with what to write instead."""

import json
import re
from pathlib import Path

import pytest

from lasthop.cli.shipped import find_study, shipped_studies
from lasthop.testbed import missing_requirement

from .conftest import Lasthop

ROOT = Path(__file__).parents[3]
SHORT = """\
study: short
duration: 10 s
measure: {drain: 5 s}
traffic: {report: 100 B, every: 1 s}
path: {delay: 20 ms}
stacks: [raw_udp]
repeat: 1
"""
LONG = """\
study: long
duration: 10 s
measure: {drain: 5 s}
fleet: {meters: {count: 3, path: cell, server: cloud}}
paths: {cell: {delay: 20 ms}}
servers: {cloud: {}}
traffic: {index: {from: meters, report: 100 B, every: 1 s}}
stacks: [raw_udp]
repeat: 1
"""
ASSISTED = """\
study: assisted
duration: 2 min
traffic: {report: 20 B, every: 30 s}
path: {nbiot: {coupling_loss: 120 dB, release_assistance: on}}
stacks: [coap]
repeat: 1
"""

REFUSED = {
    "an outage after the end": (
        SHORT.replace("{delay: 20 ms}", "{outages: [{start: 10 s, for: 1 s}]}"),
        (
            "5:26: path.outages.start: it begins after the end of the run at 10 s; write an "
            "earlier start, or a longer duration"
        ),
    ),
    "an outage of one direction after the end": (
        SHORT.replace("{delay: 20 ms}", "{up: {outages: [{start: 11 s, for: 1 s, every: 9 s}]}}"),
        (
            "5:31: path.up.outages.start: it begins after the end of the run at 10 s; write an "
            "earlier start, or a longer duration"
        ),
    ),
    "a restart longer than the run": (
        LONG + "events: [{start: 5 s, restart: cloud, for: 30 s}]\n",
        (
            "10:44: events.for: a restart of 30 s does not end within the run, "
            'which lasts for another 10 s; write less than 10 s, or use "outage" '
            "for a server that does not come back"
        ),
    ),
    "a minimum above the count": (
        LONG.replace("count: 3", "count: 3, minimum: 30"),
        (
            '4:37: fleet.meters.minimum: "minimum" wants 30 devices in each '
            "stratum, but only 3 are simulated; write 3 or less"
        ),
    ),
    "a minimum above what is simulated": (
        LONG.replace("count: 3", "count: 30, simulate: 10, minimum: 20"),
        (
            '4:52: fleet.meters.minimum: "minimum" wants 20 devices in each '
            "stratum, but only 10 are simulated; write 10 or less, or a larger "
            '"simulate"'
        ),
    ),
}

NOTED = {
    "a path that nobody uses": (
        LONG.replace("cell: {delay: 20 ms}", "cell: {delay: 20 ms}, wifi: {}"),
        'paths.wifi: no group uses this path; remove it, or add "path: wifi" to a group',
    ),
    "a server that nobody uses": (
        LONG.replace("cloud: {}", "cloud: {}, archive: {}"),
        (
            'servers.archive: no group uses this server; remove it, or add "server: archive" to a '
            "group"
        ),
    ),
    "a spread above the interval": (
        SHORT.replace("every: 1 s", "every: 1 s, spread: 4 s"),
        (
            "traffic.spread: devices start within 4 s, which is longer than their "
            'interval of 1 s, so fewer devices send at first; write "spread: 1 s", '
            "or a longer warm_up"
        ),
    ),
    "a power cut to the end": (
        LONG + "events: [{start: 5 s, power_cut: meters, for: 1 h}]\n",
        (
            "events.0.power_cut: meters are off until the end of the run; to let "
            'them come back, write a shorter "for" or a longer duration'
        ),
    ),
    "an outage of a profile after the end": (
        SHORT.replace("{delay: 20 ms}", "{profile: wifi_to_cellular_handover}"),
        (
            "path.profile: its outage begins at 285 s, but the run ends at 10 s; "
            "write a longer duration, or your own outages"
        ),
    ),
    "release assistance that nobody signals": (
        ASSISTED.replace("[coap]", "[coap, mqtt/quic, dds]"),
        (
            "path.nbiot.release_assistance: it has no effect with dds, mqtt/quic, "
            "because DDS and QUIC do not tell whether a packet will be answered; "
            'use a stack over TCP, UDP or DTLS, or write "release_assistance: off"'
        ),
    ),
    "a certificate against a pre-shared key": (
        SHORT.replace("[raw_udp]", "[coap/dtls, coap/dtls dtls.auth=certificate]"),
        (
            "stacks: they authenticate differently (pre-shared key; certificate), which costs "
            "bytes of its own; write the same credentials for all to compare protocols alone"
        ),
    ),
}

SILENT = {
    "release assistance where it is signalled": ASSISTED,
    "release assistance beside what comes to the device": ASSISTED.replace(
        "report: 20 B", "round_trip: 20 B"
    ),
    "release assistance for a kept connection": ASSISTED.replace("[coap]", "[coap, mqtt]"),
    "the short form": SHORT,
    "the long form": LONG,
    "a path that only a part of the sweep uses": LONG.replace(
        "cell: {delay: 20 ms}", "cell: {delay: 20 ms}, wifi: {}"
    )
    + "sweep: [{name: path, fleet.meters.path: [cell, wifi]}]\n",
    "a path that devices change to": LONG.replace(
        "cell: {delay: 20 ms}", "cell: {delay: 20 ms}, wifi: {}"
    )
    + "events: [{start: 5 s, change_path: meters, to: wifi}]\n",
    "a spread that has passed when it is measured": SHORT.replace(
        "every: 1 s", "every: 1 s, spread: 4 s"
    ).replace("{drain: 5 s}", "{warm_up: 4 s, drain: 5 s}"),
    "a restart that ends in the drain": LONG + "events: [{start: 8 s, restart: cloud, for: 5 s}]\n",
}


@pytest.mark.parametrize(("text", "line"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("options", [(), ("--dry-run",)], ids=["run", "dry run"])
def test_what_cannot_be_is_refused(
    lasthop: Lasthop, text: str, line: str, options: tuple[str, ...]
) -> None:
    lasthop.write("s.yaml", text)
    done = lasthop("run", "s.yaml", *options)
    assert (done.returncode, done.stderr) == (2, f"lasthop: s.yaml:{line}\n")
    assert not (lasthop.folder / "results").exists()


@pytest.mark.parametrize(("text", "line"), NOTED.values(), ids=NOTED)
def test_what_is_probably_not_meant_is_noted(lasthop: Lasthop, text: str, line: str) -> None:
    lasthop.write("s.yaml", text)
    done = lasthop("run", "s.yaml", "--no-report")
    assert (done.returncode, done.stderr) == (0, f"lasthop: note: {line}\n")
    dry = lasthop("run", "s.yaml", "--dry-run")
    assert f"note     {line}\n" in dry.stdout
    plain = json.loads(lasthop("run", "s.yaml", "--dry-run", "--json").stdout)
    assert plain["notes"] == [line]
    assert lasthop("run", "s.yaml", "--no-report", "--quiet").stderr == ""


@pytest.mark.parametrize("text", SILENT.values(), ids=SILENT)
def test_what_is_meant_is_not_noted(lasthop: Lasthop, text: str) -> None:
    lasthop.write("s.yaml", text)
    done = lasthop("run", "s.yaml", "--dry-run")
    assert (done.returncode, done.stderr) == (0, "")
    assert "\nnote " not in done.stdout


def test_different_credentials_are_noted_beside_the_answer(lasthop: Lasthop) -> None:
    text, _ = NOTED["a certificate against a pre-shared key"]
    lasthop.write("s.yaml", text + "decide: {minimise: latency_p95}\n")
    done = lasthop("run", "s.yaml", "--no-report")
    assert done.returncode == 0
    assert "note     different_credentials: coap/dtls, coap/dtls dtls.auth=certificate: " in (
        done.stdout
    )


FAILING = SHORT.replace("every: 1 s", "every: 1 s, session: established").replace(
    "{delay: 20 ms}", "{loss: 100 %}"
)


@pytest.mark.parametrize(
    ("more", "code"), [("", 3), ("expect: [delivery_ratio == 100 %]\n", 1)], ids=["", "expect"]
)
def test_that_all_runs_failed_is_no_success(lasthop: Lasthop, more: str, code: int) -> None:
    text = FAILING.replace("[raw_udp]", "[mqtt]").replace("{drain: 5 s}", "{set_up: 1 s}")
    lasthop.write("s.yaml", text.replace("repeat: 1", "repeat: 2") + more)
    done = lasthop("run", "s.yaml", "--no-report")
    assert done.returncode == code
    assert done.stderr == (
        "lasthop: all 2 runs failed (session_not_set_up), so nothing is answered; write a longer "
        '"measure: {set_up: 5 min}", or a path that loses less\n'
    )
    assert json.loads(lasthop("report", "results/short", "--json").stdout)["exit_code"] == code


def test_a_run_that_diverged_says_by_what(lasthop: Lasthop) -> None:
    stack = "[dds announcement_interval=100us]"
    lasthop.write("s.yaml", SHORT.replace("[raw_udp]", stack))
    done = lasthop("run", "s.yaml", "--no-report")
    assert done.returncode == 3
    assert "failed (diverged)" in done.stderr
    assert "more than 400 packets for each message and each 256 B of it" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def _own_names() -> list[tuple[str, Path]]:
    files = (
        path
        for it in shipped_studies()
        for path in it.path.parent.glob("*.yaml")
        if not path.name.startswith("figures")
    )
    named = ((re.search(r"^study: *(\S+)", file.read_text(), re.MULTILINE), file) for file in files)
    return [(found[1], file) for found, file in named if found is not None]


@pytest.mark.parametrize(("name", "file"), _own_names(), ids=lambda it: str(it).rpartition("/")[2])
def test_a_study_is_found_by_what_it_calls_itself(name: str, file: Path) -> None:
    assert find_study(name) == file


def test_every_study_that_the_docs_print_is_found() -> None:
    pages = [*ROOT.glob("docs/**/*.md"), ROOT / "README.md"]
    told = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    headings = re.findall(
        r"^### `([\w-]+)`$", (ROOT / "docs/validity.md").read_text(), re.MULTILINE
    )
    shipped = dict(_own_names())
    printed = {name for name in shipped if re.search(rf"`{re.escape(name)}`", told)}
    assert "chen-kunz-2016-twin" in headings
    for name in {*headings, *printed}:
        assert find_study(name).is_file()


def test_a_misspelt_study_is_asked_for_among_all_names(lasthop: Lasthop) -> None:
    done = lasthop("run", "chen-kunz-2016-twn")
    assert done.returncode == 2
    assert 'did you mean "chen-kunz-2016-twin"?' in done.stderr


LIVE = SHORT.replace("{report: 100 B", "{round_trip: 100 B") + "engine: live\n"


@pytest.mark.parametrize(
    ("stack", "line"),
    [
        (
            "mqtt impl=mine",
            (
                "impl=mine: there is no server software of this name; add --impl mine=COMMAND, "
                "or correct the name"
            ),
        ),
        (
            "mqtt impl=cyclonedds",
            (
                "impl=cyclonedds: it does not serve mqtt/tcp; write impl= of another server, "
                "or a stack of dds/udp"
            ),
        ),
        (
            "mqtt client=libcoap impl=mosquitto",
            "client=libcoap: it does not support mqtt/tcp; write a stack of coap/tcp, coap/udp",
        ),
    ],
)
@pytest.mark.parametrize("engine", ["live", "both"])
def test_a_pair_that_does_not_exist_is_refused_in_the_dry_run(
    lasthop: Lasthop, stack: str, line: str, engine: str
) -> None:
    lasthop.write("s.yaml", LIVE.replace("[raw_udp]", f"[{stack}]"))
    done = lasthop("run", "s.yaml", "--engine", engine, "--dry-run")
    if "cyclonedds" in done.stderr and "missing" in done.stdout + done.stderr:
        pytest.skip("cyclonedds is missing; pip install cyclonedds")
    assert (done.returncode, done.stderr) == (2, f"lasthop: {line}\n")


def test_a_dry_run_of_both_worlds_says_the_time_of_each(lasthop: Lasthop) -> None:
    lasthop.write("s.yaml", LIVE.replace("[raw_udp]", "[mqtt impl=mosquitto]"))
    done = lasthop("run", "s.yaml", "--engine", "both", "--dry-run")
    assert done.returncode == 0, done.stderr
    assert re.search(r"runs     1 to simulate by --engine virtual .*\n", done.stdout)
    assert re.search(r"time     about \d+ s\n +virtual: .*\n +live: about \d+ s", done.stdout)
    if missing_requirement() is not None:
        assert "missing  real software needs" in done.stdout
    plain = json.loads(lasthop("run", "s.yaml", "--engine", "both", "--dry-run", "--json").stdout)
    assert plain["worlds"].keys() == {"virtual", "live"}
    assert plain["estimated_s"] == pytest.approx(
        sum(world["estimated_s"] for world in plain["worlds"].values()), abs=0.2
    )
    assert plain["worlds"]["live"]["estimated_s"] >= 10
    assert not (lasthop.folder / "results").exists()
