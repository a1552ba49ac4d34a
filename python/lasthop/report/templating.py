"""Templates: all HTML of the page, in which every text is escaped unless it is markup already."""

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from lasthop.report.compiled_templates import CompiledTemplates

_FOLDER = files("lasthop.report") / "templates"


def render(template: str, **values: Any) -> Markup:  # noqa: ANN401  (whatever the template shows)
    """Fill in a template of ``report/templates``; a value that it lacks is an error."""
    text = _environment().get_template(template).render(values)
    return Markup(text)  # noqa: S704  (the template has escaped what it shows)


def macros(template: str) -> Any:  # noqa: ANN401  (its macros are attributes)
    """Return the macros of a template, which give markup."""
    return _environment().get_template(template).module


def asset(name: str) -> str:
    """Return a style sheet or a script as it stands in the folder of templates."""
    return (_FOLDER / name).read_text(encoding="utf-8")


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.PackageLoader("lasthop.report"),
        bytecode_cache=CompiledTemplates(Path(str(_FOLDER))),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
