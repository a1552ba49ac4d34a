"""Servers of others with the certificates of a run: TLS, WebSockets, QUIC, nginx before them."""

import base64
import shutil
import stat
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from tests.python.authority import NAME, authority, p256, pem

from lasthop.adapters import Bindings, PresentedFiles, ServerProcess, adapter_of
from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.outcome.results import Results
from lasthop.running import live_engine
from lasthop.running.captured_hosts import CapturedHosts
from lasthop.running.plan import Plan
from lasthop.running.run import carry_out
from lasthop.study import load_study

from .conftest import installed

FOLDER = Path(__file__).parent
Needs = Callable[..., None]

ONE_WAY_MS = 30.0
"""The delay of the study's link."""

MESSAGES = 4


def _run(
    stacks: Sequence[str],
    out: Path,
    *,
    bindings: Bindings | None = None,
    capture: CapturedHosts | None = None,
    set_up: str = "2 min",
) -> Results:
    settings = {
        "stacks": f"[{', '.join(stacks)}]",
        "duration": f"{MESSAGES * 250} ms",
        "measure.warm_up": "0 s",
        "measure.set_up": set_up,
    }
    study = load_study(FOLDER / "mosquitto.yaml", overrides=list(settings.items()))
    return carry_out(Plan(study), out=out, jobs=3, bindings=bindings, capture=capture).results


def _need(needs: Needs, *servers: str) -> None:
    needs()
    for name in servers:
        adapter = adapter_of(name)
        assert adapter is not None
        installed(adapter)


def _check_runs(results: Results, count: int) -> None:
    runs = results.runs
    assert runs["status"].to_list() == ["completed"] * count, runs["reason"].to_list()
    assert runs["delivery_ratio"].to_list() == [1.0] * count
    for latency in runs["latency_p50_ms"]:
        assert latency >= 2 * ONE_WAY_MS


@pytest.mark.soak
def test_mosquitto_shows_the_certificates_of_a_run(needs: Needs, tmp_path: Path) -> None:
    _need(needs, "mosquitto")
    stacks = (
        "mqtt/tls impl=mosquitto",
        "mqtt/tls impl=mosquitto tls.version=1.2 tls.key=rsa_2048 tls.chain=3",
        "mqtt/tls impl=mosquitto tls.key=ed25519 tls.client_certificate=on",
        "mqtt/ws impl=mosquitto",
        "mqtt/ws/tls impl=mosquitto tls.client_certificate=on",
    )
    _check_runs(_run(stacks, tmp_path / "out"), len(stacks))


def test_our_server_on_sockets_has_every_layer_of_a_study(needs: Needs, tmp_path: Path) -> None:
    needs()
    stacks = (
        "mqtt/tls impl=lasthop",
        "mqtt/ws/tls impl=lasthop tls.client_certificate=on",
        "mqtt/quic impl=lasthop quic.client_certificate=on",
    )
    _check_runs(_run(stacks, tmp_path / "out"), len(stacks))


@pytest.mark.smoke("nginx")
def test_nginx_ends_tls_before_a_broker(needs: Needs, tmp_path: Path) -> None:
    _need(needs, "mosquitto", "nginx")
    stacks = (
        "mqtt/tls impl=nginx+mosquitto",
        "mqtt/ws/tls impl=nginx+lasthop tls.client_certificate=on",
    )
    results = _run(stacks, tmp_path / "out")
    _check_runs(results, len(stacks))
    programs = results.programs
    for stack, behind in zip(stacks, ("mosquitto", "lasthop"), strict=True):
        (run_id,) = results.runs.filter(stack=stack)["run_id"]
        of_run = programs.filter(run_id=run_id)
        assert of_run["software"].to_list() == ["nginx", behind]
        assert (of_run["cpu_s"] > 0).all()
        for log in (f"{run_id}-server.log", f"{run_id}-server-nginx.log"):
            assert (results.path / "logs" / log).is_file()
    (by_mosquitto,) = results.runs.filter(stack=stacks[0])["run_id"]
    log = (results.path / "logs" / f"{by_mosquitto}-server.log").read_text()
    assert "New connection from 127.0.0.1" in log, "who comes, comes from nginx"


