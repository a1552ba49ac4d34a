"""The figures: what they show, and how they are written to files."""

from pathlib import Path

import altair as alt
import polars as pl
import pytest

from lasthop.answer.decision import decide
from lasthop.answer.sweeps import decide_along_sweeps
from lasthop.errors import UsageError
from lasthop.report.figures import Figure, all_figures, export_spec, panel_spec
from lasthop.report.figures.sweep_panels import banded
from lasthop.report.source import read_source
from lasthop.report.write import figure_names, write_figure

from .conftest import WriteResults
from .synthetic import SyntheticStack, SyntheticStudy


def figures_of(folder: Path) -> dict[str, Figure]:
    """Draw the figures of a result folder."""
    source = read_source([folder])
    sweeps = decide_along_sweeps(source.runs, source.study)
    found = all_figures(source, decide(source.runs, source.study), sweeps)
    return {figure.name: figure for figure in found}


def test_each_part_has_its_figures_along_the_sweep(write_results: WriteResults) -> None:
    study = SyntheticStudy(
        parts={"loss": {"path.loss": [0.0, 0.1]}, "delay": {"path.delay": [10.0, 20.0]}},
        units={"path.loss": "fraction", "path.delay": "ms"},
        repeat=1,
    )
    assert figure_names([write_results(study)]) == (
        "answer",
        "latency-distribution",
        "latency-loss",
        "delivery-loss",
        "bytes-loss",
        "latency-delay",
        "bytes-delay",
        "ledger",
    )


def with_columns(folder: Path, **columns: pl.Expr) -> Path:
    """Add measured columns to the runs of a result folder."""
    file = folder / "runs.parquet"
    pl.read_parquet(file).with_columns(**columns).write_parquet(file)
    return folder


LOAD = SyntheticStudy(
    parts={"load": {"devices.arrive": [0.5, 1.0, 2.0]}},
    units={"devices.arrive": "/s"},
    decide=None,
)


def test_a_radio_network_has_its_figures_along_the_load(write_results: WriteResults) -> None:
    load = pl.col("devices_arrive_per_s")
    folder = with_columns(
        write_results(LOAD),
        device_throughput_bit_s=1000 / load,
        cell_throughput_bit_s=200 * load,
        availability_20s=1 - 0.02 * load,
        lowest_path_gain_served_db=-160 + load,
    )
    figures = figures_of(folder)
    names = ["device-throughput", "cell-throughput", "availability", "coverage"]
    assert [name for name in figures if name.partition("-load")[0] in names] == [
        f"{name}-load" for name in names
    ]
    titles = [title for name in names for title in axis_titles(panel_of(figures[f"{name}-load"]))]
    assert "mean throughput of a device (kbit/s)" in titles
    assert "share delivered within 20 s (%)" in titles
    assert "lowest path gain served (dB)" in titles
    assert "devices arrive (/s)" in titles


def test_a_scale_of_availability_is_as_wide_as_what_happens(write_results: WriteResults) -> None:
    folder = with_columns(write_results(LOAD), availability_20s=pl.lit(0.99))
    encoded = str(panel_of(figures_of(folder)["availability-load"]))
    assert "[0, 100]" not in encoded


def test_shares_far_apart_are_not_drawn_logarithmically(write_results: WriteResults) -> None:
    folder = with_columns(
        write_results(LOAD), availability_20s=0.02 / pl.col("devices_arrive_per_s") ** 2
    )
    panel = str(panel_of(figures_of(folder)["availability-load"]))
    assert "'log'" not in panel
    assert "'values': [0.5, 1.0, 2.0]" in panel


def test_what_no_run_has_measured_is_not_drawn(write_results: WriteResults) -> None:
    empty = pl.lit(None, dtype=pl.Float64)
    folder = with_columns(write_results(LOAD), availability_20s=empty)
    assert "availability-load" not in figures_of(folder)


def test_an_interval_down_to_nothing_does_not_hide_what_differs(
    write_results: WriteResults,
) -> None:
    late = pl.when(pl.col("path_loss") < 0.2).then(10.0).otherwise(10.0 ** pl.col("repetition"))
    folder = with_columns(write_results(SyntheticStudy()), latency_p50_ms=late)
    panel = panel_spec(figures_of(folder)["latency-loss"].panels[0])
    assert "'log'" in str(panel["layer"])
    lows = [row["low"] for rows in panel["datasets"].values() for row in rows]
    assert min(lows) > 0


def test_an_interval_ends_at_what_a_share_can_be(write_results: WriteResults) -> None:
    lucky = pl.when(pl.col("repetition") == 1).then(0.6).otherwise(1.0)
    folder = with_columns(write_results(SyntheticStudy()), delivery_ratio=lucky)
    panel = panel_spec(figures_of(folder)["delivery-loss"].panels[0])
    assert {row["high"] for rows in panel["datasets"].values() for row in rows} == {100.0}


def panel_of(figure: Figure) -> object:
    return [panel_spec(panel) for panel in figure.panels]


