"""How punctual the emulator is, and what a packet costs."""
