"""The hashes of other libraries against values that their authors, servers or FORMAT.md give."""

import schemes
from schemes import VALKEY_SEED, key_hash


def test_worked_values():
    assert key_hash("valkey", VALKEY_SEED, b"a")[0] == 0x19807C47E8649714
    assert key_hash("redisbloom", b"", b"a")[0] == 0x4292CEE227B9150A
    assert key_hash("guava", b"", b"hello") == (0xCBD8A7B341BD9B02, 0x5B1E906A48AE1D19)


def test_siphash_as_pythons_own():
    """CPython's hash of bytes is SipHash-1-3 (since 3.11); with PYTHONHASHSEED=0 its key is zero."""
    import os
    import subprocess
    import sys

    code = "import sys; assert sys.hash_info.algorithm == 'siphash13'; print(*[hash(bytes(range(n))) for n in range(1, 40)])"
    out = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONHASHSEED": "0"},
        check=True,
        capture_output=True,
        text=True,
    )
    for n, expected in enumerate(out.stdout.split(), 1):
        assert schemes.siphash13(bytes(range(n)), 0, 0) == int(expected) % 2**64


def test_murmur3_of_the_reference():
    text = b"The quick brown fox jumps over the lazy dog"
    assert schemes.murmur3_x64_128(text) == (0xE34BBC7BBC071B6C, 0x7A433CA9C49A9347)


def test_spark_is_murmur3_on_whole_words_only():
    assert schemes.spark_hash(b"", 0) == 0 and schemes.spark_hash(b"\0\0\0\0", 0) == 0x2362F9DE
    assert schemes.spark_hash(b"test", 0) & 0xFFFFFFFF == 0xBA6BD213


def test_sizes_of_the_servers():
    assert schemes.valkey_size(3, 0.1) == (2, 4) and schemes.valkey_size(100, 0.01) == (120, 7)
    assert schemes.valkey_size(10_000, 0.001)[0] == 18236 - 264
    assert schemes.redisbloom_size(3, 0.1) == (64, 4)
    assert schemes.valkey_size(2**63 - 1, 0.5) is None or schemes.valkey_size(2**63 - 1, 1e-300) is None
    assert schemes.redisbloom_size(2**63 - 1, 0.5) is None
