"""Has this card been reported stolen?

Deny form: a card that the filter claims is refused; a false positive is an honest customer who cannot pay, so the rate
must be tiny, and a filter of one in a million costs three times the bytes of one of one in a hundred. Verify form: what
is claimed is looked up; then one in a hundred is enough, and nobody is refused wrongly.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable
from itertools import islice

from tepal import BloomFilter

from counted import Outcome, Table, draws

STOLEN, PAYMENTS = 50_000, 100_000
# Who holds a filter can test guesses, and card numbers can be guessed: this one holds what only this service can make.
SECRET = b"from the service's own vault"


def card_key(number: str) -> bytes:
    """What stands for a card. Spaces are no part of a number."""
    return hmac.digest(SECRET, number.replace(" ", "").encode(), "sha256")


def deny(stolen: BloomFilter, payments: Iterable[str]) -> list[str]:
    """The payments that are refused."""
    return [number for number in payments if card_key(number) in stolen]


def verify(stolen: BloomFilter, reported: Table, payments: Iterable[str]) -> list[str]:
    """The payments that are refused: claimed by the filter, confirmed by the table."""
    return [number for number in payments if card_key(number) in stolen and (number,) in reported]


def cards() -> Iterable[str]:
    numbers = draws(2)
    for i, (a, b) in enumerate(zip(numbers, numbers, strict=True)):
        yield f"4{i:06}{a % 10**4:04}{b % 10**5:05}"


def main() -> None:
    everybody = cards()
    reported = list(islice(everybody, STOLEN))
    honest = list(islice(everybody, PAYMENTS - 200))
    payments = honest + reported[::250]
    print(f"{PAYMENTS:,} payments, {len(payments) - len(honest)} of them with one of {STOLEN:,} stolen cards")
    table = Table("number", rows=((number,) for number in reported))
    sizes = {}
    for fpr in (0.01, 1e-6):
        stolen = BloomFilter.build(map(card_key, reported), fpr=fpr)
        sizes[fpr] = len(stolen.to_bytes())
        refused = deny(stolen, payments)
        assert set(reported[::250]) <= set(refused), "a stolen card went through"
        wrong = len(refused) - 200
        print(f"at {fpr:g}, {sizes[fpr]:,} bytes:")
        print(Outcome("deny", PAYMENTS, 0, wrong, len(honest), "honest cards refused"))
        table.queries = 0
        assert verify(stolen, table, payments) == reported[::250]
        print(Outcome("verify", PAYMENTS, table.queries, 0, len(honest), "honest cards refused"))
        assert wrong <= 1.2 * fpr * len(honest) + 1
    assert sizes[1e-6] < 3.5 * sizes[0.01]


if __name__ == "__main__":
    main()
