"""Defaults of an NB-IoT network that depend on other settings of the study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lasthop.study.nbiot.leaves import Steps

_LAST_I_TBS_IN_BAND = 10
_LAST_I_TBS_SINGLE_TONE = 10
_MOST_REPETITIONS = 2048


def follow(network: dict[str, Any], before: dict[str, Any], written: set[Steps]) -> None:
    """Adjust unset values so that 3GPP allows them together with the set ones.

    Parameters
    ----------
    network
        The settings, which are modified.
    before
        The settings of the preset.
    written
        Fields that the study sets. They are not modified.
    """
    uplink = network["uplink"]
    if uplink["subcarrier_spacing"] == "khz3_75" and ("uplink", "tones") not in written:
        uplink["tones"] = [1]
    for number, level in enumerate(network["levels"]):
        at: Steps = ("levels", number)
        _follow_search_spaces(level, before["levels"][number], at, written)
        _follow_i_tbs(network, level, at, written)


def _follow_search_spaces(
    level: dict[str, Any], before: dict[str, Any], at: Steps, written: set[Steps]
) -> None:
    """Adjust the DCI repetitions to the maximum of each search space (Rmax)."""
    rmax = level["random_access_search_space"]["rmax"]
    share = (
        before["random_access_formats"]["dci_repetitions"]
        / before["random_access_search_space"]["rmax"]
    )
    if (*at, "random_access_formats", "dci_repetitions") not in written:
        level["random_access_formats"]["dci_repetitions"] = max(1, round(rmax * share))
    sets = level["link_adaptation"].get("adaptive")
    own = (*at, "link_adaptation", "adaptive", "dci_repetitions")
    if sets is not None and own not in written:
        most = level["user_search_space"]["rmax"]
        sets["dci_repetitions"] = [
            repetitions for repetitions in _powers() if max(1, most // 8) <= repetitions <= most
        ]


def _follow_i_tbs(
    network: dict[str, Any], level: dict[str, Any], at: Steps, written: set[Steps]
) -> None:
    """Remove transport block sizes that the carrier or the tones do not allow."""
    sets = level["link_adaptation"].get("adaptive")
    if sets is None:
        return
    in_band = isinstance(network["carrier"]["mode"], dict)
    single = set(network["uplink"]["tones"]) == {1}
    for name, limited, last in (
        ("npdsch_i_tbs", in_band, _LAST_I_TBS_IN_BAND),
        ("npusch_i_tbs", single, _LAST_I_TBS_SINGLE_TONE),
    ):
        if limited and (*at, "link_adaptation", "adaptive", name) not in written:
            sets[name] = [index for index in sets[name] if index <= last]


def _powers() -> list[int]:
    return [1 << exponent for exponent in range(_MOST_REPETITIONS.bit_length())]
