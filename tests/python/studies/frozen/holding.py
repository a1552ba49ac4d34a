"""Holds results against the frozen digests."""

from lasthop.outcome.results import Results

from . import store
from .campaigns import Campaign
from .columns import digests_of

_RENEW = (
    "Where this is meant: python -m tests.python.studies.frozen --write, and list every change "
    "with its reason in CHANGELOG.md under Results."
)


def assert_nothing_moved(campaign: Campaign, results: Results) -> None:
    """Fail with the tables and columns whose values are not those that are frozen."""
    frozen = store.read().get(campaign.name)
    assert frozen, f"nothing is frozen of {campaign.name}. {_RENEW}"
    moved = store.movements(frozen, digests_of(results))
    assert not moved, "\n".join([f"numbers of {campaign.name} moved", *moved, _RENEW])
