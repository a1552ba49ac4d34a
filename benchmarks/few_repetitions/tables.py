"""What is measured, row by row, beside what the simulation found that the rule was chosen by."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.few_repetitions.laws import (
    BIMODAL,
    CORRELATIONS,
    REGULAR,
    Law,
    bimodal,
    exponential,
    log_normal,
    normal,
)
from benchmarks.few_repetitions.rates import leads
from benchmarks.few_repetitions.several import (
    along_sweep,
    among_arms,
    on_a_grid,
    with_looks,
    with_unreached,
)
from benchmarks.few_repetitions.shares_and_counts import (
    EQUAL_SHARES,
    binomial,
    covers_counts,
    covers_shares,
    outage,
)
from benchmarks.few_repetitions.through_compare import rates

SEED = 1


@dataclass(frozen=True, slots=True)
class Row:
    """Percentages for some numbers of repetitions, beside those of the first simulation."""

    what: str
    found: tuple[float, ...]
    expected: tuple[float | str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under one heading; ``columns`` are mostly numbers of repetitions."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def tables(samples: int) -> Iterator[Table]:
    """Measure all of them, each rate over so many samples."""
    yield false_leads(samples)
    yield power(samples)
    yield folders(samples)
    yield unlike_shapes(samples)
    yield several_questions(samples)
    yield coverage(samples)
    yield special_cases(samples)


ERROR_REPETITIONS = (2, 3, 4, 5, 10, 20)
WORST = {2: 4.6, 3: 4.2, 4: 4.0, 5: 3.8, 10: 2.9, 20: 3.4}
"""The first simulation's, over all laws."""


def worst_false_leads(laws: Sequence[Law], repetitions: int, samples: int) -> float:
    """Give the largest share of false leads at a ratio of 1.05, over laws and correlations."""
    return max(
        100
        - 100
        * leads(
            (law, law),
            times=1.05,
            repetitions=repetitions,
            samples=samples,
            correlation=correlation,
            seed=SEED,
        )[None]
        for law in laws
        for correlation in CORRELATIONS
    )


def false_leads(samples: int) -> Table:
    """Arms of one shape whose true ratio is the smallest effect, where most errors are made."""
    by_group = [
        tuple(worst_false_leads(laws, count, samples) for count in ERROR_REPETITIONS)
        for laws in (REGULAR, BIMODAL)
    ]
    worst = tuple(map(max, *by_group))
    nothing = ("",) * len(ERROR_REPETITIONS)
    return Table(
        "False leads at a true ratio of 1.05, the worst of all laws and correlations",
        _counts(ERROR_REPETITIONS),
        (
            Row("normal, log-normal, exponential", by_group[0], nothing),
            Row("bimodal", by_group[1], nothing),
            Row("all", worst, tuple(WORST.values())),
        ),
    )


POWER_REPETITIONS = (2, 3, 4, 5, 8, 10, 20)
POWER: tuple[tuple[Law, float, float, tuple[float, ...]], ...] = (
    (normal(0.05), 1.1, 0.0, (0, 9, 15, 21, 36, 45, 79)),
    (log_normal(0.2), 1.5, 0.0, (11, 24, 40, 56, 85, 93, 100)),
    (log_normal(0.2), 1.5, 0.95, (48, 99, 100, 100, 100, 100, 100)),
    (log_normal(0.5), 1.5, 0.0, (5, 7, 10, 13, 21, 26, 50)),
    (log_normal(0.5), 5.0, 0.0, (20, 51, 79, 93, 100, 100, 100)),
    (log_normal(1.0), 5.0, 0.0, (11, 19, 31, 42, 68, 80, 97)),
    (exponential(), 5.0, 0.0, (9, 15, 24, 32, 57, 68, 95)),
    (bimodal(0.2), 5.0, 0.0, (35, 34, 46, 42, 52, 59, 88)),
)
"""Law, true ratio, correlation of the arms, and what the first simulation found."""


def power_of(law: Law, times: float, correlation: float, repetitions: int, samples: int) -> float:
    """Give how often a true ratio is seen."""
    found = leads(
        (law, law),
        times=times,
        repetitions=repetitions,
        samples=samples,
        correlation=correlation,
        seed=SEED,
    )
    return 100 * found["above"]


def power(samples: int) -> Table:
    """Arms that differ."""
    return Table(
        "Power: how often a difference is seen",
        _counts(POWER_REPETITIONS),
        tuple(
            Row(
                f"{law.name}, {times:g} times"
                + (f", correlation {correlation}" if correlation else ""),
                tuple(
                    power_of(law, times, correlation, count, samples) for count in POWER_REPETITIONS
                ),
                expected,
            )
            for law, times, correlation, expected in POWER
        ),
    )


