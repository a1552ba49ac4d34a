"""Fleet of a study: groups of devices, servers, gateways, flows and events."""
