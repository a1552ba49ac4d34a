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
        (
            ("--jitter", "2s"),
            '--jitter: there is no delay that it could vary; add --delay "100 ms"',
        ),
        (
            ("--queue", "5kB"),
            '--queue: "queue" has no effect without a rate; add "rate: 50 kbit/s", or remove it',
        ),
        (("--profile", "lt"), '--profile: there is no profile "lt"; did you mean "lte"?'),
        (("--up", "loss"), '--up: "loss" is not KEY=VALUE; write for example --up "loss=10%"'),
        (("--up", "loss=x"), '--up loss: "x" is not a percentage; write "10 %"'),
        (("--down", "los=1%"), '--down los: unknown key "los"; did you mean "loss"?'),
        (
            ("--set", "rate_kind=serial"),
            (
                '--set: "rate_kind=serial" is not KEY=VALUE; write for example --set '
                '"path.rate_kind=serial"'
            ),
        ),
        (
            ("--delay", "1ms", "--trace", "a.csv"),
            "--trace: --delay is given, too; remove one of them",
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
            '--summary: "xml" is not a known format; write --summary or --summary=json',
        ),
        (
            ("--path", "chen-kunz-2016/twin", "--loss", "1%"),
            "--loss: --path already sets the link; change it with --set KEY=VALUE",
        ),
        (
            ("--path", "chen-kunz-2016/twin", "--group", "nurse"),
            "--group nurse: the study has no such group; write one of gateway, caregiver",
        ),
        (("--group", "nurse"), "--group nurse: it works only with a study; add --path STUDY"),
        (("--block", "upd"), '--block: unknown value "upd"; write "udp" or "tcp"'),
        (("--far", '"open'), "--far: No closing quotation; close the quotes"),
        (
            ("--port", "no-port"),
            '--port no-port: No such device; write an Ethernet interface that "ip link" shows',
        ),
    ],
)
def test_what_is_wrong_is_told(link: Link, arguments: tuple[str, ...], line: str) -> None:
    done = link(*arguments, "--", "true")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"lasthop: {line}\n")


@pytest.mark.parametrize(
    ("server", "line"),
    [
        (
            "no-such-server",
            "--far: there is no program no-such-server; install it, or write its path",
        ),
        (
            "sh -c 'echo cannot; exit 3'",
            "--far: sh ended with status 3 before it was ready; it printed: cannot",
        ),
        (
            "sleep 60",
            (
                "--far: sleep was not ready after 0.5 s: it does not listen on any "
                "port; check its command, or write a longer --far-timeout; it "
                "printed nothing"
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
    assert "it listens only on tcp 127.0.0.1:8000, which the link cannot reach" in done.stderr


def test_a_server_that_ends_too_early_is_told_and_the_status_stays(link: Link, python: str) -> None:
    serve = 'import socket, time; s = socket.create_server(("", 80)); time.sleep(0.5); print("bye")'
    done = link(*QUIET, "--far", f"{python} -c '{serve}'", "--", "sh", "-c", "sleep 1; exit 5")
    assert done.returncode == 5
    assert "ended with status 0 before the program did; it printed: bye" in done.stderr
