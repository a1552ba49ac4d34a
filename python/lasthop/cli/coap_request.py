"""One CoAP request and its answers, for `lasthop get`, `put` and `post`."""

import secrets
import sys
from dataclasses import dataclass
from pathlib import Path

from lasthop import _native
from lasthop.cli.output import complain, say, say_json
from lasthop.errors import EXIT_EXPECTATION_FAILED, EXIT_PASS
from lasthop.live import DtlsAsked, one_line_errors, read_target, read_trust, stopped_by_signals

_SUCCESS = "2"


@dataclass(frozen=True, slots=True, kw_only=True)
class CoapRequest:
    """A CoAP request, and how its answer is printed."""

    url: str
    method: str
    payload: bytes = b""
    content_format: int | None = None
    accept: int | None = None
    notifications: int | None = None
    confirmable: bool = True
    cafile: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    psk: Path | None = None
    dtls: str | None = None
    timeout_s: float | None
    as_json: bool

    def send(self) -> int:
        """Ask, print each answer, and return 1 when one of them is an error."""
        target = read_target(self.url, ["coap", "coap_tcp"], "path")
        by_tcp = target.scheme.served == "coap_tcp"
        trust = read_trust(target, self.cafile, self.certificate, self.key)
        asked = DtlsAsked(self.psk, self.cafile, self.certificate, self.key, self.dtls)
        dtls = asked.read(target)
        codes: list[str] = []

        def take(code: str, payload: bytes, content_format: int | None) -> bool:
            codes.append(code)
            self._show(code, payload, content_format)
            return self.notifications is not None and len(codes) < self.notifications

        with one_line_errors(self.url), stopped_by_signals() as stopper:
            _native.coap_request(
                target.resolve(stream=by_tcp),
                self.method,
                target.path,
                take,
                query=list(target.query),
                payload=self.payload,
                content_format=self.content_format,
                accept=self.accept,
                observe=self.notifications is not None,
                confirmable=self.confirmable,
                by_tcp=by_tcp,
                trust=trust,
                dtls=dtls,
                timeout_s=self.timeout_s,
                seed=secrets.randbits(63),
                stopper=stopper,
            )
        is_well = all(code.startswith(_SUCCESS) for code in codes)
        return EXIT_PASS if is_well else EXIT_EXPECTATION_FAILED

    def _show(self, code: str, payload: bytes, content_format: int | None) -> None:
        text = payload.decode(errors="replace")
        if self.as_json:
            say_json({"code": code, "payload": text, "content_format": content_format})
        elif not code.startswith(_SUCCESS):
            complain(f"{self.url}: {code} {text}".rstrip())
        elif sys.stdout is not None and not sys.stdout.isatty() and not self._is_text(payload):
            sys.stdout.buffer.write(payload)
            sys.stdout.buffer.flush()
        elif text:
            say(text.removesuffix("\n"))

    @staticmethod
    def _is_text(payload: bytes) -> bool:
        try:
            payload.decode()
        except UnicodeDecodeError:
            return False
        return True
