"""What is run again to see whether a number has moved."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import lasthop
from lasthop.outcome.results import Results

ROOT = Path(__file__).parents[4]


@dataclass(frozen=True, slots=True)
class Campaign:
    """A study, run as it is or in part.

    Attributes
    ----------
    study
        Its file, below the repository.
    """

    study: str
    quick: bool = False
    settings: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What `lasthop run` is given for it.

        Examples
        --------
        >>> Campaign("examples/settings.yaml", quick=True, settings={"repeat": "2"}).name
        'examples/settings.yaml --quick --set repeat=2'
        """
        options = ["--quick"] if self.quick else []
        return " ".join(
            [self.study, *options, *(f"--set {k}={v}" for k, v in self.settings.items())]
        )

    def run(self, out: Path) -> Results:
        """Run it into a folder."""
        return lasthop.run(ROOT / self.study, out=out, quick=self.quick, set=self.settings)


CHEN_KUNZ = Campaign("studies/chen-kunz-2016/study.yaml", quick=True)
LARMO = Campaign("studies/larmo-2019/study.yaml", quick=True, settings={"repeat": "2"})
LARMO_QUICK = Campaign("studies/larmo-2019/study.yaml", quick=True)
"""A minute of a processor: soaked."""

EMQX = Campaign("studies/emqx-quic-2022/study.yaml", settings={"devices": "200", "repeat": "1"})
GOOGLE = Campaign("studies/google-http-mqtt/study.yaml", quick=True, settings={"repeat": "1"})
"""Half a minute of a processor, most of it for keys of RSA: soaked."""

WINNERS = Campaign(
    "studies/conflicting-winners/study.yaml",
    settings={"repeat": "1", "sweep": "[{name: session, traffic.report.session: [per 1, per 4]}]"},
)
"""Two of its points, for every stack."""

_TEN_SECONDS = {"duration": "12 s", "measure.warm_up": "2 s", "measure.drain": "20 s"}
SHORT = (
    Campaign("studies/larmo-2019/kept-connections.yaml", settings={"repeat": "1"}),
    Campaign("studies/larmo-2019/real-protocols.yaml", settings={"repeat": "1", **_TEN_SECONDS}),
    GOOGLE,
    WINNERS,
    Campaign("studies/yudayev-2019/study.yaml", settings={"repeat": "1"}),
    Campaign("studies/yudayev-2019/servers.yaml", settings={"repeat": "1"}),
    Campaign("studies/trackers/study.yaml"),
    Campaign("studies/trackers/study.yaml", quick=True),
    Campaign("tests/python/studies/frozen/corners.yaml"),
    *(
        Campaign(f"examples/{file.name}")
        for file in sorted((ROOT / "examples").glob("*.yaml"))
        if "engine: live" not in file.read_text(encoding="utf-8")  # real software has its own time
    ),
)
"""Together half a minute of two processors."""

ALL = (CHEN_KUNZ, LARMO, LARMO_QUICK, EMQX, *SHORT)
