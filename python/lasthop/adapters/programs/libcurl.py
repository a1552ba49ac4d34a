"""libcurl through ctypes. Run as a program, this prints the version of the library."""

import sys
from collections.abc import Sequence
from ctypes import CFUNCTYPE, byref, c_char_p, c_long, c_size_t, c_void_p
from typing import Any

from lasthop.adapters.programs import c_library
from lasthop.adapters.programs.c_library import LibraryError

NAME = "libcurl.so.4"

_URL, _HEADER, _USER_AGENT, _AUTHORITY, _RESOLVE = 10002, 10023, 10018, 10065, 10203
_BODY, _SIZE, _WRITE = 10015, 60, 20011
_VERSION, _TLS_VERSION, _NO_SIGNAL, _NODELAY, _PATIENCE_S = 84, 32, 99, 121, 13
_STATUS = 0x200002
"""Option numbers and one information number of curl.h."""
_VERSIONS = {"1.1": 2, "2": 4}
"""CURL_HTTP_VERSION_1_1 and CURL_HTTP_VERSION_2TLS."""
_AT_MOST_TLS_1_2 = 6 << 16
"""CURL_SSLVERSION_MAX_TLSv1_2."""
_LONGEST_S = 30

_Write = CFUNCTYPE(c_size_t, c_void_p, c_size_t, c_size_t, c_void_p)


def load() -> Any:  # noqa: ANN401  as ctypes has it
    """Load libcurl and declare its functions."""
    return c_library.load(
        NAME,
        texts=("curl_version", "curl_easy_strerror"),
        places=("curl_easy_init", "curl_slist_append"),
    )


def library_version() -> str:
    """Return the version of the library."""
    told: bytes = load().curl_version()
    return told.split()[0].partition(b"/")[2].decode()  # libcurl/7.88.1 OpenSSL/3.0.19 ...


class Connection:
    """HTTP requests to one server, on a persistent connection while both ends keep it open.

    Parameters
    ----------
    version
        Version of HTTP: ``1.1`` or ``2``.
    authority
        File of trusted root certificates, for TLS.
    resolved
        ``NAME:PORT:ADDRESS`` of the server.
    """

    def __init__(
        self, *, version: str, authority: str, tls: str, resolved: str, fields: Sequence[str]
    ) -> None:
        self._library = load()
        self._handle = c_void_p(self._library.curl_easy_init())
        # Of what it is given as a list it keeps the place alone.
        self._lists = [self._list(fields), self._list([resolved])]
        self._write = _Write(lambda _data, size, count, _told: size * count)
        self._set(_NO_SIGNAL, c_long(1))
        self._set(_NODELAY, c_long(1))
        self._set(_PATIENCE_S, c_long(_LONGEST_S))
        self._set(_VERSION, c_long(_VERSIONS[version]))
        self._set(_USER_AGENT, c_char_p(f"curl/{library_version()}".encode()))
        self._set(_HEADER, self._lists[0])
        self._set(_RESOLVE, self._lists[1])
        self._set(_WRITE, self._write)
        if authority:
            self._set(_AUTHORITY, c_char_p(authority.encode()))
        if tls == "1.2":
            self._set(_TLS_VERSION, c_long(_AT_MOST_TLS_1_2))

    def post(self, url: str, body: bytes) -> int:
        """POST a body, wait for the response and return its status.

        Raises
        ------
        LibraryError
            There is none.
        """
        self._set(_URL, c_char_p(url.encode()))
        self._set(_SIZE, c_long(len(body)))
        self._set(_BODY, c_char_p(body))
        self._done(self._library.curl_easy_perform(self._handle))
        status = c_long()
        self._done(self._library.curl_easy_getinfo(self._handle, _STATUS, byref(status)))
        return status.value

    def end(self) -> None:
        """Close the connection."""
        self._library.curl_easy_cleanup(self._handle)
        for one in self._lists:
            self._library.curl_slist_free_all(one)

    def _list(self, words: Sequence[str]) -> c_void_p:
        made = c_void_p()
        for word in words:
            made = c_void_p(self._library.curl_slist_append(made, word.encode()))
        return made

    def _set(self, option: int, value: Any) -> None:  # noqa: ANN401  whatever C takes
        self._done(self._library.curl_easy_setopt(self._handle, option, value))

    def _done(self, code: int) -> None:
        if code:
            raise LibraryError(self._library.curl_easy_strerror(code).decode())


if __name__ == "__main__":
    sys.stdout.write(f"{library_version()}\n")
