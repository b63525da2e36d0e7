"""Real servers for a test, on 127.0.0.1 and free ports, with nothing written to disk; all end with whoever asked.

From Python: ``with run.servers("redis", "valkey") as started: started["redis"].port``.
From anywhere else: spawn ``python tests/servers/run.py [NAME...]``, read one line of JSON from its standard output
(``{"redis": port, "valkey": port, "valkey_bloom": port or null, "pids": {"redis": pid, ...}}``), and close its standard
input to end them. scripts/setup-servers.sh must have run. Needs nothing but the standard library.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

HOME = Path(__file__).resolve().parents[2] / ".cache" / "servers"
READY_SECONDS = 20
PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Server:
    """A running server: where it listens and which process it is."""

    name: str
    port: int
    pid: int

    @contextmanager
    def hung(self) -> Iterator[None]:
        """It takes connections and answers nothing while this lasts, then goes on as if nothing had been."""
        os.kill(self.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.pid, signal.SIGCONT)


def valkey_bloom() -> Path | None:
    """The module valkey-bloom, where somebody has one."""
    path = Path(os.environ.get("TEPAL_VALKEY_BLOOM") or HOME / "libvalkey_bloom.so")
    return path if path.is_file() else None


def command(name: str) -> list[str] | None:
    """The command line of a server without its port; None when what it needs cannot be had here."""
    redisbloom = ["--loadmodule", str(HOME / "redisbloom.so")]
    if name == "redis":
        return [str(HOME / "redis-server"), *redisbloom]
    if name == "valkey":
        return [str(HOME / "valkey-server"), *redisbloom]
    if name == "valkey_bloom":
        module = valkey_bloom()
        return [str(HOME / "valkey-server"), "--loadmodule", str(module)] if module else None
    raise ValueError(f"no such server: {name}")


@contextmanager
def server(name: str, *options: str) -> Iterator[Server | None]:
    """One server, ready to answer, with more ``--option value`` if wanted; None when it cannot be had here."""
    start = command(name)
    if start is None:
        yield None
        return
    with started(name, [*start, *options]) as one:
        yield one


@contextmanager
def started(name: str, start: list[str]) -> Iterator[Server]:
    """The server of any command line, to which port, address and folder are added."""
    with tempfile.TemporaryDirectory(prefix=f"tepal-{name}-") as folder:
        log = Path(folder) / "log"
        for _attempt in range(5):  # somebody else may take the port between our look and the server's
            port = free_port()
            fixed = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder]
            with log.open("wb") as output:
                process = subprocess.Popen(
                    [*start, *fixed], stdin=subprocess.DEVNULL, stdout=output, stderr=output, preexec_fn=end_with_parent
                )
            try:
                if ready(process, port):
                    yield Server(name, port, process.pid)
                    return
            finally:
                process.kill()  # a stopped process takes no other signal
                process.wait()
        raise RuntimeError(f"{name} does not start: {log.read_text(errors='replace')[-2000:]}")


@contextmanager
def servers(*names: str) -> Iterator[dict[str, Server | None]]:
    """Several servers at once, by name."""
    with ExitStack() as stack:
        yield {name: stack.enter_context(server(name)) for name in names}


def end_with_parent() -> None:
    """In the child: the kernel ends it when its parent dies, however that happens."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    # A cluster's bus takes port + 10000.
    return port if port <= 55535 else free_port()


def ready(process: subprocess.Popen[bytes], port: int) -> bool:
    """Waits until it answers; False when it ended instead."""
    end = time.monotonic() + READY_SECONDS
    while process.poll() is None:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
                connection.sendall(b"PING\r\n")
                if connection.recv(16).startswith(b"+PONG"):
                    return True
        except OSError:
            pass
        if time.monotonic() > end:
            raise RuntimeError(f"no answer within {READY_SECONDS} s on port {port}")
        time.sleep(0.02)
    return False


def main() -> None:
    names = sys.argv[1:] or ["redis", "valkey", "valkey_bloom"]
    with servers(*names) as started:
        report: dict[str, object] = {name: one and one.port for name, one in started.items()}
        report["pids"] = {name: one.pid for name, one in started.items() if one}
        print(json.dumps(report), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
