"""The rule "ascii-lower-v1": what a name looks like before it becomes a key.

`normalise/normalise.mjs` is its twin for server and page; both are tested on `normalise/ascii-lower-v1.json`, and on
every code point. It folds ASCII and nothing else: `str.lower` would turn the Kelvin sign into a k, and JavaScript's
idea of lower case differs from Python's. The rule's id stands in the filter's metadata.
"""

import re

RULE = "ascii-lower-v1"
LONGEST = 39

_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_STRANGER = re.compile("[^a-z0-9-]")


class Refused(ValueError):
    """A text that cannot be a handle: `reason` is "empty", "character" or "too_long"."""

    def __init__(self, reason: str, character: str | None = None) -> None:
        super().__init__(f"not a handle: {reason}")
        self.reason = reason
        self.character = character


def fold(text: str) -> str:
    """The key that the filter holds for `text`."""
    return text.strip(" \t\n\r").translate(_LOWER)


def handle(text: str) -> str:
    """The name that `text` stands for; raises `Refused` when it cannot be a handle."""
    name = fold(text)
    if not name:
        raise Refused("empty")
    stranger = _STRANGER.search(name)
    if stranger:
        raise Refused("character", stranger[0])
    if len(name) > LONGEST:
        raise Refused("too_long")
    return name
