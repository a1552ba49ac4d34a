"""The published studies in full: their claims end as their `deviations.md` says."""

import re
from pathlib import Path

import pytest

import lasthop

STUDIES = Path(__file__).parents[3] / "studies"
_ROW = re.compile(r"^\| (?P<ids>[A-Z]+\d+(?:, [A-Z]+\d+)*) .* \| (?P<end>[^|]+) \|$", re.MULTILINE)
_VERDICTS = ("not reproduced", "reproduced", "undecided", "not covered")


def written_verdicts(study: str) -> dict[str, str]:
    """Read the verdict on each claim from the table of a study's deviations."""
    text = (STUDIES / study / "deviations.md").read_text(encoding="utf-8")
    return {
        claim: next(verdict for verdict in _VERDICTS if row["end"].startswith(verdict))
        for row in _ROW.finditer(text)
        for claim in row["ids"].split(", ")
    }


@pytest.mark.parametrize("study", ["chen-kunz-2016", "larmo-2019"])
def test_the_deviations_name_a_verdict_for_each_claim(study: str) -> None:
    claims = lasthop.load_study(STUDIES / study / "study.yaml").claims
    assert set(written_verdicts(study)) == {claim.id for claim in claims if claim.kind != "note"}


@pytest.mark.soak
@pytest.mark.parametrize("study", ["chen-kunz-2016", "larmo-2019"])
def test_a_full_study_ends_with_the_verdicts_of_its_deviations(study: str, tmp_path: Path) -> None:
    results = lasthop.run(STUDIES / study / "study.yaml", out=tmp_path / study)
    found = {found.id: found.verdict.value for found in results.judgements if found.verdict}
    assert found == written_verdicts(study)
