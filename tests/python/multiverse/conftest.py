"""A study with claims and a multiverse of it, with runs made up for every reading."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from lasthop.multiverse import Multiverse, analyse
from lasthop.results.description import describe_study
from lasthop.results.schema import MEASURED
from lasthop.study import PlannedRun, Study, load_study

BASE = "duration: 1 min\ntraffic: {round_trip: 409 B, every: 1 s}\n"
STUDY = f"""\
study: original
{BASE}
claims: published.yaml
stacks: [mqtt qos=1, json_udp, mqtt_sn]
sweep:
  - {{name: bad, path.loss: [10 %]}}
  - {{name: loss, path.loss: [0 %, 20 %]}}
"""
PUBLISHED = """\
claims:
  - id: LATE
    kind: value
    what: mean latency of MQTT
    rules: [{column: latency_mean, stacks: [mqtt qos=1], part: bad, equals: 100 ms}]
  - id: CONTROL
    kind: value
    what: control bytes of MQTT
    rules:
      - {column: control_bytes_per_100_ethernet, stacks: [mqtt qos=1], part: bad, equals: 50}
  - id: ORDER
    kind: order
    what: MQTT is later than UDP
    rules: [{column: latency_mean, part: bad, lowest_first: [json_udp, mqtt qos=1]}]
  - id: RISE
    kind: order
    what: bytes rise with loss
    rules:
      - column: wire_bytes_offered
        stacks: [mqtt qos=1]
        part: loss
        change_over: path.loss
        above: 5 %
  - id: UDP
    kind: value
    what: loss of UDP
    rules: [{column: loss_ratio, stacks: [json_udp], part: bad, equals: 10 %}]
  - id: DDS
    kind: value
    what: mean latency of DDS
    rules: [{column: latency_mean, stacks: [mqtt_sn, mqtt qos=1], part: bad, equals: 100 ms}]
  - {id: NOTE, kind: note, what: a note}
"""
MULTIVERSE = f"""\
study: readings
{BASE}
multiverse: {{of: study.yaml, stack: mqtt qos=1}}
path: {{loss: 10 %, delay: {{around: 10 ms, spread: 20 %}}}}
stacks: ["mqtt qos={{1,0}} tcp.nodelay={{on,off}}", json_udp]
sweep: [{{name: bad, path.reordering: [on, off]}}]
repeat: 5
"""

Measure = Callable[[PlannedRun], Mapping[str, Any]]
Analyse = Callable[..., Multiverse]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a study, its claims and a multiverse of it."""
    (tmp_path / "study.yaml").write_text(STUDY)
    (tmp_path / "published.yaml").write_text(PUBLISHED)
    (tmp_path / "multiverse.yaml").write_text(MULTIVERSE)
    return tmp_path


@pytest.fixture
def analysed(folder: Path) -> Analyse:
    """Analyse a multiverse whose runs are as a function says."""

    def run(measure: Measure, text: str = MULTIVERSE) -> Multiverse:
        (folder / "multiverse.yaml").write_text(text)
        study = load_study(folder / "multiverse.yaml")
        return analyse(made_up(study, measure).lazy(), describe_study(study))

    return run


def made_up(study: Study, measure: Measure) -> pl.DataFrame:
    """Lay out the rows of ``runs.parquet`` with what a function measures in each run."""
    blank = dict.fromkeys(column.name for column in MEASURED)
    counts: dict[str, Any] = {
        "messages_offered": 60,
        "payload_bytes_first_sent": 2 * 60 * 409,
        **{f"packets_{way}_{fate}": 100 for way in ("up", "down") for fate in FATES},
        **{f"wire_bytes_{way}_{fate}": 30_000 for way in ("up", "down") for fate in FATES},
        "control_bytes_per_100": 50.0,
        "control_bytes_per_100_ethernet": 50.0,
        "latency_mean_ms": 100.0,
        "delivery_ratio": 1.0,
    }
    rows = []
    for run in study.planned_runs():
        status = {"status": "completed"} if run.supported else {"status": "unsupported"}
        rows.append(
            {
                "part": run.part,
                "run_id": run.run_id,
                "stack": run.stack,
                "seed": run.seed,
                "repetition": run.repetition,
                **blank,
                **({**counts, **measure(run)} if run.supported else {}),
                **status,
                "reason": run.reason,
                **run.parameters,
                "run_spec": run.spec_json,
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


FATES = ("offered", "delivered")
