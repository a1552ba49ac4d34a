"""`lasthop load`: our clients as a generator of load against any server."""

# ruff: noqa: PLC0415  (imported when needed: help and refusals must not wait for polars)

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lasthop.cli import options
from lasthop.cli.output import complain
from lasthop.cli.shipped import find_study
from lasthop.errors import EXIT_INTERRUPTED, Interrupted, UsageError

if TYPE_CHECKING:
    from lasthop.cli.execution import Request, UnderLoad
    from lasthop.live.load_trust import TrustAsked
    from lasthop.running.plan import Plan
    from lasthop.study.fleet.device import DeviceForm

NAME = "load"
CUT_SHORT = "interrupted"
"""Why a run is invalid that was stopped."""

EXAMPLE = (
    "Example: lasthop load fleet.yaml --against mqtt://127.0.0.1:1883; "
    'with users and less: lasthop load fleet.yaml --against broker:1883 --user "ann:secret" '
    '--set devices=100 --set "duration=30 s"; constrained devices by TLS: lasthop load fleet.yaml '
    '--against mqtts://broker:8883 --cafile ca.pem --set "stacks=[mqtt/tls]" --device esp8266'
)


def command(  # noqa: PLR0913  (an argument is an option)
    study: Annotated[
        str, typer.Argument(metavar="STUDY", help="A study file, or a name that `studies` lists.")
    ],
    *,
    against: Annotated[
        list[str],
        typer.Option(
            "--against",
            metavar="ADDRESS",
            help="Where the server is: HOST[:PORT], mqtt://HOST[:PORT], mqtts://.., ws://.., "
            "wss://.., quic://.., coap://.., coaps://.., coap+tcp://.., coaps+tcp://.., "
            "json_udp://.., raw_udp://.., raw_tcp://..; one for each protocol of the study.",
        ),
    ],
    user: options.MqttUser = None,
    devices: Annotated[
        Path | None,
        typer.Option(
            "--devices",
            metavar="FILE",
            help="The server is a device gateway (lasthop serve gateway): who the devices are "
            "there, by a file of lasthop gateway device add --new-key. Each shows tokens of its "
            "own, over MQTT and HTTP, and a report has arrived once the gateway says so.",
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            "--device",
            metavar="PROFILE",
            help="Devices are constrained ones, say esp8266: their tasks take their time, for "
            "handshakes too, they crash and boot. TCP and UDP stay those of the kernel. As "
            "`device:` of a study.",
        ),
    ] = None,
    cafile: options.CaFile = None,
    cert: options.Certificate = None,
    key: options.Key = None,
    psk: Annotated[
        Path | None,
        typer.Option(
            "--psk",
            metavar="FILE",
            help="Of coaps://: the keys that the server knows, lines identity:key in hexadecimal "
            "digits. One alone is that of all; of several each device has its own, by its name, "
            "say device-0.",
        ),
    ] = None,
    out: options.Out = None,
    seed: options.Seed = None,
    set_: options.Set = None,
    quick: options.Quick = False,
    summary: options.Summary = None,
    as_json: options.Json = False,
    no_report: options.NoReport = False,
    quiet: options.Quiet = False,
) -> int:
    """Send the traffic of a study to a server that is somewhere else, and judge what comes back.

    Messages leave when they are due, whether or not the server keeps up (an open loop), and latency
    counts from then. The network is the one that is there. One run at a time, on one thread. Put
    load only on servers that are yours to load.
    """
    from lasthop.cli.execution import Request, execute_plan
    from lasthop.live.load_trust import TrustAsked
    from lasthop.study.rules.under_load import check_somebody_loads

    trust = TrustAsked(psk, cafile, cert, key)
    under_load = _under_load(against, user, devices, device, trust)
    request = Request(
        study=find_study(study),
        overrides=options.read_overrides(set_),
        seed=seed,
        quick=quick,
        out=None if out is None else Path(out),
        jobs=1,
        under_load=under_load,
        report=not no_report,
        summary=summary,
        as_json=as_json,
        quiet=quiet or as_json,
    )
    plan = request.plan()
    check_somebody_loads(plan.study.arms, under_load.targets)
    if not quiet:
        _say_unused(plan)
    try:
        return execute_plan(request, plan)
    except Interrupted as interruption:
        _conclude_partly(request, plan)
        complain(str(interruption))
        return EXIT_INTERRUPTED


def _say_unused(plan: "Plan") -> None:
    """Say which settings the kernel has instead of us."""
    from lasthop.study.rules.under_load import unused

    if options_ := unused(plan.study.arms):
        complain(f"not used: {', '.join(options_)}; TCP and UDP are those of the kernel")


def _conclude_partly(request: "Request", plan: "Plan") -> None:
    """Say what there is of a load that was stopped; the run that was cut short is done again."""
    from lasthop.cli.conclusion import conclude
    from lasthop.outcome.results import Results
    from lasthop.results.folder import part_of

    out = request.folder(plan)
    results = Results(out)
    for run_id in results.runs.filter(reason=CUT_SHORT)["run_id"]:
        part_of(out, run_id).unlink(missing_ok=True)
    conclude(
        results, report=out / "report.html" if request.report else None, as_json=request.as_json
    )


def _under_load(
    against: list[str],
    user: str | None,
    devices: Path | None,
    device: str | None,
    trust: "TrustAsked",
) -> "UnderLoad":
    from lasthop.cli.execution import UnderLoad
    from lasthop.live.access import read_user
    from lasthop.live.targets import read_targets
    from lasthop.study.registered_devices import read_registered

    name, password = (None, None) if user is None else read_user(user)
    if devices is not None and user is not None:
        raise UsageError("--user: devices of a gateway show tokens; leave one of both out")
    registered = () if devices is None else read_registered(devices)
    targets = read_targets(against, registered)
    trusted = trust.read(targets.names)
    targets = replace(targets, device=_device(device), trust=trusted)
    return UnderLoad(targets=targets, user=name, password=password)


def _device(profile: str | None) -> "DeviceForm | None":
    from lasthop.study.fleet.device import DeviceForm
    from lasthop.study.fleet.device_profiles import device_profile
    from lasthop.study.text.faults import Fault

    if profile is None:
        return None
    try:
        device_profile(profile)
    except Fault as fault:
        raise UsageError(f"--device: {fault.what}; {fault.hint}") from None
    return DeviceForm.model_validate(profile)
