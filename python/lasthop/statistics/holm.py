"""Several questions to the same runs: Holm's step-down correction."""

from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Adjust p-values so that all that stay below alpha are right together, with 1 - alpha.

    Holm (1979): the smallest of m is multiplied by m, the next by m - 1 and so on, and none
    falls below the one before it. It holds however the questions depend on each other.

    Examples
    --------
    >>> holm([0.01, 0.5, 0.02])
    (0.03, 0.5, 0.04)
    """
    adjusted = [0.0] * len(p_values)
    least = 0.0
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    for step, place in enumerate(order):
        least = max(least, min(1.0, (len(p_values) - step) * p_values[place]))
        adjusted[place] = least
    return tuple(adjusted)
