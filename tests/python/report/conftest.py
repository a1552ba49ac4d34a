"""Fixtures of the tests of reports."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from tests.python.browser import open_browser

from .synthetic import SyntheticStudy, write_folder

WriteResults = Callable[..., Path]


@pytest.fixture
def write_results(tmp_path: Path) -> WriteResults:
    """Return a function that writes a synthetic result folder and returns its path."""

    def write(study: SyntheticStudy | None = None, *, name: str = "results") -> Path:
        return write_folder(tmp_path / name, study or SyntheticStudy())

    return write


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """Return a browser."""
    with open_browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened
