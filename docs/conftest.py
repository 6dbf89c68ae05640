"""The examples of service.md talk to a service of their own, which ends with them."""

import os
import subprocess
import sys
import time

import httpx
import pytest


@pytest.fixture(autouse=True)
def service_of_the_examples(request, tmp_path, monkeypatch):
    """Start it before the examples of service.md, and end it after them."""
    if request.node.path.name != "service.md":
        yield
        return
    port = 20_000 + os.getpid() % 10_000
    monkeypatch.setenv("HEDGEROW_URL", f"http://127.0.0.1:{port}")
    monkeypatch.delenv("HEDGEROW_TOKEN", raising=False)
    command = [sys.executable, "-m", "hedgerow", "serve", "--port", str(port), "--store", f"sqlite:///{tmp_path}/docs.db"]
    with (tmp_path / "log").open("w") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        while process.poll() is None:
            try:
                httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=1.0)
                break
            except httpx.TransportError:
                time.sleep(0.05)
        yield
        process.terminate()
    assert process.returncode == 0, (tmp_path / "log").read_text()
