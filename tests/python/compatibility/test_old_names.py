"""Keys, stacks, options, columns and exit codes of a released version keep their names."""

import pytest

from lasthop.study.forms.keys import known_keys
from lasthop.study.forms.renamed_keys import current_key

from .kept import Kept, names_of_today, versions

VERSIONS = [pytest.param(kept, id=kept.version) for kept in versions()]
TODAY = names_of_today()


@pytest.mark.parametrize("kept", VERSIONS)
def test_every_key_of_a_study_is_still_read(kept: Kept) -> None:
    known = known_keys()
    assert [key for key in kept.names["study keys"] if current_key(key) not in known] == []


@pytest.mark.parametrize("kept", VERSIONS)
@pytest.mark.parametrize("kind", ["applications", "stack options", "exit codes"])
def test_no_name_is_gone(kept: Kept, kind: str) -> None:
    assert [name for name in kept.names[kind] if name not in TODAY[kind]] == []


@pytest.mark.parametrize("kept", VERSIONS)
def test_every_column_keeps_its_type_and_unit(kept: Kept) -> None:
    moved = [
        f"{table}.{name}: was {column}, is {TODAY['columns'].get(table, {}).get(name)}"
        for table, columns in kept.names["columns"].items()
        for name, column in columns.items()
        if TODAY["columns"].get(table, {}).get(name) != column
    ]
    assert moved == []
