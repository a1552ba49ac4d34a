"""Namespaces need root."""

import pytest

from lasthop.testbed import missing_requirement


@pytest.fixture(autouse=True)
def _as_root() -> None:
    if (missing := missing_requirement()) is not None:
        pytest.skip(f"these tests need {missing}")
