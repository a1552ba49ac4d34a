"""Hold the claims against each setting that fits about as well, by seeds that the fit has not seen.

``python studies/larmo-2019/joint_claims.py results/larmo-2019-joint-multiverse`` runs
joint-multiverse.yaml, or what of it is missing there, and prints what becomes of each claim in each
setting, and why what is open is open. While a claim that was not fitted is undecided somewhere,
every case gets twice as many repetitions, up to ``--at-most``. The rounds are fixed beforehand, and
each look has its share of the error.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from lasthop import load_study
from lasthop.answer.quantities import format_quantity
from lasthop.claims import Claim, ClaimVerdict, Judgement, judge
from lasthop.cli.script import run_script
from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.running.until_decided import held_plan
from lasthop.statistics.looks import planned_looks

FOLDER: Final = Path(__file__).parent
sys.path.insert(0, str(FOLDER))

from joint_fit import Journal, Setting  # noqa: E402  (beside this file)
from joint_multiverse import equals  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import polars as pl

STUDY: Final = FOLDER / "joint-multiverse.yaml"
SETTING: Final = "path.nbiot"
"""The key whose values are the settings."""
FITTED: Final = frozenset({"LA4", "LA5", "LA6", "LA7", "LA8"})
WORDS: Final = {
    ClaimVerdict.PREDICTED: "yes",
    ClaimVerdict.HOLDS: "yes",
    ClaimVerdict.FITTED: "yes",
    ClaimVerdict.DERIVED: "yes",
    ClaimVerdict.NOT_REPRODUCED: "no",
    ClaimVerdict.UNDECIDED: "?",
    ClaimVerdict.NOT_COVERED: "not covered",
    None: "",
}

Judged = list[tuple[Judgement, ...]]
"""The judgements of each setting."""


def judged(runs: pl.DataFrame, claims: Iterable[Claim], column: str, looks: int) -> Judged:
    """Judge every claim in each setting, in the order in which the settings stand in the study."""
    return [
        judge(claims, of_setting, looks=looks)
        for of_setting in runs.partition_by(column, maintain_order=True)
    ]


def undecided(found: Judged) -> list[str]:
    """Say what is open of the claims that were not fitted, over all settings, and why."""
    return [
        f"{judgement.id}, setting {number}: {judgement.reason}"
        for of_claim in zip(*found, strict=True)
        for number, judgement in enumerate(of_claim, start=1)
        if judgement.verdict is ClaimVerdict.UNDECIDED and judgement.id not in FITTED
    ]


def table(settings: Sequence[Setting], found: Judged) -> str:
    """Write a line for each claim and a column for each setting."""
    lines = [
        "| claim | published | " + " | ".join(map(_named, settings)) + " |",
        "|---|---|" + "---|" * len(settings),
    ]
    for of_claim in zip(*found, strict=True):
        first = of_claim[0]
        fitted = " (fitted)" if first.id in FITTED else ""
        cells = " | ".join(map(_cell, of_claim))
        lines.append(f"| {first.id}{fitted} | {first.published} | {cells} |")
    return "\n".join(lines)


def _named(of: Setting) -> str:
    return (
        f"{of.distance_m} m, {of.thresholds_db.replace(' ', ' and ')} dB, Rmax {of.rmax}, "
        f"DCI {of.dci}, NPDSCH {of.npdsch}, NPUSCH {of.npusch}, CE2 {of.ce2}, "
        f"back-off {of.back_off_ms} ms"
    )


def _cell(judgement: Judgement) -> str:
    verdict = WORDS[judgement.verdict]
    known = judgement.interval
    if known is None:
        return verdict
    mean, low, high = (
        format_quantity(value, judgement.unit) for value in (known.mean, known.low, known.high)
    )
    return f"{verdict}: {mean} ({low} to {high})"


def _column(plan: Plan) -> str:
    return next(swept.column for swept in plan.study.parts[0].swept if swept.key == SETTING)


def main() -> None:
    """Run the rounds, and print the table after each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("results", type=Path)
    parser.add_argument("--at-most", type=int, default=12, help="repetitions of each case")
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    settings = equals(Journal(FOLDER / "joint-fit.csv"))
    claims = load_study(FOLDER / "study.yaml").claims
    first = load_study(STUDY).repeat
    rounds = planned_looks(first, asked.at_most)

    def plan_of(repeat: int) -> Plan:
        return Plan(load_study(STUDY, overrides=(("repeat", str(repeat)),)))

    earlier = held_plan(asked.results, plan_of, first)
    if earlier is not None and earlier.study.repeat > rounds[-1]:
        held = earlier.study.repeat
        parser.error(f"{asked.results} holds {held} repetitions; write --at-most {held} or more")
    for repetitions in rounds:
        if earlier is not None and earlier.study.repeat > repetitions:
            continue
        plan = plan_of(repetitions)
        results = carry_out(
            plan,
            out=asked.results,
            jobs=asked.jobs,
            extends=None if earlier is None else earlier.identity,
            looks=len(rounds),
        ).results
        found = judged(results.runs, claims, _column(plan), len(rounds))
        still_open = undecided(found)
        print(
            f"{repetitions} repetitions of each case, judged for {len(rounds)} looks; "
            f"{len(still_open)} undecided\n"
        )
        print(table(settings, found))
        print("", *(f"- {line}" for line in still_open), "", sep="\n", flush=True)
        if not still_open:
            break
        earlier = plan


if __name__ == "__main__":
    run_script(main)
