"""`serve mqtt --quic` and `quic://` beside foreign implementations of QUIC, and hostile clients."""
