"""Measures the network between this machine and a probe server, as the path of a study.

A probe and its server speak datagrams of UDP (`lasthop.probe.datagram`). The server answers each
with at most one, which is at most as large: nobody can be flooded by it.
"""
