"""The answer to a study's question: what the runs say, by how much, and what it hangs on."""
