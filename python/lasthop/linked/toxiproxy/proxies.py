"""Proxies by their names, each a link while it is enabled."""

from __future__ import annotations

import ipaddress
import socket
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lasthop.errors import LasthopError
from lasthop.linked.before_server import Link
from lasthop.linked.toxiproxy.toxics import ApiError, Toxic, link_settings

if TYPE_CHECKING:
    from lasthop.linked.ends import Address

_LARGEST_PORT = 2**16 - 1


@dataclass(slots=True)
class Proxy:
    """A link between an address where clients connect and a server."""

    name: str
    listen: Address
    upstream: str
    seed: int
    toxics: dict[str, Toxic] = field(default_factory=dict)
    link: Link | None = None

    def enable(self) -> None:
        """Let clients connect."""
        if self.link is not None:
            return
        settings = link_settings(self.toxics.values())
        made = Link(
            settings, server=read_address(self.upstream), seed=self.seed, listen=self.listen
        )
        made.start()
        # A free port stays the same one.
        self.link, self.listen = made, made.address

    def disable(self) -> None:
        """End its connections and refuse others."""
        if self.link is not None:
            self.link.close()
            self.link = None

    def apply(self) -> None:
        """Have the link be what the toxics say."""
        if self.link is not None:
            self.link.set(**link_settings(self.toxics.values()))

    def json(self) -> dict[str, Any]:
        """Give it as clients read it."""
        host, port = self.listen
        return {
            "name": self.name,
            "listen": f"[{host}]:{port}" if ":" in host else f"{host}:{port}",
            "upstream": self.upstream,
            "enabled": self.link is not None,
            "toxics": [toxic.json() for toxic in self.toxics.values()],
        }


class Proxies:
    """All proxies of a control port; one request at a time."""

    def __init__(self, seed: int) -> None:
        self.lock = threading.Lock()
        self._seed = seed
        self._proxies: dict[str, Proxy] = {}

    def json(self) -> dict[str, Any]:
        """Give all of them."""
        return {name: proxy.json() for name, proxy in self._proxies.items()}

    def create(self, body: dict[str, Any]) -> Proxy:
        """Make one; it is enabled unless the body says otherwise."""
        name, upstream = body.get("name"), body.get("upstream")
        if not isinstance(name, str) or not name:
            raise ApiError(400, "missing required field: name")
        if not isinstance(upstream, str) or not upstream:
            raise ApiError(400, "missing required field: upstream")
        if name in self._proxies:
            raise ApiError(409, "proxy already exists")
        listen = _resolved(read_address(body.get("listen") or "127.0.0.1:0"))
        read_address(upstream)
        proxy = Proxy(name, listen, upstream, self._seed)
        if body.get("enabled", True):
            _start(proxy)
        self._proxies[name] = proxy
        return proxy

    def populate(self, body: object) -> list[Proxy]:
        """Make several; one that is there already is made anew."""
        if not isinstance(body, list):
            raise ApiError(400, "a list of proxies is expected")
        made = []
        for each in body:
            if isinstance(each, dict) and each.get("name") in self._proxies:
                self.delete(each["name"])
            made.append(self.create(each if isinstance(each, dict) else {}))
        return made

    def get(self, name: str) -> Proxy:
        """Give the one of a name."""
        if name not in self._proxies:
            raise ApiError(404, "proxy not found")
        return self._proxies[name]

    def update(self, name: str, body: dict[str, Any]) -> Proxy:
        """Change its addresses or switch it; what the body leaves out stays."""
        proxy = self.get(name)
        enabled = body.get("enabled", proxy.link is not None)
        listen = body.get("listen")
        wanted = proxy.listen if not listen else _resolved(read_address(listen))
        upstream = body.get("upstream") or proxy.upstream
        moved = wanted[1] not in {0, proxy.listen[1]} or wanted[0] != proxy.listen[0]
        if moved or upstream != proxy.upstream or not enabled:
            proxy.disable()
            proxy.listen = wanted if moved else proxy.listen
            proxy.upstream = upstream
        if enabled:
            _start(proxy)
        return proxy

    def delete(self, name: str) -> None:
        """Remove one."""
        self.get(name).disable()
        del self._proxies[name]

    def add_toxic(self, name: str, body: dict[str, Any]) -> Toxic:
        """Give a proxy a toxic."""
        proxy = self.get(name)
        toxic = Toxic.read(body)
        if toxic.name in proxy.toxics:
            raise ApiError(409, "toxic already exists")
        proxy.toxics[toxic.name] = toxic
        proxy.apply()
        return toxic

    def toxic(self, name: str, toxic: str) -> Toxic:
        """Give a toxic of a proxy."""
        proxy = self.get(name)
        if toxic not in proxy.toxics:
            raise ApiError(404, "toxic not found")
        return proxy.toxics[toxic]

    def update_toxic(self, name: str, toxic: str, body: dict[str, Any]) -> Toxic:
        """Change a toxic of a proxy."""
        changed = self.toxic(name, toxic)
        changed.update(body)
        self.get(name).apply()
        return changed

    def remove_toxic(self, name: str, toxic: str) -> None:
        """Take a toxic from a proxy."""
        self.toxic(name, toxic)
        proxy = self.get(name)
        del proxy.toxics[toxic]
        proxy.apply()

    def reset(self) -> None:
        """Enable all proxies and take all toxics from them."""
        for proxy in self._proxies.values():
            proxy.toxics.clear()
            proxy.apply()
            _start(proxy)

    def close(self) -> None:
        """Close all links."""
        for proxy in self._proxies.values():
            proxy.disable()


def _start(proxy: Proxy) -> None:
    try:
        proxy.enable()
    except LasthopError as error:
        raise ApiError(500, str(error)) from None


def read_address(written: object) -> Address:
    """Read an address and port, such as 127.0.0.1:1883 or [::1]:1883.

    Raises
    ------
    ApiError
        If it is none.
    """
    host, colon, port = str(written).rpartition(":")
    if not colon or not port.isdecimal() or int(port) > _LARGEST_PORT:
        raise ApiError(400, f"{written}: write an address such as 127.0.0.1:1883")
    return host.strip("[]"), int(port)


def _resolved(address: Address) -> Address:
    host, port = address
    if not host:
        return "0.0.0.0", port  # noqa: S104  what ":1883" means to Toxiproxy
    try:
        return str(ipaddress.ip_address(host)), port
    except ValueError:
        pass
    try:
        found = socket.getaddrinfo(host, port, socket.AF_INET, socket.SOCK_STREAM)
    except OSError as error:
        raise ApiError(400, f"{host}: {error.strerror}") from None
    return str(found[0][4][0]), port
