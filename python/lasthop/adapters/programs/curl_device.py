"""An HTTP device with libcurl, which executes an errand (`lasthop.adapters.client`)."""

from typing import Any

from lasthop.adapters.programs import libcurl
from lasthop.adapters.programs.device import fields_of, read_errand
from lasthop.adapters.programs.http_device import post_when_due


class Connection:
    """HTTP connection to the server's name."""

    def __init__(self, errand: Any) -> None:  # noqa: ANN401  plain values
        host, options = errand["server"] or errand["address"], errand["options"]
        scheme = "https" if errand["authority"] else "http"
        self._at = f"{scheme}://{host}:{errand['port']}"
        self._library = libcurl.Connection(
            version=str(options["version"]),
            authority=errand["authority"],
            tls=str(options.get("tls.version")),
            resolved=f"{host}:{errand['port']}:{errand['address']}",
            fields=[f"{name}: {value}" for name, value in fields_of(errand).items()],
        )

    def post(self, path: str, body: bytes) -> int:
        """POST a body, wait for the response and return its status."""
        return self._library.post(f"{self._at}{path}", body)

    def end(self) -> None:
        """Close the connection."""
        self._library.end()


def main() -> None:
    """POST the messages of the errand."""
    errand = read_errand()
    post_when_due(errand, lambda: Connection(errand))


if __name__ == "__main__":
    main()
