"""Builds a filter, pushes it as a Python service would, and writes its bytes: port, key, scheme, number of keys, file."""

import sys

import redis

import tepal
import tepal.redis

port, key, scheme, count, path = sys.argv[1:]
seen = tepal.ScalableBloomFilter(10_000, scheme=scheme)
seen.update(f"key-{i}" for i in range(int(count)))
with redis.Redis(port=int(port)) as client:
    tepal.redis.push(client, key, seen)
seen.save(path)
