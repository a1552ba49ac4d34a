"""The page in a real browser: without an error, on a phone, in the dark, without a network."""

import re
import shutil
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait
from tests.python.browser import (
    DESKTOP,
    PHONE,
    find_programs,
    log_of,
    requests_of,
    run,
    set_mode,
    set_width,
)

from lasthop.report.write import write_figure, write_report

from .synthetic import SyntheticStack, SyntheticStudy, write_folder

EVIL = "raw_udp \"<script>document.title='owned'</script>\" <img src=x onerror=alert(1)>"


def test_a_missing_browser_skips_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(pytest.skip.Exception, match="chromium is not installed"):
        find_programs()


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a report with a hostile stack name and one that was never reached."""
    study = SyntheticStudy(
        title="</title><script>document.title='owned'</script>",
        stacks=[
            SyntheticStack("json_udp", header_bytes=60, base_ms=215.0),
            SyntheticStack(EVIL),
            SyntheticStack("raw_udp ack=on ack_timeout=2s ack_random_factor=1.5 max_retransmit=4"),
            SyntheticStack("mqtt qos=1", status="unsupported", reason="mqtt is not built yet"),
        ],
        repeat=5,
        claims=[
            {
                "id": "A1",
                "kind": "value",
                "what": f"as late as the network, whatever {EVIL} says",
                "rules": [
                    {
                        "column": "latency_mean",
                        "stacks": ["json_udp", EVIL],
                        "part": "loss",
                        "equals": "215 ms",
                    }
                ],
            }
        ],
    )
    folder = write_folder(tmp_path_factory.mktemp("report") / "results", study)
    return write_report([folder], out=folder / "report.html")


def show(
    browser: webdriver.Chrome,
    path: Path,
    *,
    width: int = DESKTOP,
    dark: bool = False,
    folded: bool = False,
) -> None:
    """Open a page, unfold it, and wait until its figures are drawn."""
    set_width(browser, width)
    set_mode(browser, dark=dark)
    browser.get(path.as_uri())
    wait_until_drawn(browser, "dark" if dark else "light")
    if not folded:
        run(browser, "document.querySelectorAll('details').forEach(d => { d.open = true; })")
        script = "return [...document.querySelectorAll('.chart')].every(c => c.innerHTML)"
        WebDriverWait(browser, 30).until(lambda opened: opened.execute_script(script))
        wait_until_drawn(browser, "dark" if dark else "light")


def wait_until_drawn(browser: webdriver.Chrome, mode: str) -> None:
    """Wait for the last figure."""
    script = "return document.documentElement.dataset.drawn"
    WebDriverWait(browser, 30).until(lambda opened: opened.execute_script(script) == mode)


def luminance(colour: str) -> float:
    """Return the relative luminance of an `rgb()` colour."""
    channels = [int(value) / 255 for value in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (
        value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4
        for value in channels
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """Return the contrast ratio of two colours."""
    light, dark = sorted((luminance(first), luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.smoke("Chromium")
def test_the_console_shows_no_error(browser: webdriver.Chrome, page: Path) -> None:
    log_of(browser, "browser")
    show(browser, page)
    assert log_of(browser, "browser") == []


@pytest.mark.soak
def test_every_panel_is_drawn_with_axis_titles_that_carry_units(
    browser: webdriver.Chrome, page: Path
) -> None:
    show(browser, page)
    panels = run(
        browser,
        "return [...document.querySelectorAll('.chart')].map(chart =>"
        " [...chart.querySelectorAll('.role-axis-title text')].map(text => text.textContent))",
    )
    assert len(panels) == 15
    for titles in panels:
        assert titles
        assert all(re.search(r"\((ms|s|%|kB|B)( of offered)?\)$", title) for title in titles), (
            titles
        )


@pytest.mark.soak
@pytest.mark.parametrize(("width", "first"), [(DESKTOP, 1200), (PHONE, 1800)])
def test_the_first_screens_hold_the_answer_and_its_figure(
    browser: webdriver.Chrome, page: Path, width: int, first: int
) -> None:
    show(browser, page, width=width, folded=True)
    top = "return document.querySelector('.chart svg').getBoundingClientRect().top"
    assert run(browser, top) <= first
    assert run(browser, "return document.documentElement.scrollHeight") <= 7300


@pytest.mark.soak
def test_a_folded_figure_is_drawn_when_it_is_unfolded(
    browser: webdriver.Chrome, page: Path
) -> None:
    show(browser, page, folded=True)
    drawn = "return document.querySelectorAll('#ledger .chart svg').length"
    assert run(browser, drawn) == 0
    unfold = "for (let at = arguments[0]; at; at = at.parentElement) at.open = true"
    browser.execute_script(unfold, browser.find_element(By.ID, "ledger"))
    WebDriverWait(browser, 10).until(lambda opened: opened.execute_script(drawn) == 3)
    assert run(browser, "return document.querySelector('#ledger svg').clientWidth") > 100


@pytest.mark.soak
def test_a_link_to_a_folded_figure_unfolds_it(browser: webdriver.Chrome, page: Path) -> None:
    browser.get("about:blank")
    browser.get(f"{page.as_uri()}#ledger")
    wait_until_drawn(browser, "light")
    assert run(browser, "return document.querySelectorAll('#ledger .chart svg').length") == 3


@pytest.mark.soak
def test_nothing_is_requested_from_a_network(browser: webdriver.Chrome, page: Path) -> None:
    log_of(browser, "performance")
    show(browser, page)
    requested = requests_of(browser)
    assert requested == []
    entries = run(browser, "return performance.getEntriesByType('resource').map(e => e.name)")
    assert [name for name in entries if not name.startswith("data:")] == []


@pytest.mark.soak
def test_a_hostile_title_or_stack_runs_nothing(browser: webdriver.Chrome, page: Path) -> None:
    show(browser, page)
    assert browser.title == "</title><script>document.title='owned'</script>"
    assert run(browser, "return document.querySelectorAll('img').length") == 0
    assert run(
        browser, "return document.querySelector('main').textContent.includes(arguments[0])", EVIL
    )


@pytest.mark.soak
def test_a_tooltip_shows_a_hostile_stack_as_text(browser: webdriver.Chrome, page: Path) -> None:
    show(browser, page)
    log_of(browser, "browser")
    mark = browser.find_elements(By.CSS_SELECTOR, "#latency-loss .mark-symbol path")[1]
    ActionChains(browser).scroll_to_element(mark).move_to_element(mark).perform()
    script = "return document.querySelector('#vg-tooltip-element.visible')?.textContent"
    WebDriverWait(browser, 10).until(lambda opened: opened.execute_script(script))
    assert "interval" in run(browser, script)
    assert run(browser, "return document.querySelectorAll('img').length") == 0
    assert log_of(browser, "browser") == []


@pytest.mark.soak
@pytest.mark.parametrize("dark", [False, True])
def test_a_phone_shows_the_page_without_scrolling_sideways(
    browser: webdriver.Chrome, page: Path, *, dark: bool
) -> None:
    show(browser, page, width=PHONE, dark=dark)
    assert run(browser, "return document.documentElement.scrollWidth") == PHONE
    wide = run(
        browser,
        "return [...document.querySelectorAll('svg, figure, .verdict, h1, h2, p, dl')]"
        ".filter(e => !e.closest('.scroll') && e.getBoundingClientRect().right > innerWidth + 0.5)"
        ".map(e => e.outerHTML.slice(0, 80))",
    )
    assert wide == []


@pytest.mark.soak
def test_charts_follow_the_width_of_the_window(browser: webdriver.Chrome, page: Path) -> None:
    show(browser, page, folded=True)
    set_width(browser, PHONE)
    script = (
        "return Math.max(...[...document.querySelectorAll('.chart svg')]"
        ".map(svg => svg.getBoundingClientRect().right))"
    )
    WebDriverWait(browser, 10).until(lambda opened: opened.execute_script(script) <= PHONE)


@pytest.mark.soak
def test_dark_mode_changes_the_background_and_keeps_chart_text_readable(
    browser: webdriver.Chrome, page: Path
) -> None:
    script = (
        "const card = getComputedStyle(document.querySelector('figure')).backgroundColor;"
        "const texts = [...document.querySelectorAll('.chart svg text')]"
        ".filter(text => !text.closest('.mark-text.role-mark[aria-roledescription]'))"
        ".map(text => getComputedStyle(text).fill);"
        "return [card, [...new Set(texts)]]"
    )
    show(browser, page)
    light_card, light_texts = run(browser, script)
    show(browser, page, dark=True)
    dark_card, dark_texts = run(browser, script)
    assert luminance(light_card) > 0.9
    assert luminance(dark_card) < 0.05
    # Marks drawn as text count as graphics, for which 3 is enough.
    assert all(contrast(text, light_card) >= 3 for text in light_texts)
    assert all(contrast(text, dark_card) >= 3 for text in dark_texts)


@pytest.mark.soak
def test_a_change_of_mode_while_the_page_is_open_redraws_the_charts(
    browser: webdriver.Chrome, page: Path
) -> None:
    show(browser, page)
    script = "return getComputedStyle(document.querySelector('.role-axis-title text')).fill"
    before = run(browser, script)
    set_mode(browser, dark=True)
    wait_until_drawn(browser, "dark")
    assert run(browser, script) != before
    assert run(browser, "return document.querySelectorAll('.chart').length") == 15


@pytest.mark.soak
def test_a_figure_of_its_own_is_drawn_too(
    browser: webdriver.Chrome, page: Path, tmp_path: Path
) -> None:
    path = write_figure([page.parent], "ledger", out=tmp_path / "ledger.html")
    log_of(browser, "browser")
    show(browser, path)
    assert run(browser, "return document.querySelectorAll('.chart svg').length") == 3
    assert log_of(browser, "browser") == []
