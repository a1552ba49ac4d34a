"""An HTTP device with Locust, which executes an errand (`lasthop.adapters.client`)."""

from typing import Any

from locust import HttpUser, task
from locust.env import Environment

from lasthop.adapters.programs.device import at_its_name, fields_of, read_errand
from lasthop.adapters.programs.http_device import post_when_due


class Device(HttpUser):
    """A Locust user that only executes the device's errand."""

    errand: Any
    client: Any

    @task
    def report(self) -> None:
        """POST each message when it is due, and quit at the end of the errand."""
        post_when_due(self.errand, lambda: Connection(self.client, self.errand))
        self.environment.runner.quit()


class Connection:
    """HTTP connection in the session of a Locust user."""

    def __init__(self, client: Any, errand: Any) -> None:  # noqa: ANN401  as Locust has it
        self._client, self._fields = client, fields_of(errand)
        client.verify = errand["authority"] or True

    def post(self, path: str, body: bytes) -> int:
        """POST a body, wait for the response and return its status."""
        answer: int = self._client.post(path, data=body, headers=self._fields).status_code
        return answer

    def end(self) -> None:
        """Close the connection."""
        self._client.close()


def main() -> None:
    """Run one Locust user that POSTs the messages of the errand."""
    errand = read_errand()
    at_its_name(errand)
    scheme = "https" if errand["authority"] else "http"
    Device.errand = errand
    Device.host = f"{scheme}://{errand['server'] or errand['address']}:{errand['port']}"
    environment = Environment(user_classes=[Device])
    runner = environment.create_local_runner()
    runner.start(1, spawn_rate=1)
    runner.greenlet.join()


if __name__ == "__main__":
    main()
