"""The shipped power profiles: what a module draws in each state, with sources."""

from __future__ import annotations

from docs.generator.markdown import code, table
from lasthop.study.fleet.power_profile import ShippedProfile, power_profiles


def profiles() -> str:
    """Write a section for each profile."""
    return "\n\n".join(map(_section, power_profiles().values()))


def _section(profile: ShippedProfile) -> str:
    rows = [[code(key), code(str(value))] for key, value in profile.values.items()]
    told = f"Source: {profile.source}."
    return "\n\n".join(
        [f"### {code(profile.name)}", profile.comment, table(["key", "value"], rows), told]
    )
