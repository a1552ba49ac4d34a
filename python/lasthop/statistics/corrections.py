"""Corrections of p-values for multiple comparisons: Holm and Hochberg."""

from collections.abc import Callable, Sequence
from itertools import accumulate


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjust p-values by Holm's step-down method, which controls the family-wise error rate.

    Holm (1979, Scand. J. Stat. 6:65): the smallest of m is multiplied by m, the next by m - 1 and
    so on, and none falls below the one before it. It holds however the questions depend on each
    other.

    Examples
    --------
    >>> holm([0.01, 0.5, 0.02])
    (0.03, 0.5, 0.04)
    """
    return _stepwise(p_values, keep=max, from_smallest=True)


def hochberg(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjust p-values by Hochberg's step-up method.

    Hochberg (1988, Biometrika 75:800). Where all p-values are below alpha all stay so, which is
    what "leads all" asks for. It holds for questions that depend on each other positively, as
    several arms do that are compared with one leader.

    Examples
    --------
    >>> hochberg([0.01, 0.04, 0.03])
    (0.03, 0.04, 0.04)
    """
    return _stepwise(p_values, keep=min, from_smallest=False)


def _stepwise(
    p_values: Sequence[float], *, keep: Callable[[float, float], float], from_smallest: bool
) -> tuple[float, ...]:
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    enlarged = [
        min(1.0, (len(p_values) - step) * p_values[place]) for step, place in enumerate(order)
    ]
    if not from_smallest:
        order.reverse()
        enlarged.reverse()
    adjusted = dict(zip(order, accumulate(enlarged, keep), strict=True))
    return tuple(adjusted[place] for place in range(len(p_values)))
