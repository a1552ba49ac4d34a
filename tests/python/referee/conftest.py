"""Studies in a few lines, and what the referee says of them."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from lasthop.outcome.results import Results
from lasthop.running.engine import Engine
from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study

LOSSY = "{loss: 10 %, delay: 100 ms}"
STEADY = "{delay: 100 ms}"


@dataclass(frozen=True, slots=True)
class Bench:
    """Runs studies in one folder."""

    folder: Path

    def study(
        self,
        *stacks: str,
        path: str = LOSSY,
        every: str = "1 s",
        duration: str = "2 min",
        repeat: int = 2,
        more: str = "",
    ) -> Path:
        """Write a study."""
        file = self.folder / "study.yaml"
        file.write_text(
            f"study: tripped\nduration: {duration}\nrepeat: {repeat}\n"
            f"traffic: {{report: 100 B, every: {every}}}\n"
            f"path: {path}\nstacks: [{', '.join(stacks)}]\n{more}\n",
            encoding="utf-8",
        )
        return file

    def run(self, study: Path, engine: Engine | None = None, **overrides: str) -> Results:
        """Run it, or what of it is missing."""
        replaced = [(key.replace("__", "."), value) for key, value in overrides.items()]
        plan = Plan(load_study(study, overrides=replaced))
        return carry_out(plan, out=self.folder / "results", jobs=1, engine=engine).results


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Return a bench in a fresh folder."""
    return Bench(tmp_path)