@pytest.mark.parametrize(
    ("stack", "says"),
    [
        (
            "mqtt/tls impl=nginx",
            "it is a proxy and needs a server behind it; write impl=nginx.mosquitto",
        ),
        (
            "mqtt impl=nginx+mosquitto",
            "nginx terminates tls, which the stack of mqtt/tcp",
        ),
        ("mqtt/tls impl=mosquitto+nginx", "mosquitto is a server and not a proxy"),
        ("mqtt/tls impl=nginx+nginx", r"it is a proxy and needs a server behind it"),
        ("mqtt/tls impl=nginx+nobody", "impl=nobody: there is no server software of this name"),
        (
            "mqtt/tls impl=mosquitto tls.raw_key=on",
            "it presents certificates and not raw public keys; remove tls.raw_key",
        ),
        ("mqtt/tls impl=nginx+mosquitto tls.raw_key=on", "impl=nginx: it presents certificates"),
        ("mqtt/tls impl=rabbitmq", "it does not serve mqtt/tls/tcp"),
        ("mqtt/tls impl=mine", r"must present a certificate; put \{certificate\} and \{key\}"),
    ],
)
def test_what_cannot_be_served_is_said_before_the_first_run(
    needs: Needs, tmp_path: Path, stack: str, says: str
) -> None:
    _need(needs, "mosquitto", "nginx", "rabbitmq")
    with pytest.raises(UsageError, match=says):
        _run([stack], tmp_path / "out", bindings=Bindings.read(["mine=sleep {port}"]))
    assert not (tmp_path / "out").exists()


def test_nginx_without_its_module_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = adapter_of("nginx")
    assert adapter is not None
    installed(adapter)
    monkeypatch.setattr("lasthop.adapters.nginx._MODULE", Path("/nowhere/module.so"))
    with pytest.raises(EnvironmentFailure, match=r"module\.so is missing; apt-get install nginx"):
        adapter.find()


