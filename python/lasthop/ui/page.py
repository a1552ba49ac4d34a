"""The page as one text: markup, style and scripts, without anything from a network."""

from functools import cache
from importlib.resources import files

from lasthop.report.markup import script_hash
from lasthop.report.page import style_variables
from lasthop.report.templating import asset

_FOLDER = files("lasthop.ui") / "assets"
_SHARED = ("markup.js", "decide.js", "requirements.js", "explorer.js")


@cache
def ui_page() -> str:
    """Return the page; what it shows comes by requests to the server."""
    sheets = (style_variables(), asset("page.css"), asset("explorer.css"), _own("ui.css"))
    page = _own("ui.html").replace("/* style */", "".join(sheets))
    return page.replace("/* script */", _script())


@cache
def page_policy() -> str:
    """Return the content security policy: the page's own script, and requests to its server."""
    return (
        f"default-src 'none'; script-src {script_hash(_script())}; style-src 'unsafe-inline'; "
        "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


@cache
def _script() -> str:
    return "".join((*map(asset, _SHARED), _own("ask.js"), _own("ui.js")))


def _own(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")
