"""A PostgreSQL of its own, on this machine, in a temporary folder."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from pathlib import Path

FOLDERS = ("/usr/lib/postgresql/15/bin", "/usr/lib/postgresql/16/bin", "/usr/lib/postgresql/17/bin")


def binaries() -> Path | None:
    """The folder of initdb and pg_ctl, None if PostgreSQL is not installed."""
    found = shutil.which("initdb")
    folders = [*map(Path, FOLDERS), *([Path(found).parent] if found else [])]
    return next((folder for folder in folders if (folder / "initdb").exists()), None)


def free_port() -> int:
    """A port that nothing listens to.

    Returns:
        Its number.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """A cluster that ends with this object.

    Raises:
        RuntimeError: PostgreSQL is not installed.
    """

    def __init__(self) -> None:
        folder = binaries()
        if folder is None:
            raise RuntimeError("PostgreSQL is not installed: apt-get install postgresql")
        self._binaries, self.port = folder, free_port()
        self._home = Path(tempfile.mkdtemp(prefix="hedgerow-pg-"))
        if os.geteuid() == 0:  # initdb refuses root
            user = pwd.getpwnam("postgres")
            os.chown(self._home, user.pw_uid, user.pw_gid)
        self._run("initdb", "-D", str(self._home / "data"), "-A", "trust", "-U", "postgres", "--no-sync")
        self.start()

    @property
    def url(self) -> str:
        """The address of its database."""
        return f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start it, and wait until it answers."""
        options = f"-p {self.port} -k {self._home} -c listen_addresses=127.0.0.1 -c max_connections=60"
        self._run("pg_ctl", "-D", str(self._home / "data"), "-w", "-l", str(self._home / "log"), "-o", options, "start")

    def stop(self, mode: str) -> None:
        """Stop it.

        Args:
            mode: "fast", or "immediate": without a shutdown, as a crash would.
        """
        self._run("pg_ctl", "-D", str(self._home / "data"), "-w", "-m", mode, "stop")

    def close(self) -> None:
        """Stop it, and remove its folder."""
        try:
            self.stop("immediate")
        finally:
            shutil.rmtree(self._home, ignore_errors=True)

    def fresh(self) -> str:
        """An empty database.

        Returns:
            Its address.
        """
        import psycopg

        with psycopg.connect(self.url, autocommit=True) as connection:
            name = f"run{connection.execute('SELECT count(*) FROM pg_database').fetchone()[0]}"  # type: ignore[index]
            connection.execute(f"CREATE DATABASE {name}")  # type: ignore[call-overload]
        return self.url.removesuffix("postgres") + name

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(self._binaries / program), *arguments]
        if os.geteuid() == 0:
            command = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", *command]
        done = subprocess.run(command, cwd=self._home, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=60, check=False)
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr.decode()[-500:]}")
