"""A claim that rests on too few repetitions is an invalid comparison."""

from collections.abc import Mapping

from lasthop.outcome.results import Results
from lasthop.referee import read_ruling
from lasthop.referee.claims import rule_on_claims
from lasthop.referee.ruling import Ruling
from lasthop.results.folder import ResultFolder

from .conftest import Bench


def ruled(results: Results, repetitions: Mapping[str, int], *, quick: bool = False) -> Ruling:
    """Rule on the claims of a folder and close it again."""
    folder = ResultFolder(results.path, results.manifest)
    ruling = rule_on_claims(folder, repetitions, quick=quick)
    folder.close(folder.manifest)
    return ruling


def test_a_claim_needs_two_repetitions(bench: Bench) -> None:
    results = bench.run(bench.study("raw_udp"))
    ruling = ruled(results, {"one": 1, "enough": 2, "none": 0})
    assert [found.figure for found in ruling.comparisons] == [
        "one: 1 of 2 repetitions",
    ]
    assert not ruling.valid
    assert read_ruling(results.path) == ruling


def test_a_quick_look_makes_no_claims(bench: Bench) -> None:
    results = bench.run(bench.study("raw_udp"))
    assert ruled(results, {"few": 2}, quick=True).valid


def test_claims_are_judged_anew_and_other_findings_stay(bench: Bench) -> None:
    twins = ("raw_udp ack=on max_retransmit=10", "raw_udp ack=on max_retransmit=20")
    study = bench.study(*twins)
    results = bench.run(study)
    ruled(results, {"few": 1})
    bench.run(study)
    checks = [found.check for found in read_ruling(results.path).comparisons]
    assert checks == ["identical_arms", "too_few_repetitions"]
    enough = ruled(results, {"few": 5})
    assert [found.check for found in enough.comparisons] == ["identical_arms"]
