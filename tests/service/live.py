"""A service in a process of its own, as `hedgerow serve` starts it."""

import os
import socket
import subprocess
import sys

import httpx

import hedgerow as hr


def free_port():
    """A port that nobody listens to."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


class Live:
    """A service that listens when this returns, and ends with close()."""

    def __init__(self, folder, *options, command=None, **environment):
        self.port, self.log = free_port(), folder / "log"
        self.url, self.store = f"http://127.0.0.1:{self.port}", folder / "live.db"
        given = {name: value for name, value in os.environ.items() if not name.startswith("HEDGEROW_")}
        given |= {"PORT": str(self.port), "HEDGEROW_STORE": f"sqlite:///{self.store}"} | environment
        with self.log.open("w") as log:
            line = command or [sys.executable, "-m", "hedgerow", "serve", *options]
            self.process = subprocess.Popen(line, stdout=log, stderr=log, env=given)
        self.client = hr.Client(self.url, timeout=30.0, patience=240.0, token=environment.get("HEDGEROW_TOKEN", ""))
        while True:  # until it listens; if it ends instead, its log says why
            assert self.process.poll() is None, self.log.read_text()
            try:
                httpx.get(f"{self.url}/healthz", timeout=1.0)
                return
            except httpx.TransportError:
                continue

    def get(self, path, **given):
        return httpx.get(self.url + path, timeout=240.0, **given)

    def close(self):
        self.client.close()
        self.process.terminate()
        assert self.process.wait(60) == 0, self.log.read_text()
