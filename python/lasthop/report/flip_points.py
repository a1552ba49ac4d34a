"""Leaders along each sweep."""

from collections.abc import Sequence

from lasthop.answer.sweep_words import flips, stretches
from lasthop.answer.sweeps import SweepDecision
from lasthop.report.markup import Styles, sentence
from lasthop.report.section import Section, counted
from lasthop.report.templating import render


def flip_points_section(sweeps: Sequence[SweepDecision], styles: Styles) -> Section | None:
    """Write a paragraph for each sweep and a line for each of its flips."""
    if not sweeps:
        return None
    told = [
        (sentence(stretches(sweep), styles), [sentence(flip, styles) for flip in flips(sweep)])
        for sweep in sweeps
    ]
    changes = sum(len(sweep.flips) for sweep in sweeps)
    digest = f"the answer flips at {counted(changes, 'point')}" if changes else "no flip"
    return Section("flips", "Along the sweeps", digest, render("flips.html", sweeps=told))
