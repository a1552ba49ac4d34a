"""What a load takes of the machine that makes it, beside the least that a program in C can take."""
