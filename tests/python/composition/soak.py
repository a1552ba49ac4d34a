"""Draws compositions until a time is over, and makes those small that breach a relation.

    python -m tests.python.composition.soak [--minutes 20] [--seed SEED]

It prints the seed first. A composition that breaches a relation is shrunk by Hypothesis, and kept
in `tests/python/composition/corpus`, which `make test` replays.
"""

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from .composition import Composition
from .every_relation import all_breaches
from .factors import LEVELS, is_allowed
from .relations import Breach

CORPUS = Path(__file__).with_name("corpus")
"""Compositions that have breached a relation, each made as small as it goes."""

MINUTES = 20

_AT_ONCE = 50
"""So many are drawn before the time is looked at, unless one breaches a relation."""

Judge = Callable[[Composition], list[Breach]]


@dataclass(frozen=True)
class Soaked:
    """How many compositions were run, and the smallest ones that breach a relation."""

    compositions: int
    found: list[Breach]


def compositions() -> st.SearchStrategy[Composition]:
    """Draw compositions beyond the levels of the array: any number of devices, and any size."""
    levels = {name: st.sampled_from(levels) for name, levels in LEVELS.items()}
    between = {"devices": st.integers(1, 20), "payload": st.integers(8, 60_000)}
    rows: st.SearchStrategy[dict[str, Any]] = st.fixed_dictionaries(
        {name: between[name] | one if name in between else one for name, one in levels.items()}
    )
    return rows.filter(is_allowed).map(lambda row: Composition(**row))


def soak(number: int, judge: Judge, *, until: float, clock: Callable[[], float]) -> Soaked:
    """Draw compositions from a seed until a time of the clock.

    What is like a breach that was found, by relation and stack, is not looked for again.
    """
    found: dict[tuple[str, str], Breach] = {}
    runs = 0

    def new_breaches(it: Composition) -> list[Breach]:
        nonlocal runs
        runs += 1
        try:
            breaches = judge(it)
        except Exception as crash:  # noqa: BLE001  (whatever it is, it is made small)
            breaches = [Breach("crash", it, repr(crash))]
        return [breach for breach in breaches if _kind(breach) not in found]

    while clock() < until:
        smallest = smallest_breach(number, new_breaches)
        if smallest is not None:
            found[_kind(smallest)] = smallest
        number += 1
    return Soaked(runs, list(found.values()))


def smallest_breach(number: int, judge: Judge) -> Breach | None:
    """Draw some compositions from a seed; give the smallest one like the first that breaches."""
    last: list[Breach] = []

    @seed(number)
    @settings(
        max_examples=_AT_ONCE,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(compositions())
    def holds(it: Composition) -> None:
        if breaches := judge(it):
            last[:] = breaches[:1]
            raise _BreachedError

    try:
        holds()
    except _BreachedError:
        return last[0]
    return None


class _BreachedError(Exception):
    """A composition breaches a relation."""


def _kind(breach: Breach) -> tuple[str, str]:
    return breach.relation, breach.composition.stack


def kept(breach: Breach, folder: Path) -> Path:
    """Write a composition to the corpus."""
    content = json.dumps(asdict(breach.composition), indent=2) + "\n"
    file = folder / f"{sha256(content.encode()).hexdigest()[:12]}.json"
    folder.mkdir(exist_ok=True)
    file.write_text(content, encoding="utf-8")
    return file


def read_kept(file: Path) -> Composition:
    """Read a composition of the corpus."""
    return Composition(**json.loads(file.read_text(encoding="utf-8")))


def main() -> int:
    """Soak, say what was found and keep it."""
    parser = argparse.ArgumentParser(prog="python -m tests.python.composition.soak")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="how long (default: 20)")
    parser.add_argument("--seed", type=int, help="draws these compositions again")
    wanted = parser.parse_args()
    number = random.SystemRandom().randrange(2**32) if wanted.seed is None else wanted.seed
    print(f"seed {number}", flush=True)  # noqa: T201
    with tempfile.TemporaryDirectory() as folder:
        soaked = soak(
            number,
            lambda it: all_breaches(it, Path(folder)),
            until=time.monotonic() + 60 * wanted.minutes,
            clock=time.monotonic,
        )
    print(f"{soaked.compositions} compositions, {len(soaked.found)} breaches")  # noqa: T201
    for breach in soaked.found:
        print(f"{breach}\n{breach.composition.text}{kept(breach, CORPUS)}")  # noqa: T201
    return 1 if soaked.found else 0


if __name__ == "__main__":
    raise SystemExit(main())
