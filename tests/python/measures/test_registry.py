"""The registry owns what is measured: all that tells of a measure says what its entry says."""

import subprocess
import sys
from pathlib import Path

import polars as pl
import pyarrow as pa
import pytest
from docs.generator import PARTS

from lasthop import _native
from lasthop.answer import projection
from lasthop.answer.expectation import ExpectationVerdict, judge_expectations
from lasthop.compare.watched import watched
from lasthop.measures import (
    COLUMNS,
    DERIVED,
    ENERGY_CAUSES,
    Direction,
    Kind,
    Measure,
    Origin,
    measure,
)
from lasthop.multiverse import counting
from lasthop.referee import row
from lasthop.report import styles
from lasthop.results.meaning import meaning
from lasthop.results.schema import runs_schema
from lasthop.study import Study, load_study
from lasthop.study.claims.measurand import measurand

LASTHOP = Path(_native.__file__).parent
MEASURED = [column for column in COLUMNS if column.is_measured]
STUDY = """\
study: measured
duration: 1 s
path: {{nbiot: {{coupling_loss: 144 dB}}}}
traffic: {{report: 50 B, every: 250 ms, within: 1 s}}
events: [{{start: 500 ms, outage: server, for: 100 ms}}]
tariff: {{price: 1 USD/MB}}
energy: {{load: {{constant: 1 uW}}, lifetime: 1 year}}
stacks: [raw_udp]
decide: {{require: ["{least}"], minimise: {aim}}}
expect: ["{least}"]
"""


def study_about(column: Measure, folder: Path) -> Study:
    unit = {"fraction": "%", "count": "", "years": "", "money": "USD"}.get(column.unit, column.unit)
    least = f"{column.short_name} >= 0 {'' if column.per else unit}".rstrip()
    file = folder / "measured.yaml"
    file.write_text(STUDY.format(least=least, aim=column.short_name))
    return load_study(file)


def test_every_column_of_runs_has_exactly_one_entry() -> None:
    assert runs_schema({}).names == [column.name for column in COLUMNS]
    named = [column.name for column in (*COLUMNS, *DERIVED)]
    in_expressions = [column.short_name for column in (*COLUMNS, *DERIVED)]
    assert len(set(named)) == len(named)
    assert len(set(in_expressions)) == len(in_expressions)


@pytest.mark.parametrize("column", MEASURED, ids=lambda column: column.name)
def test_whatever_is_measured_can_be_expected_required_aimed_at_and_claimed(
    column: Measure, tmp_path: Path
) -> None:
    study = study_about(column, tmp_path)
    assert study.decide is not None
    assert study.decide.column == column.name
    assert study.decide.require[0].comparison.columns == (column.name,)
    assert study.expect[0].comparison.columns == (column.name,)
    assert measurand(column.short_name).columns == (column.name,)


def test_an_overload_can_be_expected_not_to_be() -> None:
    runs = pl.DataFrame(
        {
            "run_id": ["a", "b", "c"],
            "part": "base",
            "stack": "raw_udp",
            "repetition": [1, 2, 3],
            "status": "completed",
            "uncarried_ratio": [0.02, 0.31, None],
        }
    )
    (failure,) = judge_expectations(runs, ["uncarried_ratio <= 10 %"])
    assert (failure.failed, failure.applied) == (2, 3)
    assert "too short to tell" in str(failure)
    (held,) = judge_expectations(runs[:1], ["uncarried_ratio <= 10 %"])
    assert held.verdict is ExpectationVerdict.HELD


def test_the_reference_tells_of_every_measure() -> None:
    tables, names = PARTS["result_tables"](), PARTS["measured_names"]()
    for column in COLUMNS:
        assert f"| `{column.name}` |" in tables
        assert meaning("runs", column.name) == column.meaning
    for column in MEASURED:
        assert f"| `{column.short_name}` | `{column.name}` |" in names


