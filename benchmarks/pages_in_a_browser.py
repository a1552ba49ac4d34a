"""How fast the explorer and the page of `lasthop ui` are in a real browser: a table.

``python -m benchmarks.pages_in_a_browser``. It needs chromium and chromedriver. The explorer is
in a report with 1,360 runs on a grid of 68 points, opened from a file. The page of `lasthop ui`
comes from this machine. Each value is the median of several measurements, with the smallest and
the largest. A report counts until its scripts have run, a redraw until its layout is known.
"""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.python.browser import DESKTOP, open_browser, set_width
from tests.python.report.synthetic import SyntheticStack, SyntheticStudy, write_folder

from lasthop.report.write import write_report
from lasthop.study.init.link import Answers, compose_study
from lasthop.ui import Session, UiServer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from selenium import webdriver

PAINTS = 9
SETTLED_S = 0.5
STACKS = ["json_udp", "raw_udp", "raw_udp ack=on", "mqtt qos=1"]
LOSS = [step / 200 for step in range(17)]
DEVICES = [1, 2, 4, 8]
REPEAT = 5

OPEN = """
    const data = JSON.parse(document.getElementById("lasthop-data").textContent).explorer;
    const root = document.getElementById("explorer-body");
    return [...Array(9).keys()].map(() => {
      const begun = performance.now();
      window.lasthopExplorer(root, data);
      document.body.getBoundingClientRect();
      return performance.now() - begun;
    });
"""
SLIDE = """
    const slider = document.querySelector("#explorer-body-0");
    const times = [];
    for (let place = 0; place <= Number(slider.max); place += 1) {
      const begun = performance.now();
      slider.value = String(place);
      slider.dispatchEvent(new Event("input"));
      document.body.getBoundingClientRect();
      times.push(performance.now() - begun);
    }
    return times;
"""
LOADED = "return performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd"
PAINT = "return performance.getEntriesByType('paint')[0].startTime"


def write_grid(folder: Path) -> Path:
    """Write the report, and give its file."""
    study = SyntheticStudy(
        stacks=[SyntheticStack(name) for name in STACKS],
        parts={"grid": {"path.loss": LOSS, "fleet.devices": DEVICES}},
        repeat=REPEAT,
    )
    results = write_folder(folder / "results", study)
    return write_report([results], out=folder / "report.html")


def loads(browser: webdriver.Chrome, report: Path) -> list[float]:
    """Open the report several times."""
    times = []
    for _ in range(PAINTS):
        browser.get("about:blank")
        browser.get(report.as_uri())
        times.append(float(browser.execute_script(LOADED)))
    return times


def first_paints(browser: webdriver.Chrome, folder: Path) -> list[float]:
    """Open the page of `lasthop ui` several times."""
    file = folder / "study.yaml"
    file.write_text(compose_study(Answers()), encoding="utf-8")
    paints = []
    with UiServer(Session(file, results=folder)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        for _ in range(PAINTS):
            browser.get("about:blank")
            browser.get(server.url)
            time.sleep(SETTLED_S)
            paints.append(float(browser.execute_script(PAINT)))
        server.shutdown()
        thread.join()
    return paints


def row(what: str, aim_ms: int, times: Sequence[float]) -> str:
    """Write a line of the table."""
    found = f"{statistics.median(times):.1f} [{min(times):.1f} .. {max(times):.1f}]"
    return f"| {what} | {found} | {len(times)} | {aim_ms} |"


def main() -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        with open_browser(folder / "profile") as browser:
            set_width(browser, DESKTOP)
            loaded = loads(browser, write_grid(folder))
            runs = len(STACKS) * len(LOSS) * len(DEVICES) * REPEAT
            opened = browser.execute_script(OPEN)
            moved = browser.execute_script(SLIDE)
            painted = first_paints(browser, folder)
    print("| what | ms | measurements | aim |")
    print("|---|---|---|---|")
    print(row(f"report opened, {runs:,} runs", 1000, loaded))
    print(row(f"explorer drawn anew, {runs:,} runs", 1000, opened))
    print(row("slider of the explorer moved", 100, moved))
    print(row("first paint of lasthop ui", 300, painted))


if __name__ == "__main__":
    main()
