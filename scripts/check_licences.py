#!/usr/bin/env python3
"""Checks the licences, bans and sources of all dependencies, without a network.

Rust: ``deny.toml``, which ``cargo deny`` reads too, against ``cargo metadata``. Python: the table
``[tool.lasthop.licences]`` of ``pyproject.toml`` against what the packages of ``requirements.lock``
state where they are installed. Prints one line for each offence; exits with 1 if there is one and
with 4 if the check itself cannot run.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

ROOT = Path(__file__).resolve().parents[1]

CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "ISC License (ISCL)": "ISC",
    "MIT License": "MIT",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""The trove classifiers that name one licence; "BSD License" does not."""


@dataclass(frozen=True, slots=True)
class Expression:
    """An SPDX licence expression: ``MIT``, or ``(MIT OR Apache-2.0) AND Unicode-3.0``.

    Examples
    --------
    >>> Expression("MIT/Apache-2.0").is_allowed({"MIT"})
    True
    >>> Expression("(MIT OR Apache-2.0) AND Unicode-3.0").is_allowed({"MIT"})
    False
    """

    text: str

    def is_allowed(self, allowed: Collection[str]) -> bool:
        """Whether the allowed licences are enough.

        Raises
        ------
        ValueError
            If it is no expression.
        """
        tokens = re.findall(r"[()]|[^\s()]+", self.text.replace("/", " OR "))
        answer, rest = _any_of(tokens, allowed)
        if rest:
            raise ValueError(self.text)
        return answer


def _any_of(tokens: list[str], allowed: Collection[str]) -> tuple[bool, list[str]]:
    answer, tokens = _all_of(tokens, allowed)
    while tokens[:1] == ["OR"]:
        further, tokens = _all_of(tokens[1:], allowed)
        answer = answer or further
    return answer, tokens


def _all_of(tokens: list[str], allowed: Collection[str]) -> tuple[bool, list[str]]:
    answer, tokens = _one(tokens, allowed)
    while tokens[:1] == ["AND"]:
        further, tokens = _one(tokens[1:], allowed)
        answer = answer and further
    return answer, tokens


def _one(tokens: list[str], allowed: Collection[str]) -> tuple[bool, list[str]]:
    match tokens:
        case ["(", *rest]:
            answer, rest = _any_of(rest, allowed)
            if rest[:1] != [")"]:
                raise ValueError(" ".join(tokens))
            return answer, rest[1:]
        case [")" | "AND" | "OR" | "WITH", *_] | []:
            raise ValueError(" ".join(tokens))
        case [name, "WITH", exception, *rest]:
            return f"{name} WITH {exception}" in allowed, rest
        case [name, *rest]:
            return name in allowed, rest
    raise ValueError(" ".join(tokens))


def check_rust(metadata: Mapping[str, Any], deny: Mapping[str, Any]) -> Iterator[str]:
    """Check what ``cargo metadata`` tells against what ``deny.toml`` says.

    Parameters
    ----------
    metadata
        The JSON of ``cargo metadata``.
    deny
        The content of ``deny.toml``.

    Yields
    ------
    str
        An offence: who, what is wrong, and why that is one.
    """
    packages = metadata["packages"]
    exceptions = {entry["crate"]: entry["allow"] for entry in deny["licenses"]["exceptions"]}
    registries = [f"registry+{registry}" for registry in deny["sources"]["allow-registry"]]
    for package in packages:
        who = f"{package['name']} {package['version']}"
        allowed = {*deny["licenses"]["allow"], *exceptions.get(package["name"], ())}
        yield from _licence(who, package["license"], allowed)
        if package["source"] not in (None, *registries):
            yield f"{who}: comes from {package['source']}, which deny.toml does not allow"
    yield from _banned(metadata, deny["bans"]["deny"])
    if deny["bans"]["wildcards"] == "deny":
        yield from _wildcards(packages)


def _licence(who: str, expression: str | None, allowed: Collection[str]) -> Iterator[str]:
    if not expression:
        yield f"{who}: states no licence"
        return
    try:
        if not Expression(expression).is_allowed(allowed):
            yield f"{who}: the licence {expression} is not allowed"
    except ValueError:
        yield f"{who}: {expression} is no licence expression"


