"""Stage score: what each arm's contexts hold of the gold, where the rest was lost, and what the context cost."""