@pytest.mark.soak
def test_tshark_reads_what_mosquitto_says_by_the_keys_of_our_clients(
    needs: Needs, tmp_path: Path
) -> None:
    _need(needs, "mosquitto")
    needs("tshark")
    results = _run(["mqtt/tls impl=mosquitto"], tmp_path / "out", capture=CapturedHosts(keys=True))
    (run_id,) = results.runs["run_id"]
    captures = results.path / "captures"
    reading = ("-o", f"tls.keylog_file:{captures / f'{run_id}.keys'}", "-d", "tcp.port==8883,tls")
    shown = subprocess.run(
        ["tshark", "-r", captures / f"{run_id}.device-0.pcapng", *reading, "-Y", "mqtt"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert "Connect Ack" in shown
    assert shown.count("Publish Message") >= 2 * MESSAGES, "there and back"
    # Without them the ledger knows of mosquitto's bytes what stands in the clear, and of ours all.
    ledger = results.ledger.filter(fate="offered")
    assert ledger.filter(direction="up", cause="opaque").is_empty()
    sealed = ledger.filter(direction="down", layer="tls")
    assert set(sealed["cause"]) == {"header", "session_set_up", "opaque"}


@pytest.mark.soak
def test_files_of_a_study_are_shown_by_mosquitto(needs: Needs, tmp_path: Path) -> None:
    _need(needs, "mosquitto")
    root, key = authority(), p256()
    of_root = root.certificate.public_bytes(serialization.Encoding.PEM)
    files = {"server.pem": root.issue(key), "server.key": pem(key), "roots.pem": of_root}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    study = tmp_path / "study.yaml"
    study.write_text(
        "study: shown\nengine: live\nduration: 1 s\nmeasure: {drain: 1 s}\n"
        "traffic: {round_trip: 9 B, every: 250 ms}\n"
        "path: {delay: 30 ms}\nstacks: [mqtt/tls impl=mosquitto]\nrepeat: 1\n"
        f"credentials:\n  server: {{certificate: server.pem, key: server.key, name: {NAME}}}\n"
        "  roots: roots.pem\n"
    )
    results = carry_out(Plan(load_study(study)), out=tmp_path / "out", capture=CapturedHosts())
    _check_runs(results.results, 1)
    secret = base64.b64decode(b"".join(pem(key).splitlines()[1:-1]))[36:68]
    for file in (tmp_path / "out").rglob("*"):
        assert file.is_dir() or secret not in file.read_bytes()


def test_a_certificate_of_another_root_is_refused(needs: Needs, tmp_path: Path) -> None:
    _need(needs, "mosquitto")
    needs("openssl")
    key, certificate = tmp_path / "own.key", tmp_path / "own.pem"
    made = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-x509")
    named = ("-subj", "/CN=server.example", "-addext", "subjectAltName=DNS:server.example")
    files = ("-keyout", key, "-out", certificate)
    subprocess.run(["openssl", "req", *made, *named, *files], check=True, capture_output=True)
    configuration = tmp_path / "own.conf"
    configuration.write_text(
        f"user root\nallow_anonymous true\nlistener 8883\ncertfile {certificate}\nkeyfile {key}\n"
    )
    program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
    own = f"mine=sh -c 'exec {program} -c {configuration}' {{certificate}} {{key}}"
    bindings = Bindings.read([own])
    results = _run(["mqtt/tls impl=mine"], tmp_path / "out", bindings=bindings, set_up="2 s")
    (run,) = results.runs.to_dicts()
    assert run["status"] == "failed"
    assert run["reason"] == "session_not_set_up"
    (log,) = (results.path / "logs").iterdir()
    assert "alert" in log.read_text(), "mosquitto is told why"


def test_the_key_of_a_run_is_read_by_its_server_alone_and_goes_with_it(
    needs: Needs, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _need(needs, "mosquitto", "nginx")
    written: list[PresentedFiles] = []
    secrets: list[bytes] = []
    seen: list[bytes] = []
    write, enter = PresentedFiles.write.__func__, ServerProcess.__enter__  # type: ignore[attr-defined]

    def noting(
        kind: type[PresentedFiles], folder: Path, files: Sequence[str | None]
    ) -> PresentedFiles:
        shown: PresentedFiles = write(kind, folder, files)
        written.append(shown)
        lines = shown.key.read_text().splitlines()
        assert (lines[0], lines[-1]) == (
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
        )
        secrets.extend(line.encode() for line in lines[1:-1])
        # The secret itself, as PKCS #8 of P-256 has it (RFC 5915 section 3).
        secrets.append(base64.b64decode("".join(lines[1:-1]))[36:68])
        for file in (shown.certificate, shown.key, shown.client_roots):
            assert file is not None
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
        return shown

    def looking(process: ServerProcess) -> ServerProcess:
        enter(process)
        told = Path("/proc", str(process._started().pid))
        seen.extend((told / name).read_bytes() for name in ("cmdline", "environ"))
        return process

    monkeypatch.setattr(PresentedFiles, "write", classmethod(noting))
    monkeypatch.setattr(ServerProcess, "__enter__", looking)
    # A run that was too late would be done again, with files of its own.
    monkeypatch.setattr(live_engine, "LATENESS_LIMITS_MS", {})
    monkeypatch.setattr(live_engine, "PROGRAM_WAIT_LIMIT_MS", float("inf"))
    stacks = [
        f"mqtt/tls impl={name} tls.client_certificate=on"
        for name in ("mosquitto", "lasthop", "nginx+mosquitto")
    ]
    results = _run(stacks, tmp_path / "out", capture=CapturedHosts(keys=True))
    _check_runs(results, len(stacks))
    assert len(written) == len(stacks)
    assert not any(shown.key.parent.exists() for shown in written)
    seen += [file.read_bytes() for file in results.path.rglob("*") if file.is_file()]
    assert len(seen) > 2 * len(stacks)
    for secret in secrets:
        assert len(secret) > 16
        assert not any(secret in content for content in seen)
