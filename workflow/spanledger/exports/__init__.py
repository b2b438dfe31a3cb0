"""What leaves for other tools: TREC runs and RO-Crates."""
