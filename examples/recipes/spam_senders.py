"""Is this sender, or this phone number, known for spam?

Reports come in all day, so the filter grows; addresses and numbers share it, told apart by the first part of the key.
Deny form: what is claimed goes to the spam folder; a false positive is a good message that is found there. Verify form:
what is claimed is looked up first, and only spam goes there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice

from tepal import ScalableBloomFilter, key

from counted import Outcome, Table, draws

REPORTS, MESSAGES, FPR = 50_000, 100_000, 0.01
Sender = tuple[str, str]  # what it is, and who


def normal(kind: str, who: str) -> Sender:
    """One spelling for one sender, when it is added and when it is asked: other bytes would be another key."""
    if kind == "phone":
        return kind, re.sub(r"[^0-9+]", "", who)
    local, _, domain = who.strip().rpartition("@")
    return kind, f"{local}@{domain.lower()}"  # what stands before the @ may tell capitals apart


def deny(spam: ScalableBloomFilter, messages: Iterable[Sender]) -> list[Sender]:
    """The messages that go to the spam folder."""
    return [message for message in messages if key(*normal(*message)) in spam]


def verify(spam: ScalableBloomFilter, reported: Table, messages: Iterable[Sender]) -> list[Sender]:
    """The messages that go to the spam folder: claimed by the filter, confirmed by the table."""
    return [message for message in messages if key(*normal(*message)) in spam and normal(*message) in reported]


def senders(seed: int) -> Iterable[Sender]:
    numbers = draws(seed)
    for i, a in enumerate(numbers):
        yield ("phone", f"+1 ({200 + a % 700}) {i:07}") if a % 5 < 2 else ("mail", f"Offer{i}@Mail{a % 900}.example")


def main() -> None:
    reported = list(islice(senders(3), REPORTS))
    spam, table = ScalableBloomFilter(fpr=FPR), Table("kind", "who")
    for report in reported:
        spam.add(key(*normal(*report)))
        table.add(*normal(*report))
    good = [(kind, f"+44{who[4:]}" if kind == "phone" else f"friend.{who}") for kind, who in senders_of(MESSAGES)]
    shouted = [(kind, who if kind == "phone" else who.replace("Mail", "MAIL")) for kind, who in reported[::10]]
    messages = good + shouted
    levels = f"{spam.filter_count} levels, {len(spam.to_bytes()):,} bytes"
    print(f"{len(messages):,} messages, {len(shouted):,} of them spam; {REPORTS:,} senders known ({levels})")

    filed = deny(spam, messages)
    assert set(shouted) <= set(filed), "spam came through"
    wrong = len(filed) - len(shouted)
    print(Outcome("deny", len(messages), 0, wrong, len(good), "good messages in the spam folder"))
    assert wrong <= FPR * len(good)

    assert verify(spam, table, messages) == shouted
    print(Outcome("verify", len(messages), table.queries, 0, len(good), "good messages in the spam folder"))


def senders_of(count: int) -> list[Sender]:
    return list(islice(senders(4), count))


if __name__ == "__main__":
    main()
