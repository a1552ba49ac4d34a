"""The figures of a report."""

from collections.abc import Sequence

from lasthop.answer.decision import Decision
from lasthop.answer.points import part_named
from lasthop.answer.sweeps import SweepDecision
from lasthop.report.figures.annotations import Annotations
from lasthop.report.figures.battery import battery_figure
from lasthop.report.figures.crashes import crash_figures
from lasthop.report.figures.decisive import decisive_figure
from lasthop.report.figures.delivery import delivery_figure
from lasthop.report.figures.energy import energy_figure
from lasthop.report.figures.figure import Figure
from lasthop.report.figures.flip_marks import flip_marks
from lasthop.report.figures.latency import latency_figure
from lasthop.report.figures.latency_distribution import latency_distribution
from lasthop.report.figures.ledger import ledger_figure
from lasthop.report.figures.multiverse import multiverse_figures
from lasthop.report.figures.network import network_figures
from lasthop.report.figures.published import PublishedMark, published_marks
from lasthop.report.figures.time_series import time_series
from lasthop.report.figures.wire_bytes import bytes_figure
from lasthop.report.source import ReportSource


def all_figures(
    source: ReportSource,
    decision: Decision,
    sweeps: Sequence[SweepDecision],
    *,
    legend: bool = False,
) -> tuple[Figure, ...]:
    """Draw every figure, in the order of the page; without completed runs there is none.

    The first one is that of the answer, where the study asks a question. One without a panel
    says what does not vary.

    Those of a multiverse are about claims, not about its arms.

    Parameters
    ----------
    source : ReportSource
        The tables.
    decision : Decision
        Its part is the one that the distribution, the ledger and the energy show.
    sweeps : sequence of SweepDecision
        Their flips are marked.
    legend : bool
        Whether each chart carries a legend; a page has its own.
    """
    if not source.runs["status"].eq("completed").any():
        return ()
    if source.multiverse is not None:
        return multiverse_figures(source.multiverse, runs=source.runs["run_id"].n_unique())
    decided = part_named(source.study, decision.part)
    objective = decision.objective.column if decision.objective else None
    published = published_marks(source.judgements)
    claimed = dict.fromkeys(mark.column for mark in published)
    along = (
        *network_figures(source),
        *crash_figures(source),
        latency_figure(objective, claimed),
        delivery_figure(),
        bytes_figure(claimed),
    )
    parts = source.study.get("parts") or [decided]
    beside = {part["name"]: _beside(part["name"], published, sweeps) for part in parts}
    figures = [
        decisive_figure(source, decision, decided, beside[decided["name"]], legend=legend),
        time_series(source, decision, legend=legend),
        latency_distribution(source, decided, legend=legend),
        *(
            kind.build(source, part, beside[part["name"]], legend=legend)
            for part in parts
            for kind in along
        ),
        *(battery_figure(source, part, legend=legend) for part in parts),
        ledger_figure(source, decided, legend=legend),
        energy_figure(source, decided, legend=legend),
    ]
    return tuple(
        figure
        for figure in figures
        if figure and figure.runs and (figure.panels or figure.constant)
    )


def _beside(
    part: str, published: Sequence[PublishedMark], sweeps: Sequence[SweepDecision]
) -> Annotations:
    return Annotations(
        published=[mark for mark in published if mark.part == part],
        flips=flip_marks(sweeps, part),
    )
