"""A claim that rests on too few repetitions is an invalid comparison."""

from lasthop.referee import read_ruling
from lasthop.referee.claims import rule_on_claims

from .conftest import Bench


def test_a_claim_needs_two_repetitions(bench: Bench) -> None:
    results = bench.run(bench.study("raw_udp"))
    ruling = rule_on_claims(results.path, {"one": 1, "enough": 2, "none": 0}, quick=False)
    assert [found.figure for found in ruling.comparisons] == [
        "one: 1 of 2 repetitions",
    ]
    assert not ruling.valid
    assert read_ruling(results.path) == ruling


def test_a_quick_look_makes_no_claims(bench: Bench) -> None:
    results = bench.run(bench.study("raw_udp"))
    assert rule_on_claims(results.path, {"few": 2}, quick=True).valid


def test_claims_are_judged_anew_and_other_findings_stay(bench: Bench) -> None:
    twins = ("raw_udp ack=on max_retransmit=10", "raw_udp ack=on max_retransmit=20")
    study = bench.study(*twins)
    results = bench.run(study)
    rule_on_claims(results.path, {"few": 1}, quick=False)
    bench.run(study)
    checks = [found.check for found in read_ruling(results.path).comparisons]
    assert checks == ["identical_arms", "too_few_repetitions"]
    enough = rule_on_claims(results.path, {"few": 5}, quick=False)
    assert [found.check for found in enough.comparisons] == ["identical_arms"]
