"""The rerun of a paper to start from: experiment, claims, figures, and what is left open."""

from importlib.resources import files
from pathlib import Path

from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.study.text.faults import show

FILES = ("study.yaml", "published.yaml", "figures.yaml", "deviations.md")
_LONGEST_NAME = 64


def write_paper(folder: Path) -> list[Path]:
    """Write a rerun that runs as it is into a new folder, and give its files.

    Parameters
    ----------
    folder
        The folder, which must not be there. Its name is that of the study.

    Raises
    ------
    UsageError
        The folder is there, or its name cannot be that of a study.
    EnvironmentFailure
        It cannot be written.
    """
    name = folder.name
    plain = name.replace("-", "").replace("_", "").replace(".", "")
    good = plain.isascii() and plain.isalnum() and plain[0].isalpha()
    if not good or len(name) > _LONGEST_NAME:
        message = f"--paper: {show(name)} cannot name a study"
        raise UsageError(f'{message}; write letters, digits and hyphens, for example "doe-2021"')
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"{folder}: the folder exists already; choose another name")
    templates = files(__name__.rpartition(".")[0]).joinpath("paper_files")
    written = []
    try:
        folder.mkdir()
        for file in FILES:
            text = templates.joinpath(file).read_text(encoding="utf-8")
            path = folder / file
            path.write_text(text.replace("NAME", name), encoding="utf-8")
            written.append(path)
    except OSError as error:
        raise EnvironmentFailure(f"{folder}: {error.strerror}; choose another folder") from error
    return written
