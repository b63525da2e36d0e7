"""The doctor: numbers that can be checked by hand, and the three things that go wrong."""

from __future__ import annotations

import asyncio
import math

import pytest
import redis
import redis.asyncio
import run
import valkey

from tepal import ScalableBloomFilter
from tepal.redis import RemoteBloomFilter, _doctor, aio, doctor, push


def test_nothing_to_say(client: redis.Redis) -> None:
    RemoteBloomFilter(client, "good", capacity=5_000, expansion=None).update(range(4_900))
    client.set("text", "no filter")
    report = doctor(client)
    assert [one.key for one in report.filters] == [b"good"]
    assert report.findings == {}
    [good] = report.filters
    assert (good.scheme, good.filter_count, good.capacity, good.promised_fpr) == ("redisbloom", 1, 5_000, 0.01)
    assert good.compound_fpr == pytest.approx(0.01)
    assert good.estimated_fpr is None


def test_bytes_wasted_by_the_series(client: redis.Redis) -> None:
    remote = RemoteBloomFilter(client, "grown", capacity=100)
    remote.update(range(50_000))
    [one] = doctor(client).filters
    count = remote.inserted_count
    assert (one.filter_count, one.inserted_count) == (9, count)
    # 1.44 log2(1/0.01) = 9.585 bits a key, when one level is made for all of them
    assert one.rebuild_nbytes == math.ceil(count * 9.585058 / 8) or abs(one.rebuild_nbytes * 8 / count - 9.585) < 0.001
    levels = sum(100 * 2**i * -math.log(0.005 / 2**i) / math.log(2) ** 2 / 8 for i in range(9))
    assert one.nbytes == pytest.approx(levels, rel=0.01)
    assert one.compound_fpr == pytest.approx(sum(0.005 / 2**i for i in range(9)), rel=0.01)
    assert any("saves" in finding for finding in one.findings)
    assert any("9 levels" in finding for finding in one.findings)
    # What it advises is true: a rebuild has the bytes it says.
    RemoteBloomFilter(client, "rebuilt", capacity=50_000, expansion=None).update(range(50_000))
    assert doctor(client, "rebuilt").filters[0].nbytes == pytest.approx(one.rebuild_nbytes * 50_000 / count, rel=0.001)
    assert doctor(client, "rebuilt").findings == {}


def test_a_large_filter_with_few_keys(client: redis.Redis) -> None:
    RemoteBloomFilter(client, "large", capacity=1_000_000).add("a")
    RemoteBloomFilter(client, "empty")
    findings = doctor(client).findings
    assert any("1 keys" in finding for finding in findings[b"large"])
    assert findings[b"empty"] == ["has no keys"]


def test_the_rate_as_it_is(client: redis.Redis) -> None:
    RemoteBloomFilter(client, "seen", capacity=1_000, expansion=None).update(range(1_000))
    [one] = doctor(client, deep=True).filters
    assert one.estimated_fpr == pytest.approx(0.01, rel=0.15)


def test_valkey_bloom_promises_what_it_does_not_keep(valkey_bloom_server: run.Server) -> None:
    with valkey.Valkey(port=valkey_bloom_server.port) as client:
        RemoteBloomFilter(client, "grown").update(range(50_000))
        [one] = doctor(client, deep=True).filters
        assert one.scheme == "valkey"
        assert one.compound_fpr == pytest.approx(0.02, rel=0.02)
        assert any("together reach" in finding for finding in one.findings)
        assert one.estimated_fpr is not None
        assert 0.011 < one.estimated_fpr < 0.03  # its first levels are small


def test_the_series_of_valkey_bloom_by_its_formulas() -> None:
    rates = [0.01 * 0.5**i for i in range(9)]
    assert _doctor.compound(rates) == pytest.approx(sum(rates), rel=0.01)
    assert _doctor.optimal_nbytes(100, 0.01) == 120  # a default filter: 384 - 48 - 8 - 208
    assert _doctor.optimal_nbytes(10_000, 0.001) == 18236 - 264


def test_copies_that_are_empty(client: redis.Redis, redis_server: run.Server) -> None:
    client.config_set("repl-diskless-sync-delay", 0)
    replicates = ("--replicaof", f"127.0.0.1 {redis_server.port}", "--replica-read-only", "no")
    with run.server("redis", *replicates) as server:
        assert server
        with redis.Redis(port=server.port) as replica:
            while replica.info("replication")["master_link_status"] != "up":
                pass
            local = ScalableBloomFilter(1_000, scheme="redisbloom")
            local.update(range(1_000))
            for key in ("whole", "empty", "missing"):
                push(client, key, local)
            client.wait(1, 10_000)
            # Our push is replicated whole.
            assert "copy" not in str(doctor(client, replicas=[replica]))
            replica.delete("empty", "missing")
            RemoteBloomFilter(replica, "empty").add("the payload, as an item")
            report = doctor(client, replicas=[replica])
            name = f"localhost:{server.port}"
            assert {one.key: one.replicas for one in report.filters} == {
                b"whole": {name: local.inserted_count}, b"empty": {name: 1}, b"missing": {name: 0},
            }  # fmt: skip
            told = {key: [one for one in found if "copy" in one] for key, found in report.findings.items()}
            assert len(told[b"empty"]) == len(told[b"missing"]) == 1
            assert not told.get(b"whole")


def test_the_table(client: redis.Redis) -> None:
    for i in range(3):
        RemoteBloomFilter(client, f"filter-{i}", capacity=10 ** (i + 2)).update(range(1_000))
    text = str(doctor(client, "filter-*"))
    lines = text.splitlines()
    assert lines[0].split("  ")[0] == "key"
    assert "promised" in lines[0]
    assert len({len(line) for line in lines[:4]}) == 1
    assert lines[-1].startswith("3 filters; rebuilding all would save ")


def test_many_keys(client: redis.Redis) -> None:
    pipeline = client.pipeline()
    for i in range(5_000):
        pipeline.set(f"other-{i}", i)
    pipeline.execute()
    for i in range(20):
        RemoteBloomFilter(client, f"seen-{i:02}")
    assert [one.key for one in doctor(client).filters] == [b"seen-%02d" % i for i in range(20)]
    assert len(doctor(client, "seen-1?").filters) == 10


def test_aio(redis_server: run.Server) -> None:
    async def main() -> None:
        async with redis.asyncio.Redis(port=redis_server.port) as client:
            await (await aio.RemoteBloomFilter(client, "seen")).add("a")
            report = await aio.doctor(client, deep=True, replicas=[client])
            assert report.filters[0].replicas == {f"localhost:{redis_server.port}": 1}

    asyncio.run(main())
