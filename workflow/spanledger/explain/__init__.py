"""The trail of one question through an arm, worked out from results on disk: what `spanledger explain` shows.

Nothing is written, and nothing is scored by other parameters than those that made the results.
"""
