"""Evaluates the retrieval half of RAG on evidence that is anchored to document, version and span.

`spanledger.run` runs an experiment in memory (see `spanledger.experiment.run`). It is found on first use: nothing is
imported here, because whatever a stage imports decides what re-runs it.
"""

import importlib


def __getattr__(name: str):
    if name == "run":
        return importlib.import_module("spanledger.experiment").run
    raise AttributeError(f"module 'spanledger' has no attribute '{name}'")
