"""Extensions: stacks of one's own, in native modules beside that of lasthop."""

from lasthop.extensions.installed import Extension, extensions
from lasthop.extensions.natives import Natives

__all__ = ["Extension", "Natives", "extensions"]
