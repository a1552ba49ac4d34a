"""Arms that send the same packets at the same times over a whole part are one arm."""

import pytest

from lasthop.outcome.results import Results

from .conftest import LOSSY, STEADY, Bench

# Ten retransmissions are never needed, so a limit of twenty changes nothing.
TWINS = ("raw_udp ack=on max_retransmit=10", "raw_udp ack=on max_retransmit=20")
OTHERS = ("raw_udp ack=on ack_timeout=2s", "raw_udp ack=on ack_timeout=3s")


def comparisons(results: Results) -> list[tuple[str, str | None, tuple[str, ...]]]:
    return [(found.check, found.part, found.stacks) for found in results.ruling.comparisons]


@pytest.mark.parametrize(
    ("stacks", "path", "identical"),
    [
        (TWINS, LOSSY, True),
        (OTHERS, LOSSY, False),
        # Nothing is lost and nothing drawn: equal packets prove nothing.
        (TWINS, STEADY, False),
        # Drawn delays are enough.
        (TWINS, "{delay: {around: 100 ms, spread: 20 %}}", True),
        # So little is lost that it may be nothing.
        (TWINS, "{loss: 0.01 %, delay: 100 ms}", False),
    ],
)
def test_equal_arms_are_found_where_chance_acts(
    bench: Bench, *, stacks: tuple[str, str], path: str, identical: bool
) -> None:
    results = bench.run(bench.study("raw_udp", *stacks, path=path))
    expected = [("identical_arms", "base", stacks)] if identical else []
    assert comparisons(results) == expected
    assert results.ruling.valid is not identical
    # The runs themselves can be believed.
    assert set(results.runs["status"]) == {"completed"}
    assert results.ruling.runs == ()


def test_one_case_that_differs_clears_the_part_and_no_other_part(bench: Bench) -> None:
    sweep = """
sweep:
  - {name: quick, traffic.every: [1 s, 10 s], path.loss: [10 %]}
  - {name: slow, traffic.every: [10 s, 20 s], path.loss: [10 %]}
"""
    # Four messages at a time show at once how many may be under way; one in ten seconds never does.
    stacks = ("coap type=con nstart=1", "coap type=con nstart=4")
    study = bench.study(*stacks, duration="10 min", path="{delay: {around: 10 ms, spread: 20 %}}")
    text = study.read_text() + sweep.replace("10 %]}", "0 %]}")
    study.write_text(text.replace("every: [1 s, 10 s]", "every: [1 ms, 10 s]", 1))
    results = bench.run(study, duration="20 s", measure__overload="allow")
    assert ("identical_arms", "slow", stacks) in comparisons(results)
    assert ("identical_arms", "quick", stacks) not in comparisons(results)
    # Two arms, which one part alone does not tell apart.
    assert results.ruling.valid


def test_the_finding_says_how_much_was_compared(bench: Bench) -> None:
    results = bench.run(bench.study(*TWINS, repeat=3))
    (finding,) = results.ruling.comparisons
    assert finding.figure == "3 of 3 traces equal"
    assert finding.what == (
        "every packet is the same in 3 repetitions at 1 point, so they are one arm"
    )