def _banned(metadata: Mapping[str, Any], bans: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    packages = {package["id"]: package for package in metadata["packages"]}
    reasons = {ban["crate"]: ban for ban in bans}
    for package in packages.values():
        ban = reasons.get(package["name"])
        if ban is not None and "wrappers" not in ban:
            yield f"{package['name']} {package['version']}: is banned: {ban['reason']}"
    for node in metadata["resolve"]["nodes"]:
        user = packages[node["id"]]["name"]
        for used in {packages[dependency]["name"] for dependency in node["dependencies"]}:
            ban = reasons.get(used, {})
            if user not in ban.get("wrappers", [user]):
                yield f"{user}: must not use {used}: {ban['reason']}"


def _wildcards(packages: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    for package in packages:
        for dependency in package["dependencies"]:
            is_ours = package["source"] is None and dependency.get("path") is not None
            if dependency["req"] == "*" and not is_ours:
                yield f"{package['name']}: takes any version of {dependency['name']}"


def check_python(
    names: Iterable[str],
    rules: Mapping[str, Any],
    metadata: Callable[[str], importlib.metadata.PackageMetadata | None],
) -> Iterator[str]:
    """Check what installed packages state against a list.

    Parameters
    ----------
    names
        The packages.
    rules
        ``allow``, a list of licences, and ``stated``, the licence of each package whose metadata
        do not tell it in a form that a program can read.
    metadata
        Gives the metadata of a package, or None where it is not installed.

    Yields
    ------
    str
        An offence.
    """
    stated = dict(rules["stated"])
    for name in names:
        found = metadata(name)
        written = stated.pop(name, None)
        if found is None:
            yield f"{name}: is not installed, so that its licence cannot be read"
            continue
        readable = _readable(found)
        if readable is not None and written is not None:
            yield f"{name}: states {readable} by itself; remove it from the list of the stated"
        expression = readable or written
        if expression is None:
            yield f"{name}: states no licence that a program can read; look it up and list it"
        else:
            yield from _licence(name, expression, rules["allow"])
    for name in stated:
        yield f"{name}: has a stated licence and is no dependency"


def _readable(metadata: importlib.metadata.PackageMetadata) -> str | None:
    expressions = metadata.get_all("License-Expression")
    if expressions:
        return str(expressions[0])
    prefix = "License :: OSI Approved :: "
    classifiers = metadata.get_all("Classifier") or []
    names = [text.removeprefix(prefix) for text in classifiers if text.startswith(prefix)]
    if names and all(name in CLASSIFIERS for name in names):
        return " OR ".join(CLASSIFIERS[name] for name in names)
    return None


def _installed(name: str) -> importlib.metadata.PackageMetadata | None:
    try:
        return importlib.metadata.metadata(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def locked(text: str) -> list[str]:
    r"""Give the names of the packages in a lock file.

    Examples
    --------
    >>> locked("a==1 \\\n    --hash=sha256:0\n# by hand\nb-c==2 ; x\n")
    ['a', 'b-c']
    """
    return re.findall(r"^([A-Za-z0-9._-]+)==", text, flags=re.MULTILINE)


def _cargo_metadata(manifest: Path) -> Any:  # noqa: ANN401  it is JSON
    command = ["cargo", "metadata", "--offline", "--locked", "--format-version=1"]
    command += ["--all-features", f"--manifest-path={manifest}"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    return json.loads(done.stdout)


def main() -> int:
    """Check this repository."""
    deny = tomllib.loads((ROOT / "deny.toml").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    names = locked((ROOT / "requirements.lock").read_text(encoding="utf-8"))
    offences = set(check_python(names, project["tool"]["lasthop"]["licences"], _installed))
    try:
        metadata = _cargo_metadata(ROOT / "Cargo.toml")
    except (OSError, subprocess.CalledProcessError) as error:
        told = str(getattr(error, "stderr", None) or error).strip()
        sys.stderr.write(f"check_licences: {told}\ncheck_licences: try cargo fetch --locked\n")
        return 4
    offences.update(check_rust(metadata, deny))
    for offence in sorted(offences):
        sys.stdout.write(f"{offence}\n")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
