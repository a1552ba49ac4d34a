"""Converts faults on messages to their form in a run spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lasthop.study.fleet.aimed import AimedFaultForm

Spec = dict[str, Any]


def fault_spec(form: AimedFaultForm) -> Spec:
    """Return a fault as part of the run spec, with all defaults."""
    fault = {
        "kind": form.kind,
        "message": form.message,
        "direction": form.direction,
        "which": _which(form),
    }
    return {"of": form.of, "fault": fault}


def _which(form: AimedFaultForm) -> str | Spec:
    if form.nth is not None:
        return {"nth": form.nth}
    return "all" if form.share is None else {"share": form.share}
