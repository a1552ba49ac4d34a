"""Study description in the manifest, which the report needs to answer the question."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from lasthop.study.expressions import parse_expression

if TYPE_CHECKING:
    from lasthop.study import Decide, Study


def describe_study(study: "Study") -> dict[str, Any]:
    """Return a study as plain values for the manifest."""
    return {
        "name": study.name,
        "title": study.title,
        "description": study.description,
        "changes": list(study.changes),
        "cautions": list(study.cautions),
        "conditions": dict(study.conditions),
        "decide": None if study.decide is None else _describe_decide(study.decide),
        "parts": [
            {
                "name": part.name,
                "points": part.points,
                "swept": [
                    {
                        "key": swept.key,
                        "column": swept.column,
                        "unit": swept.unit,
                        "names": [asdict(value) for value in swept.names],
                    }
                    for swept in part.swept
                ],
            }
            for part in study.parts
        ],
        "stacks": [
            {
                "name": stack.name,
                "written": stack.written,
                "resolved": stack.resolved,
                "supported": stack.supported,
                "reason": stack.reason,
                "credentials": list(stack.credentials),
            }
            for stack in study.stacks
        ],
        "seed": study.seed,
        "repeat": study.repeat,
        "quick": study.quick,
        "overload": study.measure.overload,
        "expect": [expectation.text for expectation in study.expect],
        # Those are printed before the runs, and the page repeats them.
        **({"notes": list(study.notes)} if study.notes else {}),
        **({"tariffs": [dict(one) for one in study.tariffs]} if study.tariffs else {}),
        "claims": study.claims.written,
        **({} if study.figures is None else {"figures": study.figures.written}),
        "multiverse": None if study.multiverse is None else study.multiverse.as_json(),
    }


def heading(study: Mapping[str, Any]) -> str:
    """Return the title of a study, with its changes by `--set` if there are any."""
    title = str(study.get("title") or study["name"])
    changes = changes_in_words(study)
    return f"{title}, {changes}" if changes else title


def changes_in_words(study: Mapping[str, Any]) -> str:
    """Describe what `--set` has changed in the study of a manifest; empty if nothing."""
    changes = study.get("changes") or ()
    return f"changed: {', '.join(changes)}" if changes else ""


def _describe_decide(decide: "Decide") -> dict[str, Any]:
    return {
        "require": [requirement.text for requirement in decide.require],
        "minimise": decide.minimise,
        "maximise": decide.maximise,
        "smallest_effect": decide.smallest_effect,
        "part": decide.part,
    }


def check_description(study: Mapping[str, Any]) -> None:
    """Check the structure of a stored study. Newer keys may be missing.

    Raises
    ------
    ValueError, TypeError, KeyError, AttributeError
        It is not.
    """
    _check(study, name=str, parts=list, stacks=list, seed=int, repeat=int, expect=list)
    for part in study["parts"]:
        _check(part, name=str, swept=list)
        for swept in part["swept"]:
            _check(swept, key=str, column=str, unit=str)
    for stack in study["stacks"]:
        _check(stack, name=str, resolved=str)
    for text in study["expect"]:
        parse_expression(text)
    if (decide := study.get("decide")) is not None:
        _check(decide, require=list)
        for text in decide["require"]:
            parse_expression(text)


def _check(found: Mapping[str, Any], **kinds: type) -> None:
    for key, kind in kinds.items():
        if not isinstance(found[key], kind):
            raise TypeError(key)
