"""Shipped questions, to be written to a file and changed."""

from importlib.resources import files

from lasthop.errors import UsageError
from lasthop.study.text.faults import nearest, show

EXAMPLES = ("meters", "trackers", "gateway")


def example(name: str) -> str:
    """Return the text of a shipped question.

    Raises
    ------
    UsageError
        If there is no such question.
    """
    if name not in EXAMPLES:
        meant = nearest(name, EXAMPLES)
        hint = f'did you mean "{meant}"?' if meant else f"write one of {', '.join(EXAMPLES)}"
        raise UsageError(f"--example: there is no example {show(name)}; {hint}")
    if name == "trackers":
        return files("lasthop").joinpath("studies/trackers/study.yaml").read_text(encoding="utf-8")
    return files(__name__).joinpath(f"{name}.yaml").read_text(encoding="utf-8")
