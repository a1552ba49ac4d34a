"""Files of certificates and keys that a study names: shown, held against each other, never told."""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from tests.python.authority import (
    ISSUED,
    NAME,
    YEAR,
    Authority,
    Key,
    authority,
    p256,
    p384,
    pem,
    rsa_2048,
)

from .conftest import Lasthop

STUDY = f"""\
study: shown
duration: 10 s
measure: {{drain: 10 s}}
traffic: {{report: 100 B, every: 1 s}}
path: {{delay: 20 ms}}
stacks: [mqtt/tls]
repeat: 1
credentials:
  server: {{certificate: server.pem, key: server.key, name: {NAME}}}
  roots: roots.pem
"""


@dataclass(frozen=True, slots=True)
class Credentials:
    """The files of a study, in the folder of the command."""

    lasthop: Lasthop
    root: Authority

    def write(self, name: str, content: bytes) -> None:
        (self.lasthop.folder / name).write_bytes(content)

    def of_server(
        self, key: Key, form: serialization.PrivateFormat = serialization.PrivateFormat.PKCS8
    ) -> None:
        self.write("server.pem", self.root.issue(key))
        self.write("server.key", pem(key, form))


@pytest.fixture
def files(lasthop: Lasthop) -> Credentials:
    files = Credentials(lasthop, authority())
    certificate = files.root.certificate.public_bytes(serialization.Encoding.PEM)
    files.write("roots.pem", certificate)
    files.of_server(p256())
    return files


def test_every_secured_stack_shows_them_and_runs_again_as_it_ran(
    files: Credentials, lasthop: Lasthop
) -> None:
    files.write("device.pem", files.root.issue(key := p256(), "device.example", of_client=True))
    files.write("device.key", pem(key))
    secured = "mqtt/tls", "mqtt/quic", "coap/dtls dtls.auth=certificate"
    stacks = [
        f"{stack} {stack.split('/')[1].split()[0]}.client_certificate=on" for stack in secured
    ]
    study = STUDY.replace("[mqtt/tls]", str(stacks).replace("'", '"'))
    study += "  client: {certificate: device.pem, key: device.key}\n"
    lasthop.write("study.yaml", study)
    found = []
    for out in ("first", "second"):
        done = lasthop("run", "study.yaml", "--out", out, "--no-report")
        assert done.returncode == 0, done.stderr
        runs = pl.read_parquet(lasthop.folder / out / "runs.parquet")
        assert runs["delivery_ratio"].to_list() == [1.0] * 3
        found.append(runs.drop("wall_s", strict=False))
    assert found[0].equals(found[1])
    made = lasthop.write("made.yaml", study[: study.index("credentials:")])
    assert lasthop("run", made.name, "--out", "made", "--no-report").returncode == 0
    other = pl.read_parquet(lasthop.folder / "made" / "runs.parquet")
    assert not set(other["run_id"]) & set(found[0]["run_id"]), "a run is named by what is shown"


@pytest.mark.parametrize(
    ("key", "form", "option"),
    [
        (p256, serialization.PrivateFormat.TraditionalOpenSSL, "ecdsa_p256"),
        (rsa_2048, serialization.PrivateFormat.TraditionalOpenSSL, "rsa_2048"),
        (rsa_2048, serialization.PrivateFormat.PKCS8, "rsa_2048"),
        (ed25519.Ed25519PrivateKey.generate, serialization.PrivateFormat.PKCS8, "ed25519"),
    ],
)
def test_keys_are_of_every_kind_that_runs_have(
    files: Credentials,
    lasthop: Lasthop,
    key: Callable[[], Key],
    form: serialization.PrivateFormat,
    option: str,
) -> None:
    files.of_server(key(), form)
    lasthop.write("study.yaml", STUDY.replace("mqtt/tls", f"mqtt/tls tls.key={option}"))
    done = lasthop("run", "study.yaml", "--out", "results", "--no-report")
    assert done.returncode == 0, done.stderr
    runs = pl.read_parquet(lasthop.folder / "results" / "runs.parquet")
    assert runs["delivery_ratio"].to_list() == [1.0]


def test_no_word_of_a_key_is_anywhere(files: Credentials, lasthop: Lasthop) -> None:
    key = p256()
    files.of_server(key)
    lasthop.write("study.yaml", STUDY)
    options = ("--capture", "--keys")
    done = lasthop("run", "study.yaml", "--out", "results", *options)
    assert done.returncode == 0, done.stderr
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    number = key.private_numbers().private_value.to_bytes(32, "big")
    text = b"".join(pem(key).splitlines()[1:-1])
    canaries = [
        number,
        number.hex().encode(),
        base64.b64encode(number)[:-2],
        text[-40:],
        b"PRIVATE KEY",
    ]
    told = {"stdout": done.stdout.encode(), "stderr": done.stderr.encode()}
    results = lasthop.folder / "results"
    told |= {str(file): file.read_bytes() for file in results.rglob("*") if file.is_file()}
    assert any(name.endswith(".pcapng") for name in told)
    for name, content in told.items():
        for canary in canaries:
            assert canary not in content, name


