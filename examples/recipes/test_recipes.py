"""The recipes in small: what they must do for any filter. (`make recipes` runs them in large, against their page.)"""

from __future__ import annotations

import pytest
from tepal import BloomFilter, ScalableBloomFilter, key

import ads_once
import already_purchased
import malicious_urls
import spam_senders
import stolen_cards
from counted import Table, draws


def crowded(keys: list[str | bytes]) -> BloomFilter:
    """A filter that is mistaken about nearly everything: made for one key, and given thousands."""
    full = BloomFilter(1, 0.5)
    full.update(keys)
    full.update(range(5_000))
    assert full.estimated_fpr > 0.9
    return full


def test_a_table_counts_its_queries() -> None:
    table = Table("a", "b", rows=[("1", "2")])
    table.add("1", "2")
    assert ("1", "2") in table
    assert ("2", "1") not in table
    assert (table.queries, list(table)) == (2, [("1", "2")])


def test_draws_are_the_same_everywhere() -> None:
    numbers = draws(1)
    assert [next(numbers) for _ in range(3)] == [15496, 24200, 33046]


def test_ads_are_shown_once_each() -> None:
    wanted = [("ada", "tea"), ("ada", "tea"), ("bob", "tea"), ("ada", "coffee"), ("bob", "tea")]
    once = [("ada", "tea"), ("bob", "tea"), ("ada", "coffee")]
    shown: list[tuple[str, str]] = []
    ads_once.deny(ScalableBloomFilter(fpr=1e-9), wanted, shown.append)
    assert shown == once
    table, shown = Table("user", "ad"), []
    ads_once.verify(ScalableBloomFilter(fpr=1e-9), table, wanted, shown.append)
    assert (shown, table.queries) == (once, 2)
    # Borders of parts count: another user, another ad, the same letters.
    assert key("ab", "c") != key("a", "bc")


def test_ads_are_shown_once_each_after_a_restart() -> None:
    table = Table("user", "ad", rows=[("ada", "tea")])
    shown: list[tuple[str, str]] = []
    ads_once.verify(ads_once.rebuild(table), table, [("ada", "tea"), ("ada", "coffee")], shown.append)
    assert shown == [("ada", "coffee")]


def test_verify_is_right_even_when_the_filter_is_not() -> None:
    bad, good = "bad.example/", [f"https://good{i}.example/" for i in range(100)]
    filter = crowded([bad])
    assert len(malicious_urls.deny(filter, good)) > 50
    table = Table("expression", rows=[(bad,)])
    assert malicious_urls.verify(filter, table, [*good, "http://bad.example/"]) == ["http://bad.example/"]

    cards = [f"{i:016}" for i in range(100)]
    filter = crowded([stolen_cards.card_key(cards[0])])
    assert len(stolen_cards.deny(filter, cards)) > 50
    assert stolen_cards.verify(filter, Table("number", rows=[(cards[0],)]), cards) == cards[:1]


def test_a_card_is_a_card_however_it_is_spaced() -> None:
    assert stolen_cards.card_key("4000 0000 0000 0000") == stolen_cards.card_key("4000000000000000")
    assert b"4000" not in stolen_cards.card_key("4000000000000000")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("phone", "+1 (555) 010-9999"), ("phone", "+15550109999")),
        (("mail", " Offer@MAIL.example "), ("mail", "Offer@mail.example")),
    ],
)
def test_senders_have_one_spelling(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert spam_senders.normal(*one) == spam_senders.normal(*other)
    spam = ScalableBloomFilter()
    spam.add(key(*spam_senders.normal(*one)))
    assert spam_senders.deny(spam, [other]) == [other]


def test_expressions_of_a_url() -> None:
    assert malicious_urls.expressions("http://A.b.EXAMPLE.:80/one/two/page?x=1#y") == [
        host + path
        for host in ("a.b.example", "b.example")
        for path in ("/one/two/page?x=1", "/one/two/page", "/", "/one/")
    ]
    assert malicious_urls.expressions("https://b.example") == ["b.example/"]


def test_recommendations() -> None:
    bought = ScalableBloomFilter(fpr=1e-9)
    bought.add(key("ada", "tea"))
    assert already_purchased.deny(bought, "ada", ["tea", "cup"]) == ["cup"]
    assert already_purchased.deny(bought, "bob", ["tea", "cup"]) == ["tea", "cup"]
    table = Table("user", "product", rows=[("ada", "tea")])
    assert already_purchased.verify(bought, table, "ada", ["tea", "cup"]) == ["tea"]
