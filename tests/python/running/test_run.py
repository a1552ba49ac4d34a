"""`lasthop.run`: from a study file to data frames."""

import gc
from pathlib import Path

import polars as pl
import pytest

import lasthop
from lasthop import _native
from lasthop.claims import ClaimVerdict
from lasthop.errors import StudyError, UsageError

STUDY = """\
study: small
duration: 10 s
traffic: {report: 100 B, every: 500 ms}
path: {loss: 10 %, delay: 50 ms}
stacks: [raw_udp, json_udp, mqtt_sn]
repeat: 2
decide: {minimise: latency_p50}
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study.yaml"
    path.write_text(STUDY)
    return path


def test_results_are_data_frames_a_report_and_a_view(study: Path, tmp_path: Path) -> None:
    results = lasthop.run(study, out=tmp_path / "out", jobs=2)
    assert results.runs.height == 6
    assert set(results.runs["status"]) == {"completed", "unsupported"}
    assert set(results.messages["run_id"]) <= set(results.runs["run_id"])
    assert results.ledger["bytes"].dtype == pl.Int64
    assert results.packets.height > 0
    assert results.latency["messages"].sum() == results.runs["messages_offered"].sum()
    assert results.report().read_text(encoding="utf-8").startswith("<!")
    view = results._repr_html_()
    assert "raw_udp" in view
    assert "<table>" in view


def test_the_rate_on_the_wire_is_that_of_the_bytes_that_entered(study: Path) -> None:
    runs = lasthop.run(study).runs.filter(pl.col("status") == "completed")
    rate = 8 * (runs["wire_bytes_up_offered"] + runs["wire_bytes_down_offered"])
    assert (runs["wire_rate_bit_s"] * runs["simulated_s"]).to_list() == pytest.approx(rate)
    # 20 reports of 100 B, 28 B of headers and a frame of each stack in 10 s.
    assert runs["wire_rate_bit_s"].is_between(2_000, 6_000).all()


def test_other_traffic_is_counted_apart(study: Path) -> None:
    background = "background: {share: 50 %, packet: 500 B}"
    study.write_text(STUDY.replace("50 ms}", f"50 ms, scope: all, rate: 40 kbit/s, {background}}}"))
    runs = lasthop.run(study).runs.filter(pl.col("status") == "completed")
    # One every 200 ms in the mean, each way, whatever the stack.
    assert runs["background_packets_up_offered"].is_between(20, 90).all()
    assert runs["packets_up_offered"].is_between(19, 45).all()


def test_claims_are_judged_and_in_the_view(study: Path, tmp_path: Path) -> None:
    study.write_text(STUDY.replace("repeat: 2", "repeat: 5") + "claims: claims.yaml\n")
    rule = "{column: delivery_ratio, stacks: [raw_udp], part: base, above: 50 %}"
    claim = f"{{id: C1, kind: threshold, what: most <b>arrives</b>, rules: [{rule}]}}"
    (tmp_path / "claims.yaml").write_text(f"claims: [{claim}]\n")
    results = lasthop.run(study, out=tmp_path / "out", jobs=2)
    assert [(found.id, found.verdict) for found in results.judgements] == [
        ("C1", ClaimVerdict.PREDICTED)
    ]
    view = results._repr_html_()
    assert "Claims: 1 predicted" in view
    assert "most &lt;b&gt;arrives&lt;/b&gt;" in view


def test_without_a_folder_results_live_as_long_as_the_object(study: Path) -> None:
    results = lasthop.run(study)
    path = results.path
    assert path.exists()
    assert results.runs.height == 6
    del results
    gc.collect()
    assert not path.exists()


def test_settings_can_be_replaced(study: Path) -> None:
    results = lasthop.run(study, seed=7, set={"repeat": "1", "path.loss": "0 %"}, quick=True)
    completed = results.runs.filter(pl.col("status") == "completed")
    assert completed["repetition"].to_list() == [1, 1]
    assert set(completed["delivery_ratio"]) == {1.0}
    assert results.manifest.seeds["study"] == 7


def test_errors_are_those_of_lasthop(study: Path, tmp_path: Path) -> None:
    with pytest.raises(StudyError, match=r"path\.loss"):
        lasthop.run(study, set={"path.loss": "10"})
    with pytest.raises(UsageError, match="--jobs"):
        lasthop.run(study, jobs=0)
    with pytest.raises(UsageError, match="not a result folder"):
        _ = lasthop.Results(tmp_path).runs


def test_both_halves_have_one_version() -> None:
    assert _native.version() == lasthop.__version__


def test_one_number_is_no_claim_on_too_few_repetitions(study: Path, tmp_path: Path) -> None:
    study.write_text(STUDY.replace("repeat: 2", "repeat: 3") + "claims: claims.yaml\n")
    rule = "{column: latency_p50, stacks: [raw_udp], part: base, above: 1 ms}"
    claim = f"{{id: C1, kind: threshold, what: it takes time, rules: [{rule}]}}"
    (tmp_path / "claims.yaml").write_text(f"claims: [{claim}]\n")
    results = lasthop.run(study, out=tmp_path / "out", jobs=2)
    (found,) = results.judgements
    assert (found.exact, found.n) == (True, 1)
    assert results.ruling.valid, results.ruling.findings