@pytest.mark.usefixtures("files")
def test_what_a_result_does_not_keep_cannot_be_explained(lasthop: Lasthop) -> None:
    lasthop.write("study.yaml", STUDY)
    assert lasthop("run", "study.yaml", "--out", "results", "--no-report").returncode == 0
    runs = pl.read_parquet(lasthop.folder / "results" / "runs.parquet")
    done = lasthop("explain", runs["run_id"][0], "1", "--in", "results")
    assert done.returncode == 2, done.stdout
    assert "no result keeps" in done.stderr


def _without(name: str) -> Callable[[Credentials], None]:
    return lambda files: (files.lasthop.folder / name).unlink()


def _of_another(files: Credentials) -> None:
    files.write("server.key", pem(p256()))


def _of_a_root_unknown(files: Credentials) -> None:
    files.write("server.pem", authority("Another root").issue(key := p256()))
    files.write("server.key", pem(key))


def _of_a_client(files: Credentials) -> None:
    files.write("server.pem", files.root.issue(key := p256(), of_client=True))
    files.write("server.key", pem(key))


def _later(files: Credentials) -> None:
    files.write("server.pem", files.root.issue(key := p256(), issued=ISSUED + YEAR))
    files.write("server.key", pem(key))


def _outside(files: Credentials) -> None:
    (files.lasthop.folder / "server.key").unlink()
    (files.lasthop.folder / "server.key").symlink_to("/etc/hostname")


