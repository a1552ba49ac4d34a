"""The check of licences finds what offends, and says it in a line each."""

import importlib.util
import subprocess
import sys
import tomllib
from email.message import Message
from types import ModuleType
from typing import Any

import pytest

from .conftest import ROOT

SCRIPT = ROOT / "scripts" / "check_licences.py"

REGISTRY = "https://github.com/rust-lang/crates.io-index"

DENY: dict[str, Any] = {
    "licenses": {
        "allow": ["MIT", "Apache-2.0 WITH LLVM-exception"],
        "exceptions": [{"crate": "special", "allow": ["CC0-1.0"]}],
    },
    "bans": {
        "wildcards": "deny",
        "deny": [
            {"crate": "openssl", "reason": "TLS is rustls"},
            {"crate": "pyo3", "wrappers": ["ours"], "reason": "one crate speaks Python"},
        ],
    },
    "sources": {"allow-registry": [REGISTRY]},
}


@pytest.fixture(scope="module")
def check() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_licences", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def package(name: str, *needs: str, **changes: object) -> dict[str, Any]:
    dependencies = [{"name": need, "req": "^1"} for need in needs]
    source = f"registry+{REGISTRY}"
    found = {"id": name, "name": name, "version": "1.0.0", "license": "MIT", "source": source}
    return {**found, "dependencies": dependencies, **changes}


def metadata(*packages: dict[str, Any]) -> dict[str, Any]:
    names = {found["name"] for found in packages}
    nodes = [
        {
            "id": found["id"],
            "dependencies": [d["name"] for d in found["dependencies"] if d["name"] in names],
        }
        for found in packages
    ]
    return {"packages": list(packages), "resolve": {"nodes": nodes}}


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("MIT/GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR GPL-3.0-only) AND Unicode-3.0", False),
        ("GPL-3.0-only OR MIT AND GPL-3.0-only", False),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("Apache-2.0", False),
    ],
)
def test_an_expression_is_weighed(check: ModuleType, expression: str, *, allowed: bool) -> None:
    licences = {"MIT", "Apache-2.0 WITH LLVM-exception"}
    assert check.Expression(expression).is_allowed(licences) == allowed


@pytest.mark.parametrize("text", ["", "MIT OR", "(MIT", "MIT)", "MIT GPL", "AND MIT", "WITH x"])
def test_what_is_no_expression_is_an_error(check: ModuleType, text: str) -> None:
    with pytest.raises(ValueError, match=r"^"):
        check.Expression(text).is_allowed({"MIT"})


def test_nothing_offends_in_a_good_tree(check: ModuleType) -> None:
    good = metadata(
        package("ours", "pyo3", "special", source=None), package("pyo3"), package("special")
    )
    assert list(check.check_rust(good, DENY)) == []


def test_every_rust_offence_is_a_line(check: ModuleType) -> None:
    any_version = [{"name": "loose", "req": "*"}]
    bad = metadata(
        package("copyleft", license="GPL-3.0-only"),
        package("silent", license=None),
        package("garbled", license="MIT or so"),
        package("unlike-special", license="CC0-1.0"),
        package("special", license="CC0-1.0"),
        package("forked", source="git+https://example.org/forked"),
        package("openssl"),
        package("pyo3"),
        package("other", "pyo3", source=None),
        package("careless", dependencies=any_version, source=None),
    )
    assert list(check.check_rust(bad, DENY)) == [
        "copyleft 1.0.0: the licence GPL-3.0-only is not allowed",
        "silent 1.0.0: states no licence",
        "garbled 1.0.0: MIT or so is no licence expression",
        "unlike-special 1.0.0: the licence CC0-1.0 is not allowed",
        "forked 1.0.0: comes from git+https://example.org/forked, which deny.toml does not allow",
        "openssl 1.0.0: is banned: TLS is rustls",
        "other: must not use pyo3: one crate speaks Python",
        "careless: takes any version of loose",
    ]


def test_every_python_offence_is_a_line(check: ModuleType) -> None:
    def stating(**fields: str) -> Message:
        message = Message()
        for name, value in fields.items():
            message[name.replace("_", "-")] = value
        return message

    osi = "License :: OSI Approved :: "
    installed = {
        "modern": stating(License_Expression="MIT OR GPL-3.0-only"),
        "classified": stating(Classifier=f"{osi}MIT License"),
        "wordy": stating(License="see the file", Classifier=f"{osi}BSD License"),
        "looked-up": stating(License="see the file"),
        "needless": stating(License_Expression="MIT"),
        "copyleft": stating(License_Expression="GPL-3.0-only"),
    }
    stated = {"looked-up": "BSD-3-Clause", "needless": "MIT", "gone": "MIT"}
    rules = {"allow": ["MIT", "BSD-3-Clause"], "stated": stated}
    assert list(check.check_python([*installed, "absent"], rules, installed.get)) == [
        "wordy: states no licence that a program can read; look it up and list it",
        "needless: states MIT by itself; remove it from the list of the stated",
        "copyleft: the licence GPL-3.0-only is not allowed",
        "absent: is not installed, so that its licence cannot be read",
        "gone: has a stated licence and is no dependency",
    ]


def test_names_are_read_from_a_lock_file(check: ModuleType) -> None:
    names = check.locked((ROOT / "requirements.lock").read_text(encoding="utf-8"))
    assert {"polars", "ruamel-yaml"} <= {name.replace(".", "-") for name in names}


def test_every_ban_says_why() -> None:
    deny = tomllib.loads((ROOT / "deny.toml").read_text(encoding="utf-8"))
    assert all(ban["reason"] for ban in deny["bans"]["deny"])


def test_this_repository_does_not_offend() -> None:
    done = subprocess.run([sys.executable, SCRIPT], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
