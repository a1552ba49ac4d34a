"""Stacks of one's own for lasthop; `toy_protocol._native` has them."""
