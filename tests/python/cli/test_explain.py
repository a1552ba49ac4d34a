"""`lasthop explain`: which folder a run is looked for in."""

import json
import re
import shutil

import polars as pl
import pytest

from .conftest import Lasthop

ONE = """\
study: one
duration: 5 s
traffic: {report: 40 B, every: 1 s}
path: {delay: 20 ms}
stacks: [raw_udp]
repeat: 1
"""


def run_id(lasthop: Lasthop, folder: str) -> str:
    return str(pl.read_parquet(lasthop.folder / folder / "runs.parquet")["run_id"][0])


@pytest.fixture
def results(lasthop: Lasthop) -> Lasthop:
    """Two studies in `results`, and the second one's runs are of another seed."""
    lasthop.write("one.yaml", ONE)
    lasthop.write("two.yaml", ONE.replace("study: one", "study: two\nseed: 7"))
    for study in ("one", "two"):
        done = lasthop("run", f"{study}.yaml", "--no-report")
        assert done.returncode == 0, done.stderr
    return lasthop


def test_a_run_is_found_in_whichever_folder_holds_it(results: Lasthop) -> None:
    shutil.copytree(results.folder / "results/one", results.folder / "beside")
    shutil.rmtree(results.folder / "results/one")
    for folder in ("beside", "results/two"):
        name = run_id(results, folder)
        done = results("explain", name[:8], "1")
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"run {name}: raw_udp")
        there = results("explain", name[:8], "1", "--in", folder)
        assert there.stdout == done.stdout


def test_a_run_in_the_folder_itself_is_found_there(results: Lasthop) -> None:
    name = run_id(results, "results/one")
    done = results("explain", name, "1", cwd=results.folder / "results/one")
    assert done.returncode == 0, done.stderr


def test_a_run_on_a_clock_is_told_by_its_row_and_its_capture(lasthop: Lasthop) -> None:
    lasthop.write("one.yaml", f"{ONE}engine: wall_clock\nmeasure: {{drain: 1 s}}\n")
    assert lasthop("run", "one.yaml", "--no-report", "--capture").returncode == 0
    name = run_id(lasthop, "results/one")
    done = lasthop("explain", name, "2")
    assert done.returncode == 0, done.stderr
    capture = f"results/one/captures/{name}.device-0.pcapng"
    lines = done.stdout.splitlines()
    assert [line.split("ms  ")[-1] for line in lines[1:4]] == [
        "the message is due",
        "it leaves its device",
        "it arrives",
    ]
    assert re.fullmatch(rf"Packet 2 of {capture} carries it:", lines[-2]), lines
    assert lines[-1] == f"tshark -r {capture} -Y 'frame.number in {{2}}'"
    told = json.loads(lasthop("explain", name, "2", "--json").stdout)
    assert (told["packets"], told["capture"]) == ([2], capture)
    missing = lasthop("explain", name, "99")
    assert (missing.returncode, "the run has no " in missing.stderr) == (2, True)


def test_several_folders_with_the_run_are_named(results: Lasthop) -> None:
    shutil.copytree(results.folder / "results/one", results.folder / "beside")
    name = run_id(results, "beside")[:8]
    done = results("explain", name, "1")
    assert done.returncode == 2
    assert done.stderr == (
        f'lasthop: runs that begin with "{name}" are in beside, results/one; choose '
        "one with --in beside\n"
    )


def test_no_folder_with_the_run_is_said_with_those_that_were_seen(results: Lasthop) -> None:
    done = results("explain", "zzzz", "1")
    assert done.returncode == 2
    assert done.stderr == (
        'lasthop: no run in results/one, results/two begins with "zzzz"; write its '
        "folder with --in DIR\n"
    )


def test_a_folder_that_cannot_be_read_hides_no_other(results: Lasthop) -> None:
    name = run_id(results, "results/two")
    (results.folder / "results/one/runs.parquet").write_bytes(b"PAR1 damaged")
    done = results("explain", name[:8], "1")
    assert done.returncode == 0, done.stderr


def test_nothing_here_is_said(lasthop: Lasthop) -> None:
    done = lasthop("explain", "ab", "1")
    assert done.returncode == 2
    assert done.stderr == "lasthop: there are no results here; write their folder with --in DIR\n"


