"""The site, built once."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from tests.python.browser import open_browser

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the site, built in strict mode."""
    folder = tmp_path_factory.mktemp("docs")
    command = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--keep-going"]
    command += ["--quiet", "--doctree-dir", str(folder / "doctrees"), str(DOCS)]
    done = subprocess.run(
        [*command, str(folder / "site")], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder / "site"


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[webdriver.Chrome]:
    """Return a browser."""
    with open_browser(tmp_path_factory.mktemp("profile")) as opened:
        yield opened
