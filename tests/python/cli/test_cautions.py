"""What to keep in mind of an answer, on the terminal and in the report."""

import json

import polars as pl
import pytest

from .conftest import SMALL_STUDY, Lasthop

METER = """\
study: meter
duration: 12 h
measure: {drain: 1 min}
traffic: {report: 60 B, every: 2 h}
path: {nbiot: {coupling_loss: 144 dB, release_assistance: on}}
stacks: [mqtt qos=1, mqtt qos=1 keep_alive=0s, coap]
repeat: 2
decide: {maximise: battery_years}
"""
IDEAL = "deal network: no time in base station and core"


def test_a_radio_says_whose_time_its_network_takes(lasthop: Lasthop) -> None:
    lasthop.write("meter.yaml", METER)
    done = lasthop("run", "meter.yaml", "--no-report")
    assert done.returncode == 0, done.stderr
    assert (
        "caution  base station, core and module take their time as operator_norway_" in done.stdout
    )
    assert IDEAL not in done.stdout


def test_the_answer_shows_how_far_years_lie_apart_between_networks(lasthop: Lasthop) -> None:
    names = "operator_norway_2019, operator_south_africa_2019, ideal"
    swept = f"sweep: [{{name: network, path.nbiot.network: [{names}]}}]\n"
    one = METER.replace("[mqtt qos=1, mqtt qos=1 keep_alive=0s, coap]", "[coap, raw_udp]")
    lasthop.write("meter.yaml", one + swept)
    done = lasthop("run", "meter.yaml")
    assert done.returncode == 0, done.stderr
    assert "base station" not in done.stdout
    for stack in ("coap", "raw_udp"):
        said = f"by the network's time the battery of {stack} lasts "
        (line,) = (one for one in done.stdout.splitlines() if said in one)
        told = [part.split(" years with ") for part in line.split(said)[1].split(", ")]
        assert [name for _, name in told] == names.split(", ")
        slow, fast, ideal = (float(years) for years, _ in told)
        assert slow < fast < ideal


def test_a_radio_says_that_its_network_is_ideal_and_what_keep_alive_takes(
    lasthop: Lasthop,
) -> None:
    lasthop.write("meter.yaml", METER.replace("{coupling_loss", "{network: ideal, coupling_loss"))
    done = lasthop("run", "meter.yaml")
    assert done.returncode == 0, done.stderr
    assert f"caution  i{IDEAL}" in done.stdout
    (said,) = (line for line in done.stdout.splitlines() if "keep-alive takes" in line)
    share = int(said.split("keep-alive takes ")[1].split("%")[0])
    assert 50 < share <= 100
    assert "of mqtt qos=1:" in said
    page = (lasthop.folder / "results/meter/report.html").read_text(encoding="utf-8")
    assert page.count(f"I{IDEAL}") == 2, "below the answer, and beside battery years"
    assert "Keep-alive takes" in page
    answer = json.loads(lasthop("report", "results/meter", "--json").stdout)["answer"]
    assert [one[:5] for one in answer["cautions"]] == ["ideal", "keep-"]


def test_a_link_without_a_radio_needs_no_caution(lasthop: Lasthop) -> None:
    lasthop.write("small.yaml", SMALL_STUDY)
    done = lasthop("run", "small.yaml")
    assert done.returncode == 0, done.stderr
    assert "caution" not in done.stdout


def test_blocks_that_no_answer_reached_in_time_name_the_setting(lasthop: Lasthop) -> None:
    study = METER.replace("drain: 1 min", "drain: 2 min").replace("report: 60 B", "report: 1500 B")
    stacks = "[coap type=non, coap type=non ack_timeout=30s, coap]"
    study = study.replace("[mqtt qos=1, mqtt qos=1 keep_alive=0s, coap]", stacks)
    lasthop.write("meter.yaml", study.replace("144 dB", "160 dB"))
    done = lasthop("run", "meter.yaml")
    assert done.returncode == 0, done.stderr
    (said,) = (line for line in done.stdout.splitlines() if "non-confirmable" in line)
    assert " messages of coap type=non failed because" in said
    assert "within ack_timeout=2s to 1.5 times that" in said
    assert said.endswith("write a longer ack_timeout")


