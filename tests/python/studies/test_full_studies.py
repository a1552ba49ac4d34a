"""The published studies in full: their claims end as their `deviations.md` says."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import lasthop

STUDIES = Path(__file__).parents[3] / "studies"


def _program() -> ModuleType:
    spec = importlib.util.spec_from_file_location("verdicts", STUDIES / "verdicts.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


VERDICTS = _program()


def written_verdicts(study: str) -> dict[str, str]:
    """Read the verdict on each claim from the table of a study's deviations."""
    found: dict[str, str] = VERDICTS.written_verdicts(study)
    return found


FILES = {
    "chen-kunz-2016": ("study",),
    "larmo-2019": ("study",),
    "emqx-quic-2022": ("study", "busy-server", "loss-test", "alarm"),
    "google-http-mqtt": ("study",),
    "yudayev-2019": ("study", "servers"),
}
"""Which files have the claims of a paper among them."""

ON_SOCKETS = {"emqx-quic-2022": {"EQ4", "EQ5", "EQ6"}}
"""Claims that are judged on sockets, by ``live.yaml``; a virtual run does not cover them."""


@pytest.mark.parametrize("study", FILES)
def test_the_deviations_name_a_verdict_for_each_claim(study: str) -> None:
    claimed = {
        claim.id
        for file in FILES[study]
        for claim in lasthop.load_study(STUDIES / study / f"{file}.yaml").claims
        if claim.kind != "note"
    }
    assert set(written_verdicts(study)) == claimed


def test_readme_counts_the_verdicts_of_every_claim() -> None:
    readme = (STUDIES.parent / "README.md").read_text(encoding="utf-8")
    for row in VERDICTS.rows():
        assert row in readme
    assert {paper.study for paper in VERDICTS.PAPERS} == set(FILES)


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
    written = written_verdicts(study)
    on_sockets = ON_SOCKETS.get(study, set())
    assert {claim for claim in found if found[claim] == "not covered"} >= on_sockets
    assert {claim: found[claim] for claim in found if claim not in on_sockets} == {
        claim: written[claim] for claim in written if claim not in on_sockets
    }
