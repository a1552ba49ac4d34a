"""The pytest plug-in: a fixture that makes links, and the seed that a failed test had."""

# ruff: noqa: PLC0415  (it is imported by every run of pytest: the rest is, once it is needed)

from __future__ import annotations

import random
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from lasthop.linked.before_server import Link
    from lasthop.linked.ends import Address

_DEFAULT_SEED = 1
_DRAWN_BELOW = 2**32
_SHOW_FORGOTTEN = "default:the link .* was not closed:ResourceWarning"


class LossyLink:
    """Makes links before servers, which are closed after the test.

    Attributes
    ----------
    seed
        The seed of ``--lasthop-seed``, which the links have.
    """

    def __init__(self, seed: int, stack: ExitStack) -> None:
        self.seed = seed
        self.links: list[Link] = []
        self._stack = stack

    def __call__(self, *, server: Address, seed: int | None = None, **settings: Any) -> Link:  # noqa: ANN401  as `lasthop.link`
        """Start a link; the arguments are those of `lasthop.link`."""
        import lasthop

        made = lasthop.link(server=server, seed=self.seed if seed is None else seed, **settings)
        self._stack.enter_context(made)
        self.links.append(made)
        return made


_LINKS = pytest.StashKey[LossyLink]()
_SEED = pytest.StashKey[int]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--lasthop-seed``."""
    group = parser.getgroup("lasthop")
    group.addoption(
        "--lasthop-seed",
        metavar="N",
        type=_read_seed,
        default=_DEFAULT_SEED,
        help="Seed of the links of the fixture lossy_link, or the word random for another one in "
        f"each run. A failed test prints its seed. Default: {_DEFAULT_SEED}.",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Draw the seed where none is given, and show links that were not closed."""
    # Python ignores warnings of this class. First in the list, so that a filter of the user wins.
    config.getini("filterwarnings").insert(0, _SHOW_FORGOTTEN)
    wanted = config.getoption("--lasthop-seed")
    # Workers of pytest-xdist have the options of their controller, and its seed with them.
    given = getattr(config, "workerinput", {}).get("lasthop_seed", wanted)
    drawn = random.SystemRandom().randrange(_DRAWN_BELOW)
    config.stash[_SEED] = drawn if given == "random" else int(given)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:  # noqa: ANN401  of pytest-xdist
    """Give a worker the seed of this run."""
    node.workerinput["lasthop_seed"] = node.config.stash[_SEED]


@pytest.fixture
def lossy_link(request: pytest.FixtureRequest) -> Iterator[LossyLink]:
    """Return a function that starts a link: ``lossy_link(loss="10 %", server=(host, port))``."""
    with ExitStack() as stack:
        made = LossyLink(request.config.stash[_SEED], stack)
        request.node.stash[_LINKS] = made
        yield made


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add to the report of a failed test what its links were and did."""
    report = yield
    made = item.stash.get(_LINKS, None)
    if call.when == "call" and report.failed and made is not None and made.links:
        report.sections.append(("lasthop", "\n".join(_lines(made))))
    return report


def _lines(made: LossyLink) -> Iterator[str]:
    from lasthop.errors import LasthopError

    for link in made.links:
        yield f"link to {link.host}:{link.port}: {link.describe()}"
        try:
            stats = link.stats()
        except LasthopError as error:
            yield f"  {error}"
            continue
        yield f"  to the server: {stats.up}"
        yield f"  to the client: {stats.down}"
        yield f"  late by {stats.late_p99_ms:.1f} ms at 99 %"
    seeds = {link.seed for link in made.links}
    if seeds == {made.seed}:
        yield f"the same losses again: --lasthop-seed={made.seed}"


def _read_seed(written: str) -> int | str:
    if written == "random":
        return written
    if not written.isdecimal() or int(written) >= 2**63:
        raise pytest.UsageError(
            f"--lasthop-seed: {written} is not a seed; write a whole number such as 7, or random"
        )
    return int(written)
