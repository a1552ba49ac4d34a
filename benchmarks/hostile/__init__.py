"""An honest client beside each hostile one, on each listener of `lasthop serve`."""
