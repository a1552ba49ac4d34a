"""A folded section of the page below the answer, with a short summary."""

from dataclasses import dataclass

from markupsafe import Markup


@dataclass(frozen=True, slots=True)
class Section:
    """Something that supports the answer, for who wants to look.

    Parameters
    ----------
    name : str
        Its anchor in the page.
    title : str
        What it is.
    digest : str
        What it says in a few words, beside the title.
    body : Markup
        What unfolds.
    opened : bool
        Whether it is unfolded when the page opens.
    """

    name: str
    title: str
    digest: str
    body: Markup
    opened: bool = False


def counted(number: int, what: str) -> str:
    """Write a number of things.

    Examples
    --------
    >>> counted(1, "finding")
    '1 finding'
    >>> counted(2, "finding")
    '2 findings'
    """
    return f"{number} {what}{'' if number == 1 else 's'}"
