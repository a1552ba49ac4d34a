"""The site: no link leads nowhere; in a real browser, from a folder, on a phone, in the dark."""

from pathlib import Path

import pytest
from docs.links import broken_in_site, loaded_from_elsewhere
from selenium import webdriver
from selenium.webdriver.support.ui import WebDriverWait
from tests.python.browser import (
    DESKTOP,
    PHONE,
    log_of,
    requests_of,
    run,
    set_mode,
    set_width,
)

pytestmark = pytest.mark.soak

PAGES = ("index", "tutorial", "reference/study", "reference/results", "models/link", "glossary")


def test_every_link_of_the_site_leads_somewhere(site: Path) -> None:
    assert list(broken_in_site(site)) == []


def test_the_site_loads_nothing_from_other_hosts(site: Path) -> None:
    assert list(loaded_from_elsewhere(site)) == []


def show(browser: webdriver.Chrome, site: Path, page: str, *, width: int, dark: bool) -> None:
    """Open a page."""
    set_width(browser, width)
    set_mode(browser, dark=dark)
    browser.get((site / f"{page}.html").as_uri())


@pytest.mark.parametrize("page", PAGES)
def test_a_page_opens_without_errors_and_without_a_network(
    browser: webdriver.Chrome, site: Path, page: str
) -> None:
    log_of(browser, "browser")
    log_of(browser, "performance")
    show(browser, site, page, width=DESKTOP, dark=False)
    assert log_of(browser, "browser") == []
    assert requests_of(browser) == []


@pytest.mark.parametrize("page", ["tutorial", "reference/study", "models/link"])
def test_no_page_scrolls_sideways_from_a_phone_to_a_wide_screen(
    browser: webdriver.Chrome, site: Path, page: str
) -> None:
    for width in (PHONE, 820, DESKTOP, 1350, 1460, 1600):
        show(browser, site, page, width=width, dark=True)
        wide, visible = run(
            browser, "const r = document.documentElement; return [r.scrollWidth, r.clientWidth]"
        )
        assert wide == visible, width


def test_the_site_follows_the_readers_preference_for_dark(
    browser: webdriver.Chrome, site: Path
) -> None:
    colours = []
    for dark in (False, True):
        show(browser, site, "index", width=DESKTOP, dark=dark)
        colours.append(run(browser, "return getComputedStyle(document.body).backgroundColor"))
    assert colours[0] != colours[1]


def test_the_search_finds_a_key_of_the_study_from_a_folder(
    browser: webdriver.Chrome, site: Path
) -> None:
    set_width(browser, DESKTOP)
    browser.get(f"{(site / 'search.html').as_uri()}?q=gilbert_elliott")
    script = "return [...document.querySelectorAll('ul.search a')].map(link => link.href)"
    WebDriverWait(browser, 20).until(lambda opened: opened.execute_script(script))
    assert any("reference/study.html" in link for link in run(browser, script))
