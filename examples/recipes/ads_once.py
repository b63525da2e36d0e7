"""An advertisement or a promotional e-mail, shown once to each user.

One filter holds the pairs that were shown, as compound keys. Deny form: what the filter claims is not shown again; a
false positive is an ad that a user never sees. Verify form: what it claims is looked up, so no ad is lost, and the
database is still not asked about a pair that is new. Nothing is ever shown twice in either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

from tepal import BloomFilter, ScalableBloomFilter, key

from counted import Outcome, Table, draws

USERS, ADS, REQUESTS, FPR = 5_000, 60, 100_000, 0.01
Pair = tuple[str, str]


def deny(seen: ScalableBloomFilter, requests: Iterable[Pair], show: Callable[[Pair], None]) -> None:
    """`add` answers True for a pair that is new: one call asks and remembers."""
    for user, ad in requests:
        if seen.add(key(user, ad)):
            show((user, ad))


def verify(seen: ScalableBloomFilter, shown: Table, requests: Iterable[Pair], show: Callable[[Pair], None]) -> None:
    """A pair that is new needs no question; one that the filter claims is looked up."""
    for user, ad in requests:
        if seen.add(key(user, ad)) or (user, ad) not in shown:
            shown.add(user, ad)
            show((user, ad))


def rebuild(shown: Table) -> ScalableBloomFilter:
    """At start, from the table: a filter that is older than its table forgets what was shown since."""
    return ScalableBloomFilter.build((key(user, ad) for user, ad in shown), fpr=FPR)


def requests() -> Iterable[Pair]:
    """Who would be shown what, some users far more often than others."""
    numbers = draws(1)
    for a, b, c in islice(zip(numbers, numbers, numbers, strict=True), REQUESTS):
        yield f"user-{(a % USERS) * (b % USERS) // USERS}", f"ad-{c % ADS}"


def main() -> None:
    wanted = set(requests())
    print(f"{REQUESTS:,} requests by {USERS:,} users for {ADS} ads, {FPR:.0%} promised")

    seen, shown = ScalableBloomFilter(fpr=FPR), []
    deny(seen, requests(), shown.append)
    assert len(set(shown)) == len(shown), "shown twice"
    lost = len(wanted) - len(shown)
    print(Outcome("deny", REQUESTS, 0, lost, len(wanted), "ads never seen"))
    assert lost <= FPR * len(wanted)

    table, shown = Table("user", "ad"), []
    verify(ScalableBloomFilter(fpr=FPR), table, requests(), shown.append)
    assert sorted(shown) == sorted(wanted), "each exactly once"
    print(Outcome("verify", REQUESTS, table.queries, 0, len(wanted), "ads never seen"))
    again = rebuild(table)
    assert all(key(user, ad) in again for user, ad in wanted)

    # What the same costs as one filter per user: as files of tepal, and as a server keeps them by default.
    users = {user for user, _ in wanted}
    one_file = len(BloomFilter(ADS, FPR).to_bytes())
    one_key = ScalableBloomFilter(fpr=FPR, scheme="valkey").size
    print(f"bytes:  {len(seen.to_bytes()):,} in one filter of compound keys ({seen.filter_count} levels)")
    print(f"        {one_file * len(users):,} in {len(users):,} files of {one_file}, one per user")
    print(f"        {one_key * len(users):,} in {len(users):,} keys of {one_key} in valkey-bloom, one per user")
    assert len(seen.to_bytes()) < one_file * len(users) < one_key * len(users)


if __name__ == "__main__":
    main()
