"""The named access links: what each is, how sure its figures are, and their sources."""

from __future__ import annotations

from docs.generator.markdown import code, table
from lasthop.study.paths.link_profiles import LinkProfile, link_profiles
from lasthop.study.plan.parameters import flow_text


def profiles() -> str:
    """Write a section for each profile."""
    return "\n\n".join(map(_section, link_profiles().values()))


def _section(profile: LinkProfile) -> str:
    rows = [[code(key), code(flow_text(value))] for key, value in profile.path.items()]
    sources = "\n".join(f"- {source}" for source in profile.source)
    parts = [
        f"## {code(profile.name)}",
        profile.comment,
        table(["key", "value"], rows),
        f"Confidence: {profile.confidence}. Weaker than that: {', '.join(profile.weak)}.",
    ]
    if profile.first_packet is not None:
        parts.append(f"Left out, the cost of the first packet: {profile.first_packet}.")
    return "\n\n".join([*parts, f"Sources:\n\n{sources}"])