def test_the_slowest_message_of_a_stack_is_found(results: Lasthop) -> None:
    done = results("explain", "--slowest", "raw_udp", "--in", "results/one", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["run_id"] == run_id(results, "results/one")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (
            ("--slowest", "coap", "--in", "results/one"),
            'has no run of "coap"; write one of raw_udp',
        ),
        (("--slowest", "raw_udp"), "results are in results/one, results/two; write a folder"),
        (("ab", "1", "--slowest", "raw_udp"), "cannot be used together"),
        (("--slowest", "--in", "results"), "--slowest: the stack is missing before --in"),
        ((), 'RUN and MESSAGE are missing; write both, or "--slowest STACK"'),
    ],
)
def test_a_slowest_message_that_cannot_be_found_is_refused(
    results: Lasthop, arguments: tuple[str, ...], told: str
) -> None:
    done = results("explain", *arguments)
    assert done.returncode == 2
    assert told in done.stderr


def test_a_study_that_sums_its_messages_has_no_slowest(lasthop: Lasthop) -> None:
    lasthop.write("one.yaml", ONE + "measure: {messages: summed}\n")
    done = lasthop("run", "one.yaml", "--no-report")
    assert done.returncode == 0, done.stderr
    done = lasthop("explain", "--slowest", "raw_udp")
    assert done.returncode == 2
    assert done.stderr == (
        "lasthop: --slowest: the study keeps only sums and no single messages; "
        'write "measure: {messages: each}"\n'
    )


GROUPS = """\
study: groups
duration: 20 s
fleet: {meters: {count: 5, path: line}, alarms: {count: 3, path: line}}
paths: {line: {delay: 20 ms}}
servers: {head_end: {}}
traffic:
  index: {from: meters, to: head_end, report: 40 B, every: 1 s}
  ring: {from: alarms, to: head_end, report: 20 B, every: 2 s}
  test: {from: alarms, to: head_end, report: 30 B, every: 4 s}
stacks: [raw_udp]
repeat: 1
"""


@pytest.fixture
def of_groups(lasthop: Lasthop) -> Lasthop:
    lasthop.write("groups.yaml", GROUPS)
    done = lasthop("run", "groups.yaml", "--no-report")
    assert done.returncode == 0, done.stderr
    return lasthop


def test_devices_are_counted_as_in_the_table_of_messages(of_groups: Lasthop) -> None:
    messages = pl.read_parquet(of_groups.folder / "results/groups/messages.parquet")
    for group, flow in (("meters", "index"), ("alarms", "ring"), ("alarms", "test")):
        row = messages.filter(group=group, flow=flow, device=2, message=3).row(0, named=True)
        for name in (f"2:{flow}:3", f"{group}/2:{flow}:3"):
            done = of_groups("explain", row["run_id"], name, "--json")
            assert done.returncode == 0, done.stderr
            events = json.loads(done.stdout)["events"]
            assert events[0]["time_ns"] == row["intended_ns"]
            assert events[-1]["time_ns"] == row["delivered_ns"]


def test_a_group_is_asked_for_where_several_are_meant(of_groups: Lasthop) -> None:
    name = run_id(of_groups, "results/groups")
    for message, said in (
        ("2:3", 'device 2 exists in meters and alarms; write for example "meters/2:3"'),
        ("sirens/2:3", "the run has no device 2 of sirens, message 3; its flows are "),
        ("meters/2:ring:3", "the run has no device 2 of meters, ring message 3; its flows are "),
        ("alarms/3:1", "there is no device 3: alarms has 3, the first of which is 0"),
        ("/2:3", '"/2:3" is not a message; write 17, '),
    ):
        done = of_groups("explain", name, message)
        assert done.returncode == 2
        assert done.stderr.startswith(f"lasthop: MESSAGE: {said}")
    assert of_groups("explain", name, "alarms/2:1").returncode == 0


METER = """\
study: meter
duration: 1 h
measure: {drain: 1 min}
traffic: {report: 60 B, every: 1 h}
path: {nbiot: {coupling_loss: 154 dB, release_assistance: on}}
energy: {profile: tr_45_820, battery: 5 Wh}
stacks: [coap ack_timeout=30s]
repeat: 1
"""


@pytest.fixture
def meter(lasthop: Lasthop) -> Lasthop:
    """One report of a meter over NB-IoT."""
    lasthop.write("meter.yaml", METER)
    done = lasthop("run", "meter.yaml", "--no-report")
    assert done.returncode == 0, done.stderr
    return lasthop


