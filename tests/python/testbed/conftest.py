"""Namespaces need root."""

import pytest

from lasthop.testbed import what_is_missing


@pytest.fixture(autouse=True)
def _as_root() -> None:
    if (missing := what_is_missing()) is not None:
        pytest.skip(f"these tests need {missing}")
