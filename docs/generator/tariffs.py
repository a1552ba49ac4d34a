"""The shipped tariffs and clouds: rules, prices, source, date and expiry."""

from __future__ import annotations

from docs.generator.markdown import code, table
from lasthop.study.fleet.tariff_presets import TariffPreset, tariff_presets


def tariffs() -> str:
    """Write a section for each tariff of a SIM."""
    return "\n\n".join(map(_section, tariff_presets().values()))


def clouds() -> str:
    """Write a section for each cloud."""
    return "\n\n".join(map(_section, tariff_presets("clouds").values()))


def _section(preset: TariffPreset) -> str:
    rows = [[code(key), code(_written(value))] for key, value in preset.values.items()]
    told = f"Source: {preset.source}. Dated {preset.date}, trusted until {preset.expires}."
    return "\n\n".join(
        [f"### {code(preset.name)}", preset.comment, table(["key", "value"], rows), told]
    )


def _written(value: object) -> str:
    """Write a setting in the words of a study."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {_written(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_written, value)) + "]"
    return str(value)
