"""The named devices: what each has little of, and the source of every figure."""

from __future__ import annotations

from docs.generator.markdown import code, table
from lasthop.study.fleet.device_profiles import DeviceProfile, device_profiles


def profiles() -> str:
    """Write a section for each profile."""
    return "\n\n".join(map(_section, device_profiles().values()))


def _section(profile: DeviceProfile) -> str:
    rows = [
        [code(key), code(str(value)), profile.sources[key]] for key, value in profile.values.items()
    ]
    return "\n\n".join(
        [f"## {code(profile.name)}", profile.comment, table(["key", "value", "source"], rows)]
    )
