"""Makes the filter from the names, and finds the names that the page shows.

The filter is a pure function of the names: nothing in it tells when or where it was built, so every machine writes the
same bytes and the same file name. The layout is `line` because the page draws the one 64-byte line that a name asks.
"""

import itertools
import random
from collections.abc import Callable, Collection, Iterator, Sequence

import tepal

from . import source
from .normalise import RULE

FPR = 0.01
CHUNK = 16_384
STRANGERS = 1_000_000

# Names a visitor may like to try; the page picks from those that nobody has.
FIRST = "amber fern ivory lotus maple misty moss olive opal rose sage sunny thistle velvet wild willow"
SECOND = "bloom bud calyx fan garden grove lantern leaf lily meadow nectar orchard petal pollen sepal stem"


def build_filter(names: Sequence[str], progress: Callable[[int], None] = lambda _: None) -> tepal.BloomFilter:
    """A filter that holds `names`; `progress` is called with the number of names just added."""
    metadata = {"normalise": RULE, "source": f"npm:{source.PACKAGE}@{source.VERSION}"}
    names_filter = tepal.BloomFilter(len(names), FPR, layout="line", metadata=metadata)
    for start in range(0, len(names), CHUNK):
        chunk = names[start : start + CHUNK]
        names_filter.add_many(chunk)
        progress(len(chunk))
    return names_filter


def strangers(count: int, known: Collection[str], seed: int = 1) -> Iterator[str]:
    """`count` distinct made-up names that are not in `known`."""
    syllables = [consonant + vowel for consonant in "bdfgklmnprstvz" for vowel in "aeiou"]
    choose = random.Random(seed).choices
    made = ("".join(choose(syllables, k=3)) + f"-{number:x}" for number in itertools.count())
    return itertools.islice((name for name in made if name not in known), count)


def measure(names_filter: tepal.BloomFilter, known: Collection[str], count: int = STRANGERS) -> float:
    """The share of `count` strangers that the filter takes for members."""
    yes = 0
    rest = strangers(count, known)
    while chunk := list(itertools.islice(rest, CHUNK)):
        yes += sum(names_filter.contains_many(chunk))
    return yes / count


def candidates() -> list[str]:
    """Made-up names that read like names, the most readable first."""
    words = list(itertools.product(FIRST.split(), SECOND.split()))
    pairs = (f"{first}-{second}" for first, second in words)
    singles = (f"{first}{second}" for first, second in words)
    return sorted(itertools.chain(pairs, singles), key=lambda name: ("-" not in name, len(name), name))


def examples(names_filter: tepal.BloomFilter, known: Collection[str]) -> dict[str, list[str]]:
    """Names nobody has: those that the filter clears (`free`), and those that it takes for members (`mistaken`)."""
    found: dict[str, list[str]] = {"free": [], "mistaken": []}
    for name in candidates():
        if name not in known:
            found["mistaken" if name in names_filter else "free"].append(name)
    return {"free": found["free"][:12], "mistaken": found["mistaken"][:3]}
