"""The explorer in a real browser: it decides as Python does, and says what was not run."""

import copy
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from tests.python.browser import (
    DESKTOP,
    PHONE,
    log_of,
    run,
    set_mode,
    set_scripts,
    set_width,
)

from lasthop.answer.decision import Outcome, decide_part
from lasthop.answer.points import parts_of
from lasthop.report.source import read_source
from lasthop.report.write import write_report
from lasthop.study.expressions import parse_expression

from .synthetic import SyntheticStack, SyntheticStudy, write_folder

OUTCOMES = {
    Outcome.LEADS: "leads",
    Outcome.TOO_CLOSE: "close",
    Outcome.ONLY_ONE: "only one",
    Outcome.NOTHING_QUALIFIES: "nothing qualifies",
    Outcome.NOTHING_REACHED: "nothing reached",
    Outcome.NOTHING_RAN: "nothing ran",
    Outcome.NOT_ASKED: "not asked",
}
LOSS = [0.0, 0.05, 0.1, 0.2]
EVIL = "raw_udp <img src=x onerror=alert(1)>"


def grid(**changed: Any) -> SyntheticStudy:  # noqa: ANN401  (fields of a study)
    """Return a study with a grid of two keys, a sweep of one, and a stack that never ran."""
    given: dict[str, Any] = {
        "stacks": [
            SyntheticStack("json_udp", header_bytes=60, base_ms=215.0),
            SyntheticStack(EVIL, base_ms=205.0),
            SyntheticStack("raw_udp ack=on", attempts=5, header_bytes=32),
            SyntheticStack("mqtt qos=1", status="unsupported", reason="mqtt is not built yet"),
        ],
        "parts": {
            "grid": {"path.loss": LOSS, "fleet.devices": [1, 10, 100]},
            "loss": {"path.loss": LOSS},
        },
    }
    return SyntheticStudy(**(given | changed))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = write_folder(tmp_path_factory.mktemp("explorer") / "results", grid())
    write_report([folder], out=folder / "report.html")
    return folder


def show(browser: webdriver.Chrome, folder: Path, *, width: int = DESKTOP) -> None:
    """Open a report at its explorer."""
    set_width(browser, width)
    set_mode(browser, dark=False)
    browser.get("about:blank")
    log_of(browser, "browser")
    browser.get((folder / "report.html").as_uri())


def text(browser: webdriver.Chrome, selector: str) -> str:
    """Return the words of an element, with plain spaces."""
    found = run(browser, "return document.querySelector(arguments[0]).textContent", selector)
    return str(found).replace("\N{NO-BREAK SPACE}", " ")


def decided_on_the_page(
    browser: webdriver.Chrome, part: int, requirements: Sequence[Mapping[str, Any]]
) -> list[tuple[str, list[str], list[str]]]:
    """Return outcome, leaders and excluded stacks at each point as the page's script finds them."""
    script = """
        const data = JSON.parse(document.getElementById("lasthop-data").textContent).explorer;
        const found = window.lasthopDecide.decide(data, data.parts[arguments[0]], arguments[1]);
        const named = (stacks) => stacks.map((stack) => data.stacks[stack]);
        return found.map((one) => [one.outcome, named(one.leaders), named(one.excluded)]);
    """
    found = run(browser, script, part, list(requirements))
    return [(outcome, leaders, sorted(excluded)) for outcome, leaders, excluded in found]


def decided_by_python(
    folder: Path, part: int, requirements: Sequence[str]
) -> list[tuple[str, list[str], list[str]]]:
    """Return the same as `lasthop.answer` finds it."""
    source = read_source([folder])
    study = copy.deepcopy(dict(source.study))
    study["decide"] = {**study["decide"], "require": list(requirements)}
    decision = decide_part(source.runs, study, parts_of(study)[part], source.read_groups)
    return [
        (
            OUTCOMES[point.outcome],
            list(point.leaders),
            sorted(excluded.arm.stack for excluded in point.excluded),
        )
        for point in decision.points
    ]


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["delivery_ratio >= 99 %"],
        ["delivery_ratio >= 90 %"],
        ["delivery_ratio > 80 %", "latency_p95 < 3 s"],
        ["delivery_ratio >= 100 %"],
        ["latency_p95 <= 216 ms"],
        ["wire_bytes_up_offered <= 190 kB"],
        ["latency_p95 >= 1 min"],
        ["control_bytes_per_100 < 16"],
    ],
    ids=str,
)
def test_the_page_decides_under_changed_requirements_as_python_does(
    browser: webdriver.Chrome, folder: Path, texts: list[str]
) -> None:
    show(browser, folder)
    columns = run(
        browser, "return JSON.parse(document.getElementById('lasthop-data').textContent).explorer"
    )["columns"]
    names = [column["name"] for column in columns]
    read = [parse_expression(text).comparison for text in texts]
    asked = [
        {"column": names.index(one.column), "operator": one.operator, "value": one.value}
        for one in read
    ]
    for part in (0, 1):
        assert decided_on_the_page(browser, part, asked) == decided_by_python(folder, part, texts)


