"""`lasthop post`: hand something to a CoAP resource."""

from lasthop.cli.coap_write import write_command

NAME = "post"
EXAMPLE = "Example: lasthop post coap://127.0.0.1/lamp on"

command = write_command("post", "Send content to a CoAP resource (POST)")
