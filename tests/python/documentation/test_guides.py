"""Who a guide is for, and what the reader can do after it, stand in its first paragraph."""

import re

import pytest

from .conftest import ROOT

GUIDES = sorted(
    path.name for path in (ROOT / "docs/guides").glob("*.md") if path.name != "index.md"
)
_TITLE = re.compile(r"(?:\A|\n)# .*\n\n(?P<paragraph>(?:.+\n)+)")


@pytest.mark.parametrize("guide", GUIDES)
def test_a_guide_says_for_whom_it_is_and_what_one_can_do_after_it(guide: str) -> None:
    text = (ROOT / "docs/guides" / guide).read_text(encoding="utf-8")
    found = _TITLE.search(text)
    assert found is not None
    first = found["paragraph"].replace("\n", " ")
    assert re.match(r"For [^.]+\. Afterwards you [^.]+\.", first), first


def test_the_index_asks_twenty_questions_and_leads_to_most_guides() -> None:
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    rows = [line for line in index.splitlines() if line.startswith("| ") and "?" in line]
    assert len(rows) >= 20
    assert all("](" in row for row in rows)
