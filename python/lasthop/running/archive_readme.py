"""What an archive says of itself: its README and how to cite it."""

from collections.abc import Sequence
from dataclasses import dataclass

from lasthop.results.manifest import Manifest

_README = """\
# {name}: what a rerun needs
{people}
These results were made by lasthop {version}{build}. The same study, seed and version give the same
bytes in every table but `timings.parquet`, which tells about the machine.
{install}
```sh
{command}
(cd results && sha256sum --ignore-missing --check ../tables.sha256)   # as published
(cd rerun && sha256sum --ignore-missing --check ../tables.sha256)     # as rerun
```

| file | what it is |
|---|---|
{files}
"""
_FILES = {
    "study/": "the study, and the files that it names",
    "results/": "the tables, the claims, the report, as they were published",
    "scripts/": "the scripts of the authors",
    "wheels/": "lasthop as it made these results",
    "tables.sha256": "the digests of the tables and the judgements",
    "requirements.txt": "the versions of all Python packages that were at work",
    "requirements.lock": "the dependencies of lasthop, with their digests",
    "Cargo.lock": "the dependencies of lasthop in Rust, with their digests",
    "CITATION.cff": "how to cite these results",
    "CITATION-lasthop.cff": "how to cite lasthop",
}
_VENV = "python3 -m venv .venv && . .venv/bin/activate"


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """Who publishes results, and what they add.

    Parameters
    ----------
    authors : sequence of str
        Their names.
    repository : str or None
        Address of the repository that holds the study.
    scripts : sequence of str
        Names of the scripts in the archive.
    wheel : str or None
        Name of the wheel in the archive.
    """

    authors: Sequence[str] = ()
    repository: str | None = None
    scripts: Sequence[str] = ()
    wheel: str | None = None

    def readme(self, manifest: Manifest, command: str) -> str:
        """Write the README."""
        there = {
            "scripts/": bool(self.scripts),
            "wheels/": self.wheel is not None,
            "CITATION.cff": bool(self.authors),
        }
        files = [f"| `{name}` | {what} |" for name, what in _FILES.items() if there.get(name, True)]
        copy = manifest.working_copy
        return _README.format(
            name=manifest.study["name"],
            people=self._people(),
            version=manifest.lasthop,
            build=f" (working copy {copy})" if copy else "",
            install=self._install(manifest),
            command=command,
            files="\n".join(files),
        )

    def citation(self, manifest: Manifest) -> str:
        """Write how to cite the results, in the Citation File Format."""
        lines = [
            "cff-version: 1.2.0",
            "message: If you use these results in a publication, please cite them as below.",
            "type: dataset",
            f"title: {_quoted(str(manifest.study.get('title') or manifest.study['name']))}",
            "authors:",
            *(f"  - name: {_quoted(author)}" for author in self.authors),
        ]
        if self.repository is not None:
            lines.append(f"repository: {_quoted(self.repository)}")
        lines += [
            "references:",
            "  - type: software",
            "    title: lasthop",
            f"    version: {_quoted(manifest.lasthop)}",
            "    authors:",
            "      - name: The lasthop developers",
        ]
        return "\n".join(lines) + "\n"

    def _people(self) -> str:
        lines = []
        if self.authors:
            lines.append(f"Authors: {', '.join(self.authors)}.")
        if self.repository is not None:
            lines.append(f"Repository: <{self.repository}>.")
        return "\n" + "  \n".join(lines) + "\n" if lines else ""

    def _install(self, manifest: Manifest) -> str:
        if self.wheel is not None:
            command = f"pip install -r requirements.txt\npip install --no-deps wheels/{self.wheel}"
        elif manifest.working_copy is None:
            command = "pip install -r requirements.txt"
        else:
            return (
                "\nThis working copy was not released, so it cannot be installed from here. The "
                f"tables of lasthop {manifest.lasthop} may differ.\n"
            )
        return f"\n```sh\n{_VENV}\n{command}\n```\n"


def _quoted(text: str) -> str:
    """Write a text as YAML has it in quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
