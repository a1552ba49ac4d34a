"""Loads the claims file of a study."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from lasthop.errors import UsageError
from lasthop.study.claims.check import check_rule
from lasthop.study.claims.claim import NO_CLAIMS, Claims
from lasthop.study.claims.form import ClaimsForm
from lasthop.study.claims.resolve import resolve_claim
from lasthop.study.text.faults import Fault
from lasthop.study.text.named_file import read_named_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_SKETCH = 'begin with "claims:" and a list of {id: CK1, kind: value, what: ..., rules: [...]}'


def read_claims(path: Path, *, stacks: Sequence[str], parts: Mapping[str, Sequence[str]]) -> Claims:
    """Parse a claims file and check its rules against the study.

    Parameters
    ----------
    path
        The file.
    stacks
        The stacks of the study.
    parts
        The parts of the study, and the keys that each of them sweeps.

    Raises
    ------
    Fault
        If there is no such file.
    StudyError
        If anything in it cannot be judged as written.
    """
    document = read_named_file(path, of="claims", keys=ClaimsForm.written_keys(), sketch=_SKETCH)
    try:
        form = ClaimsForm.model_validate(document.value)
    except ValidationError as error:
        raise document.invalid(error) from None
    claims = []
    for place, item in enumerate(form.claims):
        try:
            for number, rule in enumerate(item.rules or ()):
                try:
                    check_rule(rule, stacks=stacks, parts=parts)
                except Fault as fault:
                    raise fault.within(("rules", number)) from None
            claims.append(resolve_claim(item, paper=form.paper, parts=parts))
        except Fault as fault:
            raise document.error(fault.within(("claims", place))) from None
    return Claims(form.paper, tuple(claims), document.value)


def claims_of(study: Mapping[str, Any]) -> Claims:
    """Return the claims of a study from the manifest of its results.

    Raises
    ------
    UsageError
        If this version cannot read them.
    """
    written = study.get("claims")
    if not written:
        return NO_CLAIMS
    parts = {part["name"]: [swept["key"] for swept in part["swept"]] for part in study["parts"]}
    try:
        form = ClaimsForm.model_validate(written)
        claims = tuple(resolve_claim(item, paper=form.paper, parts=parts) for item in form.claims)
    except (ValueError, KeyError):
        message = (
            "manifest.json: another version of lasthop wrote these claims; run the study again"
        )
        raise UsageError(message) from None
    return Claims(form.paper, claims, written)
