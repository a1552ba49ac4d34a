"""The generated pages name all that the code has."""

import re
from pathlib import Path

import pytest
from docs.generator import PARTS, fill, ledger_words, pages, parts_of

from lasthop import errors
from lasthop.results.meaning import TABLES
from lasthop.study.figures.traced import OF_A_PATH, TRACED
from lasthop.study.forms.keys import known_keys
from lasthop.study.stacks import catalogue

from .conftest import DOCS, ROOT


def test_every_generated_part_is_on_a_page() -> None:
    named = [name for page in pages() for name in parts_of(page.read_text(encoding="utf-8"))]
    assert sorted(named) == sorted(PARTS)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_a_page_is_kept_as_the_code_makes_it(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert fill(text) == text, "write it with make generate"


def test_a_part_that_does_not_exist_is_refused() -> None:
    with pytest.raises(KeyError, match="nothing"):
        fill("# A page\n\n<!-- generated: nothing -->\n\n<!-- end of nothing -->\n")


def test_a_part_without_an_end_is_refused() -> None:
    with pytest.raises(ValueError, match="end of NAME"):
        fill("# A page\n\n<!-- generated: units -->\n\nand more\n")


def test_a_part_that_has_fallen_behind_is_written_anew() -> None:
    stale = "# A page\n\n<!-- generated: units -->\n\nnone\n\n<!-- end of units -->\n\nThe rest.\n"
    page = fill(stale)
    assert PARTS["units"]() in page
    assert page.endswith("<!-- end of units -->\n\nThe rest.\n")
    assert fill(page) == page


def test_every_key_of_a_study_is_described() -> None:
    rows = set(re.findall(r"^\| `([^`]+)` \|", PARTS["study_keys"](), re.MULTILINE))
    assert {key.rpartition(".")[2] for key in known_keys()} - {"*"} <= rows


def test_defaults_and_units_are_written_as_in_a_study() -> None:
    text = PARTS["study_keys"]()
    assert "| `drain` |" in text
    assert "| [a time](#units) | `2 min` |" in text
    assert "| `token_bucket`, `serial` | `token_bucket` |" in text
    assert "| [a size](#units) or [a number of packets](#units) | `64 kB` |" in text


def test_every_option_of_a_stack_is_described() -> None:
    text = PARTS["stack_catalogue"]()
    for name in catalogue().applications:
        assert f"## `{name}`" in text
    for name in catalogue().options():
        assert f"| `{name}` |" in text


def test_every_column_of_a_table_has_its_unit_and_meaning() -> None:
    text = PARTS["result_tables"]()
    for name, (_, columns) in TABLES.items():
        section = text.partition(f"`{name}.parquet`")[2].partition("\n## ")[0]
        for column in columns:
            assert f"| `{column.name}` | {column.unit or ''} |" in section, (name, column.name)


def test_every_exit_code_is_explained() -> None:
    codes = {
        value
        for name, value in vars(errors).items()
        if re.fullmatch("EXIT_[A-Z_]+", name) and isinstance(value, int)
    }
    assert set(errors.EXIT_MEANINGS) == codes


def test_every_command_has_a_section_with_an_example() -> None:
    text = PARTS["command_line"]()
    for command in (
        "demo",
        "run",
        "report",
        "archive",
        "stacks",
        "explain",
        "init",
        "doctor",
        "studies",
    ):
        section = text.partition(f"## `lasthop {command}`")[2].partition("\n## ")[0]
        assert f"```sh\nlasthop {command}" in section


def test_the_words_of_rust_are_found() -> None:
    for file, enumeration in ledger_words.WORDS.values():
        assert len(ledger_words.words(file, enumeration)) > 5
    with pytest.raises(LookupError, match="NoSuchThing"):
        ledger_words.words("link.rs", "NoSuchThing")


def test_every_model_has_a_page() -> None:
    models = {path.parent.name for path in (ROOT / "crates").glob("*/MODEL.md")}
    pages = {f"lasthop_{path.stem}" for path in (DOCS / "models").glob("*.md")}
    assert pages - {"lasthop_index"} == models


def test_no_page_is_kept_by_hand_where_it_is_included() -> None:
    for path in [*Path(DOCS / "models").glob("*.md"), *Path(DOCS / "project").glob("*.md")]:
        if path.stem != "index":
            assert path.read_text(encoding="utf-8").startswith("```{include} "), path.name


def test_the_reference_names_each_measure_that_only_figures_have() -> None:
    page = (DOCS / "reference" / "figures.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| .* \| (?:`path`|rows of messages) \|$", page, re.MULTILINE)
    assert tuple(sorted(rows)) == tuple(sorted(TRACED))
    of_path = re.findall(r"^\| `(\w+)` \| .* \| `path` \|$", page, re.MULTILINE)
    assert tuple(of_path) == OF_A_PATH
