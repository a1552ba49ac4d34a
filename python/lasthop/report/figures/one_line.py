"""Lines of a figure that lie on each other: who looks at it sees the last of them."""

import math
from collections.abc import Iterable, Sequence

from lasthop.report.series import Measured

_WIDTH = 0.01
"""Of a line, as a share of the value that it is drawn at."""


def on_one_line(series: Iterable[Measured]) -> list[list[str]]:
    """Give the stacks that share a line in every panel, where several do."""
    means: dict[str, list[float]] = {}
    for found in series:
        means.setdefault(found.stack, []).append(found.interval.mean)
    lines: list[list[str]] = []
    for stack, own in means.items():
        line = next((line for line in lines if _lie_together(means[line[0]], own)), None)
        if line is None:
            lines.append([stack])
        else:
            line.append(stack)
    return [line for line in lines if len(line) > 1]


def reading(lines: Sequence[Sequence[str]]) -> str:
    """Name the lines that are hidden behind others."""
    if not lines:
        return ""
    together = "; ".join(f"{', '.join(line[:-1])} and {line[-1]}" for line in lines)
    return f" On one line lie {together}."


def _lie_together(means: Sequence[float], others: Sequence[float]) -> bool:
    return len(means) == len(others) and all(
        math.isclose(mean, other, rel_tol=_WIDTH) for mean, other in zip(means, others, strict=True)
    )
