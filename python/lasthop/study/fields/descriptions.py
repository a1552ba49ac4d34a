"""Descriptions of form keys, read from the docstrings below their fields.

Pydantic reads them too, but whenever the forms are imported: a fifth of the time that a command
takes to start.
"""

from __future__ import annotations

import ast
import inspect
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType


def descriptions(form: type) -> dict[str, str]:
    """Return the docstring of each field, including inherited ones.

    Examples
    --------
    >>> from lasthop.study.claims.form import ReferenceForm
    >>> descriptions(ReferenceForm)["part"]
    'The part of the study.'
    """
    found: dict[str, str] = {}
    for base in reversed(form.__mro__):
        module = inspect.getmodule(base)
        if module is not None and base.__module__.startswith("lasthop."):
            found |= _classes(module).get(base.__name__, {})
    return found


@cache
def _classes(module: ModuleType) -> dict[str, dict[str, str]]:
    statements = ast.parse(inspect.getsource(module)).body
    return {
        statement.name: _fields(statement)
        for statement in statements
        if isinstance(statement, ast.ClassDef)
    }


def _fields(definition: ast.ClassDef) -> dict[str, str]:
    found = {}
    for field, below in zip(definition.body, definition.body[1:], strict=False):
        match field, below:
            case (
                ast.AnnAssign(target=ast.Name(id=name)),
                ast.Expr(value=ast.Constant(value=str(text))),
            ):
                found[name] = inspect.cleandoc(text)
    return found
