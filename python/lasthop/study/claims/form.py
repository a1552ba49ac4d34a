"""Form of the claims file: published statements and the rules that judge them."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, Tag, field_validator, model_validator

from lasthop.study.fields.form import SCALAR_OR_MAPPING, Form
from lasthop.study.text.faults import Fault, show, suggestion

MAXIMUM_CLAIMS = 1000
MAXIMUM_RULES = 100

VERDICTS = (
    "predicted",
    "holds",
    "fitted",
    "derived",
    "not reproduced",
    "undecided",
    "not covered",
)
"""The verdicts on a claim, in the order in which they are counted."""

_ID_CHARACTERS = 32
_REQUIREMENTS = (
    "equals",
    "above",
    "at_least",
    "below",
    "at_most",
    "lowest_first",
    "highest_first",
)
_ALONG = ("change_over", "peak_over", "mean_over")
_EXAMPLE = 'write one of them, for example "equals: 578 ms"'

Words = Annotated[str, Field(min_length=1, max_length=1000)]
Stacks = Annotated[list[str], Field(min_length=1, max_length=100)]


class OrderedForm(Form):
    """A stack in an order, in another part than the rule's."""

    stack: str = Field(examples=["mqtt qos=1"])
    """The stack."""
    part: str = Field(examples=["loss"])
    """The part of the study; its points are compared with those of the others, one by one."""


