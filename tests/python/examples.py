"""The examples of our crates that tests run as programs."""

import functools
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]

BUILT = "LASTHOP_EXAMPLES_BUILT"
"""Set where `cargo test --workspace --release` has just built them, as in `make test`.

Cargo would only wait there, for the lints that hold the lock of its folder.
"""


@functools.cache
def build_example(name: str) -> Path:
    """Build an example, and return the program."""
    if BUILT not in os.environ:
        # With the whole workspace, whose features `cargo test --workspace` builds everything for.
        command = ["cargo", "build", "--release", "--locked", "--workspace", "--quiet"]
        subprocess.run([*command, f"--example={name}"], cwd=ROOT, check=True)
    program = ROOT / "target/release/examples" / name
    assert program.is_file(), f"{program} is missing; cargo test --workspace --release builds it"
    return program
