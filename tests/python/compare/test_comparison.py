"""Many quantities compared at once: how often a comparison names a change that is not there."""

import random
from dataclasses import replace

import pytest

from lasthop.answer.samples import Sample
from lasthop.compare.comparison import Change, corrected
from lasthop.compare.effect import EffectVerdict, effect
from lasthop.compare.pairing import Pair
from lasthop.compare.place import Place
from lasthop.compare.watched import Watched
from lasthop.measures import column_of

TRIALS, QUANTITIES = 100, 30
CHANGED = {EffectVerdict.WORSE, EffectVerdict.BETTER}


def change(base: list[float], new: list[float]) -> Change:
    column = column_of("latency_p50_ms")
    found = effect(
        Sample(column, dict(enumerate(base))),
        Sample(column, dict(enumerate(new))),
        more_is_better=False,
        smallest_effect=0.0,
    )
    watched = Watched(column, more_is_better=False, smallest_effect=0.0)
    arm = (Place("base", ()), "a")
    return Change(Pair(arm, arm), watched, found)


def test_two_equal_folders_rarely_differ_in_any_of_many_quantities() -> None:
    draw = random.Random(1)  # noqa: S311
    alone = together = 0
    for _ in range(TRIALS):
        changes = [
            change(*([draw.gauss(100.0, 5.0) for _ in range(5)] for _ in range(2)))
            for _ in range(QUANTITIES)
        ]
        after, tested = corrected(changes)
        assert tested == QUANTITIES
        alone += any(one.effect.verdict in CHANGED for one in changes)
        together += any(one.effect.verdict in CHANGED for one in after)
    assert alone / TRIALS > 0.6  # 1 - 0.95^30 is 79 %
    # Binomial: at a true rate of 5 % more than 13 of 100 have a chance below 1e-3.
    assert together <= 13


def test_a_clear_change_among_many_quantities_is_named() -> None:
    steady = [100.0, 100.1, 99.9, 100.05, 99.95]
    noise = [[100.0, 101.0, 99.0, 100.5, 99.5], [99.5, 100.0, 101.0, 99.0, 100.5]]
    changes = [change(steady, [value + 20 for value in reversed(steady)])]
    changes += [change(noise[0], noise[1]) for _ in range(QUANTITIES)]
    after, _ = corrected(changes)
    assert after[0].effect.verdict is EffectVerdict.WORSE
    assert {one.effect.verdict for one in after[1:]} == {EffectVerdict.UNDECIDED}


@pytest.mark.parametrize(
    ("base", "new", "verdict"),
    [([100], [120], EffectVerdict.UNDECIDED), ([7] * 5, [7] * 5, EffectVerdict.SAME)],
    ids=["one repetition", "all equal"],
)
def test_what_no_test_can_tell_is_left_as_it_is(
    base: list[float], new: list[float], verdict: EffectVerdict
) -> None:
    noise = change([100.0, 101.0, 99.0, 100.5, 99.5], [99.5, 100.0, 101.0, 99.0, 100.5])
    after, tested = corrected([change(base, new), noise])
    assert tested == 1
    assert after[0].effect.verdict is verdict
    assert after[0].effect.p_value is None


def test_the_correction_never_makes_a_change() -> None:
    one = change([100.0, 101.0, 99.0, 100.5, 99.5], [99.5, 100.0, 101.0, 99.0, 100.5])
    found = replace(one.effect, verdict=EffectVerdict.SAME).corrected(1e-9)
    assert found.verdict is EffectVerdict.SAME
