"""Figures for a paper: as wide as asked, in the words asked for, the same bytes each time."""

import re
import struct
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from lasthop.errors import UsageError
from lasthop.report.figures.look import FigureLook
from lasthop.report.pdf_order import in_one_order
from lasthop.report.write import write_figure

from .conftest import WriteResults
from .synthetic import SyntheticStudy

NAME = "latency-loss"


@pytest.fixture
def folder(write_results: WriteResults) -> Path:
    return write_results(SyntheticStudy(repeat=2))


def svg_of(folder: Path, look: FigureLook) -> str:
    """Write a figure and return its SVG."""
    out = folder.parent / "figure.svg"
    return write_figure([folder], NAME, out=out, look=look).read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [88.0, 180.0])
def test_a_figure_is_as_wide_as_asked(folder: Path, width: float) -> None:
    look = FigureLook(width_mm=width, font_pt=8)
    svg = svg_of(folder, look)
    found = re.search(r'width="([0-9.]+)mm"', svg)
    assert found is not None
    assert float(found[1]) == pytest.approx(width, abs=0.5)
    pdf = write_figure([folder], NAME, out=folder.parent / "figure.pdf", look=look).read_bytes()
    box = re.search(rb"MediaBox \[0 0 ([0-9.]+) ", pdf)
    assert box is not None
    assert float(box[1]) * 25.4 / 72 == pytest.approx(width, abs=0.5)
    png = write_figure([folder], NAME, out=folder.parent / "figure.png", look=look).read_bytes()
    assert struct.unpack(">I", png[16:20])[0] == pytest.approx(width / 25.4 * 300, abs=5)


def test_letters_have_the_size_asked_for(folder: Path) -> None:
    sizes = {
        float(size) for size in re.findall(r'font-size="([0-9.]+)px"', svg_of(folder, FigureLook()))
    }
    smaller = svg_of(folder, FigureLook(font_pt=6))
    found = {float(size) for size in re.findall(r'font-size="([0-9.]+)px"', smaller)}
    assert 6.0 in found
    assert max(found) == pytest.approx(max(sizes) / 2)


def test_words_and_numbers_are_those_asked_for(folder: Path) -> None:
    labels = {"path loss": "Verlust", "json_udp": "JSON"}
    svg = svg_of(folder, FigureLook(title="Wie lange?", labels=labels, language="de"))
    for text in ("Verlust (%)", ">JSON<", ">Wie lange?<"):
        assert text in svg
    assert ">path loss (%)<" not in svg
    assert re.search(r">0,\d+<", svg)


def test_an_exported_figure_explains_itself_unless_it_has_a_caption(folder: Path) -> None:
    assert "A line is the mean" in svg_of(folder, FigureLook())
    assert "A line is the mean" not in svg_of(folder, FigureLook(title=""))


def test_a_pdf_has_the_same_bytes_each_time(folder: Path) -> None:
    look = FigureLook(width_mm=88, font_pt=8)
    out = folder.parent / "figure.pdf"
    written = {write_figure([folder], NAME, out=out, look=look).read_bytes() for _ in range(8)}
    assert len(written) == 1


def test_fonts_in_another_order_give_the_same_file_with_right_offsets() -> None:
    fonts = {b"/fo0": b"<< /Name /Plain >>", b"/fo1": b"<< /Name /Bold >>"}
    made = {
        in_one_order(pdf_of([b"/fo0", b"/fo1"], fonts)),
        in_one_order(pdf_of([b"/fo1", b"/fo0"], fonts)),
    }
    assert len(made) == 1
    (pdf,) = made
    table = int(pdf.split(b"startxref\n")[1].split(b"\n")[0])
    offsets = [int(line[:10]) for line in pdf[table:].splitlines() if line.endswith(b" n")]
    assert len(offsets) == 3
    for number, offset in enumerate(offsets, start=1):
        assert pdf[offset:].startswith(b"%d 0 obj" % number)
    assert in_one_order(pdf) == pdf


@pytest.mark.parametrize("other", [b"", b"%PDF-1.7", b"xref\ntrailer\nstartxref\n0"])
def test_another_kind_of_pdf_stays_as_it_is(other: bytes) -> None:
    assert in_one_order(other) == other


def pdf_of(order: Sequence[bytes], fonts: Mapping[bytes, bytes]) -> bytes:
    """Write a PDF whose fonts stand in an order."""
    lines = b"\n".join(b"    %s %d 0 R" % (name, at) for at, name in enumerate(order, start=2))
    bodies = [b"<<\n  /Font <<\n" + lines + b"\n  >>\n>>", *(fonts[name] for name in order)]
    pdf, offsets = b"%PDF-1.7\n", []
    for number, body in enumerate(bodies, start=1):
        offsets.append(len(pdf))
        pdf += b"%d 0 obj\n%s\nendobj\n\n" % (number, body)
    entries = b"".join(b"%010d 00000 n\r\n" % offset for offset in offsets)
    head = b"xref\n0 4\n0000000000 65535 f\r\n"
    end = b"trailer\n<<\n  /Root 1 0 R\n>>\nstartxref\n%d\n%%%%EOF" % len(pdf)
    return pdf + head + entries + end


@pytest.mark.parametrize(
    ("look", "told"),
    [
        ({"width_mm": 5.0}, r"--width: 5 mm; write 40 to 600 mm"),
        ({"font_pt": 90.0}, r"--font-size: 90 pt; write 4 to 40 pt"),
        ({"language": "tlh"}, r'--language: "tlh" is unknown; write one of de, en'),
    ],
)
def test_a_look_that_no_paper_has_is_refused(look: dict[str, object], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        FigureLook(**look)  # type: ignore[arg-type]


def test_a_label_that_renames_nothing_is_refused_with_what_there_is(folder: Path) -> None:
    with pytest.raises(UsageError, match=r'no text "loss"; its texts are .*path loss.*raw_udp'):
        svg_of(folder, FigureLook(labels={"loss": "Verlust"}))


def test_letters_too_large_for_the_width_are_refused(folder: Path) -> None:
    with pytest.raises(UsageError, match="too narrow for this figure and its letters"):
        svg_of(folder, FigureLook(width_mm=40, font_pt=40))


def test_an_html_figure_takes_no_look(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="an HTML figure has no width"):
        write_figure([folder], NAME, out=tmp_path / "a.html", look=FigureLook(width_mm=88))
