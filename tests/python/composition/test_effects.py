"""Nothing that a study may say is without effect, but for what is listed with its reason."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from . import key_effects, option_effects
from .composition import Outcome, simulated
from .key_effects import keys_without_effect
from .option_effects import STACKS_EACH, Setting, settings, where_effective

CHUNKS = 2

pytestmark = pytest.mark.timeout(300)


def _by_option() -> dict[str, list[Setting]]:
    found: dict[str, list[Setting]] = defaultdict(list)
    for setting in settings():
        found[setting.option].append(setting)
    return found


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_each_option_of_a_stack_changes_a_run(chunk: int, tmp_path: Path) -> None:
    options = {
        name: tried[:STACKS_EACH]
        for name, tried in _by_option().items()
        if name not in option_effects.WITHOUT_EFFECT
    }
    silent = [
        name
        for name in list(options)[chunk::CHUNKS]
        if where_effective(options[name], tmp_path) is None
    ]
    assert not silent


def test_options_that_are_listed_as_without_effect_have_none(tmp_path: Path) -> None:
    for name, tried in _by_option().items():
        if name in option_effects.WITHOUT_EFFECT:
            assert where_effective(tried[:1], tmp_path) is None, name


def test_each_key_of_a_run_spec_changes_a_run(tmp_path: Path) -> None:
    assert keys_without_effect(tmp_path) == set(key_effects.WITHOUT_EFFECT)


def test_a_key_that_nothing_reads_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A run that starts from the usual weight, whatever the spec says."""

    def deaf(spec_json: str) -> Outcome:
        spec = json.loads(spec_json)
        for group in spec["groups"]:
            group["weight"] = 1.0
        return simulated(json.dumps(spec))

    monkeypatch.setattr(key_effects, "STUDIES", {"devices": key_effects.STUDIES["devices"]})
    without = keys_without_effect(tmp_path)
    monkeypatch.setattr(key_effects, "simulated", deaf)
    assert keys_without_effect(tmp_path) - without == {"groups[].weight"}
