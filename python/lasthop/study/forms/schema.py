"""Writes the JSON Schema of a study: ``python -m lasthop.study.forms.schema [--check] [FILE]``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic.json_schema import models_json_schema

from lasthop.study.forms.long_form import LongForm
from lasthop.study.forms.model import FORMAT
from lasthop.study.forms.short_form import ShortForm
from lasthop.study.text.source import DecimalText, parse

if TYPE_CHECKING:
    from collections.abc import Sequence

DEFAULT_FILE = Path("docs/reference/study.schema.json")


def study_schema() -> dict[str, Any]:
    """Return the JSON Schema of a study, generated from its models.

    Examples
    --------
    >>> study_schema()["title"]
    'lasthop study, format 1'
    """
    forms = (ShortForm, LongForm)
    _, schema = models_json_schema([(form, "validation") for form in forms], by_alias=True)
    definitions = {name: _tidied(form) for name, form in schema["$defs"].items()}
    short, long = ({"required": definitions[form.__name__].pop("required")} for form in forms)
    refers = [{"$ref": f"#/$defs/{form.__name__}"} for form in forms]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": definitions,
        "title": f"lasthop study, format {FORMAT}",
        "type": "object",
        "allOf": [
            # What extends another study says a part of it.
            {"if": _EXTENDS, "then": {"anyOf": refers}, "else": _by_form(*refers)},
            {"if": _EXTENDS, "then": {"required": ["study"]}, "else": _by_form(short, long)},
        ],
    }


_EXTENDS = {"required": ["extends"]}


def _by_form(short: object, long: object) -> dict[str, object]:
    return {"if": {"required": ["fleet"]}, "then": long, "else": short}


def schema_text() -> str:
    """Return the schema as the text of its file."""
    return json.dumps(study_schema(), indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the schema, or check that the file is up to date.

    Returns
    -------
    int
        0, or 1 when the file differs from the models.
    """
    parser = argparse.ArgumentParser(
        prog="python -m lasthop.study.forms.schema", description=__doc__
    )
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("file", nargs="?", type=Path, default=DEFAULT_FILE)
    options = parser.parse_args(arguments)
    file: Path = options.file
    if not options.check:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(schema_text(), encoding="utf-8")
        return 0
    if not file.exists() or file.read_text(encoding="utf-8") != schema_text():
        sys.stderr.write(f"{file} is out of date; run: python -m lasthop.study.forms.schema\n")
        return 1
    return 0


def _tidied(schema: Any) -> Any:  # noqa: ANN401  (a part of a JSON document)
    """Remove nulls and defaults in base units from a schema, and parse its examples."""
    if isinstance(schema, list):
        return [_tidied(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: _tidied(value) for key, value in schema.items() if not _hidden(key, value)}
    examples = kept.get("examples")
    if isinstance(examples, list):
        kept["examples"] = [_read_example(example) for example in examples]
    choices = kept.get("anyOf")
    if isinstance(choices, list):
        choices = [choice for choice in choices if choice != {"type": "null"}]
        if len(choices) == 1:
            del kept["anyOf"]
            return {**choices[0], **kept}
        kept["anyOf"] = choices
    return kept


def _read_example(example: object) -> object:
    if not isinstance(example, str):
        return example
    value = parse(example, name="example").value
    return float(value) if isinstance(value, DecimalText) else value


def _hidden(key: str, value: object) -> bool:
    return key == "default" or (key == "title" and isinstance(value, str))


if __name__ == "__main__":
    sys.exit(main())
