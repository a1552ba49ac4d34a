"""What users compose: an array that covers pairs of all factors, and triples of three of them."""

import random
from itertools import product
from pathlib import Path

import pytest

from .composition import Composition
from .every_relation import all_breaches
from .factors import LEVELS, any_row, array, is_allowed

SEED = 1
CHUNKS = 4
"""The array is run in so many parts, side by side."""

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
        for breach in all_breaches(composition, tmp_path)
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
