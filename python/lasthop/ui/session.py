"""The state behind the page: a study, its campaign, and the results that are looked at."""

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lasthop.errors import LasthopError, StudyError, UsageError
from lasthop.results.atomic import environment, replacement
from lasthop.study import load_study
from lasthop.study.fleet.tariff_text import read_tariff
from lasthop.study.init.link import Answers, compose_study
from lasthop.study.text.source import MAXIMUM_FILE_BYTES
from lasthop.ui.answers import Answer, compared, ledger_of
from lasthop.ui.campaign import Campaign
from lasthop.ui.form import StudyForm

Json = dict[str, Any]


class Session:
    """A study that is edited, and what is shown of results. Several threads may call it.

    Parameters
    ----------
    file : Path
        The study; it is written when it is saved first.
    results : Path
        The folder for result folders.
    """

    def __init__(self, file: Path, *, results: Path) -> None:
        self._file = file
        self._results = results
        self._lock = threading.RLock()
        self._read = self._on_disk()
        self._text = compose_study(Answers()) if self._read is None else self._read
        self._campaign: Campaign | None = None
        self._answer: Answer | None = None

    def state(self, seen: str) -> Json:
        """Return what the page shows; the answer only where it is not the one it has seen."""
        with self._lock:
            answer = self._newest()
            told: Json = {
                "campaign": None if self._campaign is None else self._campaign.json(),
                "changed_on_disk": self._on_disk() != self._read,
                "file": str(self._file),
                "is_saved": self._read == self._text,
            }
            if answer is not None:
                told["answer"] = {"name": answer.name, "folder": str(answer.folder)}
                if answer.name != seen:
                    told["answer"] |= answer.shown
            return told

    def study(self) -> Json:
        """Return the text, its form and its first fault."""
        with self._lock:
            return {
                "text": self._text,
                "form": StudyForm(self._text).json(),
                "fault": self._fault(),
            }

    def edit(self, asked: Mapping[str, Any]) -> Json:
        """Take the text of the editor."""
        with self._lock:
            self._text = _text(asked)
            return self.study()

    def edit_field(self, asked: Mapping[str, Any]) -> Json:
        """Change one field of the form in the text of the editor."""
        with self._lock:
            text = _text(asked)
            try:
                self._text = StudyForm(text).changed(str(asked["name"]), str(asked["value"]))
            except (ValueError, StopIteration) as error:
                message = f"{asked['name']}: {error}; write it in the YAML"
                raise UsageError(message) from None
            return self.study()

    def reload(self, _: Mapping[str, Any]) -> Json:
        """Take the file as it is now, instead of the text of the editor."""
        with self._lock:
            self._read = self._on_disk()
            self._text = self._text if self._read is None else self._read
            return self.study()

    def save(self, asked: Mapping[str, Any]) -> Json:
        """Write the file, unless somebody else has changed it since it was read.

        Raises
        ------
        UsageError
            The file is not as it was read.
        """
        with self._lock:
            if self._on_disk() != self._read and not asked.get("overwrite"):
                todo = "load it again, or save over it"
                raise UsageError(f"{self._file} has changed on disk since it was read; {todo}")
            with environment(self._file), replacement(self._file) as temporary:
                temporary.write_text(self._text, encoding="utf-8")
            self._read = self._text
            return {"file": str(self._file)}

    def run(self, asked: Mapping[str, Any]) -> Json:
        """Save the study and begin to run it."""
        with self._lock:
            if self._campaign is not None and self._campaign.is_running:
                raise UsageError("a study is running; stop it first")
            if self._read != self._text or self._on_disk() != self._read:
                self.save(asked)
            self._campaign = Campaign(self._file, self._results)
            self._answer = None
            self._campaign.start()
            return self._campaign.json()

    def stop(self, _: Mapping[str, Any]) -> Json:
        """Stop the runs; what is finished stays."""
        with self._lock:
            if self._campaign is None:
                raise UsageError("nothing is running; start the study first")
            self._campaign.stop()
            return self._campaign.json()

    def open(self, asked: Mapping[str, Any]) -> Json:
        """Show a result folder instead of the campaign's."""
        answer = Answer.of(Path(str(asked["folder"])))
        with self._lock:
            if self._campaign is not None and self._campaign.is_running:
                raise UsageError("a study is running; stop it first, or wait for its end")
            self._campaign, self._answer = None, answer
            return {"folder": str(answer.folder)}

    def price(self, asked: Mapping[str, Any]) -> Json:
        """Show the answer by another tariff, or by that of the study where the text is empty.

        Raises
        ------
        UsageError
            It is no tariff, or the results do not say what SIMs would cost.
        """
        text = str(asked["tariff"]).strip()
        with self._lock:
            if self._campaign is not None and self._campaign.is_running:
                raise UsageError("the study is running; change its tariff when it has ended")
            answer = self._newest()
        if answer is None:
            raise UsageError("there is no answer yet; run a study or open a results folder")
        tariff = read_tariff(text, option="tariff") if text else None
        shown = Answer.of(answer.folder, tariff=tariff)
        with self._lock:
            self._answer = shown
            return {"tariff": shown.shown["tariff"]}

    def compare(self, asked: Mapping[str, Any]) -> Json:
        """Hold two result folders against each other."""
        return compared(Path(str(asked["base"])), Path(str(asked["new"])))

    def ledger(self, name: str, capture: bytes) -> Json:
        """Say what the bytes of a capture are for."""
        return ledger_of(name, capture)

    def report(self) -> bytes:
        """Return the whole report of the answer that is shown."""
        with self._lock:
            answer = self._newest()
            is_running = self._campaign is not None and self._campaign.is_running
        if is_running:
            raise UsageError("the study is running; the whole report is written at its end")
        if answer is None:
            raise UsageError("there is no answer yet; run a study or open a results folder")
        return answer.report()

    def close(self) -> None:
        """Stop what runs."""
        with self._lock:
            campaign = self._campaign
        if campaign is not None and campaign.is_running:
            campaign.stop()
            campaign.wait(30)

    def _newest(self) -> Answer | None:
        """Give what was opened or priced since the campaign ended, else its answer."""
        if self._answer is not None or self._campaign is None:
            return self._answer
        return self._campaign.answer

    def _fault(self) -> Json | None:
        try:
            load_study(self._file, text=self._text)
        except StudyError as error:
            return {
                "key": error.key or "",
                "line": error.line,
                "text": f"{error.what}; {error.hint}" if error.hint else error.what,
            }
        except LasthopError as error:
            return {"key": "", "line": None, "text": str(error)}
        return None

    def _on_disk(self) -> str | None:
        try:
            with self._file.open("rb") as file:
                return file.read(MAXIMUM_FILE_BYTES).decode("utf-8", errors="replace")
        except OSError:
            return None


def _text(asked: Mapping[str, Any]) -> str:
    text = str(asked["text"])
    if len(text.encode()) > MAXIMUM_FILE_BYTES:
        raise UsageError("the study is larger than 1 MiB; split it")
    return text
