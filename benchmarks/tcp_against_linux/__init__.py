"""TCP against Linux: the same losses on our TCP in virtual time and on the kernel's."""
