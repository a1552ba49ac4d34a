"""Server and device programs around libraries. Each runs as a process of its own."""