def test_a_quick_look_says_that_it_ends_before_an_event(lasthop: Lasthop) -> None:
    events = "events: [{start: 30 s, restart: server}, {start: 70 s, restart: server}]\n"
    study = METER.replace("12 h", "2 min").replace("every: 2 h", "every: 10 s") + events
    study = study.replace("path: {nbiot: {coupling_loss: 144 dB, release_assistance: on}}\n", "")
    study = study.replace("maximise: battery_years", "minimise: latency_p95")
    lasthop.write("meter.yaml", study)
    told = "caution  the quick look ends before an event of the study"
    assert told in lasthop("run", "meter.yaml", "--quick").stdout
    assert "quick look" not in lasthop("run", "meter.yaml").stdout


def test_a_fault_that_met_nothing_is_told_of_the_stack_that_it_spared(lasthop: Lasthop) -> None:
    study = (
        METER[: METER.index("path:")].replace("12 h", "1 min").replace("every: 2 h", "every: 5 s")
    )
    study += "path: {delay: 50 ms}\nrepeat: 2\nstacks: [mqtt qos=1, mqtt qos=2]\n"
    lasthop.write("met.yaml", study + "faults: [{drop: mqtt.PUBACK}, {drop: mqtt.PUBREC}]\n")
    assert "no fault met" not in lasthop("run", "met.yaml", "--out", "met").stdout
    lasthop.write(
        "unmet.yaml", study + "faults: [{drop: mqtt.PUBACK, nth: 300}, {drop: mqtt.PUBREC}]\n"
    )
    done = lasthop("run", "unmet.yaml", "--out", "unmet")
    assert done.returncode == 0, done.stderr
    (said,) = (line for line in done.stdout.splitlines() if "no fault met" in line)
    assert said.startswith("caution  no fault met a packet of mqtt qos=1 in 2 of 2 runs")
    assert "mqtt.PUBACK" in said


def test_a_part_that_a_fault_spares_is_not_told_if_it_meets_another_part(lasthop: Lasthop) -> None:
    study = (
        METER[: METER.index("path:")].replace("12 h", "1 min").replace("every: 2 h", "every: 5 s")
    )
    study += "path: {delay: 50 ms}\nrepeat: 2\nstacks: [mqtt qos=1]\n"
    study += "faults: [{drop: mqtt.PUBACK, nth: 50}]\n"
    calm = "{name: calm, traffic.every: [10 s]}"
    lasthop.write(
        "parts.yaml", f"{study}sweep: [{{name: rough, traffic.every: [500 ms]}}, {calm}]\n"
    )
    assert "no fault met" not in lasthop("run", "parts.yaml", "--out", "parts").stdout
    lasthop.write("calm.yaml", f"{study}sweep: [{calm}]\n")
    assert "in 2 of 2 runs" in lasthop("run", "calm.yaml", "--out", "calm").stdout


SET_UP = """\
study: cellar
duration: 1 d
measure: {{set_up: 1 h, drain: 30 min}}
traffic: {{report: 60 B, every: 6 h, batch: 4, session: {session}}}
path: {{nbiot: {{coupling_loss: 164 dB, inactivity: 1 s}}}}
stacks: [coap/dtls ack_timeout=60s dtls.timeout=30s dtls.cid=8B]
energy: {{profile: sara_n2, battery: 30.6 Wh}}
repeat: 1
decide: {{maximise: battery_years}}
"""


def test_the_set_up_of_a_device_counts_once_in_its_battery_life(lasthop: Lasthop) -> None:
    lasthop.write("kept.yaml", SET_UP.format(session="keep"))
    kept = json.loads(lasthop("run", "kept.yaml", "--json", "--no-report").stdout)
    lasthop.write("before.yaml", SET_UP.format(session="established"))
    done = lasthop("run", "before.yaml", "--json", "--no-report", "--out", "established")
    before = json.loads(done.stdout)
    (said,) = (one for one in kept["answer"]["cautions"] if "set-up of all devices" in one)
    assert said.endswith("a battery life has it once")
    assert not [one for one in before["answer"]["cautions"] if "set-up" in one]
    ((first,), (second,)) = (it["answer"]["points"][0]["rows"] for it in (kept, before))
    # Other random numbers: had each day a set-up of its own, it would be more than 10 % less.
    assert first["battery_years"] == pytest.approx(second["battery_years"], rel=0.05)
    runs = pl.read_parquet(lasthop.folder / "results/cellar/runs.parquet").row(0, named=True)
    assert runs["energy_set_up_j"] > 0.1 * runs["energy_steady_j"]
