"""Packet scripts that the kernel's TCP must follow as ours does."""
