"""All relations that are held of a composition."""

from pathlib import Path

from .composition import Composition, Outcome, Refusal, planned, simulated
from .relations import Breach, breaches
from .variants import independence, locality


def all_breaches(it: Composition, folder: Path) -> list[Breach]:
    """Run a composition, and what it is held against, and give what does not hold."""
    run = planned(it.text, folder)
    if isinstance(run, Refusal):
        return breaches(it, Outcome(run.reason, {}, {}, {}))
    outcome = simulated(run.spec_json)
    found = breaches(it, outcome)
    if outcome.summary["status"] == "completed":
        found += independence(it, run.spec_json, outcome)
        found += locality(it, run.spec_json, outcome)
    return found