def test_rust_gives_every_measure_its_type_and_unit(tmp_path: Path) -> None:
    run, *_ = study_about(measure("battery_years"), tmp_path).planned_runs()
    given = pa.ipc.open_stream(_native.simulate(run.spec_json, run_id=run.run_id).summary).schema
    stored = {column.name: column for column in runs_schema({})}
    assert [field.name for field in given] == [
        column.name for column in COLUMNS if column.origin is not Origin.PLAN
    ]
    for field in given:
        column = stored[field.name]
        assert field.type == pa.type_for_alias(column.kind), field.name
        assert field.metadata == (column.unit and {b"unit": column.unit.encode()}), field.name


def test_a_share_knows_columns_that_count_its_trials() -> None:
    by_name = {column.name: column for column in COLUMNS}
    for column in (*COLUMNS, *DERIVED):
        if column.trials is not None:
            assert column.kind is Kind.SHARE
            for counting in (column.trials.of, column.trials.successes):
                assert counting is None or by_name[counting].kind is Kind.COUNT
    for column in DERIVED:
        assert column.made_of is not None
        assert all(by_name[name].is_measured for name in column.made_of.columns)


def test_what_is_watched_says_which_way_is_better() -> None:
    columns = [column.name for column in COLUMNS]
    assert all(column.direction is not Direction.NEITHER for column in COLUMNS if column.is_watched)
    found = {one.column.name: one.more_is_better for one in watched({}, columns)}
    assert found["delivery_ratio"]
    assert not found["latency_p95_ms"]


def test_every_cause_of_energy_has_a_colour() -> None:
    assert set(styles.ENERGY_CAUSES) == set(ENERGY_CAUSES)


def test_whoever_reads_columns_reads_such_that_are_measured() -> None:
    read = {*projection.SHOWN, *row.COLUMNS, *counting.READ - {counting.PAYLOAD}}
    read = read.union(*counting.CHANGED.values())
    assert read <= {column.name for column in COLUMNS}


def test_the_registry_loads_no_tables() -> None:
    code = "import sys, lasthop.measures; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not {"polars", "pyarrow", "pydantic"} & set(done.stdout.split())


ADDED = """
ENERGY = (
    *ENERGY,
    Measure(
        name="energy_of_toast_j",
        kind=Kind.POSITIVE,
        unit="J",
        called="energy of the toast",
        direction=Direction.LESS,
        is_watched=True,
        meaning="What the toaster drew.",
    ),
)
"""
FOUND = """
from docs.generator import PARTS
from lasthop.compare.watched import watched
from lasthop.measures import column_of
from lasthop.results.meaning import meaning
from lasthop.results.schema import SUMMARY, runs_schema
from lasthop.study import parse_expression
from lasthop.study.claims.measurand import measurand
from lasthop.study.expressions import measured_column

name = "energy_of_toast_j"
assert [column.unit for column in SUMMARY if column.name == name] == ["J"]
assert runs_schema({}).names.count(name) == 1
assert meaning("runs", name) == "What the toaster drew."
assert column_of(name).label == "energy of the toast"
assert parse_expression("energy_of_toast < 2 kJ").evaluate({name: 1999.0})
assert measured_column("energy_of_toast") == name
assert measurand("energy_of_toast").value({name: 3.0}) == 3.0
assert [one.more_is_better for one in watched({}, [name])] == [False]
assert "`energy_of_toast <= 10 J`" in PARTS["measured_names"]()
assert f"| `{name}` | J | number | What the toaster drew. |" in PARTS["result_tables"]()
"""


def test_an_entry_is_all_that_a_new_measure_needs(tmp_path: Path) -> None:
    copy = tmp_path / "lasthop"
    copy.mkdir()
    for path in LASTHOP.iterdir():
        if path.name not in {"measures", "__pycache__"}:
            (copy / path.name).symlink_to(path)
    (copy / "measures").mkdir()
    for path in (LASTHOP / "measures").glob("*.py"):
        (copy / "measures" / path.name).write_text(path.read_text(encoding="utf-8"))
    with (copy / "measures" / "radio.py").open("a", encoding="utf-8") as file:
        file.write(ADDED)
    root = str(LASTHOP.parents[1])
    code = f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {root!r}]\n{FOUND}"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
