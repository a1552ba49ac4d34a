"""`lasthop put`: set a CoAP resource."""

from lasthop.cli.handing import hands_over

NAME = "put"
EXAMPLE = "Example: lasthop put coap://127.0.0.1/lamp on"

command = hands_over("put", "Replace the content of a CoAP resource (PUT)")
