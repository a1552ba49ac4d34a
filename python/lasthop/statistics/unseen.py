"""Upper bounds on the probability of events that no repetition showed."""

from lasthop.statistics.intervals import CONFIDENCE


def largest_unseen_share(repetitions: int, confidence: float = CONFIDENCE) -> float:
    """Return the largest probability of an event that no repetition showed.

    What happens in a share p of all runs is missed by n of them with the chance (1 - p)^n. No
    formula for intervals knows of it.

    Examples
    --------
    >>> [f"{largest_unseen_share(runs):.0%}" for runs in (5, 10, 20)]
    ['45%', '26%', '14%']
    """
    return float(1 - (1 - confidence) ** (1 / repetitions))
