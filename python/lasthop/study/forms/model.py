"""Keys that both forms of a study share: duration, repetitions, decision, expectations."""

# ruff: noqa: TC001  (pydantic reads what is imported)

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, Tag, WithJsonSchema, field_validator, model_validator

from lasthop.study.fields.form import (
    SCALAR_OR_MAPPING,
    Form,
    LongPositiveTime,
    LongTime,
    Percentage,
    Time,
)
from lasthop.study.fleet.aimed import AimedFaultForm
from lasthop.study.fleet.events import EventForm
from lasthop.study.fleet.tariff import TariffForm
from lasthop.study.forms.credentials import CredentialsForm
from lasthop.study.forms.multiverse import MultiverseForm
from lasthop.study.stacks.alternatives import MAXIMUM_ARMS
from lasthop.study.text.faults import Fault, nearest, show

if TYPE_CHECKING:
    from lasthop.study.fleet.assembly import Assembly
    from lasthop.study.stacks.arm import StudyArm

FORMAT = 1
"""Newest format of a study that this version can read."""

MAXIMUM_REPEAT = 10_000
MAXIMUM_SEED = 2**63 - 1

_NAME_CHARACTERS = 64
_STUDY_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_PART_NAME = re.compile(r"[a-z0-9]+([_-][a-z0-9]+)*")


def check_name(name: object, *, of_part: bool = False) -> str:
    """Check the name of a study or part, which becomes a folder name or a column value."""
    pattern = _PART_NAME if of_part else _STUDY_NAME
    example = "low_quality" if of_part else "low-quality-link"
    allowed = "a-z 0-9 _ -" if of_part else "a-z 0-9 -"
    if not isinstance(name, str):
        raise Fault(f"{show(name)} is not a name", hint=f'write a name, for example "{example}"')
    if len(name) > _NAME_CHARACTERS:
        raise Fault(
            f"the name has {len(name)} characters",
            hint=f"write at most {_NAME_CHARACTERS} characters",
        )
    if pattern.fullmatch(name) is None:
        raise Fault(
            f"{show(name)} is not a name", hint=f'write only {allowed}, for example "{example}"'
        )
    return name


class Measure(Form):
    """The measurement settings of a run."""

    warm_up: LongTime = Field(default=0, examples=["10 s"])
    """Messages that are due before this time are not measured."""
    drain: LongTime = Field(default=120 * 10**9, examples=["2 min"])
    """Waiting time for answers after the last message is due."""
    set_up: LongTime = Field(default=120 * 10**9, examples=["2 min"])
    """Longest time for setting up the sessions before the first message is due."""
    overload: Literal["refuse", "allow"] = Field(default="refuse", examples=["allow"])
    """Whether overload of the path makes a run invalid, or is accepted as a result."""
    messages: Literal["each", "summed"] | None = Field(default=None, examples=["each"])
    """Whether results have a row for each message, or only sums. With devices that come and go the
    default is sums."""
    processor_wait: Time | None = Field(default=None, examples=["10 ms"])
    """Longest mean time that a program of a live run may wait for a processor. A run above this is
    too late and invalid. Default: 1 ms."""


class DecideForm(Form):
    """Requirements and measure that decide which stack is best."""

    require: list[str] = Field(
        default_factory=list, max_length=100, examples=['["delivery_ratio >= 99 %"]']
    )
    """A stack is excluded where its runs show that it breaks one of these expressions. Too few runs
    or messages to say exclude nothing."""
    minimise: str | None = Field(default=None, examples=["latency_p95"])
    """The column by which the remaining stacks are ranked, the smallest first."""
    maximise: str | None = Field(default=None, examples=["delivery_ratio"])
    """The column by which the remaining stacks are ranked, the largest first."""
    smallest_effect: Percentage | None = Field(default=None, examples=["5 %"])
    """Smaller differences are too close to call. For shares it is in percentage points. Default: 5
    %, for shares 1 percentage point."""
    part: str | None = Field(default=None, examples=["low_quality"])
    """Part of the sweep that decides. Default: the first part."""

    @model_validator(mode="after")
    def _one_aim(self) -> DecideForm:
        if (self.minimise is None) == (self.maximise is None):
            both = self.minimise is not None
            raise Fault(
                "both minimise and maximise are given"
                if both
                else ("the measure to rank by is missing"),
                hint='write one of them, for example "minimise: latency_p95"',
            )
        return self


