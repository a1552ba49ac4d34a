"""A real browser for tests of pages: headless, with an empty profile."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

DESKTOP, PHONE = 1200, 390

_ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)


def find_programs() -> tuple[str, str]:
    """Return the browser and its driver; skip the tests without them."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    driver = shutil.which("chromedriver")
    if browser and driver:
        return browser, driver
    missing = "chromium" if not browser else "chromedriver"
    pytest.skip(f"{missing} is not installed (Debian: chromium and chromium-driver)")


@contextmanager
def open_browser(profile: Path) -> Iterator[webdriver.Chrome]:
    """Open a headless browser that keeps its profile in an empty folder."""
    binary, driver = find_programs()
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in (*_ARGUMENTS, f"--user-data-dir={profile}"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    opened = webdriver.Chrome(options=options, service=Service(driver))
    yield opened
    opened.quit()


def set_width(browser: webdriver.Chrome, width: int) -> None:
    """Give the window the width of a desktop or of a phone."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width == PHONE}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def set_mode(browser: webdriver.Chrome, *, dark: bool) -> None:
    """Tell the page that the reader prefers light or dark."""
    feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


def set_scripts(browser: webdriver.Chrome, *, allowed: bool) -> None:
    """Let the browser run the scripts of pages, or not."""
    order = {"value": not allowed}
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", order)


def run(browser: webdriver.Chrome, script: str, *arguments: object) -> Any:  # noqa: ANN401
    """Run a script in the page and return what it returns."""
    return browser.execute_script(script, *arguments)


def log_of(browser: webdriver.Chrome, kind: str) -> list[dict[str, Any]]:
    """Return what was logged since the last call."""
    entries: list[dict[str, Any]] = browser.get_log(kind)  # type: ignore[no-untyped-call]
    return entries


def requests_of(browser: webdriver.Chrome) -> list[str]:
    """Return what was requested from a network since the last look at the log."""
    told = "".join(entry["message"] for entry in log_of(browser, "performance"))
    return re.findall(r'\\?"url\\?":\\?"((?:https?|wss?):[^"\\]*)', told)