WELCH_AT_FIVE = 67
"""The first simulation's power of Welch's t; it tells that of no other number of repetitions."""


def folders(samples: int) -> Table:
    """Compare folders without common seeds as `lasthop compare` does, a fifth of the samples."""
    law, times = log_normal(0.2), 1.5
    unlike, alike = (
        [
            rates(law, times=ratio, repetitions=count, samples=samples // 5, seed=SEED)
            for count in ERROR_REPETITIONS
        ]
        for ratio in (times, 1.05)
    )
    nothing = ("",) * len(ERROR_REPETITIONS)
    welch = tuple(WELCH_AT_FIVE if count == 5 else "" for count in ERROR_REPETITIONS)  # noqa: PLR2004
    return Table(
        f"Folders without common seeds, through `lasthop compare`: {law.name}",
        _counts(ERROR_REPETITIONS),
        (
            Row(f"{times:g} times: a change is named", tuple(one.changed for one in unlike), welch),
            Row(
                f"{times:g} times: the interval holds it",
                tuple(one.covered for one in unlike),
                nothing,
            ),
            Row("1.05 times: a change is named", tuple(one.changed for one in alike), nothing),
            Row("1.05 times: the interval holds it", tuple(one.covered for one in alike), nothing),
        ),
    )


UNLIKE_REPETITIONS = (5, 10, 20)
UNLIKE: tuple[tuple[Law, Law, tuple[float, ...], tuple[float, ...]], ...] = (
    (normal(0.01), log_normal(0.5), (3.9, 2.8, 2.0), (3.0, 1.7, 0.8)),
    (normal(0.01), log_normal(1.0), (8.6, 9.1, 6.0), (3.7, 2.1, 1.6)),
    (normal(0.01), exponential(), (4.3, 4.1, 3.2), (5.4, 4.8, 3.3)),
    (normal(0.05), bimodal(0.3), (17, 6.2, 3.4), (17, 2.9, 0.6)),
    (normal(0.05), bimodal(0.2), (33, 12, 6.3), (32, 11, 1.6)),
    (normal(0.05), bimodal(0.1), (59, 35, 16), (45, 34, 12)),
)
"""Both laws, and what the first simulation found with equal arithmetic, then geometric means."""


def unlike_shapes(samples: int) -> Table:
    """Hold a steady arm against a skewed one that is its equal, by one of the two means."""
    rows = []
    for steady, skewed, *expected in UNLIKE:
        scores = np.random.default_rng(SEED).standard_normal(400_000)
        typical = float(np.exp(np.log(skewed.quantiles(scores)).mean()))
        for what, times, known in zip(
            ("arithmetic", "geometric"), (1.0, 1 / typical), expected, strict=True
        ):
            found = tuple(
                100
                - 100
                * leads(
                    (steady, skewed),
                    times=times,
                    repetitions=count,
                    samples=samples,
                    correlation=0.0,
                    seed=SEED,
                )[None]
                for count in UNLIKE_REPETITIONS
            )
            rows.append(Row(f"{skewed.name}, equal {what} means", found, known))
    return Table(
        "False leads between unlike shapes: a steady arm (normal 1 %; 5 % against back-off)",
        _counts(UNLIKE_REPETITIONS),
        tuple(rows),
    )


def several_questions(samples: int) -> Table:
    """Many pairs, many points, many looks."""
    six = among_arms(log_normal(0.5), [1.0] * 6, repetitions=5, samples=samples, seed=SEED)
    better = [
        among_arms(
            log_normal(0.2), [1.0, *[1.5] * 5], repetitions=count, samples=samples, seed=SEED
        )
        for count in (5, 8)
    ]
    equal = along_sweep(log_normal(0.5), [1.0] * 10, repetitions=3, samples=samples, seed=SEED)
    crossing = along_sweep(
        log_normal(0.2),
        np.geomspace(0.5, 2.0, 10).tolist(),
        repetitions=5,
        samples=samples,
        seed=SEED,
    )
    looks = (5, 10, 20, 40)
    false_looks = [
        with_looks(log_normal(0.2), 1.05, looks, samples=samples, seed=SEED, split=split)
        for split in (False, True)
    ]
    seen = with_looks(log_normal(0.5), 5.0, looks, samples=samples, seed=SEED)
    return Table(
        "Several arms, points and looks",
        ("",),
        (
            Row("six equal arms: some false pair", (100 * six.some_pair,), ("at most 7.0",)),
            Row("six equal arms: false leader of all", (100 * six.all_pairs,), ("at most 1.0",)),
            Row(
                "one of six 1.5 times better, n = 5: leads all", (100 * better[0].all_pairs,), (18,)
            ),
            Row("the same, n = 8", (100 * better[1].all_pairs,), (61,)),
            Row(
                "ten equal points, n = 3: some lead, uncorrected",
                (100 * equal.uncorrected,),
                ("21 to 33",),
            ),
            Row("the same, Holm over points", (100 * equal.lead,), ("at most 4.0",)),
            Row(
                "the same: a false flip, uncorrected",
                (100 * equal.flip,),
                ("at most 2.8 (two points)",),
            ),
            Row(
                "0.5 to 2 times along ten points, n = 5: the flip is seen",
                (100 * crossing.flip,),
                (99,),
            ),
            Row(
                "looks at 5, 10, 20, 40, ratio 1.05: false lead, not split",
                (100 * false_looks[0].decided,),
                ("11.8",),
            ),
            Row("the same, split", (100 * false_looks[1].decided,), ("3.2",)),
            Row("5 times, sigma 0.5: mean repetitions at the end", (seen.repetitions,), (6.5,)),
        ),
    )


SHARE_COVERAGE = {2: (97.5, 89), 3: (97.6, 95), 5: (97, 95), 10: (97, 95), 20: (95, 95)}
"""Lowest coverage that the first simulation found: of the wider interval, of t alone."""


def lowest_share_coverage(repetitions: int, samples: int) -> tuple[float, float]:
    """Give the lowest coverage of a difference of none, over laws and numbers of messages."""
    found = [
        covers_shares(
            (counts, counts),
            0.0,
            messages=messages,
            repetitions=repetitions,
            samples=samples,
            seed=SEED,
        )
        for counts in EQUAL_SHARES.values()
        for messages in (100, 1000)
    ]
    return 100 * min(wide for wide, _ in found), 100 * min(alone for _, alone in found)


def coverage(samples: int) -> Table:
    """Shares and counts."""
    equal = {count: lowest_share_coverage(count, samples) for count in SHARE_COVERAGE}
    every = binomial(1.0)
    rare = covers_shares(
        (binomial(0.999), every), -0.001, messages=100, repetitions=5, samples=samples, seed=SEED
    )
    missed = [
        covers_shares(
            (outage(0.99), every),
            -0.01,
            messages=1000,
            repetitions=count,
            samples=samples,
            seed=SEED,
        )[0]
        for count in (5, 10, 20)
    ]
    few = covers_counts(
        lambda draw, shape: draw.poisson(0.3, shape), 0.3, repetitions=5, samples=samples, seed=SEED
    )
    clustered = covers_counts(
        lambda draw, shape: draw.negative_binomial(0.5, 0.2, shape),
        2.0,
        repetitions=5,
        samples=samples,
        seed=SEED,
    )
    return Table(
        "Coverage of shares and counts",
        ("wider", "t alone"),
        (
            *(
                Row(f"equal shares, lowest, n = {count}", equal[count], expected)
                for count, expected in SHARE_COVERAGE.items()
            ),
            Row("1.0 against 0.999, 100 messages, n = 5", _percent(rare), (100, 39)),
            *(
                Row(
                    f"1.0 against outages in a tenth of the runs, n = {count}", (100 * one,), (old,)
                )
                for count, one, old in zip((5, 10, 20), missed, (41, 66, 88), strict=True)
            ),
            Row("count 0 against Poisson 0.3, n = 5", _percent(few), (100, 78)),
            Row("count 0 against negative binomial 2, n = 5", _percent(clustered), (85, 82)),
        ),
    )


def special_cases(samples: int) -> Table:
    """Values on a grid, and runs without a value."""
    coarse = [
        100
        - 100
        * on_a_grid(normal(0.05), 1.05, 0.05, repetitions=count, samples=samples, seed=SEED)[None]
        for count in (2, 3)
    ]
    law = log_normal(0.3)
    seen = with_unreached(law, 1.5, (0.0, 0.2), repetitions=5, samples=samples, seed=SEED)
    false = max(
        1
        - with_unreached(law, 1.0, (0.2, 0.2), repetitions=count, samples=samples, seed=SEED)[None]
        for count in (2, 3, 5, 10)
    )
    return Table(
        "Special cases",
        ("",),
        (
            Row("values on a grid of 5 %, ratio 1.05, n = 2: false leads", (coarse[0],), (0,)),
            Row("the same, n = 3", (coarse[1],), (0.3,)),
            Row(
                "1.5 times, 20 % of its runs unreached, n = 5: seen",
                (100 * seen["above"],),
                ("39 (without the guard)",),
            ),
            Row(
                "20 % of both arms unreached, ratio 1: false leads, worst",
                (100 * false,),
                ("at most 3.1",),
            ),
        ),
    )


def _counts(repetitions: Sequence[int]) -> tuple[str, ...]:
    return tuple(f"n = {count}" for count in repetitions)


def _percent(shares: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(100 * share for share in shares)
