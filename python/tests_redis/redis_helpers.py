"""What several test files need: an error with its code, a connection that breaks, a client that tries once."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

import tepal


@contextmanager
def raises(
    code: str, kind: type[tepal.TepalError], number: int | None = None
) -> Iterator[pytest.ExceptionInfo[tepal.TepalError]]:
    """Expects an exception of tepal with exactly this code, class and errno."""
    with pytest.raises(tepal.TepalError) as caught:
        yield caught
    assert (caught.value.code, type(caught.value)) == (code, kind)
    if number is not None:
        assert getattr(caught.value, "errno", None) == number


def once(port: int, **options: Any) -> redis.Redis:
    """A client that does not try again by itself."""
    return redis.Redis(port=port, retry=Retry(NoBackoff(), 0), **options)


@contextmanager
def cut_after(port: int, limit: int) -> Iterator[int]:
    """A way to the server that breaks, for good, once so many bytes went to it. Yields its port."""
    listener = socket.create_server(("127.0.0.1", 0))
    open_sockets: list[socket.socket] = [listener]
    left = limit
    lock = threading.Lock()

    def close_all() -> None:
        for one in open_sockets:
            one.close()

    def forward(source: socket.socket, target: socket.socket, limited: bool) -> None:
        nonlocal left
        try:
            while data := source.recv(1 << 16):
                if limited:
                    with lock:
                        part, left = data[:left], left - min(left, len(data))
                    target.sendall(part)
                    if left == 0:
                        break
                else:
                    target.sendall(data)
        except OSError:
            pass
        for one in (source, target):
            # close() alone does not wake up who waits in recv
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def accept() -> None:
        try:
            while left > 0:
                near, _ = listener.accept()
                far = socket.create_connection(("127.0.0.1", port))
                open_sockets.extend((near, far))
                for way in ((near, far, True), (far, near, False)):
                    threading.Thread(target=forward, args=way, daemon=True).start()
        except OSError:
            pass

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        close_all()
