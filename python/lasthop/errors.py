"""Error classes for users. Each has an exit code of the command."""

from __future__ import annotations

EXIT_PASS = 0
EXIT_EXPECTATION_FAILED = 1
EXIT_BAD_INPUT = 2
EXIT_INVALID_RUN = 3
EXIT_ENVIRONMENT = 4
EXIT_INTERRUPTED = 130

EXIT_MEANINGS = {
    EXIT_PASS: "The command did what it was asked to, and every expectation holds.",
    EXIT_EXPECTATION_FAILED: "An expectation of the study failed, or with `--strict` a requirement "
    "is not shown to be met; the line says where.",
    EXIT_BAD_INPUT: "The study or the command cannot be understood; the line says what to write.",
    EXIT_INVALID_RUN: "A run cannot be believed, or every run failed; the line says why.",
    EXIT_ENVIRONMENT: "The machine failed: a full disk, a missing program, damaged results.",
    EXIT_INTERRUPTED: "You stopped the command; what had finished is kept.",
}
"""Meaning of each exit code."""


class LasthopError(Exception):
    """Base class of all errors of lasthop, which the command prints on one line."""

    exit_code: int = EXIT_ENVIRONMENT


class StudyError(LasthopError):
    """The study cannot be run as it is written.

    Parameters
    ----------
    what
        What is wrong.
    hint
        What to write instead.
    file
        The file as the user named it, or ``--set KEY`` for an override.
    line, column
        Position in the file, counted from 1.
    key
        The dotted key, say ``path.loss``.

    Examples
    --------
    >>> print(StudyError('"10" has no unit', hint='write "10 %"', file="a.yaml",
    ...                  line=7, column=9, key="path.loss"))
    a.yaml:7:9: path.loss: "10" has no unit; write "10 %"
    """

    exit_code = EXIT_BAD_INPUT

    def __init__(  # noqa: PLR0913  each is a part of the one line
        self,
        what: str,
        *,
        hint: str | None = None,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        key: str | None = None,
    ) -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.file = file
        self.line = line
        self.column = column
        self.key = key

    def __str__(self) -> str:
        """Return place, key, problem and remedy in one line."""
        place = ":".join(str(part) for part in (self.file, self.line, self.column) if part)
        remedy = f"{self.what}; {self.hint}" if self.hint else self.what
        return one_line(": ".join(part for part in (place, self.key, remedy) if part))


class UsageError(LasthopError):
    """A command or a function was called with wrong arguments."""

    exit_code = EXIT_BAD_INPUT


class EnvironmentFailure(LasthopError):  # noqa: N818  named by what happened
    """The machine failed: for example a full disk, a missing permission or a missing program."""

    exit_code = EXIT_ENVIRONMENT


class Interrupted(LasthopError):  # noqa: N818  the user did it, it is no error
    """The user stopped the command. Finished runs are kept."""

    exit_code = EXIT_INTERRUPTED


def one_line(text: str) -> str:
    r"""Escape line breaks and control characters, so that a message stays one line.

    Examples
    --------
    >>> one_line("a\nb")
    'a\\nb'
    """
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text
    )
