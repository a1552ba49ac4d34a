"""The public names of the package, from their docstrings."""

from __future__ import annotations

import inspect
import re
from functools import cached_property

import lasthop
from docs.generator.markdown import code
from lasthop.outcome.results import Results

RESULTS_MEMBERS = (
    "manifest",
    "runs",
    "messages",
    "ledger",
    "packets",
    "latency",
    "groups",
    "bills",
    "sims",
    "decision",
    "by_group",
    "report",
)
"""What of the results the reference describes, in this order."""

_SECTION = re.compile(r"\n\n(?P<name>[A-Z][a-z]+)\n-+\n")
_ENTRY = re.compile(r"(?P<name>[\w, ]+?)(?: : (?P<type>.+))?\n(?P<text>(?: {4}.*\n?)+)")


def sections() -> str:
    """Write a section for each name that the package offers."""
    return "\n\n".join(_section(name) for name in sorted(lasthop.__all__, key=str.casefold))


def _section(name: str) -> str:
    value = getattr(lasthop, name)
    if name == "__version__":
        return f"## {code(f'lasthop.{name}')}\n\nThe version of lasthop, a text."
    written = documented(value)
    if value is not Results:
        return f"## {code(_call(f'lasthop.{name}', value))}\n\n{written}"
    members = [f"### {code(_member(member))}\n\n{_words(member)}" for member in RESULTS_MEMBERS]
    return "\n\n".join([f"## {code(_call(f'lasthop.{name}', value))}", written, *members])


def _call(name: str, value: object) -> str:
    if not callable(value) or (inspect.isclass(value) and issubclass(value, Exception)):
        return name
    written: list[str] = []
    for parameter in inspect.signature(value).parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and "*" not in written:
            written.append("*")
        default = "" if parameter.default is parameter.empty else f"={parameter.default!r}"
        written.append(f"{parameter.name}{default}")
    return f"{name}({', '.join(written)})"


def _member(name: str) -> str:
    value = inspect.getattr_static(Results, name)
    return name if isinstance(value, cached_property | property) else f"{name}()"


def _words(name: str) -> str:
    return documented(inspect.getattr_static(Results, name))


def documented(value: object) -> str:
    """Write a docstring of numpy's form as Markdown.

    Examples
    --------
    >>> def half(number):
    ...     '''Halve a number.
    ...
    ...     Parameters
    ...     ----------
    ...     number
    ...         Any.
    ...     '''
    >>> print(documented(half))
    Halve a number.
    <BLANKLINE>
    - `number`: Any.
    """
    first, *rest = _SECTION.split(inspect.getdoc(value) or "")
    written = [first]
    for name, text in zip(rest[::2], rest[1::2], strict=True):
        if name == "Examples":
            written.append(f"```python\n{text.strip()}\n```")
            continue
        entries = [
            f"- {code(entry['name'])}: {' '.join(entry['text'].split())}"
            for entry in _ENTRY.finditer(text + "\n")
        ]
        heading = [] if name in {"Parameters", "Attributes"} else [f"{name}:"]
        written += [*heading, "\n".join(entries)]
    return "\n\n".join(written)
