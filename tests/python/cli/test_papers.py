"""Reruns of papers from the command line: `init --paper`, and results of other studies beside."""

from pathlib import Path

from .conftest import Lasthop

SECOND = """\
study: doe-2021-second
duration: 1 min
traffic: {report: 100 B, every: 10 s}
stacks: {MQTT: mqtt qos=1}
repeat: 1
"""
ONE_MORE_ARM = """\
      MQTT elsewhere: {stack: MQTT, part: base, study: doe-2021-second}
    columns:
"""


def test_a_paper_is_written_run_and_shown_beside_another_study(
    lasthop: Lasthop, tmp_path: Path
) -> None:
    done = lasthop("init", "--paper", "doe-2021")
    assert done.returncode == 0
    assert done.stdout.splitlines()[-1] == "run it with: lasthop run doe-2021/study.yaml --quick"
    folder = tmp_path / "doe-2021"
    figures = folder / "figures.yaml"
    figures.write_text(figures.read_text().replace("    columns:\n", ONE_MORE_ARM))
    (folder / "second.yaml").write_text(SECOND)
    assert lasthop("run", "doe-2021/study.yaml", "--quick").returncode == 0
    assert lasthop("run", "doe-2021/second.yaml", "--no-report").returncode == 0
    page = (tmp_path / "results/doe-2021-quick/report.html").read_text(encoding="utf-8")
    assert "Not drawn: MQTT elsewhere. It needs the runs of doe-2021-second" in page
    again = lasthop("report", "doe-2021-quick", "--beside", "doe-2021-second")
    assert again.returncode == 0
    page = (tmp_path / "results/doe-2021-quick/report.html").read_text(encoding="utf-8")
    assert "Not drawn" not in page
    assert "lasthop report doe-2021-quick --beside doe-2021-second" in page
    nowhere = lasthop("report", "doe-2021-quick", "--beside", "nowhere")
    assert (nowhere.returncode, len(nowhere.stderr.splitlines())) == (2, 1)
    assert nowhere.stderr.startswith("lasthop: nowhere: this is not a result folder")
    picture = lasthop("report", "doe-2021-quick", "--figure", "paper-figure-1", "--out", "1.svg")
    assert picture.stdout.strip() == "1.svg"
    assert "packet loss (%)" in (tmp_path / "1.svg").read_text(encoding="utf-8")


def test_what_cannot_stand_beside_is_one_line(lasthop: Lasthop, tmp_path: Path) -> None:
    lasthop("init", "--paper", "doe-2021")
    (tmp_path / "second.yaml").write_text(SECOND)
    lasthop("run", "second.yaml", "--no-report")
    second = "results/doe-2021-second"
    done = lasthop("report", second, "--beside", second)
    assert (done.returncode, len(done.stderr.splitlines())) == (2, 1)
    assert done.stderr.startswith("lasthop: --beside: the study doe-2021-second has no figures")


def test_other_answers_beside_a_paper_are_refused(lasthop: Lasthop) -> None:
    done = lasthop("init", "--paper", "doe-2021", "--loss", "3 %")
    assert done.returncode == 2
    assert done.stderr == "lasthop: --paper writes its own folder; remove the other options\n"
    done = lasthop("init", "--paper", "doe-2021", "--extension", "toy")
    assert done.stderr == "lasthop: --extension writes its own folder; remove the other options\n"
