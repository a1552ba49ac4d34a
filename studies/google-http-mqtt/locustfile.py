"""A user of Locust who posts a text so many times by one connection, and prints how long each took.

Told by POSTS, URL, TOKEN, BODY and AUTHORITY of the environment; the first has the set-up in it.
"""

import os
import time

from locust import HttpUser, task

_PAUSE_S = 0.1


class Device(HttpUser):
    """A device with a token."""

    host = os.environ["URL"]

    @task
    def publish(self) -> None:
        """Post one after the other, and end."""
        self.client.verify = os.environ["AUTHORITY"]
        headers = {"Authorization": f"Bearer {os.environ['TOKEN']}"}
        for _ in range(int(os.environ["POSTS"])):
            began = time.perf_counter()
            answer = self.client.post("", data=os.environ["BODY"], headers=headers)
            answer.raise_for_status()
            print(time.perf_counter() - began)
            time.sleep(_PAUSE_S)
        self.environment.runner.quit()
