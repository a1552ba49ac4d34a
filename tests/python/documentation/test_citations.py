"""Citations of RFCs and 3GPP documents have one form, so that a search finds all of them.

``RFC 9293 section 3.8.4``, ``RFC 7959 sections 2.4, 2.5``, ``RFC 8446 appendix D.4``;
``TS 36.213 section 16.6``, ``TS 36.213 table 16.4.1.3-2``, ``TS 36.104 annex A.14``.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
OTHER_FORMS = {
    "a sign for section": r"\bRFC [0-9]+,? §",
    "no space before the number": r"\bRFC[0-9]{3,5}\b(?!\.)",
    "a comma": r"\b(RFC [0-9]+|T[SR] [0-9]{2}\.[0-9]{3}), (sections?|clauses?|appendix|annex) ",
    "clause": r"\b(RFC [0-9]+|T[SR] [0-9]{2}\.[0-9]{3}) clauses? ",
    "a bare number": r"\bT[SR] [0-9]{2}\.[0-9]{3},? (?![0-9]{2}\.[0-9]{3}\b)[0-9]+\.[0-9]",
    "a sign for section in 3GPP": r"\bT[SR] [0-9]{2}\.[0-9]{3},? §",
}
SUFFIXES = (".rs", ".py", ".md")


def _files() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = (name for name in listed.stdout.split("\0") if name.endswith(SUFFIXES))
    apart = ("third_party/", "CHANGELOG.md", "tests/python/documentation/test_citations.py")
    return [ROOT / name for name in names if not name.startswith(apart)]


@pytest.mark.parametrize("form", OTHER_FORMS)
def test_citations_have_one_form(form: str) -> None:
    found = [
        f"{file.relative_to(ROOT)}: {match[0]}"
        for file in _files()
        if file.exists()
        for match in re.finditer(OTHER_FORMS[form], file.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("a sign for section", "RFC 9293 §3.8.4"),
        ("no space before the number", "RFC9293"),
        ("a comma", "RFC 8446, appendix C.4"),
        ("clause", "TS 36.213 clause 16.6"),
        ("a bare number", "TS 36.213 16.6"),
        ("a sign for section in 3GPP", "TS 36.213 §16.6"),
    ],
)
def test_each_other_form_is_found(form: str, text: str) -> None:
    assert re.search(OTHER_FORMS[form], text)
    assert not any(
        re.search(other, right)
        for other in OTHER_FORMS.values()
        for right in ("RFC 9293 section 3.8.4", "TS 36.331, 24.301", "TS 36.213 table 16.5-1")
    )
