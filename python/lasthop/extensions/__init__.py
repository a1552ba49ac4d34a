"""Extensions: third-party stacks in native modules of their own."""

from lasthop.extensions.installed import Extension, extensions
from lasthop.extensions.natives import Natives

__all__ = ["Extension", "Natives", "extensions"]
