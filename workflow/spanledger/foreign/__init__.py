"""Runs of other retrievers: read from a file, made into candidates, and scored by the stages select, score and report."""
