"""The page in a real browser: form and YAML, a run with its answer, desk and phone."""

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from tests.python.browser import (
    DESKTOP,
    PHONE,
    log_of,
    run,
    set_mode,
    set_scripts,
    set_width,
)

from .conftest import Page
from .test_server import BILLED


def show(browser: webdriver.Chrome, page: Page, *, width: int = DESKTOP) -> None:
    """Open the page and wait for its form."""
    set_width(browser, width)
    set_mode(browser, dark=False)
    browser.get("about:blank")
    log_of(browser, "browser")
    browser.get(page.server.url)
    WebDriverWait(browser, 20).until(lambda opened: opened.find_elements(By.ID, "field-loss"))


def until(browser: webdriver.Chrome, script: str) -> None:
    """Wait until a script in the page gives true."""
    WebDriverWait(browser, 60).until(lambda opened: opened.execute_script(f"return {script}"))


def test_a_field_and_the_yaml_follow_each_other(browser: webdriver.Chrome, page: Page) -> None:
    show(browser, page)
    loss = browser.find_element(By.ID, "field-loss")
    loss.send_keys(Keys.CONTROL, "a")
    loss.send_keys("7 %")
    until(browser, "document.getElementById('text').value.includes('loss: 7 %')")
    text = browser.find_element(By.ID, "text")
    run(browser, "arguments[0].value = arguments[0].value.replace('7 %', '8 %')", text)
    text.send_keys(Keys.END, " ")
    until(browser, "document.getElementById('field-loss').value === '8 %'")
    assert "sweep" in browser.find_element(By.ID, "only").text
    assert log_of(browser, "browser") == []


def test_an_error_stands_at_its_field(browser: webdriver.Chrome, page: Page) -> None:
    show(browser, page)
    every = browser.find_element(By.ID, "field-every")
    every.send_keys(Keys.CONTROL, "a")
    every.send_keys("5")
    until(browser, "document.getElementById('field-every-fault').textContent.includes('no unit')")
    wrong = browser.find_element(By.ID, "field-every")
    assert wrong.get_attribute("aria-invalid") == "true"
    assert wrong == browser.switch_to.active_element
    assert "Line 5: " in browser.find_element(By.ID, "fault").text


def test_a_run_fills_the_answer(browser: webdriver.Chrome, page: Page) -> None:
    show(browser, page)
    browser.find_element(By.ID, "run").click()
    until(browser, "document.querySelectorAll('#answer .found tbody tr').length === 2")
    until(browser, "document.getElementById('progress').textContent.startsWith('3 of 3')")
    assert not browser.find_element(By.ID, "provisional").is_displayed()
    assert run(browser, "return document.querySelectorAll('#answer .strip button').length") == 2
    assert browser.find_element(By.ID, "report").is_displayed()
    assert log_of(browser, "browser") == []


def test_a_change_on_disk_is_shown_while_the_page_is_open(
    browser: webdriver.Chrome, page: Page
) -> None:
    show(browser, page)
    page.file.write_text(page.file.read_text() + "# changed\n")
    until(browser, "!document.getElementById('disk').hidden")
    browser.find_element(By.ID, "reload").click()
    until(browser, "document.getElementById('disk').hidden")
    assert "# changed" in str(run(browser, "return document.getElementById('text').value"))


def test_without_javascript_one_line_says_what_to_use(
    browser: webdriver.Chrome, page: Page
) -> None:
    set_scripts(browser, allowed=False)
    try:
        browser.get(page.server.url)
        told = browser.find_element(By.TAG_NAME, "noscript").text
    finally:
        set_scripts(browser, allowed=True)
    assert told == ("This page needs JavaScript. Without it, use lasthop run and open report.html.")


def test_a_wrong_token_shows_one_line(browser: webdriver.Chrome, page: Page) -> None:
    browser.get(page.server.url + "x")
    assert (
        "Open the address that lasthop ui printed" in browser.find_element(By.TAG_NAME, "body").text
    )


@pytest.mark.parametrize("width", [DESKTOP, PHONE])
def test_the_page_does_not_scroll_sideways_and_names_its_fields(
    browser: webdriver.Chrome, page: Page, width: int
) -> None:
    show(browser, page, width=width)
    assert run(browser, "return document.documentElement.scrollWidth") <= width
    unnamed = """
        return [...document.querySelectorAll("main input, main select, main textarea")]
          .filter((e) => !(e.ariaLabel || e.labels?.length)).map((e) => e.outerHTML);
    """
    assert run(browser, unnamed) == []


def test_another_tariff_shows_its_costs_beside_the_answer(
    browser: webdriver.Chrome, page: Page
) -> None:
    page.file.write_text(BILLED)
    page.send("/api/reload")
    show(browser, page)
    assert browser.find_element(By.ID, "field-fee").get_attribute("value") == "1 USD/month"
    browser.find_element(By.ID, "run").click()
    until(browser, "document.getElementById('progress').textContent.startsWith('2 of 2')")
    priced = browser.find_element(By.ID, "priced")
    assert priced.text == "Costs by the tariff of the study: 1 USD/month, 0.5 USD/MB."
    before = browser.find_element(By.CSS_SELECTOR, "#answer .found").text
    field = browser.find_element(By.ID, "tariff")
    field.send_keys("{fee: 9 USD/month, price: 0.5 USD/MB}", Keys.ENTER)
    until(browser, "document.getElementById('priced').textContent.includes('9 USD/month')")
    assert "on this page only" in priced.text
    assert browser.find_element(By.CSS_SELECTOR, "#answer .found").text != before
    field.send_keys(Keys.CONTROL, "a")
    field.send_keys("{price: 1}", Keys.ENTER)
    until(browser, "!document.getElementById('told').hidden")
    assert "price" in browser.find_element(By.ID, "told").text
    set_width(browser, PHONE)
    assert run(browser, "return document.documentElement.scrollWidth") <= PHONE
