"""Importers turn a foreign format into a dataset folder and report what they read, kept, merged and rejected."""
