"""The server of the page: for who has the token, and never over somebody else's change."""

import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

import lasthop
from lasthop.errors import EnvironmentFailure
from lasthop.ui import Session, UiServer, answers

from .conftest import STUDY, Page


def finished(page: Page) -> dict[str, object]:
    """Wait for the end of the campaign and return its state."""
    for _ in range(600):
        campaign: dict[str, object] = page.state()["campaign"]
        if not campaign["running"]:
            return campaign
        time.sleep(0.1)
    pytest.fail("the campaign does not end")


@pytest.mark.parametrize("path", ["/", "/report", "/api/state", "/api/study", "/elsewhere"])
@pytest.mark.parametrize("token", ["", "wrong", "\u00e4"])
def test_without_the_token_nothing_is_shown(page: Page, path: str, token: str) -> None:
    token = token.encode().decode("latin-1")
    status, told = page.ask(path, token=token)
    assert status == 403
    assert b"Open the address that lasthop ui printed" in told
    assert b"meters" not in told


def test_without_the_token_nothing_is_written(page: Page) -> None:
    edited = json.dumps({"text": "study: other"}).encode()
    other = page.server.token[::-1]
    assert page.ask("/api/edit", edited, token=other)[0] == 403
    assert page.send("/api/edit", text=STUDY)["text"] == STUDY
    assert page.ask("/api/ledger?name=x", b"1234", token="")[0] == 403


def test_the_page_needs_nothing_from_a_network(page: Page) -> None:
    status, told = page.ask("/")
    assert status == 200
    text = told.decode()
    assert "http://www.w3.org/2000/svg" in text or "https://" not in text
    assert "src=" not in text.replace("script-src", "")


def test_a_port_that_is_taken_is_one_clear_line(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        session = Session(tmp_path / "study.yaml", results=tmp_path)
        with pytest.raises(EnvironmentFailure, match=f"{port}: address already in use; choose"):
            UiServer(session, port=port)


def test_a_fault_is_told_with_its_key_and_line(page: Page) -> None:
    told = page.send("/api/edit", text=STUDY.replace("loss: 10 %", "loss: 10"))
    assert told["fault"]["key"] == "paths.radio.loss"
    assert told["fault"]["line"] == 4
    assert 'write "10 %"' in told["fault"]["text"]


def test_the_answer_fills_by_repetitions_and_ends_as_a_run_does(page: Page, tmp_path: Path) -> None:
    campaign = page.send("/api/run")
    assert campaign["provisional"]
    seen = set()
    while page.state()["campaign"]["running"]:
        state = page.state()
        if "answer" in state and state["campaign"]["provisional"]:
            seen.add(state["campaign"]["repetitions"])
        time.sleep(0.02)
    ended = finished(page)
    assert ended["repetitions"] == 3
    assert not ended["provisional"]
    assert not ended["fault"]
    (folder,) = (tmp_path / "results").iterdir()
    lasthop.run(page.file, out=tmp_path / "by-command", jobs=1)
    ours, theirs = (
        pl.read_parquet(path / "runs.parquet").drop("trace_hash", strict=False)
        for path in (folder, tmp_path / "by-command")
    )
    assert ours.equals(theirs)
    answer = page.state()["answer"]
    assert answer["explorer"]["stacks"] == ["coap type=con", "raw_udp"]
    assert "explorer" not in page.state(seen=answer["name"])["answer"]
    assert b"<!doctype html>" in page.ask("/report")[1]


def test_a_second_start_has_nothing_left_to_do(page: Page) -> None:
    page.send("/api/run")
    first = finished(page)
    page.send("/api/run")
    again = finished(page)
    assert (again["repetitions"], again["folder"]) == (3, first["folder"])
    assert again["finished"] == 0


def test_a_study_that_changed_on_disk_is_not_written_over(page: Page) -> None:
    page.send("/api/edit", text=STUDY.replace("repeat: 3", "repeat: 2"))
    assert not page.state()["changed_on_disk"]
    page.file.write_text(STUDY + "# by somebody else\n")
    assert page.state()["changed_on_disk"]
    for action in ("/api/save", "/api/run"):
        assert "has changed on disk since it was read" in page.send(action)["error"]
    assert page.file.read_text().endswith("# by somebody else\n")
    assert page.send("/api/reload")["text"].endswith("# by somebody else\n")
    page.send("/api/edit", text=STUDY)
    page.send("/api/save")
    assert page.file.read_text() == STUDY


def test_a_study_that_was_removed_is_said_to_have_changed(page: Page) -> None:
    page.file.unlink()
    assert page.state()["changed_on_disk"]
    page.send("/api/save", overwrite=True)
    assert page.file.read_text() == STUDY


def test_two_folders_are_compared_and_one_is_opened(page: Page, tmp_path: Path) -> None:
    for name, loss in (("before", "0 %"), ("after", "20 %")):
        changes = {"paths.radio.loss": loss, "sweep": "[{name: base}]", "repeat": "5"}
        lasthop.run(page.file, out=tmp_path / name, jobs=1, set=changes)
    told = page.send("/api/compare", base=str(tmp_path / "before"), new=str(tmp_path / "after"))
    assert any(row[0] == "worse" for row in told["rows"]), told
    page.send("/api/open", folder=str(tmp_path / "after"))
    assert page.state()["answer"]["folder"] == str(tmp_path / "after")
    assert "no manifest.json" in page.send("/api/open", folder=str(tmp_path))["error"]


def test_a_dropped_capture_gives_its_ledger(page: Page, tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "lasthop", "run", str(page.file), "--out", "captured", "--capture"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
    )
    capture = min((tmp_path / "captured" / "captures").glob("*.pcapng"))
    told = json.loads(page.ask("/api/ledger?name=a.pcapng", capture.read_bytes())[1])
    assert told["bytes"] == sum(row[4] for row in told["rows"]) > 0
    assert {"payload"} <= {row[1] for row in told["rows"]}
    wrong = json.loads(page.ask("/api/ledger?name=a.txt", b"no capture at all, but text")[1])
    assert wrong["error"].startswith("a.txt: ")


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"\xff", b'{"text": 3}'])
def test_a_broken_request_is_answered_and_the_server_goes_on(page: Page, body: bytes) -> None:
    assert page.ask("/api/field", body)[0] in {400, 409}
    assert page.ask("/api/study")[0] == 200


