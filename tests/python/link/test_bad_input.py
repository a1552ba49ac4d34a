"""One line: where, what, what instead."""

import pytest

from .conftest import QUIET, Link


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("--delay", "100"), '--delay: "100" has no unit; write "100 ms"'),
        (
            ("--delay", "1s", "--jitter", "2s"),
            '--jitter: "2s" is more than the delay; write "1 s" or less',
        ),
        (("--jitter", "2s"), '--jitter: varies no delay; write --delay "100 ms" beside it'),
        (
            ("--queue", "5kB"),
            '--queue: "queue" has no effect without a rate; add "rate: 50 kbit/s", or remove it',
        ),
        (("--profile", "lt"), '--profile: there is no profile "lt"; did you mean "lte"?'),
        (("--up", "loss"), '--up: "loss" does not say what it sets; write, say, --up "loss=10%"'),
        (("--up", "loss=x"), '--up loss: "x" is not a percentage; write "10 %"'),
        (("--down", "los=1%"), '--down los: unknown key "los"; did you mean "loss"?'),
        (
            ("--set", "rate_kind=serial"),
            (
                '--set: "rate_kind=serial" does not say what it sets; write, say, '
                '--set "path.rate_kind=serial"'
            ),
        ),
        (
            ("--delay", "1ms", "--trace", "a.csv"),
            "--trace: the delay is given, too; write one of them",
        ),
        (
            ("--trace", "a.csv"),
            (
                '--trace: the file "a.csv" cannot be read; write the name of a CSV '
                "file in the folder of the study"
            ),
        ),
        (
            ("--summary=xml",),
            '--summary: "xml" is no form of it; write --summary or --summary=json',
        ),
        (
            ("--path", "chen-kunz-2016/twin", "--loss", "1%"),
            "--loss: the link is that of --path; change it by --set KEY=VALUE",
        ),
        (
            ("--path", "chen-kunz-2016/twin", "--group", "nurse"),
            "--group nurse: the study has gateway, caregiver; name one of them",
        ),
        (("--group", "nurse"), "--group nurse: is of a study; name it by --path"),
        (("--block", "upd"), "--block: unknown word \"upd\"; write 'udp' or 'tcp'"),
        (("--far", '"open'), "--far: No closing quotation; close the quotation"),
        (
            ("--port", "no-port"),
            "--port no-port: No such device; name an interface of Ethernet that `ip link` shows",
        ),
    ],
)
def test_what_is_wrong_is_told(link: Link, arguments: tuple[str, ...], line: str) -> None:
    done = link(*arguments, "--", "true")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"lasthop: {line}\n")


@pytest.mark.parametrize(
    ("server", "line"),
    [
        ("no-such-server", "--far: there is no program no-such-server here; install it"),
        (
            "sh -c 'echo cannot; exit 3'",
            "--far: sh ended with status 3 before it was ready; it said: cannot",
        ),
        (
            "sleep 60",
            (
                "--far: sleep was not ready after 0.5 s: it listens nowhere; --far-timeout gives "
                "it longer; it said nothing"
            ),
        ),
    ],
)
def test_a_server_that_does_not_get_ready_is_told(link: Link, server: str, line: str) -> None:
    done = link(*QUIET, "--far-timeout", "0.5", "--far", server, "--", "true")
    assert (done.returncode, done.stdout, done.stderr) == (4, "", f"lasthop: {line}\n")


def test_a_server_that_nobody_reaches_is_not_ready(link: Link, python: str) -> None:
    server = f"{python} -m http.server --bind 127.0.0.1 8000"
    done = link(*QUIET, "--far-timeout", "3", "--far", server, "--", "true")
    assert done.returncode == 4
    assert "it listens on tcp 127.0.0.1:8000 only, which the link does not reach" in done.stderr


def test_a_server_that_ends_too_early_is_told_and_the_status_stays(link: Link, python: str) -> None:
    serve = 'import socket, time; s = socket.create_server(("", 80)); time.sleep(0.5); print("bye")'
    done = link(*QUIET, "--far", f"{python} -c '{serve}'", "--", "sh", "-c", "sleep 1; exit 5")
    assert done.returncode == 5
    assert "ended with status 0 before the program did; it said: bye" in done.stderr
