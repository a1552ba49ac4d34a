"""A campaign behind the page: rounds of repetitions, each with its answer."""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lasthop.errors import Interrupted, LasthopError
from lasthop.results.manifest import Manifest
from lasthop.running.engine import NativeEngine
from lasthop.running.local import LocalExecutor
from lasthop.running.plan import Plan
from lasthop.running.progress import RunFinished, Silence
from lasthop.running.run import carry_out
from lasthop.study import load_study
from lasthop.ui.answers import Answer

if TYPE_CHECKING:
    from lasthop.running.executor import Executor


class Campaign(Silence):
    """Runs a study in a thread, first one repetition, then twice as many, up to the study's.

    The folder after a round holds whole repetitions, so that it has an answer. It ends as
    ``lasthop run`` would have made it.

    Parameters
    ----------
    file : Path
        The study.
    results : Path
        The folder in which each study gets its result folder.
    """

    def __init__(self, file: Path, results: Path) -> None:
        self._file = file
        study = load_study(file)
        self.repeat = study.repeat
        self._plan = Plan(study)
        if self._plan.is_live:
            name = ", ".join(sorted(self._plan.engines))
            message = f"{file}: engine {name} runs in real time; start it with lasthop run"
            raise LasthopError(message)
        self.out = results / f"{study.name}-{self._plan.identity[:8]}"
        self.repetitions = 0
        self.total = 0
        self.finished = 0
        self.fault = ""
        self.answer: Answer | None = None
        self._executor: Executor | None = None
        self._stopped = False
        self._thread = threading.Thread(target=self._run, daemon=True, name="lasthop-campaign")

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End soon; what is finished stays, and the next start continues."""
        self._stopped = True
        if self._executor is not None:
            self._executor.stop()

    def wait(self, seconds: float) -> None:
        """Wait for the end of the thread."""
        self._thread.join(seconds)

    @property
    def is_running(self) -> bool:
        """Whether runs are still to come."""
        return self._thread.is_alive()

    @property
    def is_provisional(self) -> bool:
        """Whether fewer repetitions are done than the study asks for."""
        return self.repetitions < self.repeat

    def json(self) -> dict[str, Any]:
        """Write the state for the page."""
        return {
            "fault": self.fault,
            "finished": self.finished,
            "folder": str(self.out),
            "provisional": self.is_provisional,
            "repeat": self.repeat,
            "repetitions": self.repetitions,
            "running": self.is_running,
            "total": self.total,
        }

    def began(self, *, total: int, finished_before: int) -> None:
        """Note how many runs this round has."""
        self.total, self.finished = total, finished_before

    def run_finished(self, run: RunFinished) -> None:  # noqa: ARG002  (it only counts)
        """Count a run."""
        self.finished += 1

    def _run(self) -> None:
        try:
            earlier: Plan | None = None
            for plan in self._rounds():
                if self._stopped:
                    return
                self._executor = LocalExecutor(NativeEngine(), jobs=plan.usual_jobs)
                carry_out(
                    plan,
                    out=self.out,
                    progress=self,
                    executor=self._executor,
                    extends=None if earlier is None else earlier.identity,
                )
                # Read here: the next round writes into the same folder.
                name = f"{self.out.name}/{plan.study.repeat}"
                self.answer = Answer.of(self.out, name=name)
                self.repetitions, earlier = plan.study.repeat, plan
        except Interrupted:
            self.fault = "Stopped. Run it again to continue."
        except LasthopError as error:
            self.fault = str(error)

    def _rounds(self) -> Iterator[Plan]:
        """Give the plans of the rounds; a folder that holds some of them goes on after it."""
        manifest = Manifest.read(self.out)
        held = 0 if manifest is None else int(manifest.study.get("repeat", 0))
        repetitions = max(1, held)
        while repetitions < self.repeat:
            yield Plan(load_study(self._file, overrides=(("repeat", str(repetitions)),)))
            repetitions *= 2
        yield self._plan
