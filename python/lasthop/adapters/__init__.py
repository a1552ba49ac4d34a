"""Adapters that run real software as servers and devices of a study."""

from lasthop.adapters.adapter import Adapter, Offer
from lasthop.adapters.bindings import Bindings
from lasthop.adapters.card import Card
from lasthop.adapters.client import Client, Errand, Message
from lasthop.adapters.client_process import ClientProcess
from lasthop.adapters.presented import PresentedFiles
from lasthop.adapters.pressure import Pressure
from lasthop.adapters.registry import adapter_of, adapters, clients
from lasthop.adapters.server_process import ServerProcess
from lasthop.adapters.usage import Usage

__all__ = [
    "Adapter",
    "Bindings",
    "Card",
    "Client",
    "ClientProcess",
    "Errand",
    "Message",
    "Offer",
    "PresentedFiles",
    "Pressure",
    "ServerProcess",
    "Usage",
    "adapter_of",
    "adapters",
    "clients",
]
