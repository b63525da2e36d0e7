"""What several test files need: every key strategy, an error with its code, a subprocess."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import strategies as st

import tepal

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
integers = st.integers(-(2**63), 2**64 - 1)
keys = st.one_of(texts, integers, st.binary(max_size=40))


#: A fresh interpreter that sees the installed package, not the source tree in the current directory.
INTERPRETER = [sys.executable, "-P", "-c"]


def key_bytes(key: str | int | bytes) -> bytes:
    """The bytes a key stands for, by the rule in FORMAT.md, in plain Python."""
    if isinstance(key, str):
        return key.encode()
    if isinstance(key, int):
        return (key % 2**64).to_bytes(8, "little")
    return bytes(key)


@contextmanager
def raises(
    code: str, kind: type[tepal.TepalError] = tepal.TepalError
) -> Iterator[pytest.ExceptionInfo[tepal.TepalError]]:
    """Expects an exception of tepal with exactly this code and class."""
    with pytest.raises(tepal.TepalError) as caught:
        yield caught
    assert caught.value.code == code
    assert isinstance(caught.value, kind)


def python(code: str, *arguments: str, timeout: float = 60) -> subprocess.CompletedProcess[str]:
    """Runs code in a fresh interpreter. When that takes too long, it and all its children are ended."""
    command = [*INTERPRETER, code, *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, start_new_session=True) as process:
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, process.returncode, stdout, stderr)
