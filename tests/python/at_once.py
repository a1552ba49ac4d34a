"""What the tests of a parameter look at, made for several of its values at a time."""

import os
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest

Made = TypeVar("Made")


def at_once(
    request: pytest.FixtureRequest, parameter: str, make: Callable[[Any], Made]
) -> Callable[[Hashable], Made]:
    """Make something for every value with which a test that asks for the fixture is to run.

    Returns
    -------
    callable
        Gives what was made for a value, or raises what its making has raised.
    """
    values: set[Hashable] = {
        item.callspec.params[parameter]
        for item in request.session.items
        if isinstance(item, pytest.Function)
        and request.fixturename in item.fixturenames
        and parameter in item.callspec.params
    }
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = {value: pool.submit(make, value) for value in values}
    return lambda value: made[value].result()
