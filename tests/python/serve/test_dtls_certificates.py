"""`serve coap --dtls` and `coaps://` by certificates: ours, OpenSSL and libcoap in both roles."""

from pathlib import Path

import pytest
from benchmarks.certificates import Credentials, make, run

from .conftest import FindProgram, RunClient, Server, StartServer
from .test_dtls import CANARY, ask_by_hand, assert_answered, program_at_a_port
from .test_tls_peers import secured, shown

SUITE = "ECDHE-ECDSA-AES128-CCM8"
VERSIONS = ("1.2", "1.3")


@pytest.fixture
def openssl(find_program: FindProgram) -> str:
    return find_program("openssl", "openssl")


@pytest.fixture
def ours(tmp_path: Path, openssl: str) -> Credentials:
    (folder := tmp_path / "ours").mkdir()
    return make(openssl, folder, "ec")


@pytest.fixture
def strange(tmp_path: Path, openssl: str) -> Credentials:
    (folder := tmp_path / "strange").mkdir()
    return make(openssl, folder, "ec")


@pytest.fixture
def server(serve: StartServer, ours: Credentials) -> Server:
    return serve("coap", *secured(ours), "--dtls=1.2", f"--client-ca={ours.authority}")


@pytest.mark.parametrize("version", VERSIONS)
def test_our_client_speaks_with_our_server(
    serve: StartServer, lasthop: RunClient, ours: Credentials, version: str
) -> None:
    server = serve("coap", *secured(ours), f"--dtls={version}")
    assert server.urls == [f"coaps://127.0.0.1:{server.port}"]
    url, trust = f"{server.urls[0]}/ps/door", (f"--cafile={ours.authority}", f"--dtls={version}")
    done = lasthop("put", url, CANARY, *trust)
    assert (done.returncode, done.stderr) == (0, "")
    done = lasthop("get", url, *trust)
    assert (done.returncode, done.stdout) == (0, f"{CANARY}\n")


@pytest.mark.parametrize("version", VERSIONS)
def test_who_is_not_believed_is_told_why(
    serve: StartServer, lasthop: RunClient, ours: Credentials, strange: Credentials, version: str
) -> None:
    wants = f"--client-ca={ours.authority}"
    server = serve("coap", *secured(ours), f"--dtls={version}", wants)
    url, named = f"{server.urls[0]}/.well-known/core", f"--dtls={version}"
    done = lasthop("get", url, named, f"--cafile={ours.authority}", *shown(ours))
    assert (done.returncode, done.stderr) == (0, "")
    for believed, credentials, said in [
        (strange, (), "signed by nobody in the CA file"),
        (ours, (), "wants a certificate"),
        (ours, shown(strange), "does not believe the certificate"),
    ]:
        done = lasthop("get", url, named, f"--cafile={believed.authority}", *credentials)
        assert (done.returncode, done.stdout) == (4, "")
        (line,) = done.stderr.splitlines()
        assert said in line


def test_a_client_of_an_older_version_is_told_so(
    serve: StartServer, lasthop: RunClient, ours: Credentials
) -> None:
    server = serve("coap", *secured(ours), "--dtls=1.3")
    done = lasthop("get", f"{server.urls[0]}/.well-known/core", f"--cafile={ours.authority}")
    assert (done.returncode, done.stdout) == (4, "")
    assert "another version of DTLS" in done.stderr


@pytest.mark.soak
def test_openssl_shows_its_certificate_to_our_server(
    server: Server, openssl: str, ours: Credentials
) -> None:
    place = ("-connect", f"127.0.0.1:{server.port}", "-cipher", SUITE)
    trust = ("-CAfile", str(ours.authority), "-verify_return_error")
    own = ("-cert", str(ours.certificate), "-key", str(ours.key))
    ask_by_hand([openssl, "s_client", "-dtls1_2", "-quiet", *place, *trust, *own])


