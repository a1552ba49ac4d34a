"""`lasthop fit`: captures of known stacks and paths come back as studies, and the runs agree."""

from pathlib import Path
from typing import Any

import pytest

import lasthop
from lasthop import Results
from lasthop.claims.judgement import ClaimVerdict
from lasthop.study.text.source import parse

from .conftest import Lasthop
from .test_ledger import pcap, publish

KNOWN = """\
study: known
duration: 20 min
measure: {{drain: 2 s}}
devices: 3
path: {{delay: 80 ms, loss: {loss}}}
traffic: {{report: 120 B, every: 10 s}}
stacks: [{stack}]
repeat: 1
"""


def fitted(lasthop_command: Lasthop, stack: str, *, loss: str = "0 %") -> tuple[Any, Results]:
    """Capture a run whose settings are known, fit a study to it, and run that."""
    folder = lasthop_command.folder
    (folder / "known.yaml").write_text(KNOWN.format(stack=stack, loss=loss))
    done = lasthop_command("run", "known.yaml", "--no-report", "--capture")
    assert done.returncode == 0, done.stderr
    captures = sorted(map(str, folder.glob("results/known/captures/*device*.pcapng")))
    done = lasthop_command("fit", *captures, "--out", "fit.yaml")
    assert done.returncode == 0, done.stderr
    study = parse((folder / "fit.yaml").read_text(), name="fit.yaml").value
    return study, lasthop.run(folder / "fit.yaml", out=folder / "of-fit")


def amount(text: str) -> float:
    return float(text.split(maxsplit=1)[0])


CASES = {
    "mqtt qos=1": "mqtt qos=1",
    "mqtt qos=2": "mqtt qos=2",
    "mqtt qos=0": "mqtt qos=0",
    "coap": "coap type=con",
    "coap type=non": "coap type=non",
    "coap/dtls": "coap/dtls",
    "raw_udp": "raw_udp",
}


@pytest.mark.parametrize("stack", CASES)
def test_a_known_stack_comes_back(lasthop: Lasthop, stack: str) -> None:
    study, results = fitted(lasthop, stack)
    (found,) = study["stacks"]
    assert found.startswith(CASES[stack]), found
    assert study["fleet"]["devices"]["count"] == 3
    readings = study["traffic"]["readings"]
    assert amount(readings["every"]) == pytest.approx(10, rel=0.02)
    assert "arrivals" not in readings
    assert amount(readings["report"]) == pytest.approx(120, abs=20)
    held = {one.id: one.verdict for one in results.judgements}
    assert held.pop("messages") is ClaimVerdict.PREDICTED
    assert held.pop("bytes") is ClaimVerdict.PREDICTED
    assert set(held) == ({"response"} if stack in ANSWERED else set())
    assert set(held.values()) <= {ClaimVerdict.PREDICTED}


ANSWERED = {"mqtt qos=1", "coap", "coap/dtls"}


def test_loss_and_round_trip_come_back_within_their_intervals(lasthop: Lasthop) -> None:
    study, _ = fitted(lasthop, "coap", loss="5 %")
    network = study["paths"]["network"]
    assert 2 < amount(network["loss"]) < 8
    assert amount(network["delay"]) == pytest.approx(80, rel=0.05)


def test_what_is_not_known_is_named(lasthop: Lasthop) -> None:
    fitted(lasthop, "coap/dtls")
    written = (lasthop.folder / "fit.yaml").read_text()
    assert "# - QoS, topics, headers and fields: hidden" in written
    assert "# - the rate of the link and its queue" in written


def test_ten_packets_are_too_few(lasthop: Lasthop) -> None:
    (lasthop.folder / "few.pcap").write_bytes(pcap(*(publish(number) for number in range(10))))
    done = lasthop("fit", "few.pcap", "--out", "fit.yaml")
    assert done.returncode == 2
    assert done.stderr == (
        "lasthop: the capture has 10 messages of coap in 10 packets, of which 4 are in its last "
        "third; a fit needs at least 12, some of them there; capture for longer\n"
    )
    assert not Path(lasthop.folder, "fit.yaml").exists()


def test_a_capture_without_ip_is_refused(lasthop: Lasthop) -> None:
    arp = bytes(12) + b"\x08\x06" + bytes(28)
    (lasthop.folder / "arp.pcap").write_bytes(pcap(arp, link_type=1))
    done = lasthop("fit", "arp.pcap", "--out", "fit.yaml")
    assert done.returncode == 2
    assert done.stderr.startswith("lasthop: the capture has no UDP or TCP packet")


def test_no_file_is_overwritten(lasthop: Lasthop) -> None:
    (lasthop.folder / "fit.yaml").write_text("mine")
    done = lasthop("fit", "one.pcap", "--out", "fit.yaml")
    assert done.returncode == 2
    assert "fit.yaml is there already; write another name, or remove it" in done.stderr
    assert (lasthop.folder / "fit.yaml").read_text() == "mine"
