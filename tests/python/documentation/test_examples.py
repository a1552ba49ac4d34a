"""The examples in the docstrings of what makes and checks the site."""

import doctest
import importlib
import pkgutil

import docs


def test_the_examples_hold() -> None:
    names = [
        name
        for _, name, _ in pkgutil.walk_packages(docs.__path__, "docs.")
        if name != "docs.conf"  # Sphinx reads it
    ]
    tried = 0
    for name in names:
        results = doctest.testmod(importlib.import_module(name))
        assert results.failed == 0, name
        tried += results.attempted
    assert tried > 5
