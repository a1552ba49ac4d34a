"""`lasthop post`: hand something to a CoAP resource."""

from lasthop.cli.handing import hands_over

NAME = "post"
EXAMPLE = "Example: lasthop post coap://127.0.0.1/lamp on"

command = hands_over("post", "Send content to a CoAP resource (POST)")
