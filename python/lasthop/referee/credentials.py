"""Finds arms that authenticate differently: by certificate or pre-shared key."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from lasthop.referee.ruling import Finding


def different_credentials(
    stacks: Sequence[Mapping[str, Any]], ran: Collection[str]
) -> list[Finding]:
    """Return a finding if the arms that ran use different credentials.

    Parameters
    ----------
    stacks
        Stacks of the study in the manifest.
    ran
        Names of the stacks that ran.
    """
    shown = {
        stack["name"]: ", ".join(stack["credentials"])
        for stack in stacks
        if stack["name"] in ran and stack.get("credentials")
    }
    if len(set(shown.values())) < 2:  # noqa: PLR2004  (two differ)
        return []
    figure = "; ".join(f"{name}: {credentials}" for name, credentials in shown.items())
    return [
        Finding(
            check="different_credentials",
            invalid=False,
            part=None,
            stacks=tuple(shown),
            figure=figure,
            what=f"they authenticate differently ({figure}), so their difference is not one of "
            "protocols alone",
        )
    ]


def believing_anybody(stacks: Sequence[Mapping[str, Any]], ran: Collection[str]) -> list[Finding]:
    """Return a finding on arms whose clients accept any certificate.

    Parameters
    ----------
    stacks
        Stacks of the study in the manifest.
    ran
        Names of the stacks that ran.
    """
    names = tuple(
        stack["name"]
        for stack in stacks
        if stack["name"] in ran
        and any(word.endswith(".verify=off") for word in stack["resolved"].split())
    )
    if not names:
        return []
    return [
        Finding(
            check="believes_anybody",
            invalid=False,
            part=None,
            stacks=names,
            figure="verify=off",
            what="the client believes every certificate, which is no security (verify=off)",
        )
    ]
