"""Publish a text so many times by paho, with a token, and print how long each took in seconds.

``python paho_client.py HOST AUTHORITY DEVICE TOKEN TEXT COUNT``; the first has the set-up in it.
"""

import ssl
import sys
import threading
import time

import paho.mqtt.client as mqtt

_PATIENCE_S = 10.0
_PAUSE_S = 0.1


def main() -> None:
    """Connect, publish one after the other, and leave."""
    host, authority, device, token, text, count = sys.argv[1:]
    client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, client_id=device)
    client.username_pw_set("unused", token)
    # It writes the secrets of the connection where SSLKEYLOGFILE says.
    client.tls_set_context(ssl.create_default_context(cafile=authority))
    there = threading.Event()
    client.on_connect = lambda *_told: there.set()
    began = time.perf_counter()
    client.connect(host, 8883)
    client.loop_start()
    if not there.wait(_PATIENCE_S):
        sys.exit("no CONNACK")
    topic = f"/devices/{device.rpartition('/')[2]}/events"
    for _ in range(int(count)):
        client.publish(topic, text, qos=1).wait_for_publish(_PATIENCE_S)
        now = time.perf_counter()
        print(now - began)
        time.sleep(_PAUSE_S)
        began = time.perf_counter()
    client.disconnect()
    client.loop_stop()


if __name__ == "__main__":
    main()
