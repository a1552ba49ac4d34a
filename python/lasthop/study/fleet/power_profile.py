"""What a radio module draws in each state: shipped profiles, and profiles of one's own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import AfterValidator, Field, Tag, ValidationError, ValidationInfo, model_validator

from lasthop.errors import EnvironmentFailure, StudyError, UsageError
from lasthop.study.fields.electricity import DrawOf, Volts
from lasthop.study.fields.form import SCALAR_OR_MAPPING, Form
from lasthop.study.fields.survey import FOLDER
from lasthop.study.fields.written import Written
from lasthop.study.text.beside import file_beside
from lasthop.study.text.faults import Fault, show, suggestion
from lasthop.study.text.source import parse, read_file

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lasthop.study.fields.electricity import Draw

FILE = Path(__file__).with_name("power_profiles.yaml")
DEFAULT = "tr_45_820"

_ENDINGS = (".yaml", ".yml")
_STATES = (
    "deep_sleep",
    "light_sleep",
    "connected_sleep",
    "receive",
    "transmit_floor",
    "transmit",
)

_Draw = Annotated[Any, DrawOf("66 mA")]


@dataclass(frozen=True, slots=True)
class ShippedProfile:
    """A power profile that ships with lasthop.

    Parameters
    ----------
    values
        Its settings, in the words of a study.
    """

    name: str
    comment: str
    source: str
    values: Mapping[str, Any]


@cache
def power_profiles() -> Mapping[str, ShippedProfile]:
    """Give every shipped profile by its name."""
    content = parse(FILE.read_text(encoding="utf-8"), name=FILE.name).value["profiles"]
    return {name: ShippedProfile(name=name, **entry) for name, entry in content.items()}


@dataclass(frozen=True, slots=True)
class PowerProfile:
    """The power of a module in each state.

    Parameters
    ----------
    name
        Of a shipped profile, a file, or the profile that it is like.
    watts
        By state.
    is_shipped
        Whether it is a shipped profile without a change.
    source
        Of the figures.
    """

    name: str
    watts: Mapping[str, float]
    is_shipped: bool = False
    source: str | None = None

    def __str__(self) -> str:
        """Give its name."""
        return self.name

    def spec(self) -> str | dict[str, Any]:
        """Give the part of the run spec: a name, or the power of each state in W."""
        if self.is_shipped:
            return self.name
        return {"own": {f"{state}_w": self.watts[state] for state in _STATES}}


class PowerProfileForm(Form):
    """What a module draws in each state: powers, or currents at its supply voltage."""

    like: str | None = Field(default=None, examples=["sara_n2"])
    """Name of a shipped profile whose states are used where none is written."""
    comment: str | None = Field(default=None, max_length=500, examples=["BC660K-GL"])
    """The module."""
    source: str | None = Field(default=None, max_length=500, examples=["data sheet V1.1, p. 21"])
    """Source of the figures, for the answer."""
    supply: Volts | None = Field(default=None, examples=["3.6 V"])
    """Supply voltage at which the currents were measured."""
    deep_sleep: _Draw = Field(examples=["3 uA"])
    """Draw in power saving mode, and between the windows of eDRX."""
    light_sleep: _Draw = Field(examples=["0.8 mA"])
    """Draw while idle, between paging occasions."""
    connected_sleep: _Draw = Field(examples=["8 mA"])
    """Draw while connected, neither sending nor listening."""
    receive: _Draw = Field(examples=["66 mA"])
    """Draw while listening."""
    transmit_floor: _Draw = Field(examples=["96 mA"])
    """Draw while sending at very low power: everything except the power amplifier."""
    transmit: _Draw = Field(examples=["230 mA"])
    """Draw while sending with 23 dBm at the antenna."""

    @model_validator(mode="before")
    @classmethod
    def _as_its_shipped_one(cls, data: object) -> object:
        if not isinstance(data, dict) or "like" not in data:
            return data
        shipped = _shipped(data["like"], location=("like",))
        return {**shipped.values, **data}

    def profile(self, name: str | None = None) -> PowerProfile:
        """Give the power of each state.

        Raises
        ------
        Fault
            If a current has no voltage, or sending at 23 dBm draws less than at low power.
        """
        watts: dict[str, float] = {}
        for state in _STATES:
            draw: Draw = getattr(self, state)
            try:
                watts[state] = draw.watts(self.supply, key="supply")
            except Fault as fault:
                raise fault.within((state,)) from None
        if watts["transmit"] <= watts["transmit_floor"]:
            raise Fault(
                f"{show(self.transmit.written)} at 23 dBm is not more than "
                f"{show(self.transmit_floor.written)} at very low power",
                hint='write more than "transmit_floor"',
                location=("transmit",),
            )
        like = None if self.like is None else f"like {self.like}"
        return PowerProfile(name or like or "own profile", watts, source=self.source)


@dataclass(frozen=True, slots=True)
class ProfileName(Written):
    """Marks the name of a shipped profile or of a file."""

    def read(self, value: object) -> str:
        """Read the name; whether the file is there is looked up later."""
        text = str(value)
        if text not in power_profiles() and not text.endswith(_ENDINGS):
            _shipped(value)
        return text

    def described(self) -> dict[str, Any]:
        """Describe the names."""
        file = {"type": "string", "pattern": r"\.ya?ml$", "description": "a file of your own"}
        return {"anyOf": [{"enum": list(power_profiles())}, file]}


def _shipped(name: object, *, location: tuple[str, ...] = ()) -> ShippedProfile:
    known = power_profiles()
    if not isinstance(name, str) or name not in known:
        hint = suggestion(str(name), known, kind="profiles") + '; or write a file, "module.yaml"'
        raise Fault(f"there is no power profile {show(name)}", hint=hint, location=location)
    return known[name]


def _named(name: str, info: ValidationInfo) -> PowerProfile:
    if name in power_profiles():
        return shipped_profile(name)
    context: Mapping[str, Path] = info.context or {}
    return _of_file(context.get(FOLDER, Path()), name)


def shipped_profile(name: str = DEFAULT) -> PowerProfile:
    """Give a shipped profile."""
    shipped = _shipped(name)
    watts = PowerProfileForm.model_validate(dict(shipped.values)).profile(name).watts
    return PowerProfile(name, watts, is_shipped=True, source=shipped.source)


def _of_file(folder: Path, name: str) -> PowerProfile:
    """Read the profile of a file in the folder of a study."""
    path = file_beside(folder, name)
    try:
        content = parse(read_file(path, maximum_bytes=64 * 1024), name=name).value
        return PowerProfileForm.model_validate(_flat(content)).profile(path.stem)
    except StudyError as error:
        raise Fault(f"{name}: {error.what}", hint=error.hint) from None
    except (UsageError, EnvironmentFailure):
        hint = "write the name of a YAML file in the folder of the study"
        raise Fault(f"the file {show(name)} cannot be read", hint=hint) from None
    except ValidationError as error:
        raise _in_file(name, error) from None
    except Fault as fault:
        key = ".".join(map(str, fault.location))
        raise Fault(f"{name}: {key}: {fault.what}", hint=fault.hint) from None


def _flat(content: object) -> object:
    """Give the keys of an entry, which may lie under ``values`` as in the shipped file."""
    if isinstance(content, dict) and isinstance(content.get("values"), dict):
        return {**{key: value for key, value in content.items() if key != "values"}} | {
            **content["values"]
        }
    return content


def _in_file(name: str, error: ValidationError) -> Fault:
    details = error.errors(include_url=False)[0]
    fault = details.get("ctx", {}).get("error")
    if not isinstance(fault, Fault):
        return Fault(f"{name}: {details['msg']}", hint=f"write {PowerProfileForm.sketch()}")
    where = [str(part) for part in (*details["loc"], *fault.location)]
    key = f"{'.'.join(where)}: " if where else ""
    return Fault(f"{name}: {key}{fault.what}", hint=fault.hint)


def _own(form: PowerProfileForm) -> PowerProfile:
    return form.profile()


Profile = Annotated[
    Annotated[Any, ProfileName(), AfterValidator(_named), Tag("<value>")]
    | Annotated[PowerProfileForm, AfterValidator(_own), Tag("<mapping>")],
    SCALAR_OR_MAPPING,
]
"""A profile as a study writes it: a name, a file, or a mapping."""