def test_a_report_by_radio_shows_what_each_channel_carried_and_where_its_joules_went(
    meter: Lasthop,
) -> None:
    run = run_id(meter, "results/meter")
    done = meter("explain", run, "1")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    said = [line.split(" ms  ", 1)[1].split("  ", 1) for line in lines if " ms  " in line[:40]]
    order = [
        ("device", "is due, 60 B of payload"),
        ("NPRACH", "preamble 1"),
        ("NPUSCH", "Msg3: RRCConnectionRequest-NB"),
        ("network", "SecurityModeCommand waits for the MME"),
        ("server", "is delivered"),
        ("NPDSCH", "RRCConnectionRelease-NB"),
    ]
    places = [
        next(
            place
            for place, (where, what) in enumerate(said)
            if where == name and what.strip().startswith(words)
        )
        for name, words in order
    ]
    assert places == sorted(places), done.stdout
    (head,) = (place for place, line in enumerate(lines) if line.startswith("the radio from then"))
    assert len(lines[head:]) > 5
    assert lines[head + 1].split() == ["for", "sends", "listens", "sleeps", "joules", "share"]


def test_a_report_by_radio_says_which_times_of_the_network_it_waited_for(meter: Lasthop) -> None:
    run = run_id(meter, "results/meter")
    lines = meter("explain", run, "1").stdout.splitlines()
    (head,) = (place for place, line in enumerate(lines) if line.startswith("the message took"))
    (end,) = (place for place, line in enumerate(lines) if line.startswith("the radio from then"))
    took = float(lines[head].split()[3])
    parts = {}
    for line in lines[head + 1 : end]:
        name, seconds, _unit, share = line.strip().rsplit(maxsplit=3)
        parts[name.strip()] = float(seconds)
        assert float(share.removesuffix("%")) == pytest.approx(100 * float(seconds) / took, abs=1)
    assert sum(parts.values()) == pytest.approx(took, abs=0.001 * len(parts))
    # The preset: a module of 200 ms, an MME that answers in 38 ms and agrees to a release in as
    # many, a base station of 8 ms twice. What is on the air counts first.
    assert 0.03 < parts["the MME"] <= 0.076
    assert 0.005 < parts["the base station"] <= 0.016
    assert parts["the module"] >= 0.2
    assert {"the next preamble opportunity", "the search space and the scheduler"} <= parts.keys()


def test_the_joules_of_a_report_are_those_of_its_run(meter: Lasthop) -> None:
    told = json.loads(meter("explain", run_id(meter, "results/meter"), "1", "--json").stdout)
    radio = told["radio"]
    run = pl.read_parquet(meter.folder / "results/meter/runs.parquet").row(0, named=True)
    causes = {span["cause"] for span in radio["spans"]}
    assert {"payload", "signalling", "random_access", "module"} <= causes
    for cause in causes:
        joules = sum(span["joules"] for span in radio["spans"] if span["cause"] == cause)
        assert joules == pytest.approx(run[f"energy_{cause}_j"], rel=1e-6), cause
    for before, after in zip(radio["spans"], radio["spans"][1:], strict=False):
        assert before["until_ns"] == after["from_ns"]
    assert all(event["from_ns"] <= event["until_ns"] for event in radio["events"])


def test_a_picture_is_drawn_of_a_radio_and_refused_of_a_wire(
    meter: Lasthop, results: Lasthop
) -> None:
    run = run_id(meter, "results/meter")
    done = meter("explain", run, "1", "--picture", "report.svg")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "picture  report.svg"
    svg = (meter.folder / "report.svg").read_text(encoding="utf-8")
    told = meter("explain", run, "1").stdout
    (mme,) = re.findall(r"^  the MME +(\S+ s) ", told, re.MULTILINE)
    waits = ("it waited for", f"the MME, {mme}", "the next preamble opportunity, ")
    for word in ("NPRACH", "NPUSCH", "network", "joules so far", "signalling", *waits):
        assert word in svg, word
    wired = results("explain", run_id(results, "results/one"), "1", "--picture", "one.svg")
    assert wired.returncode == 2
    assert "--picture: the device of this message has no simulated radio" in wired.stderr
    wrong = meter("explain", run, "1", "--picture", "report.gif")
    assert wrong.returncode == 2
    assert "write a name that ends in .svg, .png, .pdf" in wrong.stderr
