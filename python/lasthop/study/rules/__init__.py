"""What a study must keep to before its first run: one rule or one subject a module."""
