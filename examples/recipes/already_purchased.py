"""Which of these products has the user bought already?

A page of recommendations asks for all its candidates at once. Deny form: what the filter claims is left out; a false
positive is a product that is not recommended, one among many, which nobody notices. Verify form: what is claimed is
looked up; for where it is said aloud ("you own this"), where a false positive would be a lie.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from tepal import ScalableBloomFilter, key

from counted import Outcome, Table, draws

USERS, PRODUCTS, PURCHASES, PAGES, CANDIDATES, FPR = 10_000, 400, 150_000, 3_000, 40, 0.01


def deny(bought: ScalableBloomFilter, user: str, candidates: list[str]) -> list[str]:
    """What to recommend."""
    claimed = bought.contains_many([key(user, product) for product in candidates])
    return [product for product, owned in zip(candidates, claimed, strict=True) if not owned]


def verify(bought: ScalableBloomFilter, purchases: Table, user: str, candidates: list[str]) -> list[str]:
    """What the user owns among these."""
    claimed = bought.contains_many([key(user, product) for product in candidates])
    pairs = zip(candidates, claimed, strict=True)
    return [product for product, owned in pairs if owned and (user, product) in purchases]


def purchases() -> Iterable[tuple[str, str]]:
    numbers = draws(6)
    for a, b in islice(zip(numbers, numbers, strict=True), PURCHASES):
        yield f"user-{a % USERS}", f"product-{b % PRODUCTS}"


def pages() -> Iterable[tuple[str, list[str]]]:
    for a in islice(draws(7), PAGES):
        yield f"user-{a % USERS}", [f"product-{(a + 7 * i) % PRODUCTS}" for i in range(CANDIDATES)]


def main() -> None:
    truth = set(purchases())
    table, bought = Table("user", "product", rows=truth), ScalableBloomFilter(fpr=FPR)
    bought.update(key(user, product) for user, product in purchases())
    asked = PAGES * CANDIDATES
    levels = f"{bought.filter_count} levels, {len(bought.to_bytes()):,} bytes"
    print(f"{PAGES:,} pages of {CANDIDATES} candidates; {len(truth):,} purchases known ({levels})")

    left_out = not_bought = 0
    for user, candidates in pages():
        new = [product for product in candidates if (user, product) not in truth]
        shown = deny(bought, user, candidates)
        assert set(shown) <= set(new), "recommended what was bought"
        not_bought += len(new)
        left_out += len(new) - len(shown)
    print(Outcome("deny", asked, 0, left_out, not_bought, "new products left out"))
    assert left_out <= FPR * not_bought

    for user, candidates in pages():
        owned = verify(bought, table, user, candidates)
        assert owned == [product for product in candidates if (user, product) in truth]
    print(Outcome("verify", asked, table.queries, 0, not_bought, "products wrongly called owned"))


if __name__ == "__main__":
    main()
