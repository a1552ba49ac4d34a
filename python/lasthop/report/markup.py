"""Text to HTML: everything that comes from a file goes through here."""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from html import escape

from lasthop.answer.verdict import Sentence, Span
from lasthop.report.styles import StackStyle

_SYMBOLS = {
    "circle": '<circle cx="8" cy="8" r="5"/>',
    "square": '<rect x="3.5" y="3.5" width="9" height="9"/>',
    "triangle-up": '<path d="M8 2.5 13.5 13h-11z"/>',
    "triangle-down": '<path d="M8 13.5 2.5 3h11z"/>',
    "triangle-right": '<path d="M13.5 8 3 13.5v-11z"/>',
    "diamond": '<path d="M8 2 14 8 8 14 2 8z"/>',
    "cross": '<path d="M6 2.5h4V6h3.5v4H10v3.5H6V10H2.5V6H6z"/>',
}


def text(value: object) -> str:
    """Escape a value for HTML text and for quoted attributes.

    Examples
    --------
    >>> text('<b> "x"')
    '&lt;b&gt; &quot;x&quot;'
    """
    return escape(str(value), quote=True)


def sentence(said: Sentence, styles: Mapping[str, StackStyle]) -> str:
    """Write a sentence; a stack carries its colour, a rule is not broken over lines."""
    return "".join(_span(span, styles) for span in said.spans)


def _span(span: Span, styles: Mapping[str, StackStyle]) -> str:
    if span.kind == "stack" and span.text in styles:
        colour = styles[span.text].colour
        return (
            f'<strong class="stack" style="--hue:var(--stack-{colour})">{text(span.text)}</strong>'
        )
    return (
        f'<span class="rule">{text(span.text)}</span>' if span.kind == "rule" else text(span.text)
    )


def json_text(value: object) -> str:
    """Write JSON that cannot end the script element around it."""
    written = json.dumps(value, separators=(",", ":"), sort_keys=True, allow_nan=False)
    return written.replace("<", "\\u003c")


def script_hash(script: str) -> str:
    """Return a script's source expression for a content security policy."""
    return "'sha256-" + b64encode(sha256(script.encode()).digest()).decode() + "'"


def stack_mark(style: StackStyle) -> str:
    """Draw the symbol of a stack in its colour."""
    return (
        f'<svg class="mark" viewBox="0 0 16 16" aria-hidden="true" '
        f'style="fill:var(--stack-{style.colour})">{_SYMBOLS[style.shape]}</svg>'
    )


def stack_key(style: StackStyle) -> str:
    """Draw the line and the symbol of a stack, as a legend shows them."""
    dash = " ".join(map(str, style.dash))
    return (
        f'<svg class="key" viewBox="0 0 34 16" aria-hidden="true" '
        f'style="fill:var(--stack-{style.colour});stroke:var(--stack-{style.colour})">'
        f'<path d="M1 8h32" stroke-width="2" stroke-dasharray="{dash}"/>'
        f'<g transform="translate(9 0)" stroke="none">{_SYMBOLS[style.shape]}</g></svg>'
    )


def overload_key() -> str:
    """Draw the line and the mark of an overload, as a legend shows them."""
    return (
        '<svg class="key" viewBox="0 0 34 16" aria-hidden="true" '
        'style="fill:none;stroke:var(--quiet)">'
        '<path d="M2 8h30" stroke-width="2" stroke-dasharray="2 4"/>'
        '<circle cx="17" cy="8" r="4.5" stroke-width="1.5" style="fill:var(--card)"/></svg>'
    )


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    numeric: Sequence[int] = (),
    wide: Sequence[int] = (),
) -> str:
    """Lay out a table that scrolls in its own box; heads and cells are HTML.

    ``numeric`` and ``wide`` are columns: of numbers, and of sentences that need room.
    """

    def cell(tag: str, place: int, content: str) -> str:
        kind = ' class="number"' if place in numeric else ' class="wide"' * (place in wide)
        scope = ' scope="col"' if tag == "th" else ""
        return f"<{tag}{scope}{kind}>{content}</{tag}>"

    heads = "".join(cell("th", place, content) for place, content in enumerate(head))
    lines = "".join(
        "<tr>" + "".join(cell("td", place, content) for place, content in enumerate(row)) + "</tr>"
        for row in rows
    )
    return (
        '<div class="scroll" tabindex="0"><table>'
        f"<thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div>"
    )
