"""Keys and options with a new name: the old name works for one version, with a note."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lasthop.errors import StudyError
from lasthop.study import load_study
from lasthop.study.forms.renamed_keys import with_current_keys
from lasthop.study.stacks.catalogue import Link, catalogue
from lasthop.study.text.source import parse

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from lasthop.study.plan.study import Study

STUDY = """\
study: before
duration: 5 s
traffic: {report: 50 B, every: 1 s}
stacks: [raw_udp]
path: {medium: own_link}
sweep: [{name: link, path.medium: [own_link]}]
expect: ["delivery_ratio == 1 where path.medium == 'own_link'"]
"""
NOTE = (
    'path.medium: this key is now called "extension_link"; '
    "the next version no longer reads the old name"
)


@pytest.fixture(autouse=True)
def own_link(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(catalogue().links, "own_link", Link("own_link", "a link", ()))


def loaded(folder: Path, text: str, overrides: Sequence[tuple[str, str]] = ()) -> Study:
    (folder / "study.yaml").write_text(text)
    return load_study(folder / "study.yaml", overrides=overrides)


def test_a_study_of_before_is_planned_as_one_with_the_new_key(tmp_path: Path) -> None:
    old = loaded(tmp_path, STUDY)
    assert old.notes == (NOTE,)
    new = loaded(tmp_path, STUDY.replace("medium", "extension_link"))
    assert new.notes == ()
    assert (old.source_hash, old.parts) == (new.source_hash, new.parts)
    assert [point.conditions for point in old.points] == [point.conditions for point in new.points]


def test_a_study_that_extends_one_of_before_has_its_note(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(STUDY)
    assert loaded(tmp_path, "study: after\nextends: base.yaml\n").notes == (NOTE,)


def test_set_takes_the_old_name_of_a_key(tmp_path: Path) -> None:
    plain = "\n".join(STUDY.split("\n")[:4])
    study = loaded(tmp_path, plain, overrides=[("path.medium", "own_link")])
    assert study.notes == (NOTE,)
    assert "own_link" in str(study.points[0].conditions)


def test_a_fault_of_an_old_key_has_its_place(tmp_path: Path) -> None:
    with pytest.raises(StudyError) as caught:
        loaded(tmp_path, STUDY.replace("{medium: own", "{medium: other"))
    assert (caught.value.line, caught.value.column) == (5, 16)
    assert 'unknown link "other_link"' in str(caught.value)


def test_old_names_are_replaced_in_lists_of_hops_and_named_paths_alone() -> None:
    text = (
        "paths: {medium: [{medium: a}, {nat: {udp: 1 s}}], cell: {medium: b}}\n"
        "traffic: {medium: {report: 50 B}}\ntitle: path.medium\n"
    )
    source, notes = with_current_keys(parse(text, name="study.yaml"))
    assert source.value == {
        "paths": {
            "medium": [{"extension_link": "a"}, {"nat": {"udp": "1 s"}}],
            "cell": {"extension_link": "b"},
        },
        "traffic": {"medium": {"report": "50 B"}},
        "title": "path.medium",
    }
    assert [note.partition(":")[0] for note in notes] == [
        "paths.medium.0.medium",
        "paths.cell.medium",
    ]
    place = source.places["paths", "medium", 0, "extension_link"]
    assert (place.key_line, place.key_column) == (1, 19)
