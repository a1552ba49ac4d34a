"""Studies with claims, made of text."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from lasthop.claims import Judgement, judge
from lasthop.study import Study, load_study

from .synthetic import Formula, runs_of

STUDY = """\
study: small
duration: 1 min
traffic: {{round_trip: 100 B, every: 1 s}}
stacks: [raw_udp, json_udp, mqtt qos=1, mqtt_sn qos=1]
claims: published.yaml
sweep:
  - {{name: loss, path.loss: [0 %, 10 %, 20 %]}}
  - {{name: far, path.loss: [0 %, 10 %, 20 %], path.delay: [300 ms]}}
  - {{name: grid, path.loss: [0 %, 10 %], path.delay: [100 ms, 200 ms]}}
repeat: {repeat}
"""

Load = Callable[..., Study]
JudgeRules = Callable[..., Judgement]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Load a study of three stacks that run, one that does not, and three parts."""

    def load_claims(claims: str, *, repeat: int = 5) -> Study:
        (tmp_path / "published.yaml").write_text(claims, encoding="utf-8")
        (tmp_path / "study.yaml").write_text(STUDY.format(repeat=repeat), encoding="utf-8")
        return load_study(tmp_path / "study.yaml")

    return load_claims


@pytest.fixture
def judged(load: Load) -> JudgeRules:
    """Judge one claim with these rules over made-up runs."""

    def judge_rules(
        rules: str | Sequence[str], formula: Formula, *, kind: str = "order", repeat: int = 5
    ) -> Judgement:
        listed = [rules] if isinstance(rules, str) else rules
        text = "".join(f"      - {{{rule}}}\n" for rule in listed)
        head = f"claims:\n  - id: A1\n    kind: {kind}\n    what: a claim\n    rules:\n"
        study = load(head + text, repeat=repeat)
        return judge(study.claims, runs_of(study, formula))[0]

    return judge_rules
