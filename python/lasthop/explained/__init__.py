"""One message of a run: its name, and its time line from simulating the run again."""

from lasthop.explained.message import Event, MessageName, explain_message, number_parts

__all__ = ["Event", "MessageName", "explain_message", "number_parts"]
