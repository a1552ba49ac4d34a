"""The answer to a study's question: the best stack, its margin, and what changes the answer."""
