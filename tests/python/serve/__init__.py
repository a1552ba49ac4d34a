"""`lasthop serve` and the clients: beside foreign clients, hostile ones, and each other."""
