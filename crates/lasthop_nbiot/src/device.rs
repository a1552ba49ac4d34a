//! The device of a subscriber: connected, idle, asleep.
