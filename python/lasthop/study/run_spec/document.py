"""The run spec: the resolved document with all defaults, which the simulator reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lasthop.study.run_spec.identity import canonical_json
from lasthop.study.run_spec.services import server_of_arm
from lasthop.study.stacks.spec import stack_spec

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from lasthop.study.stacks.arm import StudyArm

Spec = dict[str, Any]


def run_spec(conditions: Spec, arm: StudyArm, *, seed: int) -> str:
    """Return the canonical JSON of a run."""
    return canonical_json({**_of_arm(conditions, arm), "seed": seed})


def run_specs(conditions: Spec, arm: StudyArm, seeds: Sequence[int]) -> Iterator[str]:
    """Yield the run spec for each seed. Shared parts are serialized once."""
    shared = _of_arm(conditions, arm)
    before = {key: value for key, value in shared.items() if key < "seed"}
    after = {key: value for key, value in shared.items() if key > "seed"}
    head, tail = canonical_json(before)[:-1], canonical_json(after)[1:]
    for seed in seeds:
        yield f'{head},"seed":{seed},{tail}'


def _of_arm(conditions: Spec, arm: StudyArm) -> Spec:
    names = _names(arm)
    return {
        **conditions,
        "stacks": {name: stack_spec(arm.stacks[name]) for name in dict.fromkeys(names.values())},
        "servers": [server_of_arm(server, arm, names) for server in conditions["servers"]],
        "groups": [
            {
                **group,
                "clients": [
                    {**client, "stack": names[client["stack"]]} for client in group["clients"]
                ],
            }
            for group in conditions["groups"]
        ],
    }


def _names(arm: StudyArm) -> dict[str, str]:
    """Return a stack name for each group: the first group with an equal stack."""
    first: dict[str, str] = {}
    return {group: first.setdefault(stack.resolved, group) for group, stack in arm.stacks.items()}
