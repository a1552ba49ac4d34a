"""`lasthop init --paper`: a rerun of a paper to start from, which runs as it is."""

from pathlib import Path

import pytest

import lasthop
from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.report.write import write_report
from lasthop.study.init.paper import FILES, write_paper


def test_the_template_runs_and_its_page_opens_with_claims_and_figures(tmp_path: Path) -> None:
    written = write_paper(tmp_path / "doe-2021")
    assert [path.name for path in written] == list(FILES)
    results = lasthop.run(tmp_path / "doe-2021" / "study.yaml", quick=True, out=tmp_path / "runs")
    kinds = {judgement.kind for judgement in results.judgements}
    assert kinds == {"value", "order", "threshold"}
    assert any(judgement.verdict.value == "not covered" for judgement in results.judgements)  # type: ignore[union-attr]
    page = write_report([results.path], out=tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.index("AUTHORS YEAR, rerun") < page.index("Figure 1: Mean latency over packet loss")
    assert "Table 1: Bytes and delivery at 10 % loss" in page
    assert "Not drawn" not in page


def test_the_study_has_the_name_of_its_folder(tmp_path: Path) -> None:
    write_paper(tmp_path / "doe-2021")
    assert lasthop.load_study(tmp_path / "doe-2021" / "study.yaml").name == "doe-2021"
    assert "doe-2021/study.yaml" in (tmp_path / "doe-2021" / "deviations.md").read_text()


def test_an_existing_folder_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    with pytest.raises(UsageError, match="exists already; choose another name"):
        write_paper(tmp_path / "mine")
    assert list((tmp_path / "mine").iterdir()) == []


@pytest.mark.parametrize("name", ["a b", "2021", "é", "x" * 65, "..."])
def test_a_name_that_no_study_can_have_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match='write letters, digits and hyphens, for example "doe'):
        write_paper(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_below_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFailure, match="choose another folder"):
        write_paper(tmp_path / "nowhere" / "doe-2021")