_SWEEP_SCHEMA = {
    "type": "array",
    "minItems": 1,
    "description": "Grids over the base: each item has a name and dotted keys with their values, "
    "in a list or each with a name.",
    "examples": [
        [{"name": "loss", "path.loss": ["0 %", "10 %"]}],
        [{"name": "loss", "path.loss": {"good": "1 %", "bad": "20 %"}}],
    ],
    "items": {
        "type": "object",
        "properties": {"name": {"type": "string", "pattern": f"^{_PART_NAME.pattern}$"}},
        "required": ["name"],
        "patternProperties": {
            "^(duration|devices|measure|traffic|path|energy|fleet|paths|servers)": {
                "anyOf": [
                    {"type": "array", "minItems": 1},
                    {"type": "object", "minProperties": 1},
                ]
            }
        },
        "additionalProperties": False,
    },
}


Stacks = Annotated[
    Annotated[list[str], Field(min_length=1, max_length=MAXIMUM_ARMS), Tag("<value>")]
    | Annotated[dict[str, str], Field(min_length=1, max_length=MAXIMUM_ARMS), Tag("<mapping>")],
    SCALAR_OR_MAPPING,
]
"""Stacks as a list, or as a mapping from names to stacks."""


class StudyForm(Form):
    """Keys that both forms of a study share."""

    elsewhere: ClassVar[dict[str, str]] = {"name": 'write "study: NAME"'}
    mappings: ClassVar[dict[str, type[Form]]] = {"measure": Measure, "decide": DecideForm}
    """Keys of mappings whose sub-keys are often misplaced at the top level."""

    study: str = Field(examples=["low-quality-link"])
    """Name of the study: a-z, 0-9 and hyphens."""
    format: Annotated[int, Field(ge=1, le=FORMAT)] = Field(default=FORMAT, examples=["1"])
    """Version of this format."""
    title: Annotated[str, Field(max_length=200)] | None = Field(
        default=None, examples=["IoT stacks over a bad link"]
    )
    """One line for the head of the report."""
    description: Annotated[str, Field(max_length=10_000)] | None = Field(
        default=None, examples=["Which stack survives 10 % loss?"]
    )
    """Purpose of the study."""
    extends: Annotated[str, Field(min_length=1, max_length=255)] | None = Field(
        default=None, examples=["nbiot-base", "base.yaml"]
    )
    """Study whose keys are used where this study does not set them: a file in the same folder, or a
    shipped study. Mappings are merged and lists are replaced."""
    duration: LongPositiveTime = Field(examples=["10 min"])
    """How long messages are sent in each run."""
    measure: Measure = Field(default_factory=Measure, examples=["{warm_up: 0 s, drain: 2 min}"])
    """What is measured in a run."""
    engine: Literal["virtual", "wall_clock", "live"] = Field(default="virtual", examples=["live"])
    """Clock of the runs. `virtual` jumps from event to event. `wall_clock` runs in real time.
    `live` also runs in real time, with real software as servers where a stack has `impl`."""
    events: list[EventForm] = Field(
        default_factory=list,
        max_length=1000,
        examples=["[{start: 5 min, outage: server, for: 30 s}]"],
    )
    """Events in the middle of a run."""
    faults: list[AimedFaultForm] = Field(
        default_factory=list,
        max_length=100,
        examples=["[{cut_before: mqtt.PUBREC, nth: 1}]"],
    )
    """Faults of single messages, at the server's end of a path."""
    credentials: CredentialsForm | None = Field(
        default=None,
        examples=[
            "{server: {certificate: a.pem, key: a.key, name: a.example.com}, roots: roots.pem}"
        ],
    )
    """Certificates and keys from files. Default: they are generated from the seed."""
    sweep: Annotated[list[dict[str, Any]], WithJsonSchema(_SWEEP_SCHEMA)] | None = Field(
        default=None, min_length=1, examples=["[{name: loss, path.loss: [0 %, 10 %]}]"]
    )
    """Grids over the base, each with a name."""
    tariff: TariffForm | None = Field(
        default=None, examples=["hologram", "{fee: 1 EUR/month, price: 0.50 EUR/MB}"]
    )
    """What a SIM costs: the name of a shipped tariff, or a tariff of your own. In a fleet it is the
    tariff of each group without its own."""
    repeat: Annotated[int, Field(ge=1, le=MAXIMUM_REPEAT)] = Field(default=5, examples=["5"])
    """Repetitions of each case, each with its own seed."""
    seed: Annotated[int, Field(ge=0, le=MAXIMUM_SEED)] = Field(default=1, examples=["1"])
    """Seed of all random numbers."""
    decide: DecideForm | None = Field(default=None, examples=["{minimise: latency_p95}"])
    """Requirements and measure that decide which stack is best."""
    expect: list[str] = Field(
        default_factory=list, max_length=1000, examples=['["delivery_ratio >= 99 %"]']
    )
    """Expressions that must be true; the command exits with 1 when one is not."""
    claims: Annotated[str, Field(min_length=1, max_length=255)] | None = Field(
        default=None, examples=["published.yaml"]
    )
    """Claims file in the folder of the study, against which the runs are checked."""
    figures: Annotated[str, Field(min_length=1, max_length=255)] | None = Field(
        default=None, examples=["figures.yaml"]
    )
    """File in the folder of the study with the figures of a paper, which the report draws again."""
    multiverse: MultiverseForm | None = Field(
        default=None, examples=["{of: study.yaml, stack: mqtt qos=1}"]
    )
    """Study whose open choices are varied, and whose claims are judged for each variant."""

    @classmethod
    def _unknown_key(cls, key: str, known: list[str]) -> Fault:
        fault = super()._unknown_key(key, known)
        if key in cls.not_yet or key in cls.elsewhere or nearest(key, known) is not None:
            return fault
        below = {
            name: f"{outer}.{name}"
            for outer, form in cls.mappings.items()
            for name in form.written_keys()
        }
        match = nearest(key, below)
        hint = f'did you mean "{below[match]}"?' if match else fault.hint
        return Fault(fault.what, hint=hint, location=(key,), at_key=True)

    @field_validator("sweep", mode="before")
    @classmethod
    def _named_grids(cls, sweep: object) -> object:
        if isinstance(sweep, dict):
            keys = [key for key in sweep if key != "name"] or ["path.loss"]
            name = sweep.get("name", keys[0].rpartition(".")[2])
            hint = f'write "sweep: [{{name: {name}, {keys[0]}: [..]}}]"'
            raise Fault("write a list of grids, each with a name", hint=hint)
        return sweep

    @field_validator("stacks", mode="before", check_fields=False)
    @classmethod
    def _unnamed_stacks(cls, stacks: object) -> object:
        for index, stack in enumerate(stacks) if isinstance(stacks, list) else ():
            if isinstance(stack, dict):
                name, text = next(iter(stack.items()), ("ours", "mqtt"))
                hint = f'write "stacks: {{{name}: {text}, ...}}"'
                raise Fault("a list of stacks has no names", hint=hint, location=(index,))
        return stacks

    @field_validator("study", mode="before")
    @classmethod
    def _name(cls, name: object) -> object:
        return check_name(name)

    @model_validator(mode="after")
    def _measured(self) -> StudyForm:
        if self.measure.warm_up >= self.duration:
            raise Fault(
                "the warm-up is as long as the duration",
                hint="write a longer duration or a shorter warm_up",
                location=("measure", "warm_up"),
            )
        return self

    def assemble(self) -> Assembly:
        """Return the parts of the study, independent of its form.

        Raises
        ------
        Fault
            If they contradict each other.
        """
        raise NotImplementedError

    def arms(self) -> tuple[StudyArm, ...]:
        """Return the compared arms.

        Raises
        ------
        Fault
            If a stack or a name does not exist, or stands twice.
        """
        raise NotImplementedError
