"""A server behind a link: `link` makes it, `Link` is it."""

from __future__ import annotations

import contextlib
import ipaddress
import json
import socket
import warnings
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self

from lasthop import _native
from lasthop.errors import EnvironmentFailure, UsageError
from lasthop.linked.ends import Address, Ends, emulated_ends, proxy_ends
from lasthop.linked.settings import read_settings
from lasthop.linked.stats import LinkStats
from lasthop.sockets import require_sockets
from lasthop.testbed.emulation import Emulation

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from types import TracebackType

    from lasthop.emulator.settings import LinkSettings

Kind = Literal["emulator", "proxy"]
End = Literal["near", "far"]

_LARGEST_SEED = 2**63 - 1
_LARGEST_PORT = 2**16 - 1
_PROXY_ADDRESS = ("127.0.0.1", 0)


def link(
    *,
    server: Address,
    seed: int = 1,
    kind: Kind | None = None,
    listen: Address | None = None,
    **settings: Any,  # noqa: ANN401  the keys of a path
) -> Link:
    """Put an emulated link before a server, for the programs of this machine.

    The link works from the beginning of its ``with`` block to the end. Clients connect to its
    address instead of the server's, by TCP or UDP.

    Parameters
    ----------
    server
        Host and port of the server, as this process reaches it.
    seed
        Seed of the random numbers of the link. The same seed loses the same packets.
    kind
        ``"emulator"`` fails where this process may not create network devices. ``"proxy"`` needs no
        rights; there the TCP of lasthop crosses the link, and the client's own TCP does not.
        Default: the emulator where it can be, else the proxy.
    listen
        Address and port of a proxy, which it implies. Default: 127.0.0.1 and a free port.
    settings
        Keys of the path of a study, such as ``loss="10 %"``, ``delay="100 ms"``,
        ``rate="50 kbit/s"``, ``up={"loss": "5 %"}`` or ``profile="lte"``, and ``jitter``.

    Raises
    ------
    LasthopError
        If a setting is wrong, or the link cannot be made.

    Examples
    --------
    >>> import socket, lasthop
    >>> with socket.create_server(("127.0.0.1", 0)) as server:
    ...     with lasthop.link(loss="10 %", seed=1, server=server.getsockname()) as link:
    ...         socket.create_connection(link.address).close()
    """
    return Link(settings, server=server, seed=seed, kind=kind, listen=listen)


