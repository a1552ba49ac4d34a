"""What the tests hold: the first line of each of their files, which says it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from docs.generator.markdown import code, table

ROOT = Path(__file__).parents[2]

_RUST_DOC = re.compile(r"^//! (.+)$", re.MULTILINE)
_FIRST_TEST = re.compile(r"#\[test\]\s+(?:#\[[^\]]*\]\s+)*fn (\w+)")


def held() -> str:
    """List the files of tests, each with what it holds."""
    rust = sorted(ROOT.glob("crates/*/tests/behaviour/**/*.rs"))
    python = sorted(ROOT.glob("tests/python/**/test_*.py"))
    rows = [(code(str(file.relative_to(ROOT))), _said_in_rust(file)) for file in rust]
    rows += [(code(str(file.relative_to(ROOT))), _said_in_python(file)) for file in python]
    return table(("test", "what it holds"), [row for row in rows if row[1]])


def _said_in_rust(file: Path) -> str:
    """Give the line that says what a file is, else its first test in words; nothing for helpers."""
    text = file.read_text(encoding="utf-8")
    first = _FIRST_TEST.search(text)
    if first is None:
        return ""
    said = _RUST_DOC.match(text)
    return said[1] if said else first[1].replace("_", " ")


def _said_in_python(file: Path) -> str:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return (ast.get_docstring(tree) or "").split("\n")[0]