def test_every_panel_is_a_valid_chart(write_results: WriteResults) -> None:
    for figure in figures_of(write_results(SyntheticStudy(repeat=2))).values():
        for panel in figure.panels:
            alt.Chart.from_dict(panel_spec(panel), validate=True)


@pytest.mark.parametrize(
    "parts",
    [
        {"base": {}},
        {"loss": {"path.loss": [0.1]}},
        {"loss": {"path.loss": [0.0, 0.1]}},
        {"grid": {"path.loss": [0.0, 0.1], "path.delay": [10.0, 20.0, 30.0]}},
        {"kinds": {"path.rate_kind": ["serial", "token_bucket"]}},
    ],
)
def test_every_shape_of_part_is_drawn_with_units_on_the_axes(
    write_results: WriteResults, parts: dict[str, dict[str, list[object]]]
) -> None:
    study = SyntheticStudy(
        parts=parts, units={"path.loss": "fraction", "path.delay": "ms"}, repeat=2
    )
    for figure in figures_of(write_results(study)).values():
        for panel in figure.panels:
            titles = axis_titles(panel_spec(panel))
            assert titles
            assert all(title.endswith(")") for title in titles), titles


def axis_titles(spec: object) -> list[str]:
    """Collect the titles of the axes of a chart."""
    if isinstance(spec, list):
        return [title for item in spec for title in axis_titles(item)]
    if not isinstance(spec, dict):
        return []
    found = [
        spec[axis]["title"]
        for axis in ("x", "y")
        if isinstance(spec.get(axis), dict) and spec[axis].get("title")
    ]
    return found + [
        title for key, item in spec.items() if key != "datasets" for title in axis_titles(item)
    ]


def test_lines_that_lie_on_each_other_are_named(write_results: WriteResults) -> None:
    stacks = [SyntheticStack(name) for name in ("raw_udp", "json_udp", "coap", "mqtt")]
    folder = write_results(SyntheticStudy(stacks=stacks))
    apart = pl.when(stack="mqtt").then(300.0).otherwise(200.0) + pl.col("path_loss")
    columns = {"latency_p95_ms": apart, "delivery_ratio": pl.lit(1.0)}
    alike = figures_of(with_columns(folder, **columns))["answer"].reading
    assert alike.endswith(" On one line lie raw_udp, json_udp and coap.")


def test_no_line_is_named_where_each_is_seen(write_results: WriteResults) -> None:
    assert "On one line" not in figures_of(write_results(SyntheticStudy()))["answer"].reading


def test_a_grid_has_lines_along_its_longest_axis_and_a_panel_for_the_rest(
    write_results: WriteResults,
) -> None:
    study = SyntheticStudy(
        parts={"grid": {"path.loss": [0.0, 0.1], "path.delay": [10.0, 20.0, 30.0]}},
        units={"path.loss": "fraction", "path.delay": "ms"},
        repeat=1,
    )
    delivery = figures_of(write_results(study))["delivery-grid"]
    assert len(delivery.panels) == 2
    assert "path delay (ms)" in axis_titles(panel_spec(delivery.panels[0]))


def test_a_parameter_with_one_value_names_no_panel(write_results: WriteResults) -> None:
    study = SyntheticStudy(
        parts={"delay": {"path.loss": [0.1], "path.delay": [10.0, 20.0]}},
        units={"path.loss": "fraction", "path.delay": "ms"},
        repeat=1,
    )
    (panel,) = figures_of(write_results(study))["delivery-delay"].panels
    assert panel.title == "Share of messages delivered"


def test_what_does_not_vary_is_said_and_not_drawn(write_results: WriteResults) -> None:
    folder = with_columns(write_results(SyntheticStudy(repeat=2)), delivery_ratio=pl.lit(1.0))
    delivery = figures_of(folder)["delivery-loss"]
    assert not delivery.panels
    assert [line.replace("\N{NO-BREAK SPACE}", " ") for line in delivery.constant] == [
        "Share of messages delivered: 100 %"
    ]
    assert "delivery-loss" not in figure_names([folder])


def test_the_first_figure_is_what_decides_with_the_limit_that_is_required(
    write_results: WriteResults,
) -> None:
    study = SyntheticStudy(
        parts={"loss": {"path.loss": [0.0, 0.1]}, "delay": {"path.delay": [10.0, 20.0]}},
        units={"path.loss": "fraction", "path.delay": "ms"},
        repeat=2,
    )
    first, *_ = figures_of(write_results(study)).values()
    assert first.name == "answer"
    assert [panel.title for panel in first.panels] == [
        "95th percentile of latency",
        "Share of messages delivered",
    ]
    assert "share of messages delivered of at least 99 %" in first.reading
    rows = panel_spec(first.panels[1])["datasets"].values()
    assert [row["limit"] for members in rows for row in members if "limit" in row] == [99.0]


