"""Is this URL on the list of malicious ones?

A list names hosts and paths, so one URL asks for several expressions (its host and the hosts above, its path and the
paths above), and each of them may be a false positive: a URL with eight is wrong eight times as often as the filter.
So the filter gets the rate that is wanted for a URL, divided by the most expressions. Deny form: a false positive is a
good page that does not open. Verify form: what is claimed is looked up in the list, and only bad pages are stopped.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from urllib.parse import urlsplit

from tepal import BloomFilter

from counted import Outcome, Table, draws

LISTED, VISITS, FPR = 20_000, 50_000, 0.01
HOSTS, PATHS = 3, 4  # at most so many of each


def expressions(url: str) -> list[str]:
    """What a list may say of a URL, from the most to the least specific. Both sides must make them alike."""
    parts = urlsplit(url)
    labels = (parts.hostname or "").rstrip(".").split(".")
    hosts = [".".join(labels[i:]) for i in range(max(1, len(labels) - 1))][:HOSTS]
    path = parts.path or "/"
    folders = path.split("/")[1:-1]
    above = ["/" + "".join(f"{folder}/" for folder in folders[:i]) for i in range(len(folders) + 1)]
    paths = list(dict.fromkeys([f"{path}?{parts.query}" if parts.query else path, path, *above]))[:PATHS]
    return [host + path for host in hosts for path in paths]


def deny(listed: BloomFilter, urls: Iterable[str]) -> list[str]:
    """The URLs that are stopped."""
    return [url for url in urls if listed.contains_many(expressions(url)).any()]


def verify(listed: BloomFilter, table: Table, urls: Iterable[str]) -> list[str]:
    """The URLs that are stopped: some expression is claimed by the filter and confirmed by the list."""
    return [url for url in urls if any(one in listed and (one,) in table for one in expressions(url))]


def the_list() -> list[str]:
    """A third of it whole hosts, the rest folders and pages."""
    paths = ("/", "/login/", "/files/invoice.html")
    return [f"bad{i}.example{paths[i % 3]}" for i in range(LISTED)]


def good_urls() -> Iterable[str]:
    for i, a in enumerate(islice(draws(5), VISITS)):
        yield f"https://www.shop{i}.example/catalogue/{a % 100}/item.html?page={a}"


def bad_urls() -> list[str]:
    pages = ("/anything?at=all", "/login/form.html", "/files/invoice.html?x=1")
    return [f"http://cdn.BAD{i}.example{pages[i % 3]}#top" for i in range(0, LISTED, 100)]


def main() -> None:
    listed, good, bad = the_list(), list(good_urls()), bad_urls()
    table = Table("expression", rows=((one,) for one in listed))
    asked = sum(len(expressions(url)) for url in good + bad)
    print(f"{len(good) + len(bad):,} URLs, {len(bad)} of them bad; {asked:,} expressions asked; {LISTED:,} listed")
    for fpr, name in ((FPR, "the filter"), (FPR / (HOSTS * PATHS), "a URL")):
        filter = BloomFilter.build(listed, fpr=fpr)
        print(f"1 in 100 for {name}, {len(filter.to_bytes()):,} bytes:")
        stopped = deny(filter, good + bad)
        assert set(bad) <= set(stopped), "a bad URL came through"
        wrong = len(stopped) - len(bad)
        print(Outcome("deny", asked, 0, wrong, len(good), "good URLs stopped"))
        table.queries = 0
        assert verify(filter, table, good + bad) == bad
        print(Outcome("verify", asked, table.queries, 0, len(good), "good URLs stopped"))
    assert wrong <= FPR * len(good)


if __name__ == "__main__":
    main()
