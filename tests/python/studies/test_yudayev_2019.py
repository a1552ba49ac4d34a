"""The rerun of Yudayev 2019: what a device reads of what a broker puts together."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import lasthop
from lasthop.outcome.results import Results

FOLDER = Path(__file__).parents[3] / "studies" / "yudayev-2019"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Each run of the study once."""
    out = tmp_path_factory.mktemp("results") / "yudayev"
    return lasthop.run(FOLDER / "study.yaml", out=out, set={"repeat": "1"})


def lost(results: Results, part: str, stack: str) -> dict[int, float]:
    """Give the share of messages that were lost, by the number of clients."""
    runs = results.runs.filter(part=part, stack=stack)
    of_clients = runs.select("fleet_clients_count", "delivery_ratio").iter_rows()
    return {clients: round(1 - delivered, 6) for clients, delivered in of_clients}


def test_a_reader_of_first_messages_loses_what_comes_behind(results: Results) -> None:
    of_reader = lost(results, "figure_25", "qos 0")
    assert of_reader[1] == 0
    assert 0.78 <= of_reader[10] <= 0.82
    assert 0.93 <= of_reader[100] <= 0.99


def test_a_correct_reader_loses_nothing_for_which_it_has_time(results: Results) -> None:
    of_reader = lost(results, "correct_reader", "qos 0")
    assert (of_reader[1], of_reader[10]) == (0.0, 0.0)


def test_an_acknowledgement_makes_up_for_a_bad_reader_one_message_at_a_time(
    results: Results,
) -> None:
    for stack in ("qos 1", "qos 2"):
        of_stack = lost(results, "figure_25", stack)
        assert (of_stack[1], of_stack[10]) == (0.0, 0.0)


def test_a_crash_has_its_reason(results: Results) -> None:
    crowd = results.runs.filter(part="figure_25", fleet_clients_count=100)
    crashes = dict(crowd.select("stack", "device_crashes_watchdog").iter_rows())
    assert crashes["qos 0"] == 0
    assert crashes["qos 1"] > 0
    assert crowd["device_crashes_heap"].sum() == 0


def rows() -> ModuleType:
    """Load the program that prints the figure."""
    spec = importlib.util.spec_from_file_location("rows", FOLDER / "rows.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_figure_counts_the_packets_of_the_device(results: Results) -> None:
    of_part = rows().of_part(results, "figure_25")
    assert len(of_part) == 18
    one = of_part.filter(stack="qos 0", fleet_clients_count=1)
    # A PUBLISH and its acknowledgement, and what sets the session up.
    assert 2 * 100 <= one["packets"][0] <= 3 * 100
