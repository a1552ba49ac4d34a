"""Values of keys: quantities with units, shares, mappings, and their JSON schema."""
