"""Services in processes of their own on this machine: started, asked until they answer, killed."""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.service.connection import asked
from benchmarks.service.postgres import free_port

STARTING = 600.0
"""Seconds that a service may take until it is ready; compiling takes most of them, the first time."""


class Fleet:
    """One service or several replicas.

    Args:
        store: Address of their store.
        replicas: How many.
        snapshot: Folds between two snapshots.
        fault: Name of a planted fault.
    """

    def __init__(self, store: str, replicas: int, *, snapshot: int = 25, fault: str = ""):
        self.store, self._options = store, [str(snapshot), *([fault] if fault else [])]
        self.ports = [free_port() for _ in range(replicas)]
        self.log = Path(tempfile.mkstemp(prefix="hedgerow-service-", suffix=".log")[1])
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self.asked = self.cut = 0

    def start(self, port: int) -> None:
        """Start one.

        Args:
            port: Its port.
        """
        command = [sys.executable, "-m", "benchmarks.service.server", self.store, str(port), *self._options]
        with self.log.open("ab") as log:
            self._processes[port] = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)

    def kill(self, port: int, sign: int = signal.SIGKILL) -> None:
        """End one, without a chance to finish what it does.

        Args:
            port: Its port.
            sign: The signal.
        """
        process = self._processes[port]
        os.kill(process.pid, sign)
        process.wait()

    def memory(self, port: int) -> int:
        """What one holds in memory.

        Args:
            port: Its port.

        Returns:
            Bytes.
        """
        lines = Path(f"/proc/{self._processes[port].pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS"))

    def close(self) -> None:
        """End all."""
        for port, process in self._processes.items():
            if process.poll() is None:
                self.kill(port)

    async def ready(self, port: int) -> None:
        """Wait until one answers that it is ready.

        Args:
            port: Its port.

        Raises:
            RuntimeError: It ended.
            TimeoutError: It takes too long.
        """
        async with asyncio.timeout(STARTING):
            while True:
                if self._processes[port].poll() is not None:
                    raise RuntimeError(f"the service ended: {self.log.read_text()[-2000:]}")
                try:
                    if (await asked(port, "GET", "/readyz"))[0] == 200:
                        return
                except (OSError, TimeoutError, ValueError):
                    pass
                await asyncio.sleep(0.05)

    async def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Ask one of them, or another, until there is an answer that is not 5xx.

        Args:
            method: The HTTP method.
            path: The address.
            body: What is sent as JSON, None for nothing.

        Returns:
            Status and answer.
        """
        while True:
            self.asked += 1
            try:
                status, answer = await asked(random.choice(self.ports), method, path, body)
                if status < 500:
                    return status, answer
            except (OSError, TimeoutError, json.JSONDecodeError):
                self.cut += 1
            await asyncio.sleep(0.05)
