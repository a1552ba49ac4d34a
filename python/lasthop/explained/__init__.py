"""Explains one message of a run by a time line: the run is simulated again."""

from lasthop.explained.message import Event, MessageName, explain_message, number_parts

__all__ = ["Event", "MessageName", "explain_message", "number_parts"]
