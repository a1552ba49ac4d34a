"""What one datagram carries, to the byte: in what is refused, and in what a run then does."""

import re
from collections.abc import Callable

import pytest

from lasthop import _native
from lasthop.errors import StudyError
from lasthop.results.arrow_stream import read_stream
from lasthop.study import Study

STUDY = """study: large-messages
duration: 10 s
repeat: 1
measure: {drain: 5 s}
stacks: [STACK]
traffic: {KIND: SIZE, every: 1 s}
path: {mtu: 1500 B, down: {delay: 10 ms}}
"""

STACKS = (
    "raw_udp",
    "raw_udp ack=on",
    "raw_udp ip.version=6",
    "json_udp",
    "json_udp ip.version=6",
    "raw_udp/dtls",
    "raw_udp/dtls ack=on dtls.cid=8B",
    "raw_udp/dtls dtls.auth=certificate dtls.version=1.3",
    "json_udp/dtls dtls.auth=certificate",
)
KINDS = ("report", "round_trip", "command")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stack", STACKS)
def test_what_is_refused_says_what_fits_and_that_arrives(
    stack: str, kind: str, load: Callable[..., Study]
) -> None:
    study = STUDY.replace("STACK", stack).replace("KIND", kind)
    with pytest.raises(StudyError, match="in one unfragmented datagram") as refused:
        load(study.replace("SIZE", "2 kB"))
    (room,) = re.findall(r'write "(\d+) B" or less', str(refused.value))
    with pytest.raises(StudyError, match=f'write "{room} B" or less'):
        load(study.replace("SIZE", f"{int(room) + 1} B"))
    (run,) = load(study.replace("SIZE", f"{room} B")).planned_runs()
    summary = _summary(run.spec_json)
    assert summary["messages_offered"] == 10
    assert summary["messages_delivered"] == 10
    if kind == "report" and "ack" not in stack and "dtls" not in stack:
        sent = summary["wire_bytes_up_offered"] / summary["packets_up_offered"]
        assert sent == pytest.approx(1500)


def test_bundles_are_held_against_the_path_as_a_whole(refused: Callable[[str, str], None]) -> None:
    study = STUDY.replace("STACK", "raw_udp").replace("KIND: SIZE", "report: 200 B, batch: 8")
    refused(
        study,
        (
            "6:19: traffic.report: raw_udp sends each message in one unfragmented datagram, "
            "and a bundle of *"
        ),
    )


def test_each_direction_has_an_mtu_of_its_own(load: Callable[..., Study]) -> None:
    study = STUDY.replace("STACK", "raw_udp").replace("mtu: 1500 B, down: {", "down: {mtu: 200 B, ")
    assert len(load(study.replace("KIND: SIZE", "report: 400 B"))) == 1
    for kind in ("round_trip", "command"):
        with pytest.raises(StudyError, match='write "172 B" or less'):
            load(study.replace("KIND: SIZE", f"{kind}: 400 B"))


def test_stacks_that_put_parts_together_carry_what_is_larger(load: Callable[..., Study]) -> None:
    study = STUDY.replace("STACK", "coap, mqtt").replace("KIND: SIZE", "report: 20 kB")
    assert len(load(study)) == 2


def _summary(spec: str) -> dict[str, float]:
    tables = _native.simulate(spec, run_id="0")
    (row,) = read_stream(tables.summary).rows(named=True)
    return dict(row)