def test_a_slider_moves_the_answer(browser: webdriver.Chrome, folder: Path) -> None:
    show(browser, folder)
    script = """
        const slider = document.querySelector("#explorer-body-0");
        const shown = [];
        for (let place = 0; place <= Number(slider.max); place += 2) {
          slider.value = String(place);
          slider.dispatchEvent(new Event("input"));
          shown.push(document.querySelector(".found").textContent);
        }
        return shown;
    """
    shown = run(browser, script)
    assert len(shown) == len(set(shown)) == len(LOSS)
    assert log_of(browser, "browser") == []


def test_between_points_it_says_so_and_interpolates_nothing(
    browser: webdriver.Chrome, folder: Path
) -> None:
    show(browser, folder)
    slider = browser.find_element(By.ID, "explorer-body-0")
    slider.send_keys(Keys.ARROW_RIGHT)
    assert slider.get_attribute("aria-valuetext") == "between 0 % and 5 %: not run".replace(
        " %", "\N{NO-BREAK SPACE}%"
    )
    assert text(browser, ".said") == (
        "Not run: path loss between 0 % and 5 %. Nothing is interpolated."
    )
    corners = browser.find_elements(By.CSS_SELECTOR, ".corners li")
    assert len(corners) == 2
    assert browser.find_elements(By.CSS_SELECTOR, ".found table") == []
    slider.send_keys(Keys.ARROW_RIGHT)
    assert "not run" not in (slider.get_attribute("aria-valuetext") or "")
    assert len(browser.find_elements(By.CSS_SELECTOR, ".found tbody tr")) == 4


def test_a_requirement_is_changed_by_keyboard_and_given_back_as_the_study_has_it(
    browser: webdriver.Chrome, folder: Path
) -> None:
    show(browser, folder)
    study = text(browser, ".found")
    bound = browser.find_element(By.CSS_SELECTOR, "[aria-label='Requirement 1: bound']")
    bound.send_keys(Keys.CONTROL, "a")
    bound.send_keys("101")
    assert "Write 100 % or less. The requirement is left out until then." in text(
        browser, ".requirements"
    )
    assert bound.get_attribute("aria-invalid") == "true"
    bound.send_keys(Keys.CONTROL, "a")
    bound.send_keys("99.9")
    written = json.loads(
        text(browser, ".changed pre").removeprefix("decide: {require: ").removesuffix(", …}")
    )
    assert [parse_expression(one).comparison.value for one in written] == [0.999]
    browser.find_element(By.CSS_SELECTOR, ".reset").click()
    assert text(browser, ".found") == study
    assert text(browser, ".changed") == ""


def test_every_bound_that_the_page_writes_can_be_read(
    browser: webdriver.Chrome, folder: Path
) -> None:
    show(browser, folder)
    script = """
        const data = JSON.parse(document.getElementById("lasthop-data").textContent).explorer;
        return data.columns.flatMap((column, place) => column.units.map((unit) => {
          const value = window.lasthopRequirements.toColumn(column.whole ? 2 : 2.5, unit[1]);
          const one = { column: place, operator: "<=", value, unit };
          return [window.lasthopRequirements.written(data, one).replace("\u2264", "<="), value];
        }));
    """
    for written, value in run(browser, script):
        assert parse_expression(written).comparison.value == pytest.approx(value)


def test_a_phone_shows_the_explorer_without_scrolling_sideways(
    browser: webdriver.Chrome, folder: Path
) -> None:
    show(browser, folder, width=PHONE)
    browser.find_element(By.XPATH, "//button[text()='Add a requirement']").click()
    assert run(browser, "return document.documentElement.scrollWidth") == PHONE