BAD: dict[str, tuple[Callable[[Credentials], object], tuple[str, str], str]] = {
    "a missing file": (_without("server.key"), ("", ""), "server.key"),
    "a folder": (lambda _: None, ("roots: roots.pem", "roots: ."), "directory"),
    "no certificate": (
        lambda files: files.write("server.pem", b"nothing"),
        ("", ""),
        "no certificate in it",
    ),
    "a certificate in place of its key": (
        lambda _: None,
        ("key: server.key", "key: server.pem"),
        "no private key in it",
    ),
    "a key with a password": (
        lambda files: files.write(
            "server.key",
            p256().private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.BestAvailableEncryption(b"secret"),
            ),
        ),
        ("", ""),
        "without a password",
    ),
    "the key of another": (_of_another, ("", ""), "not that of the certificate"),
    "a key of a kind that runs do not have": (
        lambda files: files.of_server(p384()),
        ("", ""),
        "P-256",
    ),
    "another name": (lambda _: None, (NAME, "other.example.com"), "another name"),
    "no name": (lambda _: None, (NAME, '"not a name"'), "no name of a host"),
    "an unknown root": (_of_a_root_unknown, ("", ""), "no root"),
    "another use": (_of_a_client, ("", ""), "another use"),
    "not yet valid": (_later, ("", ""), "valid from 2026-06-01 on"),
    "expired": (
        lambda _: None,
        ("  roots:", "  date: 2026-06-02\n  roots:"),
        "valid until 2026-06-01",
    ),
    "no day": (lambda _: None, ("  roots:", "  date: 1 June\n  roots:"), "is not a date"),
    "outside of the folder": (_outside, ("", ""), "outside the folder"),
    "a stack that says something else": (
        lambda _: None,
        ("mqtt/tls", "mqtt/tls tls.key=rsa_2048"),
        "tls.key=ecdsa_p256",
    ),
    "a chain that is shorter": (
        lambda _: None,
        ("mqtt/tls", "mqtt/tls tls.chain=2"),
        "tls.chain=1",
    ),
    "no secured stack": (lambda _: None, ("mqtt/tls", "mqtt"), "study uses certificates"),
    "clients without any": (
        lambda _: None,
        ("mqtt/tls", "mqtt/tls tls.client_certificate=on"),
        'add "client:',
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_no_peer_would_believe_is_refused_at_its_place(
    files: Credentials, lasthop: Lasthop, case: str
) -> None:
    change, (old, new), said = BAD[case]
    change(files)
    study = lasthop.write("study.yaml", STUDY.replace(old, new, 1) if old else STUDY)
    done = lasthop("run", study.name, "--out", "results", "--no-report")
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "study.yaml:" in done.stderr
    assert "Traceback" not in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2, done.stderr
    assert not Path(lasthop.folder, "results").exists()


KEYED = """\
study: keyed
duration: 10 s
measure: {drain: 10 s}
devices: 2
traffic: {report: 100 B, every: 1 s}
path: {delay: 20 ms}
stacks: [coap/dtls]
repeat: 1
credentials:
  keys: devices.psk
"""

KEY = "8c1f0e6d5b4a39287766554433221100"
"""Of the first device."""

OF_TWO = f"# of two\ndevice-0:{KEY}\ndevice-1:0123456789abcdef0123456789abcdef0123456789abcdef\n"


def test_both_ends_of_dtls_have_the_keys_of_a_file_and_no_result_has(lasthop: Lasthop) -> None:
    lasthop.write("devices.psk", OF_TWO)
    lasthop.write("study.yaml", KEYED)
    done = lasthop("run", "study.yaml", "--out", "results", "--capture", "--keys")
    assert done.returncode == 0, done.stderr
    results = lasthop.folder / "results"
    runs = pl.read_parquet(results / "runs.parquet")
    assert runs["delivery_ratio"].to_list() == [1.0]
    key = bytes.fromhex(KEY)
    canaries = [KEY.encode(), KEY.upper().encode(), key, base64.b64encode(key)[:-2]]
    told = {"stdout": done.stdout.encode(), "stderr": done.stderr.encode()}
    told |= {str(file): file.read_bytes() for file in results.rglob("*") if file.is_file()}
    assert any(name.endswith(".pcapng") and b"device-0" in told[name] for name in told), "a name"
    for name, content in told.items():
        assert not any(canary in content for canary in canaries), name
    made = lasthop.write("made.yaml", KEYED[: KEYED.index("credentials:")])
    assert lasthop("run", made.name, "--out", "made", "--no-report").returncode == 0
    other = pl.read_parquet(lasthop.folder / "made" / "runs.parquet")
    assert set(other["run_id"]) != set(runs["run_id"]), "a run is named by who has keys"
    assert other["wire_bytes_up_offered"].to_list() == runs["wire_bytes_up_offered"].to_list(), (
        "but sent as much"
    )
    lasthop.write("devices.psk", OF_TWO.replace(KEY, KEY[::-1]))
    assert lasthop("run", "study.yaml", "--out", "others", "--no-report").returncode == 0
    others = pl.read_parquet(lasthop.folder / "others" / "runs.parquet")
    assert set(others["run_id"]) != set(runs["run_id"]), "and by their keys"


BAD_KEYS: dict[str, tuple[str | bytes | None, tuple[str, str], str]] = {
    "a missing file": (None, ("", ""), '10:9: credentials.keys: "devices.psk"'),
    "a folder": (OF_TWO, ("devices.psk", "."), "directory"),
    "no text": (b"\xff\xfe", ("", ""), '10:9: credentials.keys: "devices.psk" is not a text file'),
    "nothing": ("", ("", ""), "there is no identity:key in it"),
    "a certificate": ("-----BEGIN CERTIFICATE-----\n", ("", ""), "line 1: no identity:key"),
    "no digits": (f"{OF_TWO}device-2:zz\n", ("", ""), "line 4: a key has 1 to 64 bytes"),
    "half a byte": ("device-0:123\n", ("", ""), "line 1: a key has 1 to 64 bytes"),
    "too long": (f"device-0:{'00' * 65}\n", ("", ""), "line 1: a key has 1 to 64 bytes"),
    "one name twice": (OF_TWO + "device-1:00\n", ("", ""), "line 4: the identity stands there"),
    "a device without": (f"device-0:{KEY}\n", ("", ""), '"device-1" has no key for this device'),
    "outside of the folder": (OF_TWO, ("devices.psk", "../devices.psk"), "outside the folder"),
    "no stack with keys": (
        OF_TWO,
        ("coap/dtls", "coap"),
        "no stack of the study uses a pre-shared key",
    ),
    "nothing at all": (OF_TWO, ("keys: devices.psk", "date: 2026-01-01"), "no certificate and no"),
    "roots alone": (OF_TWO, ("keys:", "roots: devices.psk\n  keys:"), '"roots" is given without'),
}


@pytest.mark.parametrize("case", BAD_KEYS)
def test_keys_that_cannot_be_are_refused_at_their_place(lasthop: Lasthop, case: str) -> None:
    content, (old, new), said = BAD_KEYS[case]
    if content is not None:
        written = content if isinstance(content, bytes) else content.encode()
        (lasthop.folder / "devices.psk").write_bytes(written)
    study = lasthop.write("study.yaml", KEYED.replace(old, new, 1) if old else KEYED)
    done = lasthop("run", study.name, "--out", "results", "--no-report")
    assert done.returncode == 2, done.stderr
    assert said in done.stderr
    assert "study.yaml:" in done.stderr
    assert len(done.stderr.strip().splitlines()) <= 2, done.stderr
    assert KEY not in done.stderr
    assert not Path(lasthop.folder, "results").exists()
