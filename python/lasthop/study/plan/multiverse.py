"""Multiverse of a study: its arms and sweeps are variants of another study."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from lasthop.study.claims.load import claims_of
from lasthop.study.forms.multiverse import CountingForm
from lasthop.study.stacks.notation import parse_stack
from lasthop.study.text.faults import Fault, show, suggestion
from lasthop.study.traffic.payload import FieldsPayload

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from lasthop.study.claims.claim import Claims
    from lasthop.study.forms.model import StudyForm
    from lasthop.study.forms.multiverse import MultiverseForm
    from lasthop.study.plan.study import Part, Study
    from lasthop.study.stacks.arm import StudyArm


@dataclass(frozen=True, slots=True)
class MultiversePlan:
    """The study that a multiverse varies, and the needed parts of it.

    Parameters
    ----------
    of
        Name of the varied study.
    stack
        The stack that the alternatives stand for.
    application
        Application of that stack, which the arms share.
    claims
        Claims of that study.
    parts
        Parts of that study with their swept keys, which are not choices.
    counting
        Counting methods, by the counted value.
    """

    of: str
    stack: str
    application: str
    claims: Claims
    parts: Mapping[str, tuple[str, ...]]
    counting: Mapping[str, tuple[str, ...]]

    @classmethod
    def written(cls, manifest: Mapping[str, Any]) -> MultiversePlan:
        """Read the plan from the study in a manifest."""
        return cls(
            of=manifest["of"],
            stack=manifest["stack"],
            # Results from before stacks had names have the notation alone.
            application=manifest.get("application") or parse_stack(manifest["stack"]).layers[0],
            claims=claims_of(manifest),
            parts={
                part["name"]: tuple(swept["key"] for swept in part["swept"])
                for part in manifest["parts"]
            },
            counting={name: tuple(values) for name, values in manifest["counting"].items()},
        )

    def as_json(self) -> dict[str, Any]:
        """Return the plan as plain values for the manifest."""
        return {
            "of": self.of,
            "stack": self.stack,
            "application": self.application,
            "claims": dict(self.claims.written),
            "parts": [
                {"name": name, "swept": [{"key": key} for key in keys]}
                for name, keys in self.parts.items()
            ],
            "counting": {name: list(values) for name, values in self.counting.items()},
        }


def plan_multiverse(
    form: MultiverseForm,
    of: Study,
    *,
    study: StudyForm,
    arms: Sequence[StudyArm],
    parts: Sequence[Part],
) -> MultiversePlan:
    """Check that a multiverse fits the study that it varies.

    Raises
    ------
    Fault
        If it names a stack or has a part that the other study lacks, or has nothing to judge.
    """
    if study.claims is not None:
        what = "a multiverse uses the claims of the study that it varies"
        raise Fault(what, hint="remove this key", location=("claims",), at_key=True)
    if not of.claims:
        raise _fault(
            "of",
            f"{of.name} has no claims",
            'add claims to that study, for example "claims: published.yaml"',
        )
    stacks = {arm.name: "; ".join(arm.applications) for arm in of.arms}
    if form.stack not in stacks:
        hint = suggestion(form.stack, stacks, kind="stacks")
        raise _fault("stack", f"{of.name} has no stack {show(form.stack)}", hint)
    application = stacks[form.stack]
    if all(application not in arm.applications for arm in arms):
        raise _fault("stack", f"no stack of the study is {application}", 'add one to "stacks"')
    own = {part.name: tuple(parameter.key for parameter in part.swept) for part in of.parts}
    for index, part in enumerate(parts):
        if part.name not in own:
            raise Fault(
                f"{of.name} has no part {show(part.name)}",
                hint=suggestion(part.name, own, kind="parts"),
                location=("sweep", index, "name") if study.sweep else ("study",),
            )
    counting = _counting(form.counting, study)
    return MultiversePlan(of.name, form.stack, application, of.claims, own, counting)


def _counting(form: CountingForm, study: StudyForm) -> dict[str, tuple[str, ...]]:
    flows = study.assemble().flows
    if len(flows) != 1:
        what = "a multiverse of a study with several flows is not built yet"
        raise Fault(what, hint="remove this key", location=("multiverse",), at_key=True)
    traffic = flows[0].traffic
    given = {
        name: tuple(values)
        for name in CountingForm.model_fields
        if (values := getattr(form, name)) is not None
    }
    for name, values in given.items():
        if len(set(values)) < len(values):
            raise _fault(
                f"counting.{name}", "a way of counting is written twice", "remove one of them"
            )
        if "one_leg" in values and traffic.kind != "round_trip":
            what = f"the traffic is a {traffic.kind}, which has only one direction"
            raise _fault(f"counting.{name}", what, 'remove it, or write "round_trip: 409 B"')
    if "one_leg" in given.get("application_bytes", ()):
        payload = traffic.payload
        if isinstance(payload, FieldsPayload) and payload.size is None:
            what = "the JSON of the traffic has no stated size"
            raise _fault("counting.application_bytes", what, 'write "size: 409 B" beside "json"')
        if study.measure.warm_up:
            what = "bytes are counted during the warm-up, but messages are not"
            raise _fault("counting.application_bytes", what, 'write "warm_up: 0 s"')
    return given


def _fault(key: str, what: str, hint: str) -> Fault:
    return Fault(what, hint=hint, location=("multiverse", *key.split(".")))
