"""Battery years along a timer, a curve for each time between reports."""

from pathlib import Path

import pytest

import lasthop
from lasthop.report.figures.battery import battery_figure
from lasthop.report.source import ReportSource, read_source

STUDY = """\
study: sleep
duration: 1 d
traffic: {report: 50 B, every: 6 h}
path:
  nbiot:
    coupling_loss: 144 dB
    release_assistance: on
    psm: off
    edrx: {cycle: 81920 ms, paging_time_window: 2560 ms}
stacks: [raw_udp, coap]
sweep:
  - name: both
    path.nbiot.edrx.cycle: [20480 ms, 81920 ms, 655360 ms]
    traffic.every: [2 h, 6 h]
  - {name: alone, path.nbiot.edrx.cycle: [20480 ms, 81920 ms]}
repeat: 2
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> ReportSource:
    """Return what a study of two timers measured."""
    folder = tmp_path_factory.mktemp("sleep")
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    lasthop.run(folder / "study.yaml", out=folder / "results", jobs=1)
    return read_source([Path(folder / "results")])


def test_each_stack_has_a_panel_and_each_period_a_curve_along_the_cycle(
    source: ReportSource,
) -> None:
    both, alone = source.study["parts"]
    figure = battery_figure(source, both, legend=False)
    assert figure is not None
    assert [panel.title for panel in figure.panels] == [
        "Battery life of raw_udp",
        "Battery life of coap",
    ]
    for panel in figure.panels:
        (rows,) = panel.datasets.named.values()
        curves = {row["curve"] for row in rows}
        assert curves == {
            "traffic every 2\N{NO-BREAK SPACE}h",
            "traffic every 6\N{NO-BREAK SPACE}h",
        }
        for curve in curves:
            along = sorted((row["x"], row["years"]) for row in rows if row["curve"] == curve)
            assert [cycle for cycle, _ in along] == [20.48, 81.92, 655.36]
            years = [life for _, life in along]
            assert years == sorted(years), "who listens less lives longer"
    assert battery_figure(source, alone, legend=False) is None, "one curve is drawn elsewhere"
