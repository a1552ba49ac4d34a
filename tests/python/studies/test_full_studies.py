"""The published studies in full: their claims end as their `deviations.md` says."""

import re
from pathlib import Path

import pytest

import lasthop
from lasthop.claims import ClaimVerdict

STUDIES = Path(__file__).parents[3] / "studies"
_ID = r"[A-Z]+\d+[a-z]?"
_ROW = re.compile(rf"^\| (?P<ids>{_ID}(?:, {_ID})*) .* \| (?P<end>[^|]+) \|$", re.MULTILINE)
_VERDICTS = tuple(verdict.value for verdict in ClaimVerdict)


def written_verdicts(study: str) -> dict[str, str]:
    """Read the verdict on each claim from the table of a study's deviations.

    Other tables have rows of claims as well, which end otherwise.
    """
    text = (STUDIES / study / "deviations.md").read_text(encoding="utf-8")
    return {
        claim: verdict
        for row in _ROW.finditer(text)
        for verdict in _VERDICTS
        if row["end"].startswith(verdict)
        for claim in row["ids"].split(", ")
    }


FILES = {
    "chen-kunz-2016": ("study",),
    "larmo-2019": ("study",),
    "emqx-quic-2022": ("study", "weak-network", "alarm"),
    "google-http-mqtt": ("study",),
    "yudayev-2019": ("study", "servers"),
}
"""Which files have the claims of a paper among them."""


@pytest.mark.parametrize("study", FILES)
def test_the_deviations_name_a_verdict_for_each_claim(study: str) -> None:
    claimed = {
        claim.id
        for file in FILES[study]
        for claim in lasthop.load_study(STUDIES / study / f"{file}.yaml").claims
        if claim.kind != "note"
    }
    assert set(written_verdicts(study)) == claimed


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("study", FILES)
def test_a_full_study_ends_with_the_verdicts_of_its_deviations(study: str, tmp_path: Path) -> None:
    found: dict[str, str] = {}
    for file in FILES[study]:
        results = lasthop.run(STUDIES / study / f"{file}.yaml", out=tmp_path / file)
        judged = results.judgements
        found |= {
            judgement.id: judgement.verdict.value for judgement in judged if judgement.verdict
        }
    assert found == written_verdicts(study)
