"""Reads a study in its short or long form."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from lasthop.study.fields.survey import FOLDER
from lasthop.study.forms.long_form import LongForm
from lasthop.study.forms.short_form import ShortForm
from lasthop.study.text.faults import nearest

if TYPE_CHECKING:
    from pathlib import Path

    from lasthop.study.forms.model import StudyForm
    from lasthop.study.text.document import Document


def read_form(document: Document, folder: Path) -> StudyForm:
    """Validate a study in its short or long form.

    Parameters
    ----------
    folder
        Folder of the files that the study names.

    Raises
    ------
    StudyError
        If a key or a value is not allowed.
    """
    form = LongForm if any(map(_means_fleet, document.value)) else ShortForm
    try:
        return form.model_validate(document.value, context={FOLDER: folder})
    except ValidationError as error:
        raise document.invalid(error) from None


def _means_fleet(key: str) -> bool:
    """Return whether a key is `fleet` or a misspelling of it, which implies the long form."""
    return nearest(key, {*LongForm.model_fields, *ShortForm.model_fields}) == "fleet"
