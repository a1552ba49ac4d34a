"""The objects of a PDF in one order: the library that draws writes fonts in an order by chance."""

import re

_RESOURCES = re.compile(
    rb"(/(?:Font|XObject|ExtGState|ColorSpace|Pattern|Shading) <<\n)"
    rb"((?: +/[a-z]+[0-9]+ [^\n]+\n)* +/[a-z]+[0-9]+ [^\n]+)(\n +>>)"
)
_REFERENCE = re.compile(rb"(?<![0-9])([0-9]+) 0 R(?![A-Za-z])")
_OBJECT = re.compile(rb"([0-9]+) 0 obj\n")
_ENTRY = re.compile(rb"([0-9]{10}) [0-9]{5} n")
_STREAM = b"\nstream\n"


def in_one_order(pdf: bytes) -> bytes:
    """Write the objects of a PDF in the order in which the root reaches them.

    A file that is not laid out as expected comes back as it is.
    """
    table = pdf.rfind(b"xref\n", 0, pdf.rfind(b"startxref"))
    trailer = pdf.find(b"trailer", table)
    if table < 0 or trailer < 0:
        return pdf
    starts = sorted(int(found[1]) for found in _ENTRY.finditer(pdf, table, trailer))
    objects = _objects(pdf, starts, table) if starts else {}
    end = pdf[trailer : pdf.rfind(b"startxref")]
    numbers = _numbers(end, objects)
    if not objects or len(numbers) != len(objects):
        return pdf
    written, offsets = pdf[: starts[0]], []
    for old in sorted(objects, key=numbers.__getitem__):
        offsets.append(len(written))
        head, rest = objects[old]
        written += b"%d 0 obj\n" % numbers[old] + _renumbered(head, numbers) + rest
    entries = b"".join(b"%010d 00000 n\r\n" % offset for offset in offsets)
    start = len(written)
    free = b"xref\n0 %d\n0000000000 65535 f\r\n" % (len(offsets) + 1)
    tail = b"startxref\n%d\n%%%%EOF" % start
    return written + free + entries + _renumbered(end, numbers) + tail


def _objects(pdf: bytes, starts: list[int], table: int) -> dict[int, tuple[bytes, bytes]]:
    """Give each object by its number: what may hold references, and the bytes of its stream."""
    found = {}
    for start, end in zip(starts, [*starts[1:], table], strict=True):
        head = _OBJECT.match(pdf, start)
        if head is None:
            return {}
        body = pdf[head.end() : end]
        before, stream, after = body.partition(_STREAM)
        ordered = _RESOURCES.sub(_sorted, before)
        found[int(head[1])] = (ordered, stream + after)
    return found


def _sorted(found: re.Match[bytes]) -> bytes:
    return found[1] + b"\n".join(sorted(found[2].split(b"\n"))) + found[3]


def _numbers(trailer: bytes, objects: dict[int, tuple[bytes, bytes]]) -> dict[int, int]:
    """Give the objects numbers in the order in which references lead to them."""
    numbers: dict[int, int] = {}
    waiting = _references(trailer)
    while waiting:
        old = waiting.pop(0)
        if old in numbers or old not in objects:
            continue
        numbers[old] = len(numbers) + 1
        waiting += _references(objects[old][0])
    return numbers


def _references(text: bytes) -> list[int]:
    return [int(found[1]) for found in _REFERENCE.finditer(text)]


def _renumbered(text: bytes, numbers: dict[int, int]) -> bytes:
    return _REFERENCE.sub(lambda found: b"%d 0 R" % numbers.get(int(found[1]), 0), text)
