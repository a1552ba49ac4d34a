"""Protocol stacks: known layers and options, and their notation."""

from lasthop.study.stacks.catalogue import Application, Option, catalogue
from lasthop.study.stacks.notation import ResolvedStack, parse_stack

__all__ = ["Application", "Option", "ResolvedStack", "catalogue", "parse_stack"]
