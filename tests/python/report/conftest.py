"""Fixtures of the tests of reports."""

from collections.abc import Callable
from pathlib import Path

import pytest

from .synthetic import SyntheticStudy, write_folder

WriteResults = Callable[..., Path]


@pytest.fixture
def write_results(tmp_path: Path) -> WriteResults:
    """Return a function that writes a synthetic result folder and returns its path."""

    def write(study: SyntheticStudy | None = None, *, name: str = "results") -> Path:
        return write_folder(tmp_path / name, study or SyntheticStudy())

    return write
