"""What users compose: an array that covers pairs of all factors, and triples of three of them."""

import random
from itertools import product
from pathlib import Path

import pytest

from .composition import Composition, outcome_of
from .factors import LEVELS, any_row, array, draw, is_allowed
from .relations import breaches

SEED = 1
CHUNKS = 4
"""The array is run in so many parts, side by side."""

DRAWN = 4_000
"""So many more are drawn by `make soak`, from a seed that a failure names."""

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def compositions() -> list[Composition]:
    return array(SEED)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_the_relations_hold_in_the_array(
    chunk: int, compositions: list[Composition], tmp_path: Path
) -> None:
    found = [
        str(breach)
        for composition in compositions[chunk::CHUNKS]
        for breach in breaches(composition, outcome_of(composition, tmp_path))
    ]
    assert not found, "\n".join(found)


def test_the_array_covers_each_pair_of_levels_that_may_be_together(
    compositions: list[Composition],
) -> None:
    rows = [vars(it) for it in compositions]
    names = list(LEVELS)
    stream = random.Random(SEED)  # noqa: S311  (nothing secret)
    missing = []
    for place, one in enumerate(names):
        for other in names[place + 1 :]:
            seen = {(row[one], row[other]) for row in rows}
            missing += [
                (one, other, pair)
                for pair in product(LEVELS[one], LEVELS[other])
                if pair not in seen and _is_possible(stream, {one: pair[0], other: pair[1]})
            ]
    assert not missing


def _is_possible(stream: random.Random, fixed: dict[str, object]) -> bool:
    """Whether some composition has these levels, by two hundred draws."""
    return any(is_allowed(any_row(stream, **fixed)) for _ in range(200))


@pytest.mark.soak
@pytest.mark.timeout(1500)
def test_the_relations_hold_in_what_is_drawn(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(2**32)
    stream = random.Random(seed)  # noqa: S311  (nothing secret)
    found: list[str] = []
    for _ in range(DRAWN):
        composition = Composition(**draw(stream))
        found += map(str, breaches(composition, outcome_of(composition, tmp_path)))
    assert not found, f"seed {seed}:\n" + "\n".join(found)
