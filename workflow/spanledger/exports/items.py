"""How records are called in files of others, whose columns are separated by white space.

A name is an id in which every white space, control character, half of a surrogate pair and % is percent-encoded (UTF-8,
upper case), and a # at its beginning too, because it would start a comment. `decoded` is the inverse. A document version
is called by its doc_id, and where some document of the dataset has several versions all of them are doc_id@version.
"""

from collections.abc import Iterable
from urllib.parse import unquote_to_bytes

from spanledger.core.errors import Problem, raise_problems
from spanledger.core.records import DocumentKey

NOTHING = "-"  # stands for no item: judged 0 where a query has no relevant one, so that readers count the query


def encoded(name: str) -> str:
    """A name as one word."""
    text = "".join(map(_encoded, name))
    return "%23" + text[1:] if text.startswith("#") else text


def _encoded(character: str) -> str:
    if character == "%" or character.isspace() or not character.isprintable():
        return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
    return character


def decoded(text: str) -> str:
    """The inverse of `encoded`. Raises ValueError for a text that no name is encoded as."""
    name = unquote_to_bytes(text).decode("utf-8", "surrogatepass")
    if encoded(name) != text:
        raise ValueError(f"{text!r} is no encoded name")
    return name


def document_names(keys: Iterable[DocumentKey]) -> dict[DocumentKey, str]:
    """The encoded name of every document version of a dataset. Raises InputError where two have the same."""
    keys = sorted(set(keys))
    several = len({doc_id for doc_id, _ in keys}) < len(keys)
    names = {key: encoded("@".join(key) if several else key[0]) for key in keys}
    by_name: dict[str, list[DocumentKey]] = {}
    for key, name in names.items():
        by_name.setdefault(name, []).append(key)
    raise_problems(
        Problem("documents.jsonl", record=" and ".join(map(repr, same)), message=f"are both called {name!r}")
        for name, same in by_name.items()
        if len(same) > 1
    )
    return names
