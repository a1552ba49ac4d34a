"""Pieces of markup that sections share; plain text in them is escaped."""

import json
from base64 import b64encode
from collections.abc import Collection, Iterable, Mapping, Sequence
from hashlib import sha256

from markupsafe import Markup, escape

from lasthop.answer.sentences import Sentence
from lasthop.report.styles import StackStyle, stack_styles
from lasthop.report.templating import macros, render

Styles = Mapping[str, StackStyle]
"""The style of each stack."""

Row = Sequence[object]
"""Cells: text, which is escaped, or markup."""


def bold(value: object) -> Markup:
    """Write a value that stands out.

    Examples
    --------
    >>> str(bold("<x>"))
    '<b>&lt;x&gt;</b>'
    """
    return Markup("<b>{}</b>").format(value)


def small(value: object) -> Markup:
    """Write a remark below a value."""
    return Markup("<small>{}</small>").format(value)


def code(value: object) -> Markup:
    """Write what can be typed."""
    return Markup("<code>{}</code>").format(value)


def warning(value: object) -> Markup:
    """Write what must not be overlooked."""
    return Markup('<span class="warning">{}</span>').format(value)


def pill(value: object, kind: str = "") -> Markup:
    """Write a word in a coloured pill."""
    return Markup('<span class="tag {}">{}</span>').format(kind, value)


def lines(values: Iterable[object]) -> Markup:
    """Write values below each other."""
    return Markup("<br>").join(map(escape, values))


def stack_name(stack: str, styles: Styles) -> Markup:
    """Write a stack with its mark."""
    name: Markup = macros("marks.html").stack_name(stack, styles.get(stack))
    return name


def stack_symbols(stacks: Sequence[str]) -> list[Markup]:
    """Draw the marks of stacks, without their names."""
    styles = stack_styles(stacks)
    return [macros("marks.html").symbol(styles[stack]) for stack in stacks]


def sentence(said: Sentence, styles: Styles) -> Markup:
    """Write a sentence; a stack carries its colour, a rule is not broken over lines."""
    return render("sentence.html", spans=said.spans, styles=styles).strip()


def table(
    head: Row,
    rows: Sequence[Row],
    *,
    numeric: Collection[int] = (),
    wide: Collection[int] = (),
) -> Markup:
    """Lay out a table that scrolls in its own box.

    ``numeric`` and ``wide`` are columns: of numbers, and of sentences that need room.
    """
    return render("table.html", head=head, rows=rows, numeric=numeric, wide=wide)


def fold(title: str, body: object, *, opened: bool = False) -> Markup:
    """Fold something away below a title."""
    return render("fold.html", title=title, body=body, opened=opened)


def json_text(value: object) -> str:
    """Write JSON that cannot end the script element around it."""
    written = json.dumps(value, separators=(",", ":"), sort_keys=True, allow_nan=False)
    return written.replace("<", "\\u003c")


def script_hash(script: str) -> str:
    """Return a script's source expression for a content security policy."""
    return "'sha256-" + b64encode(sha256(script.encode()).digest()).decode() + "'"
