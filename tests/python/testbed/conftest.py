"""Namespaces take root, and in CI nothing may be skipped."""

import os

import pytest

from lasthop.testbed import what_is_missing


@pytest.fixture(autouse=True)
def _as_root() -> None:
    if (missing := what_is_missing()) is not None:
        reason = f"these tests need {missing}"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
