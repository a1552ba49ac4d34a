"""libcoap through ctypes. Run as a program, this prints the version of the library."""

import os
import select
import socket
import struct
import sys
from collections import deque
from collections.abc import Callable
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_int,
    c_size_t,
    c_ubyte,
    c_uint16,
    c_uint32,
    c_void_p,
    create_string_buffer,
    string_at,
)
from typing import Any

from lasthop.adapters.programs import c_library
from lasthop.adapters.programs.c_library import LibraryError

NAME = "libcoap-3-notls.so.3"

GET, PUT = 1, 3
_OBSERVE, _URI_PATH = 6, 11
_TYPES = {"con": 0, "non": 1}
_PROTOCOLS = {"udp": 1, "tcp": 3}
_LARGE_MESSAGES, _WHOLE = 1, 2
"""COAP_BLOCK_USE_LIBCOAP and COAP_BLOCK_SINGLE_BODY."""
_SUCCESS = 2
"""Class of CoAP response codes for success, 2.xx (RFC 7252 section 5.9)."""
_RESPONSE_OK = 1
_AT_ONCE = 0xFFFF_FFFF
"""COAP_IO_NO_WAIT of coap.h."""
_LONGEST_TOKEN = 8
_FRACTIONS = 1000
"""Units of the fractional part of libcoap's fixed-point numbers: one thousandth."""


class _Address(Structure):
    """``coap_address_t`` of libcoap."""

    _fields_ = (("size", c_uint32), ("address", c_ubyte * 28))


class _Bytes(Structure):
    """``coap_bin_const_t`` of libcoap."""

    _fields_ = (("length", c_size_t), ("start", c_void_p))


class _FixedPoint(Structure):
    """``coap_fixed_point_t`` of libcoap."""

    _fields_ = (("whole", c_uint16), ("fraction", c_uint16))


_OnResponse = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int)


def load() -> Any:  # noqa: ANN401  as ctypes has it
    """Load libcoap and declare its functions."""
    library = c_library.load(
        NAME,
        texts=("coap_package_version",),
        places=("coap_new_context", "coap_new_client_session", "coap_new_pdu"),
    )
    library.coap_pdu_get_token.restype = _Bytes
    return library


def version() -> str:
    """Return the version string of the library."""
    told: bytes = load().coap_package_version()
    return told.decode()


class Session:
    """CoAP session with a server. One thread runs it and sends the requests of other threads.

    Parameters
    ----------
    address, port, transport
        Address of the server, reached by ``udp`` or ``tcp``.
    heard
        Callback for each response with its token, whether it is a success, and its payload.
    """

    def __init__(
        self, address: str, port: int, transport: str, heard: Callable[[bytes, bool, bytes], None]
    ) -> None:
        self._library = load()
        self._library.coap_startup()
        context = self._library.coap_new_context(None)
        self._context = c_void_p(context)
        self._library.coap_context_set_block_mode(self._context, c_ubyte(_LARGE_MESSAGES | _WHOLE))
        packed = struct.pack(
            "=H2s4s8x", socket.AF_INET, port.to_bytes(2), socket.inet_aton(address)
        )
        to = _Address(len(packed), (c_ubyte * 28)(*packed))
        session = self._library.coap_new_client_session(
            self._context, None, byref(to), _PROTOCOLS[transport]
        )
        if not context or not session:
            raise LibraryError(f"there is no session with {address}:{port}")
        self._session, self._heard = c_void_p(session), heard
        self._on_response = _OnResponse(self._respond)
        self._library.coap_register_response_handler(self._context, self._on_response)
        self._bodies: dict[bytes, bytes] = {}
        self._waiting: deque[Callable[[], object]] = deque()
        self._wakes, self._wake = os.pipe()

    def give(
        self, *, nstart: int, max_retransmit: int, ack_timeout_s: float, ack_random_factor: float
    ) -> None:
        """Set the transmission parameters of confirmable messages (RFC 7252 section 4.8)."""
        self._library.coap_session_set_nstart(self._session, c_uint16(nstart))
        self._library.coap_session_set_max_retransmit(self._session, c_uint16(max_retransmit))
        for name, value in (
            ("coap_session_set_ack_timeout", ack_timeout_s),
            ("coap_session_set_ack_random_factor", ack_random_factor),
        ):
            parts = divmod(round(value * _FRACTIONS), _FRACTIONS)
            getattr(self._library, name)(self._session, _FixedPoint(*parts))

    def request(
        self, code: int, path: str, *, kind: str, payload: bytes = b"", observe: bool = False
    ) -> bytes:
        """Send a request from the session's thread, and return the request's token.

        Raises
        ------
        LibraryError
            It did not leave.
        """
        library = self._library
        pdu = c_void_p(library.coap_new_pdu(_TYPES[kind], code, self._session))
        token, length = create_string_buffer(_LONGEST_TOKEN), c_size_t()
        library.coap_session_new_token(self._session, byref(length), token)
        made = token.raw[: length.value]
        library.coap_add_token(pdu, length, made)
        if observe:
            library.coap_add_option(pdu, c_uint16(_OBSERVE), c_size_t(0), None)
        for part in path.encode().split(b"/"):
            library.coap_add_option(pdu, c_uint16(_URI_PATH), c_size_t(len(part)), part)
        if payload:
            # The library does not copy what is sent in blocks.
            self._bodies[made] = payload
            size = c_size_t(len(payload))
            library.coap_add_data_large_request(self._session, pdu, size, payload, None, None)
        if library.coap_send(self._session, pdu) < 0:
            raise LibraryError(f"{path} did not leave")
        return made

    def hand_over(self, request: Callable[[], object]) -> None:
        """Run a function in the session's thread."""
        self._waiting.append(request)
        os.write(self._wake, b".")

    def run(self) -> None:
        """Run libcoap's event loop and the requests of other threads, forever."""
        descriptors = [self._library.coap_context_get_coap_fd(self._context), self._wakes]
        while True:
            self._library.coap_io_process(self._context, c_uint32(_AT_ONCE))
            readable, _, _ = select.select(descriptors, [], [])
            if self._wakes in readable:
                os.read(self._wakes, len(self._waiting) or 1)
            while self._waiting:
                self._waiting.popleft()()

    def _respond(self, _session: int, _sent: int, received: int, _number: int) -> int:
        token = self._library.coap_pdu_get_token(c_void_p(received))
        length, start = c_size_t(), POINTER(c_ubyte)()
        self._library.coap_get_data(c_void_p(received), byref(length), byref(start))
        payload = string_at(start, length.value) if length.value else b""
        code = self._library.coap_pdu_get_code(c_void_p(received))
        name = string_at(token.start, token.length)
        self._bodies.pop(name, None)
        self._heard(name, code >> 5 == _SUCCESS, payload)
        return _RESPONSE_OK


if __name__ == "__main__":
    sys.stdout.write(f"{version()}\n")
