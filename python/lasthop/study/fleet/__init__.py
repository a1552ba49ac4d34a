"""Groups of devices, and servers."""
