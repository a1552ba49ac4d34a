"""`lasthop put`: set a CoAP resource."""

from lasthop.cli.coap_write import write_command

NAME = "put"
EXAMPLE = "Example: lasthop put coap://127.0.0.1/lamp on"

command = write_command("put", "Replace the content of a CoAP resource (PUT)")
