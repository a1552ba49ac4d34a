"""What the extension module is built from serves the tests of all crates too."""

import subprocess

from .conftest import ROOT


def features(*arguments: str) -> set[str]:
    """Give each crate that is built, with its version and features."""
    command = ["cargo", "tree", "--offline", "--locked", "--prefix=none", "--no-dedupe"]
    done = subprocess.run(
        [*command, "--format={p} [{f}]", *arguments],
        check=True,
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    return set(done.stdout.splitlines())


def test_the_extension_module_and_the_tests_are_built_from_the_same_crates() -> None:
    module = features("--package=lasthop_python", "--edges=normal,build")
    everything = features("--workspace", "--edges=normal,build,dev")
    assert len(module) > 50
    again = module - everything
    assert not again, f"lasthop_python must ask for the features of the others: {sorted(again)}"