@pytest.mark.soak
def test_our_client_shows_its_certificate_to_openssl(openssl: str, ours: Credentials) -> None:
    def command(port: int) -> list[str]:
        return [
            *(openssl, "s_server", "-dtls1_2", "-accept", f"127.0.0.1:{port}", "-quiet"),
            *("-cert", str(ours.certificate), "-key", str(ours.key), "-cipher", SUITE, "-listen"),
            *("-CAfile", str(ours.authority), "-Verify", "1", "-verify_return_error"),
        ]

    with program_at_a_port(command) as (port, process):
        url = f"coaps://127.0.0.1:{port}/door"
        assert_answered(process, url, f"--cafile={ours.authority}", *shown(ours))


def of_libcoap(files: Credentials) -> tuple[str, ...]:
    own = ("-c", str(files.certificate), "-j", str(files.key))
    return (*own, "-C", str(files.authority))


@pytest.mark.soak
def test_libcoap_shows_its_certificate_to_our_server(
    server: Server, find_program: FindProgram, ours: Credentials
) -> None:
    program = find_program("coap-client-openssl", "libcoap3-bin")
    own, url = of_libcoap(ours), f"{server.urls[0]}/ps/door"
    run(program, *own, "-B", "30", "-m", "put", "-e", CANARY, url)
    assert run(program, *own, "-B", "30", url).strip() == CANARY


@pytest.mark.soak
def test_our_client_shows_its_certificate_to_libcoap(
    lasthop: RunClient, find_program: FindProgram, ours: Credentials
) -> None:
    program = find_program("coap-server-openssl", "libcoap3-bin")

    def command(port: int) -> list[str]:
        # The secured port is the one above the plain one.
        return [program, "-A", "127.0.0.1", "-p", str(port - 1), *of_libcoap(ours), "-d", "10"]

    with program_at_a_port(command) as (port, _):
        url = f"coaps://127.0.0.1:{port}/door"
        trust = (f"--cafile={ours.authority}", *shown(ours))
        done = lasthop("put", url, CANARY, *trust)
        assert (done.returncode, done.stderr) == (0, "")
        done = lasthop("get", url, *trust)
        assert (done.returncode, done.stdout) == (0, f"{CANARY}\n")


def test_what_cannot_be_shown_by_dtls_is_told_with_its_place(
    lasthop: RunClient, ours: Credentials, tmp_path: Path, openssl: str
) -> None:
    (folder := tmp_path / "rsa").mkdir()
    rsa, chain = make(openssl, folder, "rsa"), tmp_path / "chain.pem"
    chain.write_bytes(ours.certificate.read_bytes() + ours.authority.read_bytes())
    listen, trust = "--listen=127.0.0.1:0", f"--cafile={ours.authority}"
    two = (f"--tls-cert={chain}", f"--tls-key={ours.key}")
    for arguments, said in [
        (("serve", "coap", listen, "--dtls=1.2"), "add --tls-cert FILE --tls-key FILE"),
        (("serve", "coap", listen, "--dtls=1.1", *secured(ours)), "write 1.2 or 1.3"),
        (("serve", "mqtt", listen, "--dtls=1.2", *secured(ours)), "is not served by DTLS"),
        (("serve", "coap", listen, *secured(ours)), "or coap by --dtls 1.2"),
        (("serve", "coap", listen, "--dtls=1.2", *secured(rsa)), f"{rsa.certificate}: DTLS shows"),
        (("serve", "coap", listen, "--dtls=1.3", *two), f"{chain}: DTLS shows one certificate"),
        (
            ("serve", "coap", listen, "--dtls=1.2", *secured(ours), f"--dtls-psk={ours.key}"),
            "remove one of them",
        ),
        (("get", "coaps://127.0.0.1/a", trust, *shown(rsa)), f"{rsa.certificate}: DTLS shows"),
        (("get", "coaps://127.0.0.1/a", trust, "--dtls=2"), "write 1.2 or 1.3"),
        (("get", "coaps://127.0.0.1/a", "--dtls=1.3"), "--cafile FILE"),
        (("get", "coaps://a b/a", trust), "is no name of a host"),
    ]:
        done = lasthop(*arguments)
        assert (done.returncode, done.stdout) == (2, ""), (arguments, done.stderr)
        (line,) = done.stderr.splitlines()
        assert said in line
