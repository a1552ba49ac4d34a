"""The sending, warm-up and drain times of a run. A quick run limits all three."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lasthop.study.forms.model import StudyForm

QUICK_DURATION_NS = 60 * 10**9
QUICK_DRAIN_NS = 30 * 10**9
QUICK_REPEAT = 5
"""Repetitions of a quick run: enough for intervals and claims."""

QUICK_REPEAT_LIVE = 1
"""Repetitions of a quick run with real software, which runs in real time."""


@dataclass(frozen=True, slots=True)
class Timing:
    """The time spans of a run, in ns."""

    duration_ns: int
    warm_up_ns: int
    drain_ns: int
    set_up_ns: int


def timing(form: StudyForm, *, quick: bool) -> Timing:
    """Return the time spans of a run.

    Parameters
    ----------
    form
        The study at one point of its grid.
    quick
        Cap the duration at 60 s and the drain at 30 s; a warm-up that is then too long becomes
        a quarter of the duration.
    """
    duration, warm_up, drain = form.duration, form.measure.warm_up, form.measure.drain
    if quick:
        duration, drain = min(duration, QUICK_DURATION_NS), min(drain, QUICK_DRAIN_NS)
        warm_up = warm_up if warm_up < duration else duration // 4
    return Timing(duration, warm_up, drain, form.measure.set_up)