def test_what_has_a_role_or_can_be_typed_in_has_a_name(
    browser: webdriver.Chrome, folder: Path
) -> None:
    show(browser, folder)
    script = """
        return [...document.querySelectorAll(
          ".explorer input, .explorer select, .explorer button, .explorer [role]")]
          .filter((e) => !(e.ariaLabel || e.textContent.trim() && e.tagName === "BUTTON"
            || e.labels?.length) && e.role !== "alert").map((e) => e.outerHTML);
    """
    assert run(browser, script) == []


def test_without_javascript_it_says_so_and_the_tables_are_there(
    browser: webdriver.Chrome, folder: Path
) -> None:
    set_scripts(browser, allowed=False)
    try:
        browser.get((folder / "report.html").as_uri())
        told = [it.text for it in browser.find_elements(By.TAG_NAME, "noscript")]
        cells = [it.get_attribute("textContent") for it in browser.find_elements(By.TAG_NAME, "td")]
    finally:
        set_scripts(browser, allowed=True)
    assert (
        "Choosing points and requirements needs JavaScript. The answer at each point is below."
        in told
    )
    assert any("json_udp" in (cell or "") for cell in cells)


def test_a_hostile_stack_is_text_in_the_explorer(browser: webdriver.Chrome, folder: Path) -> None:
    show(browser, folder)
    assert EVIL in text(browser, ".found")
    assert run(browser, "return document.querySelectorAll('img').length") == 0


def test_one_point_without_a_question_is_shown_without_a_verdict(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    study = grid(parts={"base": {"path.loss": [0.1]}}, decide=None, repeat=1)
    folder = write_folder(tmp_path / "results", study)
    write_report([folder], out=folder / "report.html")
    show(browser, folder)
    assert "does not say what to minimise" in text(browser, ".said")
    assert browser.find_elements(By.CSS_SELECTOR, ".explorer .tag") == []


def test_a_requirement_for_some_stacks_can_be_left_out_but_not_changed(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    rule = "delivery_ratio >= 99 % where stack == 'json_udp'"
    asked = {"require": [rule], "minimise": "latency_p95", "smallest_effect": 0.05, "part": None}
    folder = write_folder(tmp_path / "results", grid(decide=asked))
    write_report([folder], out=folder / "report.html")
    show(browser, folder)
    assert decided_on_the_page(browser, 0, [{"fixed": 0}]) == decided_by_python(folder, 0, [rule])
    assert decided_on_the_page(browser, 0, []) == decided_by_python(folder, 0, [])
    assert browser.find_elements(By.CSS_SELECTOR, "[aria-label='Requirement 1: bound']") == []
    browser.find_element(By.CSS_SELECTOR, "[aria-label='Requirement 1 applies']").click()
    assert "Changed on this page only" in text(browser, ".changed")


def test_a_point_that_was_not_run_is_said_to_be_so(
    browser: webdriver.Chrome, tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "results", grid())
    runs = pl.read_parquet(folder / "runs.parquet")
    at_first = (pl.col("path_loss") == 0.0) & (pl.col("fleet_devices") == 10)
    kept = runs.filter(~((pl.col("part") == "grid") & at_first))
    kept.write_parquet(folder / "runs.parquet")
    for name in ("ledger", "latency"):
        table = pl.read_parquet(folder / f"{name}.parquet")
        table.join(kept, on="run_id", how="semi").write_parquet(folder / f"{name}.parquet")
    write_report([folder], out=folder / "report.html")
    show(browser, folder)
    second = browser.find_element(By.ID, "explorer-body-1")
    second.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert text(browser, ".said") == "This point was not run."


def test_one_thousand_runs_open_with_every_point(browser: webdriver.Chrome, tmp_path: Path) -> None:
    loss = [step / 200 for step in range(17)]
    parts = {"grid": {"path.loss": loss, "fleet.devices": [1, 2, 4, 8]}}
    folder = write_folder(tmp_path / "results", grid(parts=parts, repeat=5))
    assert pl.read_parquet(folder / "runs.parquet").height >= 1000
    write_report([folder], out=folder / "report.html")
    show(browser, folder)
    slider = browser.find_element(By.ID, "explorer-body-0")
    # A place between two points lies between each two of them.
    assert slider.get_attribute("max") == str(2 * (len(loss) - 1))
    assert len(browser.find_elements(By.CSS_SELECTOR, ".found tbody tr")) == 4
    assert log_of(browser, "browser") == []