Ordered = Annotated[
    list[
        Annotated[
            Annotated[str, Tag("<value>")] | Annotated[OrderedForm, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
        ]
    ],
    Field(min_length=1, max_length=100),
]


class ReferenceForm(Form):
    """The other cell of a ratio. Missing keys are those of the rule."""

    stack: str | None = Field(default=None, examples=["mqtt qos=1"])
    """The stack."""
    part: str | None = Field(default=None, examples=["latency"])
    """The part of the study."""
    at: dict[str, Any] | None = Field(default=None, examples=["{path.delay.around: 200 ms}"])
    """The point of the part."""
    column: str | None = Field(default=None, examples=["wire_bytes_offered"])
    """What is measured."""

    @model_validator(mode="after")
    def _another_cell(self) -> ReferenceForm:
        if not self.model_fields_set:
            raise Fault(
                "the two cells of this comparison are the same", hint='write "{stack: mqtt qos=1}"'
            )
        return self


class RuleForm(Form):
    """A statement that is judged by runs."""

    elsewhere: ClassVar[dict[str, str]] = {
        "stack": 'write "stacks: [mqtt qos=1]"',
        "value": 'write "equals: 578 ms"',
        "parts": "write a rule for each part",
    }

    column: str = Field(examples=["latency_mean"])
    """What is measured, named without unit."""
    stacks: Stacks | None = Field(default=None, examples=["[mqtt qos=1]"])
    """The stacks, each of which must meet the requirement."""
    part: str = Field(examples=["low_quality"])
    """The part of the study."""
    at: dict[str, Any] | None = Field(default=None, examples=["{path.loss: 25 %}"])
    """The points of the part; all of them when left out."""
    where: Words | None = Field(default=None, examples=["delivery_ratio >= 99 %"])
    """Conditions that every run at a point must meet for the point to count."""
    holds_at: Literal["each", "any"] = Field(default="each", examples=["any"])
    """Whether each of the points must meet the requirement, or one of them."""
    change_over: str | None = Field(default=None, examples=["path.loss"])
    """The swept key over which the column changes."""
    peak_over: str | None = Field(default=None, examples=["path.loss"])
    """The swept key whose value at the column's peak is compared."""
    mean_over: str | None = Field(default=None, examples=["path.loss"])
    """The swept key over which the column is averaged."""
    relative_to: ReferenceForm | None = Field(default=None, examples=["{stack: mqtt qos=1}"])
    """The cell that the value is divided by, for a ratio."""
    equals: Any = Field(default=None, examples=["578 ms"])
    """The published value, or a multiple of a swept key."""
    within: Any = Field(default=None, examples=["25 %"])
    """Largest accepted distance from the published value."""
    above: Any = Field(default=None, examples=["1000 ms"])
    """Our value must be larger than this."""
    at_least: Any = Field(default=None, examples=["99 %"])
    """Our value must be this or larger."""
    below: Any = Field(default=None, examples=["90 %"])
    """Our value must be smaller than this."""
    at_most: Any = Field(default=None, examples=["90 %"])
    """Our value must be this or smaller."""
    lowest_first: Ordered | None = Field(default=None, examples=["[coap type=non, mqtt qos=1]"])
    """The order of stacks."""
    highest_first: Ordered | None = Field(
        default=None, examples=["[{stack: mqtt qos=1, part: loss}, coap type=non]"]
    )
    """The order of stacks."""

    @property
    def along(self) -> str | None:
        """Return the key of the rule's axis, such as `peak_over`; None for a rule on points."""
        return next((name for name in _ALONG if getattr(self, name) is not None), None)

    @property
    def arms(self) -> list[OrderedForm]:
        """Return the stacks of an order with their parts, lowest first."""
        ordered = self.lowest_first or list(reversed(self.highest_first or []))
        return [
            one if isinstance(one, OrderedForm) else OrderedForm(stack=one, part=self.part)
            for one in ordered or self.stacks or []
        ]

    @property
    def requirement(self) -> str:
        """Return the key of the rule that states its condition."""
        return next(name for name in _REQUIREMENTS if getattr(self, name) is not None)

    @model_validator(mode="after")
    def _one_requirement(self) -> RuleForm:
        given = [name for name in _REQUIREMENTS if getattr(self, name) is not None]
        if not given:
            raise Fault("the rule has no condition", hint=_EXAMPLE)
        if len(given) > 1:
            raise _both(given[0], given[1])
        along = [name for name in _ALONG if getattr(self, name) is not None]
        if len(along) > 1:
            raise _both(along[0], along[1])
        if self.relative_to is not None and along:
            raise _both("relative_to", along[0])
        if self.within is not None and given[0] != "equals":
            raise Fault(
                '"within" has no effect without "equals"',
                hint="remove it",
                location=("within",),
                at_key=True,
            )
        return self

    @model_validator(mode="after")
    def _stacks_once(self) -> RuleForm:
        order = self.requirement.endswith("_first")
        if order and self.stacks is not None:
            raise _both("stacks", self.requirement)
        if not order and self.stacks is None:
            raise Fault('the key "stacks" is missing', hint='write "stacks: [mqtt qos=1]"')
        ordered = getattr(self, self.requirement) if order else None
        if ordered is not None and len(ordered) == 1:
            raise Fault(
                "an order needs at least two stacks",
                hint="write two or more stacks",
                location=(self.requirement,),
            )
        return self


class ClaimForm(Form):
    """A claim of a paper."""

    id: str = Field(examples=["CK1"])
    """Short name of the claim."""
    kind: Literal["value", "ratio", "order", "threshold", "note"] = Field(examples=["value"])
    """Kind of claim. A note has no verdict."""
    what: Words = Field(examples=["mean latency in the low-quality network"])
    """The claim in your own words."""
    published: Words | None = Field(default=None, examples=["578 ms"])
    """The published figure in words; made from the rules when left out."""
    source: Words | None = Field(default=None, examples=["section V"])
    """Section, table or figure of the paper."""
    rules: Annotated[list[RuleForm], Field(min_length=1, max_length=MAXIMUM_RULES)] | None = Field(
        default=None,
        examples=[
            "[{column: latency_mean, stacks: [mqtt qos=1], part: low_quality, equals: 578 ms}]"
        ],
    )
    """Rules of the claim. All of them must hold."""
    not_covered: Words | None = Field(default=None, examples=["needs a radio model"])
    """Why the claim is not judged."""
    fitted: Words | None = Field(
        default=None, examples=["the service time was chosen so that MQTT takes 40 ms"]
    )
    """What was chosen so that runs meet the published figure. The verdict is then "fitted"."""
    why: dict[str, Words] | None = Field(
        default=None, examples=["{not reproduced: the program of the paper waits for each answer}"]
    )
    """Why a run has a verdict, one sentence for each verdict. It is known after the runs."""
    derived: Words | None = Field(
        default=None, examples=["the same equation as that of MQTT: 4 round trips and the service"]
    )
    """How the figure follows from other figures of the paper. The verdict is then "derived"."""

    @field_validator("id", mode="before")
    @classmethod
    def _short(cls, written: object) -> object:
        good = isinstance(written, str) and written.isascii() and written.isprintable()
        if not good or not 0 < len(str(written)) <= _ID_CHARACTERS or " " in str(written):
            raise Fault(
                f"{show(written)} is not a valid short name",
                hint='write letters and a number, for example "CK1"',
            )
        return written

    @model_validator(mode="after")
    def _judged_or_not(self) -> ClaimForm:
        if self.kind == "note":
            for name in ("rules", "not_covered", "fitted", "derived"):
                if getattr(self, name) is not None:
                    raise Fault(
                        f'a claim of the kind "note" cannot have "{name}"',
                        hint="remove it, or write another kind",
                        location=(name,),
                        at_key=True,
                    )
        elif self.rules is None and self.not_covered is None:
            raise Fault(
                "the claim has no rules", hint='write "rules: [...]", or "not_covered: WHY"'
            )
        elif self.rules is not None and self.not_covered is not None:
            raise _both("rules", "not_covered")
        return self

    @model_validator(mode="after")
    def _why_of_verdicts(self) -> ClaimForm:
        for verdict in self.why or ():
            if verdict not in VERDICTS:
                raise Fault(
                    f"{show(verdict)} is not a verdict",
                    hint=suggestion(verdict, VERDICTS, kind="verdicts"),
                    location=("why", verdict),
                    at_key=True,
                )
        return self

    @model_validator(mode="after")
    def _one_basis(self) -> ClaimForm:
        bases = [name for name in ("fitted", "derived") if getattr(self, name) is not None]
        if len(bases) > 1:
            raise _both(bases[0], bases[1])
        if bases and self.not_covered is not None:
            raise _both(bases[0], "not_covered")
        return self

    @model_validator(mode="after")
    def _rules_fit_the_kind(self) -> ClaimForm:
        for place, rule in enumerate(self.rules or ()):
            fits, example = {
                "value": (rule.equals is not None, "equals: 578 ms"),
                "ratio": (rule.relative_to is not None, "relative_to: {stack: mqtt qos=1}"),
                "threshold": (rule.requirement in _REQUIREMENTS[1:5], "above: 1000 ms"),
            }.get(self.kind, (True, ""))
            if not fits:
                raise Fault(
                    f"this rule does not fit a claim of the kind {show(self.kind)}",
                    hint=f'write "{example}", or change the kind',
                    location=("rules", place),
                )
        return self


class ClaimsForm(Form):
    """A file of claims."""

    paper: Words | None = Field(default=None, examples=["Chen & Kunz 2016"])
    """The paper that all claims come from."""
    claims: Annotated[list[ClaimForm], Field(min_length=1, max_length=MAXIMUM_CLAIMS)] = Field(
        examples=["[{id: CK1, kind: note, what: ...}]"]
    )
    """The claims."""

    @model_validator(mode="after")
    def _different_names(self) -> ClaimsForm:
        seen: set[str] = set()
        for place, claim in enumerate(self.claims):
            if claim.id in seen:
                raise Fault(
                    f"two claims have the id {show(claim.id)}",
                    hint="rename one",
                    location=("claims", place, "id"),
                )
            seen.add(claim.id)
        return self


def _both(first: str, second: str) -> Fault:
    return Fault(
        f'both "{first}" and "{second}" are given',
        hint="remove one of them",
        location=(second,),
        at_key=True,
    )
