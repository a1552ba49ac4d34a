"""Sequential analysis: each look at growing data gets a share of the error probability."""

from lasthop.statistics.intervals import CONFIDENCE


def planned_looks(first: int, most: int) -> tuple[int, ...]:
    """Return the numbers of repetitions after which results are tested, doubling each time.

    They are fixed before anything is seen, as `confidence_at_a_look` needs it.

    Examples
    --------
    >>> planned_looks(5, 50)
    (5, 10, 20, 40, 50)
    """
    looks = [first]
    while looks[-1] < most:
        looks.append(min(2 * looks[-1], most))
    return tuple(looks)


def confidence_at_a_look(looks: int) -> float:
    """Return the confidence level of each look for 95 % over all looks (Bonferroni).

    Who looks at 95 % intervals of normal values after 5, 10, 20, 40 and 50 repetitions and stops at
    the first that excludes zero finds a difference where there is none in 15.9 % of all cases
    instead of 5 % (14.2 % with five looks at equal distances, the case of Armitage, McPherson and
    Rowe 1969, J. R. Stat. Soc. A 132:235). So each of K looks has an error of
    5 % / K (Bonferroni; Dunn 1961, J. Am. Stat. Assoc. 56:52). That holds however the looks
    depend on each other, and it makes the intervals repeated confidence intervals (Jennison and
    Turnbull 1989, J. R. Stat. Soc. B 51:305): right at all looks together, whatever made one stop.
    Levels that use the dependence, as those of Pocock (1977, Biometrika 64:191), are less strict
    (1.58 % instead of 1 % with five looks), but hold for looks at equal distances and normal values
    only. `tests/python/lasthop_statistics/test_looks.py` computes each of these shares.

    Examples
    --------
    >>> round(confidence_at_a_look(5), 3)
    0.99
    """
    return 1 - (1 - CONFIDENCE) / looks