def test_a_logarithmic_axis_has_no_band_from_an_interval_that_falls_off_it() -> None:
    steady = [{"stack": "a", "x": x, "cut": x == 2, "stretch": "a 0", "low": 1.0} for x in range(5)]
    bands, cut = banded(steady)
    assert [row["x"] for row in cut] == [2]
    assert [(row["x"], row["band"]) for row in bands] == [
        (0, "a 0 0"),
        (1, "a 0 0"),
        (3, "a 0 1"),
        (4, "a 0 1"),
    ]


def test_a_long_name_of_a_row_is_cut_and_told_whole_by_its_tooltip(
    write_results: WriteResults,
) -> None:
    kinds = {
        f"a kind of link {place} with a name that goes on and on, and on": place for place in "ab"
    }
    study = SyntheticStudy(parts={"kinds": {"path.rate_kind": list(kinds)}}, repeat=1)
    panel = panel_spec(figures_of(write_results(study))["latency-kinds"].panels[0])
    rows = [row for members in panel["datasets"].values() for row in members if "name" in row]
    assert max(len(row["name"]) for row in rows) <= 60
    assert len({row["row"] for row in rows}) == 6


def test_the_distribution_counts_what_never_arrived(write_results: WriteResults) -> None:
    study = SyntheticStudy(
        stacks=[SyntheticStack("raw_udp")], parts={"loss": {"path.loss": [0.2]}}, repeat=3
    )
    folder = write_results(study)
    panel = figures_of(folder)["latency-distribution"].panels[0]
    (rows,) = panel_spec(panel)["datasets"].values()
    delivered = pl.read_parquet(folder / "runs.parquet")["delivery_ratio"].mean()
    assert rows[0]["missing"] == pytest.approx(100.0)
    assert rows[-1]["missing"] == pytest.approx(100 * (1 - float(str(delivered))))


def test_the_ledger_shows_all_bytes_offered(write_results: WriteResults) -> None:
    study = SyntheticStudy(
        stacks=[SyntheticStack("raw_udp")], parts={"loss": {"path.loss": [0.1]}}, repeat=2
    )
    folder = write_results(study)
    panel = figures_of(folder)["ledger"].panels[0]
    shown = sum(
        row["value"]
        for rows in panel_spec(panel)["datasets"].values()
        for row in rows
        if "value" in row
    )
    ledger = pl.read_parquet(folder / "ledger.parquet").filter(pl.col("fate") == "offered")
    assert shown == pytest.approx(ledger["bytes"].sum() / 2)


def test_an_unknown_layer_in_the_ledger_is_shown_not_lost(write_results: WriteResults) -> None:
    folder = write_results(SyntheticStudy(repeat=1))
    ledger = pl.read_parquet(folder / "ledger.parquet")
    ledger.with_columns(layer=pl.lit("carrier_pigeon")).write_parquet(folder / "ledger.parquet")
    assert "other" in figures_of(folder)["ledger"].legend_entries


def test_a_stack_keeps_its_colour_when_another_did_not_run(write_results: WriteResults) -> None:
    study = SyntheticStudy(
        stacks=[SyntheticStack("mqtt", status="unsupported", reason="no"), SyntheticStack("raw")],
        repeat=1,
    )
    delivery = figures_of(write_results(study))["delivery-loss"]
    assert delivery.legend_entries == ("raw",)
    layers = panel_spec(delivery.panels[0])["layer"]
    assert layers[1]["encoding"]["color"]["scale"]["domain"] == ["mqtt", "raw"]


@pytest.mark.parametrize("suffix", ["svg", "png", "html"])
def test_a_figure_is_written_in_the_format_of_the_ending(
    write_results: WriteResults, tmp_path: Path, suffix: str
) -> None:
    folder = write_results(SyntheticStudy(repeat=1))
    path = write_figure([folder], "latency-loss", out=tmp_path / f"figure.{suffix}")
    starts = {"svg": b"<svg", "png": b"\x89PNG", "html": b"<!doctype html>"}
    assert path.read_bytes().startswith(starts[suffix])


def test_an_image_has_a_legend_and_its_axis_titles(
    write_results: WriteResults, tmp_path: Path
) -> None:
    folder = write_results(SyntheticStudy(repeat=1))
    path = write_figure([folder], "latency-loss", out=tmp_path / "figure.svg")
    svg = path.read_text(encoding="utf-8")
    for text in ("json_udp", "path loss (%)", "95th percentile of latency"):
        assert text in svg


def test_an_unknown_figure_is_refused_with_what_there_is(
    write_results: WriteResults, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match="latency-distribution, latency-loss"):
        write_figure([write_results()], "lattency", out=tmp_path / "figure.svg")


def test_an_unknown_ending_is_refused(write_results: WriteResults, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"\.svg, \.png, \.pdf or \.html"):
        write_figure([write_results()], "ledger", out=tmp_path / "figure.docx")


def test_an_export_joins_its_panels_with_one_legend(write_results: WriteResults) -> None:
    figure = figures_of(write_results(SyntheticStudy(repeat=1)))["latency-loss"]
    spec = export_spec(figure.panels, title=figure.title)
    alt.Chart.from_dict(spec, validate=True)
    assert len(spec["concat"]) == len(figure.panels)
