"""Print how the claims of each paper end, as README shows it.

``python studies/verdicts.py``

The verdicts are read from the tables of each study's ``deviations.md``.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lasthop.claims import ClaimVerdict

STUDIES: Final = Path(__file__).parent
_ID = r"[A-Z]+\d+[a-z]?"
_ROW = re.compile(rf"^\| (?P<ids>{_ID}(?:, {_ID})*) .* \| (?P<end>[^|]+) \|$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper, and what its study is about."""

    study: str
    what: str


PAPERS: Final = (
    Paper("chen-kunz-2016", "Chen & Kunz 2016, MQTT, CoAP, DDS and UDP on a constrained link"),
    Paper("larmo-2019", "Larmo et al. 2019, CoAP and MQTT on NB-IoT"),
    Paper("emqx-quic-2022", "EMQ 2022, MQTT over QUIC"),
    Paper("google-http-mqtt", "Google 2018, MQTT and HTTP for devices with tokens"),
    Paper("yudayev-2019", "Yudayev 2019, MQTT, CoAP and HTTP on an ESP8266"),
)


def written_verdicts(study: str) -> dict[str, str]:
    """Read the verdict on each claim from the table of a study's deviations.

    Other tables have rows of claims as well, which end otherwise.
    """
    text = (STUDIES / study / "deviations.md").read_text(encoding="utf-8")
    return {
        claim: verdict.value
        for row in _ROW.finditer(text)
        for verdict in ClaimVerdict
        if row["end"].startswith(verdict.value)
        for claim in row["ids"].split(", ")
    }


def counted(verdicts: Mapping[str, str]) -> str:
    """Count the verdicts in words, in the order of the closed list."""
    counts = Counter(verdicts.values())
    told = [f"{counts[it.value]} {it.value}" for it in ClaimVerdict if counts[it.value]]
    return f"{', '.join(told)}, of {len(verdicts)}"


def rows() -> list[str]:
    """Give the rows of README's table."""
    return [
        f"| {paper.what} | `lasthop run {paper.study}` | {counted(written_verdicts(paper.study))} "
        f"([why](studies/{paper.study}/deviations.md)) |"
        for paper in PAPERS
    ]


if __name__ == "__main__":
    print("\n".join(rows()))
