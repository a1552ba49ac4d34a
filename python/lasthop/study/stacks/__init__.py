"""Stacks: which layers and options exist, and the notation that names them."""

from lasthop.study.stacks.catalogue import Application, Option, catalogue
from lasthop.study.stacks.notation import ResolvedStack, parse_stack

__all__ = ["Application", "Option", "ResolvedStack", "catalogue", "parse_stack"]
