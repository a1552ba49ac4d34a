"""What is shipped: the examples, the studies, and what makes their runs small."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from lasthop.study import Study, load_study
from lasthop.study.plan.study import PlannedRun
from lasthop.study.rules.software import LIVE

ROOT = Path(__file__).parents[3]
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
STUDIES = sorted((ROOT / "studies").glob("*/study.yaml"))
FEWER = {
    "emqx-quic-2022": [("devices", "50")],
    "emqx-quic-2022-live": [("devices", "10")],
    "emqx-quic-2022-busy-server": [("fleet.clients.count", "10")],
    "emqx-quic-2022-loss-test": [("measure.warm_up", "0 s"), ("duration", "300 ms")],
    "emqx-quic-2022-weak-network": [("duration", "300 ms")],
    "google-http-mqtt": [("traffic.telemetry.every", "10 s")],
    "trackers-moving-twin": [
        ("events", "[{start: 1 s, new_address: trackers, notify: application}]")
    ],
    "yudayev-2019-update": [("traffic.firmware.start", "1 s")],
    "yudayev-2019-wlan": [("traffic.control.start", "1 s")],
    "yudayev-2019-window": [("traffic.control.start", "1 s")],
}
"""What makes the runs of a study small that are no shorter in a quick look."""


def few_or_all(runs: Iterable[PlannedRun], *, every_run: bool) -> Iterator[PlannedRun]:
    """Give all runs, or the first of each stack in each part."""
    seen = set()
    for run in runs:
        if every_run or (run.part, run.stack) not in seen:
            seen.add((run.part, run.stack))
            yield run


EVERY_RUN = pytest.mark.parametrize(
    "every_run",
    [False, pytest.param(True, marks=pytest.mark.soak)],
    ids=["one run a stack", "every run"],
)
"""In `make test` one run of each stack in each part, in `make soak` all of them."""


def simulated(
    file: Path, *, overrides: Sequence[tuple[str, str]] = (), quick: bool = False
) -> Study:
    """Load a study with our own servers in place of real software, which needs namespaces."""
    is_live = load_study(file).points[0].conditions["engine"] == LIVE
    virtual = [("engine", "virtual")] if is_live else []
    return load_study(file, overrides=[*overrides, *virtual], quick=quick, modelled=True)
