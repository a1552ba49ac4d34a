"""Stacks: which layers and options exist, and the notation that names them."""

from lasthop.study.stacks.catalogue import APPLICATIONS, Application, Option
from lasthop.study.stacks.notation import ResolvedStack, parse_stack

__all__ = ["APPLICATIONS", "Application", "Option", "ResolvedStack", "parse_stack"]
