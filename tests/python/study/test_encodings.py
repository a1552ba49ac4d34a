"""The same fields in other encodings: their size, their bytes in a run, and what cannot be."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING

import pytest

from lasthop import _native
from lasthop.errors import StudyError
from lasthop.results.arrow_stream import read_stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from lasthop.study import Study

STUDY = """\
study: encoded
duration: 10 s
traffic: {{report: {report}, every: 1 s}}
stacks: [{stack}]
repeat: 1
"""
ID_BYTES = 8


def payload_of(study: Study) -> tuple[str, int | None]:
    """Give the fields as JSON, and the size that the run's spec says."""
    (run,) = study.planned_runs()
    ((_, payload),) = json.loads(run.spec_json)["flows"][0]["payload"].items()
    return payload["fields"], payload["bytes"]


@pytest.mark.parametrize("compression", ["none", "deflate"])
@pytest.mark.parametrize("encoding", ["json", "cbor", "protobuf"])
def test_every_message_has_the_size_that_is_said(
    encoding: str, compression: str, load: Callable[..., Study]
) -> None:
    report = f"{{fields: 10, encoding: {encoding}, compression: {compression}}}"
    study = load(STUDY.format(report=report, stack="mqtt qos=1"))
    (run,) = study.planned_runs()
    tables = _native.simulate(run.spec_json, run_id=run.run_id)
    (summary,) = read_stream(tables.summary).rows(named=True)
    fields, said = payload_of(study)
    # Plain JSON has "id":"AAAAAAAB" and a comma beside the fields.
    size = said or len(fields.encode()) + 2 * ID_BYTES
    assert summary["messages_delivered"] > 0
    assert summary["payload_bytes_first_sent"] == size * summary["messages_offered"]


def test_deflated_json_is_as_long_as_zlib_makes_it(load: Callable[..., Study]) -> None:
    study = load(STUDY.format(report="{fields: 100, compression: deflate}", stack="mqtt"))
    fields, said = payload_of(study)
    by_zlib = ID_BYTES + len(zlib.compress(fields.encode()))
    assert said == pytest.approx(by_zlib, rel=0.05)


@pytest.mark.parametrize(
    ("report", "stack", "said"),
    [
        ("{encoding: cbor}", "mqtt", 'has no fields; write "json: {heart_rate: 72}"'),
        ("{json: {a: 1}, fields: 2}", "mqtt", "has both json and fields"),
        ("{fields: 0}", "mqtt", "fields"),
        ("{fields: 5000}", "mqtt", "fields"),
        ("{fields: 2, encoding: xml}", "mqtt", "xml"),
        ("{fields: 2, encoding: cbor, size: 99 B}", "mqtt", "only with uncompressed JSON"),
        (
            "{fields: 2, compression: deflate, size: 99 B}",
            "mqtt",
            "only with uncompressed JSON; remove it",
        ),
        ("{fields: 2, encoding: cbor}", "json_udp", "json_udp carries only uncompressed JSON"),
        ("{json: {id: 1}, encoding: cbor}", "mqtt", 'the field name "id" is reserved'),
    ],
)
def test_what_cannot_be_is_refused(
    report: str, stack: str, said: str, load: Callable[..., Study]
) -> None:
    with pytest.raises(StudyError) as caught:
        load(STUDY.format(report=report, stack=stack))
    assert said in str(caught.value)
