"""Time lines of messages in the page: those of a few, and the command for all others."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select, WebDriverWait
from tests.python.browser import DESKTOP, PHONE, log_of, run, set_mode, set_width

import lasthop
from lasthop.report import message_lines
from lasthop.report.write import write_report

STUDY = """
study: three-meters
duration: 1 min
fleet: {meters: {count: 3, path: radio, server: head_end}}
paths: {radio: {delay: 100 ms, loss: 20 %}}
servers: {head_end: {}}
traffic: {readings: {from: meters, report: 200 B, every: 5 s}}
stacks: [coap type=con]
repeat: 2
decide: {require: ["delivery_ratio >= 95 %"], minimise: latency_p95}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lines")
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    lasthop.run(folder / "study.yaml", out=folder / "results", jobs=1)
    write_report([folder / "results"], out=folder / "results" / "report.html")
    return folder / "results"


def embedded(folder: Path) -> dict[str, Any]:
    """Return what the page holds of single messages."""
    page = (folder / "report.html").read_text(encoding="utf-8")
    found = re.search(r'id="lasthop-data">(.*?)</script>', page)
    assert found is not None
    messages: dict[str, Any] = json.loads(found[1])["messages"]["time-series"]
    return messages


def show(browser: webdriver.Chrome, folder: Path, *, width: int = DESKTOP) -> None:
    """Open the report at its figure of one run."""
    set_width(browser, width)
    set_mode(browser, dark=False)
    log_of(browser, "browser")
    browser.get("about:blank")
    browser.get(f"{(folder / 'report.html').as_uri()}#time-series")
    drawn = "return document.querySelectorAll('#time-series .mark-symbol path').length > 9"
    WebDriverWait(browser, 30).until(lambda opened: opened.execute_script(drawn))


def words(browser: webdriver.Chrome) -> str:
    """Return what the page shows of a message."""
    return str(run(browser, "return document.querySelector('.message').textContent"))


def test_the_slowest_messages_have_their_time_line_in_the_page(folder: Path) -> None:
    lines = embedded(folder)
    assert len(lines["told"]) >= 4
    for name, events in lines["told"].items():
        assert events[0][:2] == [0.0, "device"], name
        assert "is due" in events[0][2]
    slowest = lines["told"][lines["names"][0]]
    assert any(what == "is delivered" and where == "server" for _, where, what in slowest)


def test_a_click_on_a_dot_shows_its_time_line_or_its_command(
    browser: webdriver.Chrome, folder: Path
) -> None:
    show(browser, folder)
    marks = browser.find_elements(By.CSS_SELECTOR, "#time-series .mark-symbol path")
    lines = embedded(folder)
    shown = set()
    for mark in marks[:: max(1, len(marks) // 8)]:
        ActionChains(browser).scroll_to_element(mark).move_to_element(mark).click().perform()
        told = words(browser)
        name = re.match(r"Message (\d:\d+|\d+)(?=After|Its|device)", told)
        assert name is not None, told
        assert ("Its time line is not in this page" in told) == (name[1] not in lines["told"])
        command = lines["command"].replace("\0", name[1])
        assert told.endswith(command)
        shown.add(name[1])
    assert len(shown) > 3
    assert log_of(browser, "browser") == []


def test_a_message_is_chosen_without_a_mouse(browser: webdriver.Chrome, folder: Path) -> None:
    show(browser, folder, width=PHONE)
    name = embedded(folder)["names"][0]
    Select(browser.find_element(By.CSS_SELECTOR, ".choose select")).select_by_value(name)
    picture = browser.find_element(By.CSS_SELECTOR, ".sequence")
    assert name in (picture.get_attribute("aria-label") or "")
    assert len(browser.find_elements(By.CSS_SELECTOR, ".sequence .packet")) >= 2
    rows = browser.find_elements(By.CSS_SELECTOR, ".message tbody tr")
    assert len(rows) == len(embedded(folder)["told"][name])
    assert run(browser, "return document.documentElement.scrollWidth") == PHONE


def test_a_large_run_is_not_simulated_again_for_the_page(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_lines, "MOST_MESSAGES", 10)
    page = write_report([folder], out=tmp_path / "report.html")
    assert embedded(page.parent)["told"] == {}
    assert embedded(page.parent)["names"]
