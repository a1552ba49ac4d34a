"""Who there is: groups of devices and servers."""
