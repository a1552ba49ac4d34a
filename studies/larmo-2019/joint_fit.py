"""Fit what Larmo et al. leave open together, to LA4 to LA8, at the loads of these claims alone.

``python studies/larmo-2019/joint_fit.py studies/larmo-2019/joint-fit.csv --minutes 60`` goes on
where the file ends, for so many minutes of the processor; ``--rank`` prints what is in it.

A setting is a distance of sites, the thresholds of the coverage levels, repetitions of CE levels 0
and 2, and the back-off. The first is that of study.yaml; then every second one is drawn at random,
and every other is one of the best third with one choice drawn anew. Each is held to the claims by
seed 1. While a setting is among the best third of those that have as many seeds, it gets another
one, and the means of all its seeds count. The objective is that of fit.py.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from lasthop import load_study
from lasthop.cli.script import run_script
from lasthop.results.part import read_summary
from lasthop.running.engine import NativeEngine

sys.path.insert(0, str(Path(__file__).parent))

from fit import CON, MQTT, NON, Availability, misses, objective

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ARMS: Final = (
    *((MQTT, size, 2.0) for size in (400, 25)),
    *((MQTT, size, 1.0) for size in (400, 25)),
    *((stack, 400, 2.0) for stack in (NON, CON)),
    *((MQTT, size, 3.0) for size in (25, 400)),
    *((stack, size, 1.0) for size in (400, 25) for stack in (CON, NON)),
)
"""Stack, bytes of a report and requests/s/cell: what LA4 to LA8 speak of, and nothing else."""
MOST_SEEDS: Final = 9
"""A few seeds choose the luckiest of many settings, so that the best get more than those before."""
HOPELESS: Final = 150.0
"""Squared percentage points from which on a setting is not looked at any further."""


class Setting(NamedTuple):
    """What the paper leaves open."""

    distance_m: int
    thresholds_db: str
    rmax: int
    dci: int
    npdsch: int
    npusch: int
    ce2: int
    """Repetitions of NPDSCH and NPUSCH in CE level 2; a quarter in CE level 1, 4 at least."""
    back_off_ms: int

    @property
    def ce1(self) -> int:
        """Repetitions of NPDSCH and NPUSCH in CE level 1."""
        return max(4, self.ce2 // 4)


CHOICES: Final[Mapping[str, tuple[Any, ...]]] = {
    "distance_m": (1000, 1732, 2500, 3000, 3500),
    "thresholds_db": ("134 144", "140 150", "144 154", "148 158"),
    "rmax_dci": ((8, 1), (8, 2), (16, 2), (16, 4), (32, 4), (32, 8)),
    "npdsch": (1, 2, 4, 8),
    "npusch": (1, 2, 4, 8),
    "ce2": (8, 16, 32, 64),
    "back_off_ms": (512, 2048, 8192, 32768),
}


STUDY: Final = Setting(1732, "144 154", 16, 4, 4, 4, 32, 512)
"""That of study.yaml."""


def drawn(draw: random.Random) -> Setting:
    """Draw a setting."""
    chosen = {name: draw.choice(values) for name, values in CHOICES.items()}
    rmax, dci = chosen.pop("rmax_dci")
    return Setting(rmax=rmax, dci=dci, **chosen)


def neighbour(of: Setting, draw: random.Random) -> Setting:
    """Draw one choice of a setting anew."""
    name = draw.choice(list(CHOICES))
    value = draw.choice(CHOICES[name])
    if name == "rmax_dci":
        return of._replace(rmax=value[0], dci=value[1])
    return of._replace(**{name: value})


def nbiot(of: Setting) -> dict[str, Any]:
    """Give the keys of `path.nbiot`."""
    first, second = of.thresholds_db.split()
    return {
        "base": "larmo_2019",
        "deployment": {"inter_site_distance": f"{of.distance_m} m"},
        "coupling_loss_thresholds": [f"{first} dB", f"{second} dB"],
        "random_access": {"back_off": f"{of.back_off_ms} ms"},
        "coverage_levels": {
            "ce0": _level(
                {"rmax": of.rmax, "g": 2}, (of.dci, of.npdsch, of.npusch, of.npusch), (8, 8)
            ),
            "ce1": _level({"rmax": 64, "g": 1.5}, (16, of.ce1, of.ce1, 8), (4, 3)),
            "ce2": _level({"rmax": 256, "g": 1.5}, (64, of.ce2, of.ce2, 16), (4, 0)),
        },
    }


def _level(
    space: dict[str, Any], repetitions: tuple[int, int, int, int], i_tbs: tuple[int, int]
) -> dict[str, Any]:
    """Give the keys of a level: repetitions of DCI, NPDSCH, NPUSCH, answer; blocks down and up."""
    dci, npdsch, npusch, answer = repetitions
    down = {"dci_repetitions": dci, "npdsch_i_tbs": i_tbs[0], "npdsch_repetitions": npdsch}
    up = {"npusch_tones": 1, "npusch_i_tbs": i_tbs[1], "npusch_repetitions": npusch}
    answers = {"ack_repetitions": answer}
    return {
        "random_access_search_space": space,
        "user_search_space": space,
        "random_access_formats": {**down, "msg3_repetitions": npusch, **answers},
        "link_adaptation": {"fixed": {**down, **up, **answers}},
    }


def specs(of: Setting, seed: int) -> dict[tuple[str, int, float], str]:
    """Give the run of each arm."""
    study = {
        "study": "larmo-2019-joint-fit",
        "duration": "150 s",
        "measure": {"warm_up": "1 min", "drain": "30 s", "overload": "allow"},
        "devices": {"arrive": "1 /s", "give_up": "60 s"},
        "traffic": {"report": "25 B"},
        "path": {"nbiot": nbiot(of)},
        "stacks": [NON, CON, MQTT],
        "sweep": [
            {
                "name": "load",
                "traffic.report": ["25 B", "400 B"],
                "devices.arrive": ["1 /s", "2 /s", "3 /s"],
            }
        ],
        "repeat": 1,
        "seed": seed,
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "study.yaml"
        path.write_text(json.dumps(study), encoding="utf-8")
        found = {}
        for planned in load_study(path).planned_runs():
            size = int(str(planned.parameters["traffic_report_bytes"]))
            load = float(str(planned.parameters["devices_arrive_per_s"]))
            found[planned.stack, size, load] = planned.spec_json
    return {arm: found[arm] for arm in ARMS}


def availabilities(of: Setting, seed: int) -> Iterator[tuple[tuple[str, int, float], float]]:
    """Simulate the arms in turn; give each with its availability in percent."""
    engine = NativeEngine()
    for arm, spec in specs(of, seed).items():
        tables = engine.simulate(spec, run_id="fit", captures={}, switch=engine.switch())
        summary = read_summary(tables)
        yield arm, 100 * float(summary["availability_20s"])


def held_to_claims(of: Setting, seed: int) -> dict[tuple[str, int, float], float]:
    """Give the availabilities of a setting, as far as it is worth it.

    The arms stand in the order in which they tell most. By the first seed, once those that are
    there miss by more than HOPELESS, the others are left out; they count as if they missed nothing.
    Later seeds are whole: it is their mean that is held to the claims.
    """
    found: dict[tuple[str, int, float], float] = {}
    for arm, percent in availabilities(of, seed):
        found[arm] = percent
        if seed == 1 and objective(_filled(found)) > HOPELESS:
            break
    return found


def _filled(found: Mapping[tuple[str, int, float], float]) -> Availability:
    """Give what is there, and what misses nothing for the rest."""
    at_best = {1.0: 100.0, 2.0: 95.0, 3.0: 0.0}
    return {arm: found.get(arm, at_best[arm[2]]) for arm in ARMS}


Seeds = dict[int, dict[tuple[str, int, float], float]]
"""The availabilities of a setting, by seed and arm."""


class Journal:
    """What was simulated so far: a line for each setting and seed."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.found: dict[Setting, Seeds] = {}
        if path.exists():
            with path.open(encoding="utf-8", newline="") as file:
                for row in csv.DictReader(file):
                    counts = {
                        name: int(row[name]) for name in Setting._fields if name != "thresholds_db"
                    }
                    of = Setting(thresholds_db=row["thresholds_db"], **counts)
                    self.found.setdefault(of, {})[int(row["seed"])] = {
                        arm: float(row[_column(arm)]) for arm in ARMS if row[_column(arm)]
                    }

    def add(self, of: Setting, seed: int, found: Mapping[tuple[str, int, float], float]) -> None:
        """Write a line at the end of the file."""
        is_new = not self._path.exists()
        with self._path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if is_new:
                writer.writerow([*Setting._fields, "seed", *map(_column, ARMS)])
            values = (f"{found[arm]:.3f}" if arm in found else "" for arm in ARMS)
            writer.writerow([*of, seed, *values])
        self.found.setdefault(of, {})[seed] = dict(found)

    def objective(self, of: Setting) -> float:
        """Give the objective of the means over a setting's seeds."""
        seeds = list(self.found[of].values())
        if any(len(seed) < len(ARMS) for seed in seeds):
            return max(objective(_filled(seed)) for seed in seeds)
        return objective(self.means(of))

    def means(self, of: Setting) -> Availability:
        """Give the mean availability of each arm over a setting's seeds."""
        seeds = list(self.found[of].values())
        return {
            arm: sum(seed[arm] for seed in seeds if arm in seed)
            / max(1, sum(arm in seed for seed in seeds))
            for arm in ARMS
        }

    def next(self) -> tuple[Setting, int]:
        """Give the setting and the seed that are due: another seed of a good one, or a new one."""
        for seeds in range(1, MOST_SEEDS):
            peers = [of for of, found in self.found.items() if len(found) >= seeds]
            ranked = sorted(peers, key=self.objective)
            for of in ranked[: len(peers) // 3]:
                if len(self.found[of]) == seeds and self.objective(of) < HOPELESS:
                    return of, seeds + 1
        return self._new(), 1

    def _new(self) -> Setting:
        if not self.found:
            return STUDY
        draw = random.Random(len(self.found))  # noqa: S311  (nothing is secret)
        best = sorted(self.found, key=self.objective)[: max(1, len(self.found) // 3)]
        while True:
            near = len(self.found) % 2 == 0
            of = neighbour(draw.choice(best), draw) if near else drawn(draw)
            if of not in self.found:
                return of


def _column(arm: tuple[str, int, float]) -> str:
    name = {NON: "non", CON: "con", MQTT: "mqtt"}[arm[0]]
    return f"{name}_{arm[1]}_b_at_{arm[2]:g}"


def rank(journal: Journal) -> None:
    """Print the settings that are not hopeless, best first: misses, means in percent."""
    good = [of for of in journal.found if journal.objective(of) < HOPELESS]
    seeds = sum(map(len, journal.found.values()))
    print(f"{len(journal.found)} settings, {seeds} seeds of them; {len(good)} not hopeless")
    print("objective  seeds  " + ", ".join(Setting._fields))
    for of in sorted(good, key=journal.objective):
        missed = [
            f"{miss.claim} ({miss.where}) by {miss.points:.2f}"
            for miss in misses(journal.means(of))
            if miss.points
        ]
        means = journal.means(of)
        served = ", ".join(f"{_column(arm)} {means[arm]:.1f}" for arm in ARMS)
        words = ", ".join(map(str, of))
        print(
            f"{journal.objective(of):9.2f}  {len(journal.found[of]):5}  {words}; "
            f"misses {'; '.join(missed) or 'nothing'}; serves {served}"
        )


def main() -> None:
    """Go on with the fit, or print it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("journal", type=Path)
    parser.add_argument("--minutes", type=float, default=0.0, help="of the processor")
    parser.add_argument("--rank", action="store_true")
    asked = parser.parse_args()
    journal = Journal(asked.journal)
    while time.process_time() < 60 * asked.minutes:
        of, seed = journal.next()
        journal.add(of, seed, held_to_claims(of, seed))
    if asked.rank:
        rank(journal)


if __name__ == "__main__":
    run_script(main)
