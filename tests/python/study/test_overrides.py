"""What ``--set`` may replace, and how a changed study says so."""

import pytest

from lasthop.errors import StudyError

from .conftest import Load, matches

STUDY = """\
study: a
title: As published
duration: 1 min
traffic: {report: 40 B, every: 1 s}
path: {loss: 3 %, delay: {around: 10 ms, spread: 20 %}}
stacks: [raw_udp]
sweep:
  - {name: loss, path.loss: [1 %, 2 %]}
  - {name: far, path.loss: [1 %], path.delay.around: [1 s, 2 s]}
"""


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("path.loss", "5 %", '--set path.loss: the parts "loss", "far" set it in the sweep; *'),
        (
            "path.delay.around",
            "5 ms",
            '--set path.delay.around: the part "far" sets it in the sweep; *',
        ),
        (
            "path.delay",
            "{around: 5 ms, spread: 1 %}",
            '--set path.delay: the part "far" sets it in the sweep; *',
        ),
        (
            "path.loss.gilbert_elliott.bad",
            "5 s",
            "--set path.loss.gilbert_elliott.bad: *",
        ),
    ],
)
def test_what_a_part_sets_is_not_set_in_vain(
    load: Load, key: str, value: str, message: str
) -> None:
    with pytest.raises(StudyError) as caught:
        load(STUDY, overrides=[(key, value)])
    assert matches(str(caught.value), message), str(caught.value)
    assert caught.value.exit_code == 2


def test_what_no_part_sets_is_set_and_told(load: Load) -> None:
    study = load(STUDY, overrides=[("path.delay.spread", "5 %"), ("traffic.every", "2 s")])
    assert study.changes == ("path.delay.spread=5 %", "traffic.every=2 s")
    assert study.source_hash != load(STUDY).source_hash


def test_more_repetitions_and_settings_as_written_change_nothing(load: Load) -> None:
    study = load(STUDY, overrides=[("repeat", "9"), ("traffic.every", "1 s")], seed=7)
    assert study.changes == ()


def test_a_part_can_be_replaced_with_its_sweep(load: Load) -> None:
    sweep = "[{name: loss, path.loss: [4 %]}]"
    study = load(STUDY, overrides=[("sweep", sweep)])
    assert study.changes == ("sweep=[{name: loss, path.loss: [4 %]}]",)
