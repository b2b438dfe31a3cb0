"""Evaluates the retrieval half of RAG on evidence anchored to document, version and span."""
