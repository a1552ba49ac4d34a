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
    '--against mqtts://broker:8883 --cafile ca.pem --set "stacks=[mqtt/tls]" --hardware esp8266'
)


def command(  # noqa: PLR0913  (an argument is an option)
    study: Annotated[
        str,
        typer.Argument(metavar="STUDY", help="Study file, or a name that lasthop studies lists."),
    ],
    *,
    against: Annotated[
        list[str],
        typer.Option(
            "--against",
            metavar="ADDRESS",
            help="Address of the server, for example mqtt://broker:1883. Without a scheme: "
            "HOST[:PORT]. Schemes: mqtt, mqtts, ws, wss, quic, coap, coaps, coap+tcp, "
            "coaps+tcp, json_udp, raw_udp, raw_tcp. Repeatable, once for each protocol of "
            "the study. Required.",
        ),
    ],
    user: options.MqttUser = None,
    devices: Annotated[
        Path | None,
        typer.Option(
            "--devices",
            metavar="FILE",
            help="Devices file for a device gateway (lasthop serve gateway), as lasthop gateway "
            "device add --new-key writes it. Each device presents its own tokens over MQTT "
            "or HTTP. A report counts as delivered when the gateway acknowledges it. "
            "Default: the server is not a device gateway.",
        ),
    ] = None,
    hardware: Annotated[
        str | None,
        typer.Option(
            "--hardware",
            metavar="PROFILE",
            help="Hardware profile of constrained devices, for example esp8266. Their "
            "processing takes time, and they can crash and boot. TCP and UDP stay those of "
            "the kernel. The study key is device. Default: devices without limits.",
        ),
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(
            "--device",
            metavar="PROFILE",
            hidden=True,
            help="Old name of --hardware, for this version only. Default: none.",
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
            help="File with the pre-shared keys for coaps://, lines identity:key, with the key "
            "in hexadecimal digits. A single key is used by all devices. With several, "
            "each device uses the one with its own name, for example device-0. Only its "
            "owner may read it (chmod 600). Default: certificates, see --cafile.",
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
    """Send the traffic of a study to a server over the real network, and judge the result.

    Messages are sent on schedule, even if the server cannot keep up (open loop), and latency
    counts from the scheduled time. There is one run at a time, on one thread. Load only servers
    that you are allowed to load.
    """
    from lasthop.cli.execution import Request, execute_plan
    from lasthop.live.load_trust import TrustAsked
    from lasthop.study.rules.under_load import check_somebody_loads

    trust = TrustAsked(psk, cafile, cert, key)
    constrained = _device(_hardware(hardware, device))
    under_load = _under_load(against, user, devices, constrained, trust)
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


def _hardware(hardware: str | None, device: str | None) -> str | None:
    """Give the profile, also of the old option; note that it has a new name."""
    if device is None:
        return hardware
    if hardware is not None:
        raise UsageError("--device: this is the old name of --hardware; remove --device")
    complain("--device: this option is now --hardware; the next version drops the old name")
    return device


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
    device: "DeviceForm | None",
    trust: "TrustAsked",
) -> "UnderLoad":
    from lasthop.cli.execution import UnderLoad
    from lasthop.live.access import read_user
    from lasthop.live.targets import read_targets
    from lasthop.study.registered_devices import read_registered

    name, password = (None, None) if user is None else read_user(user)
    if devices is not None and user is not None:
        raise UsageError(
            "--user: devices of a gateway authenticate with tokens; remove --user or --devices"
        )
    registered = () if devices is None else read_registered(devices)
    targets = read_targets(against, registered)
    trusted = trust.read(targets.names)
    targets = replace(targets, device=device, trust=trusted)
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
        raise UsageError(f"--hardware: {fault.what}; {fault.hint}") from None
    return DeviceForm.model_validate(profile)
