"""Values of keys: quantities with units, shares, mappings, and how editors describe them."""
