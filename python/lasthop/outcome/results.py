"""Results of a study read back: tables as data frames, answer and report."""

# ruff: noqa: PLC0415  (who reads tables must not wait for what draws the report)

import shutil
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from lasthop.errors import UsageError
from lasthop.results.atomic import environment
from lasthop.results.judgements import read_multiverse
from lasthop.results.manifest import Manifest
from lasthop.results.stored import DamagedResultsError
from lasthop.results.verification import verify

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from os import PathLike

    from lasthop.answer.by_group import DecisionByGroup
    from lasthop.answer.decision import Decision
    from lasthop.answer.effective_samples import EffectiveSamples
    from lasthop.answer.expectation import Expectation
    from lasthop.claims import Judgement
    from lasthop.outcome.culprit import Culprit
    from lasthop.referee import Ruling


class Results:
    """A result folder. Tables are read when they are first used.

    Attributes
    ----------
    path
        The folder.
    """

    def __init__(self, path: "str | PathLike[str]") -> None:
        self.path = Path(path)
        self._culprits: dict[tuple[str, str | None], Culprit | None] = {}

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest of the results folder: study, lasthop version and machine of the runs."""
        manifest = Manifest.read(self.path)
        if manifest is None:
            raise UsageError(
                f"{self.path}: this is not a result folder, because it has "
                "no manifest.json; write the folder that lasthop run made"
            )
        return manifest

    @cached_property
    def checked(self) -> bool:
        """Return whether every file is checked against its digest. Older folders have no digests.

        Raises
        ------
        DamagedResultsError
            A file is not as it was written.
        """
        return verify(self.path, self.manifest)

    @cached_property
    def runs(self) -> pl.DataFrame:
        """The runs table: one row for each run and each part that contains it."""
        return self._read("runs")

    @cached_property
    def messages(self) -> pl.DataFrame:
        """A row for each message of each run."""
        return self._read("messages")

    def messages_of(self, run_id: str) -> pl.DataFrame:
        """Read the messages of one run."""
        with self._readable("messages"):
            return self._scan("messages").filter(pl.col("run_id") == run_id).collect()

    @cached_property
    def ledger(self) -> pl.DataFrame:
        """Bytes by run, direction, outcome, layer and cause."""
        return self._read("ledger")

    @cached_property
    def packets(self) -> pl.DataFrame:
        """Packets and bytes by run, direction, outcome and reason."""
        return self._read("packets")

    @cached_property
    def latency(self) -> pl.DataFrame:
        """The latency histogram of each run. Histograms of several runs merge exactly."""
        return self._read("latency")

    @cached_property
    def groups(self) -> pl.DataFrame:
        """A row for each group, stratum and flow of each run."""
        return self._read("groups")

    @cached_property
    def bills(self) -> pl.DataFrame:
        """Data cost of SIMs by group, stratum, layer and cause; no rows without a tariff."""
        return self._read("bills")

    @cached_property
    def sims(self) -> pl.DataFrame:
        """Data cost of each simulated device's SIM; no rows without a tariff."""
        return self._read("sims")

    @cached_property
    def programs(self) -> pl.DataFrame:
        """A row for each real program that took part in a run."""
        return self._read("programs")

    @cached_property
    def ruling(self) -> "Ruling":
        """The results that cannot be trusted, and why."""
        from lasthop.referee import read_ruling

        self.checked  # noqa: B018  (raises)
        return read_ruling(self.path)

    @cached_property
    def decision(self) -> "Decision":
        """The decision on the study's question, computed from the runs."""
        from lasthop.answer.decision import decide
        from lasthop.outcome.decision_table import PrintedDecision

        return PrintedDecision.of(
            decide(self.compared, self.manifest.study, lambda: self.judged_groups)
        )

    @cached_property
    def by_group(self) -> "DecisionByGroup | None":
        """The decision by group and stratum; None with a single group or in older folders."""
        from lasthop.answer.by_group import decide_by_group

        if not self._has("groups"):
            return None
        groups = self.judged_groups
        return decide_by_group(self.compared, groups, self.manifest.study, self.decision)

    @cached_property
    def compared(self) -> pl.DataFrame:
        """Columns of `runs` that the question, the answer and the expectations need."""
        from lasthop.answer.projection import of_expressions, of_question

        study = self.manifest.study
        question = of_question(study, self._scan("runs").collect_schema().names())
        runs = self.described(question | of_expressions(study["expect"]))
        return runs if self._samples is None else self._samples.of_runs(runs)

    @cached_property
    def judged_groups(self) -> pl.DataFrame:
        """Columns of `groups` that the question needs, including effective samples."""
        return self.groups if self._samples is None else self._samples.of_groups(self.groups)

    @cached_property
    def _samples(self) -> "EffectiveSamples | None":
        from lasthop.answer.effective_samples import EffectiveSamples, asks_for_shares

        return EffectiveSamples([self.path]) if asks_for_shares(self.manifest.study) else None

    @cached_property
    def judgements(self) -> "tuple[Judgement, ...]":
        """The judged claims of the study; empty while runs are missing."""
        from lasthop.answer.projection import of_claims
        from lasthop.claims import claims_of, judge

        study = self.manifest.study
        claims = tuple(claims_of(study))
        if not self.manifest.whole or not claims:
            return ()
        runs = self.described(of_claims(claims))
        return judge(claims, runs, looks=study.get("looks", 1))

    @cached_property
    def expectations(self) -> "tuple[Expectation, ...]":
        """The judged expectations of the study; empty while runs are missing.

        Of runs that were named, what applies to them is judged: each is to meet it by itself.
        """
        from lasthop.answer.expectation import ExpectationVerdict, judge_expectations

        manifest = self.manifest
        expected = manifest.study["expect"] if manifest.whole or manifest.names_its_runs else ()
        found = judge_expectations(self.compared, expected, lambda: self.groups)
        if manifest.names_its_runs and manifest.counts.get("completed"):
            return tuple(one for one in found if one.verdict is not ExpectationVerdict.NOT_JUDGED)
        return found

    def culprit(self, found: "Expectation") -> "Culprit | None":
        """Find the message that explains best why an expectation failed. The result is cached."""
        from lasthop.outcome.culprit import culprit_of

        key = (found.text, None if found.worst is None else str(found.worst["run_id"]))
        if key not in self._culprits:
            self._culprits[key] = culprit_of(self, found)
        return self._culprits[key]

    @cached_property
    def multiverse(self) -> "Mapping[str, Any] | None":
        """The judged multiverse of another study; None unless the study has one."""
        self.checked  # noqa: B018  (raises)
        return read_multiverse(self.path)

    def described(self, measured: "Iterable[str]") -> pl.DataFrame:
        """Read the identifying, swept and given measured columns."""
        from lasthop.answer.projection import project

        with self._readable("runs"):
            return project(self._scan("runs"), self.manifest.study, measured)

    def report(self, out: Path | None = None, *, beside: "Sequence[Path]" = ()) -> Path:
        """Write the report and return its path. Default: `report.html` in the folder.

        Parameters
        ----------
        out
            The file.
        beside
            Results of other studies of the same paper, which the report shows too.
        """
        from lasthop.report import write_report

        path = out or self.path / "report.html"
        with environment(path):
            return write_report([self.path], out=path, beside=beside)

    def own(self, folder: Path) -> None:
        """Remove a temporary folder when this object is deleted."""
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    def __repr__(self) -> str:
        """Return the study's name, the number of runs and the folder."""
        name = self.manifest.study["name"]
        return f"<Results of {name}: {self.compared.height} runs in {self.path}>"

    def _repr_html_(self) -> str:
        from lasthop.outcome.short_answer import short_answer_html

        return short_answer_html(self)

    def _read(self, name: str) -> pl.DataFrame:
        with self._readable(name):
            return self._scan(name).collect()

    def _has(self, name: str) -> bool:
        """Return whether a table exists. A missing table that the manifest lists is an error."""
        self.checked  # noqa: B018  (raises)
        return (self.path / f"{name}.parquet").exists()

    def _scan(self, name: str) -> pl.LazyFrame:
        path = self.path / f"{name}.parquet"
        self.checked  # noqa: B018  (raises)
        if not path.exists():
            raise UsageError(
                f"{path}: there is no such table; check that this is a complete result folder"
            )
        with self._readable(name):
            table = pl.scan_parquet(path)
            table.collect_schema()
            return table

    @contextmanager
    def _readable(self, name: str) -> Iterator[None]:
        path = self.path / f"{name}.parquet"
        try:
            with environment(path):
                yield
        except pl.exceptions.PolarsError as error:
            raise DamagedResultsError(path, "the file cannot be read as a table") from error
