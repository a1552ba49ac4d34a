"""Display names for stacks and swept values."""

from __future__ import annotations

import re

from lasthop.study.fields.quantity import kind_of_unit
from lasthop.study.text.faults import Fault, show

MAXIMUM_CHARACTERS = 40

_LABEL = re.compile(r"\w(?:[\w .()+-]*[\w)+])?")
_AMOUNT = re.compile(r"[-+]?[0-9][0-9.]*(?: ?(?P<unit>\S+))?")
_SPACES = "  "


def check_label(name: str) -> str:
    """Check that a name fits tables, legends and expressions, and is not an amount.

    Examples
    --------
    >>> check_label("ours (v2)"), check_label("4G")
    ('ours (v2)', '4G')

    Raises
    ------
    Fault
        If it is long, has other characters, or could be taken for an amount.
    """
    if len(name) > MAXIMUM_CHARACTERS:
        what, hint = (
            f"the name has {len(name)} characters",
            f"write at most {MAXIMUM_CHARACTERS} characters",
        )
        raise Fault(what, hint=hint, at_key=True)
    if _LABEL.fullmatch(name) is None or _SPACES in name:
        hint = 'write letters, digits, single spaces and _ - . + ( ), for example "ours"'
        raise Fault(f"{show(name)} is not a name", hint=hint, at_key=True)
    amount = _AMOUNT.fullmatch(name)
    if amount is not None and (amount["unit"] is None or kind_of_unit(amount["unit"]) is not None):
        what = f"{show(name)} looks like an amount and cannot be a name"
        raise Fault(what, hint='write another name, for example "bad"', at_key=True)
    return name