class Link:
    """A link before a server, which works while it is entered.

    Attributes
    ----------
    seed
        Seed of its random numbers.
    kind
        ``"emulator"`` or ``"proxy"``, once it is entered.
    why_proxy
        Why it is a proxy although nobody asked for one; None otherwise.
    """

    def __init__(
        self,
        settings: Mapping[str, Any],
        *,
        server: Address,
        seed: int = 1,
        kind: Kind | None = None,
        listen: Address | None = None,
    ) -> None:
        require_sockets("a link")
        self.seed = _checked_seed(seed)
        self.kind: Kind | None = None
        self.why_proxy: str | None = None
        self._written = dict(settings)
        self._settings = read_settings(settings, seed=seed)
        self._server = _resolved("server", server)
        if kind not in {None, "emulator", "proxy"}:
            raise UsageError(f'kind: {kind!r} is not known; write "emulator" or "proxy"')
        if listen is not None and kind == "emulator":
            raise UsageError("listen: an emulator has an address of its own; remove one of both")
        self._wanted: Kind | None = "proxy" if listen is not None else kind
        self._listen = _PROXY_ADDRESS if listen is None else _checked_address("listen", listen)
        self._control = _native.EmulatorControl()
        self._address: Address | None = None
        self._close: weakref.finalize[..., Link] | None = None
        self._emulation: _Carrying | None = None
        self._last: LinkStats | None = None

    def __enter__(self) -> Self:
        """Start it."""
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()

    def start(self) -> None:
        """Start it; `close` ends it.

        Raises
        ------
        EnvironmentFailure
            If the machine does not allow it.
        UsageError
            If it was started before.
        """
        if self._emulation is not None:
            raise UsageError("a link is started once; make another one with lasthop.link")
        with contextlib.ExitStack() as stack:
            ends = self._ends(stack)
            spec = {"path": {**self._settings.path, "translated": ends.translated}}
            carrying = _Carrying(
                spec, ends, self._server, self._control, self._settings.mtu_bytes()
            )
            try:
                stack.enter_context(carrying)
            except _native.SpecError as error:
                raise UsageError(f"the link cannot be created: {error}") from error
            self._emulation, self._address = carrying, ends.address
            written = f"{ends.address[0]}:{ends.address[1]}"
            self._close = weakref.finalize(self, _forgotten, stack.pop_all(), written)

    def close(self) -> None:
        """Close it: connections through it end, and `stats` stays. A second time does nothing."""
        if self._close is None or (found := self._close.detach()) is None:
            return
        _, _, (stack, _), _ = found
        stack.close()
        if self._emulation is not None and self._emulation.summary:
            self._last = LinkStats.of(self._emulation.summary)

    @property
    def address(self) -> Address:
        """Host and port that clients connect to."""
        if self._address is None:
            raise UsageError("the link has not been started; write with lasthop.link(...) as link:")
        return self._address

    @property
    def host(self) -> str:
        """The host of `address`."""
        return self.address[0]

    @property
    def port(self) -> int:
        """The port of `address`."""
        return self.address[1]

    def set(self, **settings: Any) -> None:  # noqa: ANN401  the keys of a path
        """Change settings; the others stay, and None takes one back.

        Packets that enter from now on meet the new settings. Those on their way arrive as they
        would have. A link that is changed draws new random numbers from the same seed.

        Raises
        ------
        LasthopError
            If a setting is wrong, or the link does not work.
        """
        written = {**self._written, **settings}
        changed = read_settings(written, seed=self.seed)
        self._check_mtu(changed)
        self._ask({"set": changed.path["path"]})
        self._written, self._settings = written, changed

    def cut(self) -> None:
        """Let nothing pass, in both directions, until `restore`. No end is told."""
        self._ask("cut")

    def restore(self) -> None:
        """Let packets pass again."""
        self._ask("restore")

    def stats(self) -> LinkStats:
        """Give what it has done so far; once it is closed, all that it did."""
        if self._last is not None:
            return self._last
        return LinkStats.of(self._ask("stats"))

    def capture(self, file: str | os.PathLike[str] | None, *, end: End = "near") -> None:
        """Capture packets as pcapng from now on, or with None no more.

        Parameters
        ----------
        file
            It is overwritten. It is whole when the capture or the link has ended.
        end
            Where the packets are captured: at the ``"near"`` end, the client's, or the ``"far"``
            end. Packets that the link drops carry the reason as a comment where they were sent.

        Raises
        ------
        EnvironmentFailure
            If the file cannot be written.
        """
        if end not in {"near", "far"}:
            raise UsageError(f'end: {end!r} is not an end; write "near" or "far"')
        order = None if file is None else {"file": str(Path(file).absolute()), "end": end}
        self._ask({"capture": order})

    def describe(self) -> str:
        """Give its settings in words, with the seed and the kind."""
        words = "; ".join(f"{name} {value}" for name, value in self._settings.words.items())
        return f"{words}; seed {self.seed}; {self.kind or 'not started'}"

    def _ends(self, stack: contextlib.ExitStack) -> Ends:
        if self._wanted != "proxy":
            try:
                with contextlib.ExitStack() as tried:
                    port, mtu = self._server[1], self._settings.mtu_bytes()
                    ends = emulated_ends(tried, port, mtu=mtu)
                    stack.push(tried.pop_all())
            except EnvironmentFailure as failure:
                if self._wanted == "emulator":
                    raise
                self.why_proxy = str(failure)
            else:
                self.kind = "emulator"
                return ends
        self.kind = "proxy"
        return proxy_ends(stack, self._listen)

    def _check_mtu(self, changed: LinkSettings) -> None:
        """Refuse another MTU: the kernel of a client was told the one of the beginning."""
        before, after = self._settings.mtu_bytes(), changed.mtu_bytes()
        if before != after:
            raise UsageError(
                f"mtu: the ends know {before} B from the beginning of the link; "
                "write the MTU in lasthop.link(...)"
            )

    def _ask(self, order: object) -> Any:  # noqa: ANN401  JSON
        if self._emulation is None or self._last is not None:
            state = "has not been started" if self._emulation is None else "is closed"
            raise UsageError(f"the link {state}; use it inside its with block")
        try:
            answer = self._control.ask(json.dumps(order))
        except _native.CaptureError as error:
            raise EnvironmentFailure(f"capture: {error}") from error
        except ValueError as error:
            raise UsageError(f"the link cannot be changed: {error}") from error
        if answer is None:
            self._emulation.stop()
            raise EnvironmentFailure("the link has ended by itself; start another one")
        return json.loads(answer)


class _Carrying(Emulation):
    """The emulator of a link before a server."""

    def __init__(
        self,
        spec: Mapping[str, Any],
        ends: Ends,
        server: Address,
        control: _native.EmulatorControl,
        mtu_bytes: int,
    ) -> None:
        super().__init__(spec, *((-1, -1) if ends.devices is None else ends.devices))
        host, port = server
        self._before = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self._of_link = ends
        self._control = control
        self._mtu_bytes = mtu_bytes

    def _emulate(self, stopped: int, ready: int) -> str:
        return _native.emulate_before_server(
            self._spec,
            self._of_link.listeners,
            self._before,
            mtu_bytes=self._mtu_bytes,
            stop_fd=stopped,
            ready_fd=ready,
            control=self._control,
            ends=self._of_link.devices,
        )


def _forgotten(stack: contextlib.ExitStack, address: str) -> None:
    """Close a link that nobody has any more."""
    stack.close()
    warnings.warn(
        f"the link {address} was not closed; write with lasthop.link(...) as link:",
        ResourceWarning,
        stacklevel=2,
    )


def _checked_seed(seed: int) -> int:
    is_whole = type(seed) is int
    if not is_whole or not 0 <= seed <= _LARGEST_SEED:
        raise UsageError(f"seed: {seed!r} is not a whole number from 0 to 2^63 - 1; write seed=1")
    return seed


def _checked_address(name: str, address: object) -> Address:
    match address:
        case (str(host), int(port), *_) if 0 <= port <= _LARGEST_PORT:
            return host, port
        case _:
            example = f'{name}=("127.0.0.1", 1883)'
            raise UsageError(f"{name}: {address!r} is not a host and a port; write {example}")


def _resolved(name: str, address: object) -> Address:
    """Give an address whose host is a number."""
    host, port = _checked_address(name, address)
    if port == 0:
        message = f"{name}: no server listens at port 0; write the port of your server"
        raise UsageError(message)
    with contextlib.suppress(ValueError):
        return str(ipaddress.ip_address(host)), port
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise UsageError(f"{name}: {host} is not a known host ({error.strerror})") from error
    return str(found[0][4][0]), port
