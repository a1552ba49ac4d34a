"""Our CoAP beside aiocoap, both ways: conditions, formats, blocks, observations, Echo."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from aiocoap import DELETE, GET, POST, PUT, Message
from aiocoap.optiontypes import BlockOption
from aiocoap.util import linkformat

from lasthop.testbed import Namespace, Tun

from .aiocoap_client import KINDS, Client, Kind, client
from .aiocoap_server import server
from .conftest import KERNEL, StartHost

pytestmark = pytest.mark.soak

BODY = b"".join(b"%04d" % number for number in range(750))
"""Longer than any block, and no two blocks are alike."""

TEXT, LINK_FORMAT, JSON = 0, 40, 50


@pytest.mark.parametrize("kind", KINDS)
class TestOurServer:
    @pytest.fixture
    def ask(
        self, namespace: Namespace, device: Tun, live_host: StartHost, kind: Kind
    ) -> Iterator[Client]:
        del device  # It has the address that the client speaks from.
        live_host("coap-server", kind)
        with client(namespace, kind) as ask:
            yield ask

    def test_keeps_adds_to_gives_back_and_removes(self, ask: Client) -> None:
        assert code(ask(PUT, "shelf", b"a note")) == "2.01"
        assert ask(GET, "shelf").payload == b"a note"
        assert code(ask(PUT, "shelf", b"another")) == "2.04"
        assert code(ask(POST, "shelf", b" and more")) == "2.04"
        assert ask(GET, "shelf").payload == b"another and more"
        assert code(ask(DELETE, "shelf")) == "2.02"
        assert code(ask(GET, "shelf")) == "4.04"
        assert code(ask(POST, "shelf", b"{}", content_format=JSON)) == "2.01"
        assert ask(GET, "shelf").opt.content_format == JSON

    def test_tags_each_state_anew(self, ask: Client) -> None:
        tags = set()
        for note in (b"a note", b"another", b"a note"):
            ask(PUT, "shelf", note)
            tag = ask(GET, "shelf").opt.etag
            assert 1 <= len(tag) <= 8
            assert ask(GET, "shelf").opt.etag == tag
            tags.add(tag)
            ask(DELETE, "shelf")
        assert len(tags) == 3

    def test_says_that_what_a_client_has_is_still_valid(self, ask: Client) -> None:
        ask(PUT, "shelf", BODY)
        tag = ask(GET, "shelf").opt.etag
        valid = ask(GET, "shelf", etags=[b"other", tag])
        assert (code(valid), valid.opt.etag, valid.payload) == ("2.03", tag, b"")
        ask(PUT, "shelf", b"a note")
        assert ask(GET, "shelf", etags=[b"other", tag]).payload == b"a note"

    @pytest.mark.parametrize("method", [GET, PUT, POST, DELETE], ids=str)
    def test_heeds_if_match(self, ask: Client, method: int) -> None:
        ask(PUT, "shelf", b"a note")
        tag = ask(GET, "shelf").opt.etag
        body = b"new" if method in {PUT, POST} else b""
        assert code(ask(method, "shelf", body, if_match=[b"other"])) == "4.12"
        assert code(ask(method, "nothing", body, if_match=[b""])) == "4.12"
        assert ask(GET, "shelf").payload == b"a note"
        assert code(ask(method, "shelf", body, if_match=[b"other", tag]))[0] == "2"
        ask(PUT, "shelf", b"a note")
        assert code(ask(method, "shelf", body, if_match=[b""]))[0] == "2"

    def test_heeds_if_match_of_a_body_in_blocks(self, ask: Client) -> None:
        ask(PUT, "shelf", b"a note")
        tag = ask(GET, "shelf").opt.etag
        assert code(ask(PUT, "shelf", BODY, largest_block=64, if_match=[b"other"])) == "4.12"
        assert ask(GET, "shelf").payload == b"a note"
        assert code(ask(PUT, "shelf", BODY, largest_block=64, if_match=[tag])) == "2.04"

    def test_heeds_if_none_match(self, ask: Client) -> None:
        assert code(ask(PUT, "shelf", b"a note", if_none_match=True)) == "2.01"
        assert code(ask(PUT, "shelf", b"another", if_none_match=True)) == "4.12"
        assert code(ask(DELETE, "shelf", if_none_match=True)) == "4.12"
        assert ask(GET, "shelf").payload == b"a note"

    def test_gives_the_format_that_is_wanted_or_none(self, ask: Client) -> None:
        ask(PUT, "shelf", b"{}", content_format=JSON)
        assert code(ask(GET, "shelf", accept=TEXT)) == "4.06"
        wanted = ask(GET, "shelf", accept=JSON)
        assert (wanted.payload, wanted.opt.content_format) == (b"{}", JSON)
        assert code(ask(GET, ".well-known/core", accept=JSON)) == "4.06"

    @pytest.mark.parametrize("block", [16, 64, 1024])
    def test_takes_and_gives_a_body_block_by_block(self, ask: Client, block: int) -> None:
        assert code(ask(PUT, "shelf", BODY, largest_block=block)) == "2.01"
        wanted = BlockOption.BlockwiseTuple(0, 0, block.bit_length() - 5)
        assert ask(GET, "shelf", block2=wanted).payload == BODY
        assert ask(GET, "shelf").payload == BODY

    def test_takes_a_body_as_large_as_it_says(self, ask: Client) -> None:
        body = BODY * 21
        assert code(ask(PUT, "shelf", body + b"." * (65_536 - len(body)))) == "2.01"
        assert len(ask(GET, "shelf").payload) == 65_536

    def test_refuses_a_body_that_is_too_large(self, ask: Client) -> None:
        assert code(ask(PUT, "shelf", BODY * 22)) == "4.13"

    def test_lists_what_is_asked_for(self, ask: Client) -> None:
        ask(PUT, "a%2Fb/c", b"a note")
        everything = ask(GET, ".well-known/core")
        assert everything.opt.content_format == LINK_FORMAT
        assert targets(everything) == ["/d", "/rd", "/a%2Fb/c"]
        for query, expected in {
            "rt=core.rd": ["/rd"],
            "rt=core*": ["/rd"],
            "rt=core": [],
            "href=/a*": ["/a%2Fb/c"],
            "href=/rd": ["/rd"],
        }.items():
            assert targets(ask(GET, f".well-known/core?{query}")) == expected, query

    def test_keeps_paths_apart_that_differ_in_their_segments(self, ask: Client) -> None:
        for path in ("a%2Fb", "a/b"):
            ask(PUT, path, path.encode())
        assert [ask(GET, path).payload for path in ("a%2Fb", "a/b")] == [b"a%2Fb", b"a/b"]

    def test_tells_an_observer_each_change(self, ask: Client) -> None:
        ask(PUT, "shelf", b"first")
        changes = [b"second", b"third", BODY, b"fourth"]
        assert ask.observe("shelf", changes) == [b"first", *changes]

    def test_tells_an_observer_that_there_is_nothing_any_more(self, ask: Client) -> None:
        ask(PUT, "shelf", b"a note")
        assert ask.observe("shelf", [b"another", None]) == [b"a note", b"another", None]


@pytest.mark.parametrize("kind", ["con", "non"])
class TestOurServerThatAsksForProof:
    @pytest.fixture
    def ask(
        self, namespace: Namespace, device: Tun, live_host: StartHost, kind: Kind
    ) -> Iterator[Client]:
        del device
        live_host("coap-server", kind, "echo")
        with client(namespace, kind) as ask:
            yield ask

    def test_gives_much_to_who_tells_its_echo_back(self, ask: Client) -> None:
        assert code(ask(PUT, "shelf", BODY)) == "2.01"
        challenge = ask(GET, "shelf")
        assert (code(challenge), challenge.payload) == ("4.01", b"")
        assert code(ask(GET, "shelf", echo=b"guessed")) == "4.01"
        assert ask(GET, "shelf", echo=challenge.opt.echo).payload == BODY
        assert ask(GET, "shelf").payload == BODY

    def test_gives_little_to_anybody(self, ask: Client) -> None:
        ask(PUT, "shelf", b"a note")
        assert ask(GET, "shelf").payload == b"a note"


@pytest.fixture
def aiocoap_server(namespace: Namespace, device: Tun) -> Iterator[None]:
    del device  # It has the address that the server binds.
    with server(namespace):
        yield


@pytest.mark.usefixtures("aiocoap_server")
@pytest.mark.parametrize("kind", KINDS)
class TestOurClient:
    def test_puts_posts_gets_and_deletes(
        self, live_host: StartHost, tmp_path: Path, kind: Kind
    ) -> None:
        note = tmp_path / "note"
        note.write_text("a note", encoding="ascii")
        requests = f"put shelf {note} post shelf {note} get shelf delete shelf get shelf".split()
        told = live_host("coap-client", KERNEL, kind, *requests).finish()
        assert [response["code"] for response in told] == ["2.01", "2.04", "2.05", "2.02", "4.04"]
        assert told[2]["payload"] == "a notea note"

    @pytest.mark.parametrize("length", [3000, 65_536])
    def test_moves_a_body_block_by_block(
        self, live_host: StartHost, tmp_path: Path, kind: Kind, length: int
    ) -> None:
        body = tmp_path / "body"
        body.write_bytes((BODY * 22)[:length])
        requests = ("put", "shelf", body, "get", "shelf")
        told = live_host("coap-client", KERNEL, kind, *requests).finish()
        assert [response["code"] for response in told] == ["2.01", "2.05"]
        assert told[1]["payload"].encode() == body.read_bytes()

    def test_takes_a_separate_response(self, live_host: StartHost, kind: Kind) -> None:
        (told,) = live_host("coap-client", KERNEL, kind, "get", "slow").finish()
        assert (told["code"], told["payload"]) == ("2.05", "at last")

    def test_tells_an_echo_back(self, live_host: StartHost, kind: Kind) -> None:
        (told,) = live_host("coap-client", KERNEL, kind, "get", "guarded").finish()
        assert (told["code"], told["payload"]) == ("2.05", "welcome")

    def test_picks_what_it_discovers(self, live_host: StartHost, kind: Kind) -> None:
        query = ".well-known/core?href=/sh*"
        (told,) = live_host("coap-client", KERNEL, kind, "get", query).finish()
        assert told["payload"] == "</shelf>"

    def test_observes_and_stops(self, live_host: StartHost, kind: Kind) -> None:
        requests = ("observe", "count", "7", "get", "count")
        *notifications, after = live_host("coap-client", KERNEL, kind, *requests).finish()
        assert len(notifications) == 7
        numbers = [notification["observe"] for notification in notifications]
        assert numbers == sorted(set(numbers))
        assert [notification["payload"] for notification in notifications] == list("0123456")
        assert after["observe"] is None


@pytest.mark.usefixtures("aiocoap_server")
@pytest.mark.parametrize("kind", ["con", "tcp"])
def test_our_client_moves_a_body_over_a_lossy_link(
    live_host: StartHost, tmp_path: Path, kind: Kind
) -> None:
    body = tmp_path / "body"
    body.write_bytes(BODY)
    requests = ("put", "shelf", body, "get", "shelf")
    told = live_host("coap-client", KERNEL, kind, *requests, loss=0.1, delay_ms=10).finish()
    assert told[1]["payload"].encode() == BODY


def code(response: Message) -> str:
    """Return a code as it is written: ``2.05``."""
    dotted: str = response.code.dotted
    return dotted


def targets(links: Message) -> list[str]:
    return [link.href for link in linkformat.parse(links.payload.decode()).links]
