"""The file of figures: what a paper draws, and the runs that draw it again."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, Tag, model_validator

from lasthop.study.fields.form import SCALAR_OR_MAPPING, Form
from lasthop.study.text.faults import Fault, show

MAXIMUM_FIGURES = 100
MAXIMUM_ARMS = 100

Words = Annotated[str, Field(min_length=1, max_length=1000)]


class AxisForm(Form):
    """The axis along which the lines of a figure run."""

    key: str = Field(examples=["path.loss"])
    """The swept key of the study."""
    title: Words = Field(examples=["network packet loss rate"])
    """What the axis of the paper says."""
    unit: str = Field(examples=['"%"'])
    """The unit of the axis, as in the paper. Published values are written by it."""
    times: Any = Field(default=None, examples=["2"])
    """What a value of the key is multiplied by. It makes any unit possible."""


class ArmForm(Form):
    """A line or a row of a figure: a stack at points of a part."""

    stack: str = Field(examples=["mqtt qos=1"])
    """The stack of the study."""
    part: str | None = Field(default=None, examples=["loss"])
    """The part of the study. Default: that of the figure."""
    at: dict[str, Any] | None = Field(default=None, examples=["{path.loss: 10 %}"])
    """The points of the part. Default: all along the axis; without an axis, the only point."""
    study: str | None = Field(default=None, examples=["emqx-quic-2022-loss-test"])
    """The study whose runs it shows. Default: that of the figure."""
    measure: str | None = Field(default=None, examples=["sent_to_acknowledged_mean"])
    """What is measured of this arm, in the unit of the figure. Default: that of the figure."""


Arms = Annotated[
    dict[
        str,
        Annotated[
            Annotated[str, Tag("<value>")] | Annotated[ArmForm, Tag("<mapping>")],
            SCALAR_OR_MAPPING,
        ],
    ],
    Field(min_length=1, max_length=MAXIMUM_ARMS),
]


class ColumnForm(Form):
    """A column of a table."""

    title: Words = Field(examples=["No. retransmission"])
    """The head of the column, as in the paper."""
    measure: str | list[str] = Field(examples=["retransmissions_transport"])
    """What is measured, named without unit. The measures of a list are added."""
    path: str | None = Field(default=None, examples=["wlan"])
    """The path whose packets are measured, for a measure of one path."""
    unit: str = Field(examples=["frames"])
    """The unit of the column, as in the paper."""
    times: Any = Field(default=None, examples=["0.00125"])
    """What a value of the measure is multiplied by. It makes any unit possible."""
    part: str | None = Field(default=None, examples=["reconnect"])
    """The part of the study that the column shows. Default: that of the arm."""
    study: str | None = Field(default=None, examples=["emqx-quic-2022-live"])
    """The study whose runs the column shows. Default: that of the arm."""
    relative_to: str | None = Field(default=None, examples=["MQTT, 1 field"])
    """The arm of the table by whose value the others are divided."""
    published: dict[str, Any] | None = Field(default=None, examples=["{MQTT: 80.2}"])
    """The values of the paper by arm, in the unit of the column."""
    captured: dict[str, Any] | None = Field(default=None, examples=["{MQTT: 79.8}"])
    """What captures of the authors say, by arm, in the unit of the column."""


class FigureForm(Form):
    """A figure or a table of a paper."""

    number: Words = Field(examples=["figure 9"])
    """Its number in the paper, or its heading where it has no number."""
    title: Words = Field(examples=["Experienced telemetry latency"])
    """What it shows."""
    source: Words | None = Field(default=None, examples=["section V.B"])
    """Where the published values stand. Default: in the figure."""
    given: Literal["picture", "numbers"] = Field(default="picture", examples=["numbers"])
    """Whether the paper gives it as a picture or in numbers."""
    study: str | None = Field(default=None, examples=["emqx-quic-2022-loss-test"])
    """The study whose runs it shows. Default: that of the file."""
    part: str | None = Field(default=None, examples=["loss"])
    """The part of the study."""
    measure: str | list[str] | None = Field(default=None, examples=["latency_mean"])
    """What is measured, named without unit. The measures of a list are added."""
    path: str | None = Field(default=None, examples=["wlan"])
    """The path whose packets are measured, for a measure of one path."""
    unit: str | None = Field(default=None, examples=["ms"])
    """The unit of the figure, as in the paper. Published values are written by it."""
    times: Any = Field(default=None, examples=["0.00125"])
    """What a value of the measure is multiplied by. It makes any unit possible."""
    label: Words | None = Field(default=None, examples=["experienced latency"])
    """What the axis of values says, without unit. Default: the name of the measure."""
    axis: AxisForm | None = Field(
        default=None, examples=['{key: path.loss, title: network packet loss rate, unit: "%"}']
    )
    """The axis along which its lines run. Without one each arm is a row."""
    arms: Arms | None = Field(default=None, examples=["{MQTT: mqtt qos=1, CoAP: coap type=non}"])
    """The legend of the paper, each entry with the stack of the study that it names."""
    published: dict[str, Any] | None = Field(default=None, examples=['{MQTT: {25: "> 1000"}}'])
    """The values of the paper by arm, along an axis by position. A bound is written "> 1000"."""
    captured: dict[str, Any] | None = Field(default=None, examples=["{MQTT: {25: 812}}"])
    """What captures of the authors say, by arm, along an axis by position."""
    columns: Annotated[list[ColumnForm], Field(min_length=1, max_length=20)] | None = Field(
        default=None,
        examples=["[{title: Device offline, measure: device_offline, unit: s}]"],
    )
    """The columns of a table. Its rows are the arms."""
    note: Words | None = Field(default=None, examples=["the text does not give the caps"])
    """What a reader must know before comparing."""
    not_drawn: Words | None = Field(default=None, examples=["it needs a processor that is busy"])
    """Why no run shows it. Such a figure has no arms."""

    @model_validator(mode="after")
    def _drawn_or_not(self) -> FigureForm:
        if self.not_drawn is not None:
            for name in ("measure", "unit", "axis", "arms", "columns"):
                if getattr(self, name) is not None:
                    raise Fault(
                        f'both {show(name)} and "not_drawn" are given',
                        hint="remove one of them",
                        location=(name,),
                        at_key=True,
                    )
            return self
        if self.columns is not None:
            for name in (
                "measure",
                "path",
                "unit",
                "times",
                "label",
                "axis",
                "published",
                "captured",
            ):
                if getattr(self, name) is not None:
                    raise Fault(
                        f"a table has {show(name)} in its columns",
                        hint='move it into a column, or remove "columns"',
                        location=(name,),
                        at_key=True,
                    )
        elif self.measure is None:
            raise Fault(
                "the figure shows nothing",
                hint='write "measure: latency_mean" and its unit, or "not_drawn: WHY"',
            )
        elif self.unit is None:
            raise Fault(
                "the figure has no unit",
                hint='write the unit of the paper, for example "unit: ms"',
                location=("measure",),
                at_key=True,
            )
        if self.arms is None:
            raise Fault(
                'the key "arms" is missing',
                hint='write the legend with its stacks, for example "arms: {MQTT: mqtt qos=1}"',
            )
        return self


class FiguresForm(Form):
    """A file of figures."""

    paper: Words = Field(examples=["Chen & Kunz 2016"])
    """The paper that has the figures."""
    study: str | None = Field(default=None, examples=["chen-kunz-2016"])
    """The study whose runs the figures show. Default: the one that reads the file."""
    figures: Annotated[list[FigureForm], Field(min_length=1, max_length=MAXIMUM_FIGURES)] = Field(
        examples=["[{number: figure 9, title: ..., measure: latency_mean, unit: ms, arms: ...}]"]
    )
    """The figures and tables, in the order of the paper."""

    @model_validator(mode="after")
    def _different_numbers(self) -> FiguresForm:
        seen: set[str] = set()
        for place, figure in enumerate(self.figures):
            if figure.number in seen:
                raise Fault(
                    f"two figures have the number {show(figure.number)}",
                    hint="rename one",
                    location=("figures", place, "number"),
                )
            seen.add(figure.number)
        return self