def test_the_command_prints_its_address_and_ends_by_a_signal(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "lasthop", "ui"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as command:
        assert command.stdout is not None
        assert command.stdout.readline().startswith("page     http://127.0.0.1:")
        command.send_signal(signal.SIGINT)
        assert command.wait(20) == 0
    assert list(tmp_path.iterdir()) == []


def test_an_answer_is_made_once_however_often_it_is_asked_for(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    page.send("/api/run")
    finished(page)
    first = page.state()["answer"]
    monkeypatch.setattr(answers, "explorer_data", lambda *_: pytest.fail("made again"))
    assert page.state()["answer"] == first


BILLED = """\
study: bills
duration: 30 min
measure: {drain: 1 min}
paths: {cell: {delay: 100 ms, loss: 5 %}}
servers: {head_end: {}}
fleet: {meters: {count: 2, path: cell, server: head_end}}
traffic: {reading: {from: meters, report: 60 B, every: 1 min}}
stacks: [coap type=con, raw_udp]
tariff: {fee: 1 USD/month, price: 0.5 USD/MB}
repeat: 2
decide: {minimise: cost_per_year}
"""


def test_another_tariff_changes_the_costs_on_the_page_and_nothing_on_disk(page: Page) -> None:
    assert "there is no answer yet" in page.send("/api/price", tariff="hologram")["error"]
    page.send("/api/edit", text=BILLED)
    page.send("/api/run")
    finished(page)
    before = page.state()["answer"]
    folder = Path(before["folder"])
    disk = {it.name: it.read_bytes() for it in folder.glob("*.parquet")}
    told = page.send("/api/price", tariff="{fee: 5 USD/month, price: 0.5 USD/MB}")
    after = page.state(seen=before["name"])["answer"]
    assert told["tariff"] == after["tariff"] == "5 USD/month, 0.5 USD/MB"

    def cost(answer: dict[str, object]) -> list[float]:
        explorer = answer["explorer"]
        assert isinstance(explorer, dict)
        names = [column["name"] for column in explorer["columns"]]
        (part,) = explorer["parts"]
        arms = part["points"][0]["arms"]
        return [arm["cells"][names.index("cost_per_year")][1] for arm in arms]

    assert cost(after) == pytest.approx([value + 48 for value in cost(before)])
    assert {it.name: it.read_bytes() for it in folder.glob("*.parquet")} == disk
    wrong = page.send("/api/price", tariff="{price: 1 EUR/MB}")
    assert wrong["error"] == "the tariff is in EUR; write prices in USD"
    page.send("/api/price", tariff="")
    assert cost(page.state()["answer"]) == pytest.approx(cost(before))
