"""Who leads where along each sweep, as HTML."""

from collections.abc import Sequence

from lasthop.answer.sweep_words import flips, stretches
from lasthop.answer.sweeps import SweepDecision
from lasthop.report.answer import Styles
from lasthop.report.markup import sentence


def flip_points_html(sweeps: Sequence[SweepDecision], styles: Styles) -> str:
    """Write a paragraph for each sweep and a line for each of its flips."""
    if not sweeps:
        return ""
    pieces = []
    for sweep in sweeps:
        pieces.append(f"<p>{sentence(stretches(sweep), styles)}</p>")
        lines = "".join(f"<li>{sentence(flip, styles)}</li>" for flip in flips(sweep))
        pieces.append(f"<ul>{lines}</ul>" if lines else "")
    return f'<section class="flips" id="flips"><h2>Along the sweeps</h2>{"".join(pieces)}</section>'
