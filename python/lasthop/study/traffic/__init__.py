"""Flows of messages: ends, payloads and schedules."""
